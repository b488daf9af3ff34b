package sm

import "weft/units"

// The usual values of Config.
const (
	// DefaultWindow is how many requests are under way at a time. A queue of Unix
	// datagrams holds 10 on old Linux; real switches take several.
	DefaultWindow = 8
	// DefaultTimeout is how long a request waits for its answer: OpenSM's.
	DefaultTimeout = 200 * units.Millisecond
	// DefaultRetries is how often a request is repeated: OpenSM's.
	DefaultRetries = 3
	// DefaultSweep is the time between light sweeps, and DefaultPoll that between
	// a standby's questions to the master: OpenSM's.
	DefaultSweep = 10 * units.Second
	DefaultPoll  = 10 * units.Second
)

const (
	// maxRepeats is how many sweeps follow each other at once because requests
	// were not answered. Then the next waits for its time: a node that never answers
	// must not be asked without end.
	maxRepeats = 3

	// maxChanges is how many sweeps follow each other at once because traps told of
	// changes during the one before; settleTime is what the manager then waits in between:
	// ports that go up and down without end, and who forges traps, do not keep it busy.
	maxChanges = 16
	settleTime = units.Second

	// maxNodes and maxPorts bound what a fabric that lies can make a manager
	// remember: the LIDs of one subnet, twice over for adapters' ports without.
	maxNodes = 1 << 16

	// maxQueue bounds the requests that wait. Discovery of a subnet of
	// 49,151 ports queues less than one per port of a switch.
	maxQueue = 1 << 22

	// pollsLost is how many questions in a row a master may leave unanswered
	// before its standby takes over (IBA vol. 1, 14.4.1: SMInfo polling).
	pollsLost = 3

	// These bound what subnet administration is told to remember.
	maxServices    = 4096
	maxGroups      = 1024 // as many multicast LIDs as small switches have
	maxMembers     = 1 << 16
	maxSubscribers = 1 << 16
)

const (
	// maxRecords is how many records an answer of subnet administration holds: the
	// ports of the largest fabrics, 3,920 switches of 56 and their hosts, are half
	// as many.
	maxRecords = 1 << 19

	// maxTransfers is how many answers in several pieces may be under way, and
	// transferTime how long one waits for an acknowledgement; maxSegments is how
	// many pieces are sent without one.
	maxTransfers = 16
	transferTime = 10 * units.Second
	maxSegments  = 64

	// noRespTime says that a piece names no time (IBA vol. 1, 13.6.2.1).
	noRespTime = 31
)
