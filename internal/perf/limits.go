package perf

import "time"

// Every bound of this package, with its reason. The server takes orders from
// whoever connects.
const (
	// MaxSize bounds a message: a test has two buffers of it.
	MaxSize = 1 << 30
	// MaxQPs bounds the queue pairs of a test.
	MaxQPs = 1 << 14
	// MaxBuffers bounds the memory of a test: MaxSize, or a small one for each of
	// many queue pairs.
	MaxBuffers = 2 << 30
	// MaxDepth bounds the work requests outstanding.
	MaxDepth = 1 << 14
	// MaxIters bounds the iterations of a test.
	MaxIters = 100_000_000
	// maxMessage bounds a message of the exchange: MaxQPs of some 100 bytes each.
	maxMessage = 4 << 20
	// maxTests bounds the tests that a server runs at the same time.
	maxTests = 8
	// maxPeak bounds the iterations of which the peak is sought, in all pairs.
	maxPeak = 20_000
	// patience ends a test whose peer has gone.
	patience = 60 * time.Second
)
