package transport

import (
	"fmt"
	"strconv"

	"weft/internal/sim/transport/cc"
	"weft/units"
	"weft/wire"
)

// Service is a transport service.
type Service uint8

// The services.
const (
	RC Service = iota // reliable connection
	UC                // unreliable connection
	UD                // unreliable datagram
	numServices
)

var serviceNames = [...]string{"RC", "UC", "UD"}

func (s Service) String() string {
	if s < numServices {
		return serviceNames[s]
	}
	return "Service(" + strconv.Itoa(int(s)) + ")"
}

// QP is a queue pair: a requester, which sends work requests and gets
// acknowledgements, and a responder, which does the opposite. Both are state
// machines without I/O.
//
// PSNs run una <= nxt <= max <= end around their circle: the oldest
// unacknowledged, the next to send, the first never sent, the first not yet
// posted. nxt lies before max while the requester repeats itself.
//
// Where a simulation has many queue pairs each packet finds its own out of the
// processor's caches, so fields lie by who touches them: first 32 bytes that every
// packet does, then two cache lines of the requester's and one of the responder's, one
// of congestion control's, then the rest. layout_test.go holds them to it.
type QP struct {
	// Every packet.
	cfg        *Config
	wake       units.Time // no deadline is earlier: a lower bound, see NextTimeout
	remote     units.QPN
	qpn        units.QPN
	state      State
	service    Service
	wants      cc.Wants
	owed       owed // what the responder has to send
	controlled bool // alg is not nil
	respTurn   bool // a response went last, so a request may go first
	lost       bool // a lost packet waits to be sent again
	posted     bool // work has been posted to the send queue since RESET

	// The requester. The send queue has the posted work from head to tail; cur is
	// the one that nxt lies in, or tail.
	head, cur, tail uint32
	una, nxt, max   units.PSN
	end             units.PSN // after the last posted
	ackHigh         units.PSN // out of order: acknowledged up to here, READs aside
	retries         uint16    // since the last progress
	locals          uint16    // local operations that have not completed
	rnrRetries      uint8
	recovering      bool  // has gone back for a lost read response at una
	readsOut        uint8 // READs between head and cur
	ringed          bool  // the send queue is sq, and not only

	flight     units.Bytes // payload from una to nxt
	paceAt     units.Time  // congestion control lets the next packet go
	holdUntil  units.Time  // RNR: the requester waits
	progressAt units.Time  // the last progress, from which the retry timer counts
	beyond     *beyond     // what the requester knows of packets ahead of una
	only       sendWork    // the send queue, until two are posted at once
	repeated   uint32      // packets sent more than once, modulo 2^32
	waits      uint8       // repetitions by the schedule since the last progress
	expired    uint16      // retransmission timeouts, up to the last that it can count

	// The responder.
	epsn     units.PSN // the next expected
	msn      uint32    // messages finished
	unacked  uint32    // packets since the last acknowledgement
	msgBytes uint32    // of the message under way
	msgLen   uint32    // its length, a WRITE's
	msgRKey  uint32
	msgVA    uint64
	msgClass opClass       // classNone between messages
	nakked   bool          // a NAK is out for epsn
	echo     bool          // a mark waits for the next acknowledgement
	owedSyn  wire.Syndrome // the syndrome that is owed
	rhead    uint32
	rtail    uint32
	qkey     uint32     // UD
	cnpAt    units.Time // the notification point may send a CNP
	nakAt    units.Time // a lasting gap may be NAKed again

	// Congestion control.
	alg        cc.Algorithm
	allow      cc.Allowance
	pacedAt    units.Time // the last packet that was paced went
	pacedBytes uint32     // its size on the wire
	chance     uint32     // see SetChance

	// Seldom touched.
	sq    []sendWork // the send queue where ringed: a ring of a power of two
	rq    []recvWork
	reads []readWork // READs being served; setReads changes it
	ahead *arrivals  // the responder's packets ahead of epsn
	flow  *flow      // the requester's flow control, where the configuration has one
}

// owed says what the responder has to send: responses of READs, and what goes behind
// the last of them.
type owed uint8

const (
	owedReads owed = 1 << iota
	owedAck
	owedNAK
)

// NewQP makes a queue pair in RESET. alg is its congestion control; nil is none.
func NewQP(cfg *Config, service Service, qpn units.QPN, alg cc.Algorithm) (*QP, error) {
	q := new(QP)
	if err := q.Setup(cfg, service, qpn, alg); err != nil {
		return nil, err
	}
	return q, nil
}

