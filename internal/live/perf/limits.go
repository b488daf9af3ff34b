package perf

import "time"

// All bounds of this package, each with its reason. The server takes orders from any client.
const (
	// MaxSize bounds a message: a test has two buffers of this size.
	MaxSize = 1 << 30
	// MaxQPs bounds the queue pairs of a test.
	MaxQPs = 1 << 14
	// MaxDepth bounds the work requests outstanding.
	MaxDepth = 1 << 14
	// MaxWork bounds the work requests outstanding over all queue pairs: each takes
	// some 200 bytes, and three entries of a completion queue.
	MaxWork = 1 << 19
	// MaxIters bounds the iterations of a test.
	MaxIters = 100_000_000
	// maxMessage bounds a message of the exchange: MaxQPs of some 40 bytes each.
	maxMessage = 1 << 20
	// maxTests bounds the tests that a server runs concurrently.
	maxTests = 8
	// maxPeak bounds the iterations among which the peak is sought, in all pairs.
	maxPeak = 20_000
	// maxClients bounds the connections of a server. A further client replaces the client that has
	// been idle for longest.
	maxClients = 64
	// DefaultMemory bounds the memory of all tests of a server: enough for two of the longest
	// messages.
	DefaultMemory = 4 << 30
	// firstOrder and nextOrder end an idle connection: clients order a test as soon as they have
	// connected, and the next one when they have printed a result.
	firstOrder = 10 * time.Second
	nextOrder  = 30 * time.Second
	// longestTest ends any test of a server: MaxIters messages of 8 bytes take some 500 s.
	longestTest = time.Hour
	// patience ends a test whose peer has gone.
	patience = 60 * time.Second
)
