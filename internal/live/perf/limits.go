package perf

import "time"

// Every bound of this package, with its reason. The server takes orders from
// whoever connects.
const (
	// MaxSize bounds a message: a test has two buffers of it.
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
	// maxTests bounds the tests that a server runs at the same time.
	maxTests = 8
	// maxPeak bounds the iterations of which the peak is sought, in all pairs.
	maxPeak = 20_000
	// maxClients bounds the connections of a server. One more takes the place of the one
	// that has asked for nothing for longest.
	maxClients = 64
	// DefaultMemory is what the tests of a server take together: two of the longest
	// messages.
	DefaultMemory = 4 << 30
	// firstOrder and nextOrder end a connection that asks for nothing: clients ask as
	// soon as they have connected, and again when they have printed a result.
	firstOrder = 10 * time.Second
	nextOrder  = 30 * time.Second
	// longestTest ends any test of a server: MaxIters messages of 8 bytes take some 500 s.
	longestTest = time.Hour
	// PingIdle ends the connection of a peer that does not ping.
	PingIdle = 2 * time.Minute
	// patience ends a test whose peer has gone.
	patience = 60 * time.Second
)