// Setup makes q a queue pair in RESET, where it lies.
func (q *QP) Setup(cfg *Config, service Service, qpn units.QPN, alg cc.Algorithm) error {
	if err := cfg.Check(); err != nil {
		return err
	}
	if service >= numServices {
		return ErrOperation
	}
	if cfg.Delivery == Unordered && alg == nil {
		return fmt.Errorf("%w: an unordered queue pair needs a congestion control", ErrConfig)
	}
	*q = QP{cfg: cfg, service: service, qpn: qpn}
	q.setup(alg)
	return nil
}

// setup sets what does not begin as zero.
func (q *QP) setup(alg cc.Algorithm) {
	q.alg, q.controlled = alg, alg != nil
	q.allow = cc.Free()
	q.wake = units.Forever
	if q.cfg.Delivery == Unordered && q.service == RC {
		q.beyond, q.ahead = &beyond{unordered: new(unordered)}, new(arrivals)
		q.wants = cc.WantEntropy
	}
	if q.cfg.CNPInterval == units.Forever {
		q.cnpAt = units.Forever
	}
}

// State is the queue pair's state.
func (q *QP) State() State { return q.state }

// QPN is the queue pair's number.
func (q *QP) QPN() units.QPN { return q.qpn }

// Remote is the peer's number; 0 before RTR and on UD.
func (q *QP) Remote() units.QPN { return q.remote }

// Service is the queue pair's service.
func (q *QP) Service() Service { return q.service }

// Rate is the rate that congestion control allows; 0 is unpaced.
func (q *QP) Rate() units.Rate { return q.allow.Rate }

// Wants is what the queue pair's congestion control wants to know: the packets of
// one that wants the round trip or the path are to report on their way.
func (q *QP) Wants() cc.Wants { return q.wants }

// Flight is the payload of SENDs and WRITEs that is sent and not acknowledged.
func (q *QP) Flight() units.Bytes { return q.flight }

// Repeated is the number of requests' packets that were sent again.
func (q *QP) Repeated() uint32 { return q.repeated }

// Timeouts is the number of retransmission timeouts that have expired, 65,535 at most.
func (q *QP) Timeouts() uint16 { return q.expired }

// Pending is the number of send work requests that are not finished.
func (q *QP) Pending() int { return int(q.tail - q.head) }

// Oldest is the oldest send work request that is not finished, and the PSN of its
// first packet; where there is none, ID 0 and the PSN of the next one.
func (q *QP) Oldest() (id uint64, first units.PSN) {
	if q.head == q.tail {
		return 0, q.end
	}
	w := q.work(q.head)
	return w.id, w.first
}

// Ready is when the queue pair may next emit a packet: now or earlier, later
// because congestion control or a busy peer makes it wait, or units.Forever
// because it has nothing to send before something arrives or is posted.
func (q *QP) Ready(now units.Time) units.Time {
	switch {
	case q.Responding():
		return max(now, q.paceAt)
	case q.sendable() && !q.restrained():
		return max(now, q.holdUntil, q.paceAt)
	}
	return units.Forever
}

// Held reports whether congestion control or a busy peer makes the queue pair wait, if
// it has anything to send: Ready without asking whether it has.
func (q *QP) Held(now units.Time) bool {
	return q.paceAt > now || q.holdUntil > now && !q.Responding()
}

// Next fills p with the next packet to send and reports whether there is one.
// It does not look at Ready's time: who calls early sends early. p's payload,
// p.Length bytes of it, comes from the work request SourceOf(p) at p.Offset,
// or, of a read response, from the memory at p.VA + p.Offset under p.RKey.
func (q *QP) Next(now units.Time, p *Packet) bool {
	if q.Responding() && !(q.respTurn && q.sendable() && !q.restrained()) {
		q.respTurn = true
		if q.nextResponse(p) {
			q.pace(now, units.Bytes(p.Length))
		}
		return true
	}
	if !q.sendable() || q.restrained() {
		return false
	}
	q.respTurn = false
	switch {
	case q.sprays():
		q.nextUnordered(now, p)
	case q.lost:
		q.nextRepeat(now, p)
	default:
		q.nextRequest(now, p)
	}
	return true
}

// NextPSN is the PSN of the packet that the requester sends next.
func (q *QP) NextPSN() units.PSN { return q.nxt }

// Expected is the PSN of the next request that the responder takes.
func (q *QP) Expected() units.PSN { return q.epsn }

// Verdict says what became of a received packet, and so of its payload.
type Verdict uint8

