package ranks

import "time"

// Every bound of this package, with its reason.
const (
	// MaxRanks bounds a group: every pair is connected, and every rank is a
	// process.
	MaxRanks = 64
	// MaxVector bounds a vector, in bytes.
	MaxVector = 1 << 30
	// maxMemory bounds a rank's vectors and scratch. DefaultMemory is what all ranks of
	// a server may have of them together: what one may ask for alone.
	maxMemory     = 8 << 30
	DefaultMemory = maxMemory
	// maxIters bounds the iterations of an order.
	maxIters = 100_000_000
	// maxSteps and maxLanes are what the immediate data has room for.
	maxSteps = 1 << 16
	maxLanes = 1 << 15
	// maxPlan bounds the steps of a rank's plan in all lanes: 1 GiB over 64 ranks in
	// chunks of 64 KiB are half of it. Each costs memory and time before the first byte
	// moves, and who orders a plan may be far away.
	maxPlan = 1 << 17
	// depth is the sends outstanding to one peer, and receives the messages that
	// may arrive before they are looked at, from all.
	depth    = 256
	receives = 4096
	// What is measured of a pair of ranks in each of a few rounds: round trips of a short
	// message, and long ones one after the other. Together they take about a second. Five
	// rounds are the least whose median outlives two that another program has spoilt.
	PairRounds              = 5
	pingBytes, pings        = 8, 400
	PairBytes, pairMessages = 1 << 20, 48
	// emptyPolls is how often a rank looks in vain before it sleeps.
	emptyPolls = 100
	// grace is how long ranks are waited for when one has failed: what they report
	// themselves, within the 8 timeouts of 67 ms after which a peer has gone, says more.
	grace = 2 * time.Second
	// patience ends a group of which a rank has gone.
	patience = 60 * time.Second
	// maxLine bounds a message to or from a rank.
	maxLine = 1 << 20
	// openTime is how long a caller of a server has to say what its rank is for, and
	// orderTime how long it may then let the rank wait for an order: no group does so for
	// as long as it waits for a rank that has gone.
	openTime  = 10 * time.Second
	orderTime = 2 * patience
	// greetingTime and maxGreeting bound what a caller waits for and reads before
	// it knows that it talks to a server of ranks.
	greetingTime = 10 * time.Second
	maxGreeting  = 4096
)
