package sm

import "weft/units"

// The usual values of Config.
const (
	// DefaultWindow is the number of outstanding requests. A queue of Unix datagrams holds 10 on
	// old Linux; real switches take several requests at a time.
	DefaultWindow = 8
	// DefaultTimeout is the time that a request waits for its answer: OpenSM's.
	DefaultTimeout = 200 * units.Millisecond
	// DefaultRetries is the number of repeats of a request: OpenSM's.
	DefaultRetries = 3
	// DefaultSweep is the time between light sweeps, DefaultPoll the time between a standby's polls
	// of the master: OpenSM's.
	DefaultSweep = 10 * units.Second
	DefaultPoll  = 10 * units.Second
	// DefaultLostPolls is the number of polls in a row that a master may leave unanswered before
	// its standby takes over (IBA vol. 1, 14.4.1: SMInfo polling).
	DefaultLostPolls = 3
)

const (
	// maxRepeats is the number of sweeps without a pause because of unanswered requests. After that
	// the next sweep waits for its time, because some nodes never answer.
	maxRepeats = 3

	// keepTold is the number of sweeps without a fault after which it is told again if it comes back.
	keepTold = 16

	// maxChanges is the number of sweeps without a pause because of traps. After that the manager
	// waits settleTime between sweeps, so flapping ports and forged traps do not keep it busy.
	maxChanges = 16
	settleTime = units.Second

	// maxNodes bounds the memory for a fabric with false answers. It is more than the LIDs of one
	// subnet.
	maxNodes = 1 << 16

	// maxQueue bounds the waiting requests. Discovery of a subnet of 49,151 ports queues less than
	// one per switch port.
	maxQueue = 1 << 22

	// These bound the memory of subnet administration.
	maxServices    = 4096
	maxGroups      = 1024 // the number of multicast LIDs of small switches
	maxMembers     = 1 << 16
	maxSubscribers = 1 << 16
)

const (
	// maxRecords is the maximum number of records in an answer of subnet administration:
	// twice the ports of the largest fabrics, 3,920 switches of 56 ports and their hosts.
	maxRecords = 1 << 19

	// maxTransfers is the number of concurrent answers in several segments. transferTime is the
	// time that an answer waits for an acknowledgement. maxSegments is the number of unacknowledged
	// segments.
	maxTransfers = 16
	transferTime = 10 * units.Second
	maxSegments  = 64

	// noRespTime says that a segment names no response time (IBA vol. 1, 13.6.2.1).
	noRespTime = 31
)
