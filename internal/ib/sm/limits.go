package sm

import "weft/units"

// The usual values of Config.
const (
	// DefaultWindow is the number of requests under way. A queue of Unix datagrams holds
	// 10 on old Linux; real switches take several requests at a time.
	DefaultWindow = 8
	// DefaultTimeout is the time that a request waits for its answer: OpenSM's.
	DefaultTimeout = 200 * units.Millisecond
	// DefaultRetries is the number of repeats of a request: OpenSM's.
	DefaultRetries = 3
	// DefaultSweep is the time between light sweeps, and DefaultPoll that between
	// a standby's questions to the master: OpenSM's.
	DefaultSweep = 10 * units.Second
	DefaultPoll  = 10 * units.Second
)

const (
	// maxRepeats is the number of sweeps that follow each other at once because requests
	// were not answered. After that the next sweep waits for its time: a node that never
	// answers must not be asked without end.
	maxRepeats = 3

	// maxChanges is the number of sweeps that follow each other at once because of traps
	// during the sweep before. After that the manager waits settleTime between sweeps:
	// neither flapping ports nor forged traps keep it busy.
	maxChanges = 16
	settleTime = units.Second

	// maxNodes bounds the memory that a fabric with false answers can take: more than
	// the LIDs of one subnet.
	maxNodes = 1 << 16

	// maxQueue bounds the requests that wait. Discovery of a subnet of
	// 49,151 ports queues less than one per port of a switch.
	maxQueue = 1 << 22

	// pollsLost is the number of polls in a row that a master may leave unanswered before
	// its standby takes over (IBA vol. 1, 14.4.1: SMInfo polling).
	pollsLost = 3

	// These bound the memory of subnet administration.
	maxServices    = 4096
	maxGroups      = 1024 // as many multicast LIDs as small switches have
	maxMembers     = 1 << 16
	maxSubscribers = 1 << 16
)

const (
	// maxRecords is the maximum number of records in an answer of subnet administration:
	// twice the ports of the largest fabrics, 3,920 switches of 56 ports and their hosts.
	maxRecords = 1 << 19

	// maxTransfers is the number of answers in several segments that may be under way.
	// transferTime is the time that an answer waits for an acknowledgement. maxSegments
	// is the number of segments that are sent without one.
	maxTransfers = 16
	transferTime = 10 * units.Second
	maxSegments  = 64

	// noRespTime says that a segment names no response time (IBA vol. 1, 13.6.2.1).
	noRespTime = 31
)
