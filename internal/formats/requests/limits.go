package requests

const (
	// maxRequests bounds a trace: the public ones have 10 to 28 million; each takes some 100 bytes.
	maxRequests = 50_000_000
	// maxTokens bounds a prompt or an answer: the longest contexts of models have some ten million.
	maxTokens = 100_000_000
	// maxSpan bounds the time of a trace, in seconds: picoseconds in 64 bits hold 106 days.
	maxSpan = 100 * 86400
)
