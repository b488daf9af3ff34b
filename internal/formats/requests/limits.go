package requests

const (
	// maxTokens bounds a prompt or an answer: the longest contexts of models have some ten million.
	maxTokens = 100_000_000
	// maxSpan bounds the time of a trace, in seconds: picoseconds in 64 bits hold 106 days.
	maxSpan = 100 * 86400
)