const (
	// Dropped says that the packet was a duplicate, out of order, or not for this state.
	Dropped Verdict = iota
	// Held says that the packet came ahead of the expected one, which its sender was
	// told: the caller keeps it, and gives it again in its turn (SelectiveHeld).
	Held
	// Taken says that the packet was consumed and has no payload to place.
	Taken
	// PlaceWrite says that the payload goes to the memory at p.VA + p.Offset under p.RKey.
	PlaceWrite
	// PlaceRecv says that the payload goes into the receive of ID p.VA at p.Offset.
	PlaceRecv
	// PlaceRead says that the payload goes into the READ of ID p.VA at p.Offset.
	PlaceRead
	// PlaceAtomic says that the original value goes into the atomic of ID p.VA.
	PlaceAtomic
)

// Receive takes a packet from the network. It appends what must be sent and
// what has finished to b, and says where the payload goes, for which it sets
// p.VA, p.RKey and p.Offset.
//
// After it, as after every call, the caller looks at NextTimeout and Ready.
func (q *QP) Receive(now units.Time, p *Packet, b *Batch) Verdict {
	if q.state < StateRTR || q.state == StateErr {
		return Dropped
	}
	info := &ops[p.Op]
	if p.Flags&(FlagCE|FlagCNP|FlagTrimmed) != 0 {
		if p.Flags&FlagTrimmed != 0 {
			return q.receiveTrimmed(p, info, b)
		}
		q.congested(now, p, info, b)
	}
	v := Dropped
	switch info.class {
	case classSend, classWrite, classReadRequest, classAtomic:
		if info.svc != q.service {
			return Dropped
		}
		v = q.receiveRequest(now, p, info, b)
	case classAck, classReadResponse, classAtomicResponse, classSelectiveAck, classNack:
		if q.service != RC || q.state < StateRTS {
			return Dropped
		}
		v = q.receiveAnswer(now, p, info.class, b)
	case classDatagram:
		if q.service == UD {
			return q.receiveUD(p, info, b)
		}
	case classResync:
		if q.cfg.Delivery == EndToEnd {
			return q.receiveResync(p, b)
		}
	case classCNP:
		return Taken
	}
	if q.state == StateErr {
		q.flush(b)
	}
	return v
}

// NextTimeout is when Timeout wants to be called, or units.Forever. It may
// become later at every packet, and earlier too: the caller keeps the deadline
// that it has as long as that is no later, and calls Timeout then; Timeout at
// a stale deadline does no harm and names the true one.
func (q *QP) NextTimeout() units.Time { return q.wake }

// Timeout does what is due. Calling it early is harmless.
func (q *QP) Timeout(now units.Time, b *Batch) {
	if now < q.wake || q.wake == units.Forever {
		return
	}
	if q.state == StateErr {
		q.BecomeErr(b)
		return
	}
	q.expire(now, b)
	if q.state == StateErr {
		q.flush(b)
	}
}

// expire does what is due of the requester, and makes wake exact.
func (q *QP) expire(now units.Time, b *Batch) {
	if q.service != RC {
		q.reportSent(b)
		if q.state == StateSQE {
			q.flushSends(b)
		}
	}
	if q.locals != 0 {
		q.runLocals(b)
	}
	if q.allow.Wake <= now {
		q.alg.Timer(now, &q.allow)
		q.repace()
	}
	if q.retryAt() <= now {
		q.timedOut(now, b)
	}
	q.wake = min(q.retryAt(), q.allow.Wake)
}

// work is the send work request of an index from head to tail.
func (q *QP) work(i uint32) *sendWork {
	if !q.ringed {
		return &q.only
	}
	return &q.sq[i&uint32(len(q.sq)-1)]
}

// Responding reports whether the responder has something to send: the next
// packet need not be a request.
func (q *QP) Responding() bool { return q.owed != 0 }

// SourceOf is the ID of the work request whose payload a request that Next has
// just filled carries.
func (q *QP) SourceOf(p *Packet) (id uint64, ok bool) {
	// Of a packet at nxt it is cur, or the one before; of a repetition any from
	// head on.
	near := q.head
	if q.cur != q.head {
		near = q.cur - 1
	}
	for _, part := range [...][2]uint32{{near, q.tail}, {q.head, near}} {
		for i := part[0]; i != part[1]; i++ {
			w := q.work(i)
			if uint32(p.PSN.Sub(w.first))&units.PSNMask < w.packets {
				return w.id, true
			}
		}
	}
	return 0, false
}

// Outstanding is the number of PSNs from the oldest unacknowledged to the next
// to send, those that responses of READs will have included, without those that
// the peer is known to have.
func (q *QP) Outstanding() int32 {
	n := q.nxt.Sub(q.una)
	if q.beyond != nil {
		n -= q.beyond.known
	}
	return max(0, n)
}
