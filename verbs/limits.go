package verbs

import "time"

// All bounds of this package, each with its reason. Where ibv_query_device reports a bound, it has
// the value of current NICs.
const (
	// MaxQPWR bounds the work requests of a queue: the limit of the transport's rings.
	MaxQPWR = 1 << 15
	// MaxSGE bounds the buffers of a work request.
	MaxSGE = 30
	// MaxCQE bounds the entries of a completion queue: 2^22, as ConnectX.
	MaxCQE = 1 << 22
	// MaxInline bounds inline data: it is copied at posting.
	MaxInline = 1024

	// MaxXRCSRQ bounds the shared receive queues of a domain of XRC: half of the numbers stay free, so
	// that a free one is soon found.
	MaxXRCSRQ = 1 << 23
	// MaxMR bounds the memory regions and windows together: keys have 24 bits of index, and half of
	// the indices stay free, so that a random choice soon finds a free index.
	MaxMR = 1 << 23
	// MaxMessage is the longest message (IBA vol. 1, 9.4.3).
	MaxMessage = 1 << 31
	// MaxRdAtomic is the maximum number of outstanding READs and atomics.
	MaxRdAtomic = 16
	// manyUnfinished is the number of a queue pair's unfinished sends beyond which a post waits for
	// the next poll: a turn of so many packets is under way, so the link does not fall idle.
	manyUnfinished = 16
	// leastReadPart and mostReadPart bound the parts of a long READ. The requester bounds the data on
	// its way to it, so a READ does not overrun its own socket buffer: a part is at most an eighth of
	// that bound, or leastReadPart. The end of a part is the end of a datagram of many packets, so
	// longer parts cost less.
	leastReadPart = 64 << 10
	mostReadPart  = 256 << 10
	// grhBytes is the room that a receive of UD leaves for the GRH at its front.
	grhBytes = 40
	// maxAsync bounds the asynchronous events not yet fetched.
	maxAsync = 64
	// maxBacklog bounds the unaccepted requests of a listener. The manager asks the senders of
	// further requests to wait.
	maxBacklog = 1 << 12
	// maxHalfOpen bounds the peers' requests that are not yet connections: a new request replaces
	// the oldest. A flood of 20 000 requests a second leaves an honest request 0.8 s for its
	// handshake.
	maxHalfOpen = 1 << 14
	// maxFromOne bounds the requests of one address, so that each listener has room for other peers.
	// The manager asks the senders of further requests to wait.
	maxFromOne = maxBacklog / 2
	// maxConns bounds the connections of a device: the manager keeps some 1 KiB
	// of each.
	maxConns = 1 << 17
	// maxParted bounds the answers to DREQs that are sent once more when the program ends: a peer's
	// good bye is at most some seconds old when its answer still matters.
	maxParted = 1 << 8
	// maxResolving bounds this device's open resolutions of UD queue pairs. maxQuestions bounds the
	// resolutions of peers, open or answered within unansweredTime: a new one replaces the oldest.
	maxResolving = 1 << 14
	maxQuestions = 1 << 14
	// maxStrangers bounds the answers in a tickTime to senders without a connection: otherwise a
	// device that answers every forged request would flood the forged addresses.
	maxStrangers = 512
	// maxPatience bounds the time for which a peer can ask this side to wait.
	maxPatience = 5 * time.Second
)
