package ranks

import "time"

// All bounds of this package, each with its reason.
const (
	// MaxRanks bounds a group: every pair is connected, and every rank is a
	// process.
	MaxRanks = 64
	// MaxVector bounds a vector, in bytes.
	MaxVector = 1 << 30
	// maxMemory bounds a rank's vectors and scratch. DefaultMemory bounds the vectors of all ranks
	// of a server: the maximum of a single rank.
	maxMemory     = 8 << 30
	DefaultMemory = maxMemory
	// maxIters bounds the iterations of an order.
	maxIters = 100_000_000
	// maxSteps and maxLanes are the ranges of the immediate data.
	maxSteps = 1 << 16
	maxLanes = 1 << 15
	// maxPlan bounds the steps of a rank's plan in all lanes: 1 GiB over 64 ranks in chunks of 64
	// KiB are half of it. Each step costs memory and time before the first byte moves, and the
	// order may come from a remote caller.
	maxPlan = 1 << 17
	// depth is the number of outstanding sends to one peer. receives is the number of messages,
	// from all peers, that may arrive before the rank polls.
	depth    = 256
	receives = 4096
	// The parameters of a pair's measurement. Each round has round trips of a short message, and a
	// stream of long messages. Together the rounds take about a second. Five is the least number of
	// rounds with a valid median if another program disturbs two rounds.
	PairRounds              = 5
	pingBytes, pings        = 8, 400
	PairBytes, pairMessages = 1 << 20, 48
	// emptyPolls is the number of empty polls before a rank sleeps.
	emptyPolls = 100
	// grace is the time to wait for the other ranks when one has failed: their own reports, within
	// the 8 timeouts of 67 ms after which a peer counts as gone, say more.
	grace = 2 * time.Second
	// patience ends a group after a rank has gone.
	patience = 60 * time.Second
	// maxLine bounds a message to or from a rank.
	maxLine = 1 << 20
	// openTime is the deadline for a caller's first order, orderTime for each further one. No group
	// takes as long between orders, even when it waits for a rank that has gone.
	openTime  = 10 * time.Second
	orderTime = 2 * patience
	// greetingTime and maxGreeting bound the caller's wait and read before it knows that the peer
	// is a server of ranks.
	greetingTime = 10 * time.Second
	maxGreeting  = 4096
)
