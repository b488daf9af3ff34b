package transport

import (
	"fmt"
	"strconv"

	"weft/internal/sim/transport/cc"
	"weft/units"
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

// QP is a queue pair: a requester, which sends work requests and gets acknowledgements,
// and a responder, which takes requests and answers them. Both are state machines without
// I/O. QP joins them: it hands out the packet that goes first, gives each packet that
// comes to the half that it is for, and changes the state of both.
//
// In a simulation with many queue pairs each packet finds its own outside of the
// processor's caches. So fields lie together that one packet needs: the endpoint in half a
// cache line, congestion control in one, the requester in two, the responder in one.
// layout_test.go holds them to it.
type QP struct {
	req  requester
	resp responder
}

// endpoint is the shared state of the requester and the responder. Every packet touches
// it, and nothing else if there is nothing to do.
type endpoint struct {
	cfg        *Config    `state:"-"`
	wake       units.Time `state:"bound"` // no deadline is earlier: a lower bound, see NextTimeout
	remote     units.QPN  `state:"-"`
	qpn        units.QPN  `state:"-"`
	state      State
	service    Service
	wants      cc.Wants
	owed       owed // the responder's pending packets
	controlled bool // there is an algorithm of congestion control
	respTurn   bool // the last packet was a response, so a request may go first
	lost       bool // a lost packet waits for its repetition
	posted     bool // work has been posted to the send queue since RESET
}

// owed is the responder's pending packets: responses of READs, and the acknowledgement behind the
// last of them.
type owed uint8

const (
	owedReads owed = 1 << iota
	owedAck
	owedNAK
)

// Setup makes q, in place, a queue pair in RESET.
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
	*q = QP{req: requester{endpoint: endpoint{cfg: cfg, service: service, qpn: qpn}}}
	q.setup(alg)
	return nil
}

// setup sets the fields that do not begin as zero.
func (q *QP) setup(alg cc.Algorithm) {
	q.req.alg, q.req.controlled = alg, alg != nil
	q.req.allow = cc.Free()
	q.req.wake = units.Forever
	if q.req.cfg.Delivery == Unordered && q.req.service == RC {
		q.req.board, q.resp.ahead = &scoreboard{unordered: new(unordered)}, new(arrivals)
		q.req.wants = cc.WantEntropy
	}
	if q.req.cfg.CNPInterval == units.Forever {
		q.resp.cnpAt = units.Forever
	}
}

// State is the queue pair's state.
func (q *QP) State() State { return q.req.state }

// QPN is the queue pair's number.
func (q *QP) QPN() units.QPN { return q.req.qpn }

// Remote is the peer's number; 0 before RTR and on UD.
func (q *QP) Remote() units.QPN { return q.req.remote }

// Service is the queue pair's service.
func (q *QP) Service() Service { return q.req.service }

// Rate is the rate that congestion control allows; 0 is unpaced.
func (q *QP) Rate() units.Rate { return q.req.allow.Rate }

// Wants is the telemetry that the queue pair's congestion control needs. If that includes the round
// trip or the path, packets of the queue pair carry telemetry.
func (q *QP) Wants() cc.Wants { return q.req.wants }

// Flight is the payload of SENDs and WRITEs that is sent and not acknowledged.
func (q *QP) Flight() units.Bytes { return q.req.flight }

// Repeated is the number of retransmitted packets of requests.
func (q *QP) Repeated() uint32 { return q.req.repeated }

// PaceWait is the wait for the rate of congestion control that ends now, since the last packet; 0 if
// none does.
func (q *QP) PaceWait(now units.Time) units.Time {
	if q.req.paceAt != now || !q.req.controlled {
		return 0
	}
	return now - q.req.pacedAt
}

// Timeouts is the number of retransmission timeouts that have expired, 65,535 at most.
func (q *QP) Timeouts() uint16 { return q.req.expired }

// Pending is the number of unfinished send work requests.
func (q *QP) Pending() int { return int(q.req.tail - q.req.head) }

// Oldest is the oldest unfinished send work request, and the PSN of its first packet; if there is
// none, ID 0 and the PSN of the next one.
func (q *QP) Oldest() (id uint64, first units.PSN) { return q.req.oldest() }

// Outstanding is the number of PSNs from the oldest unacknowledged to the next to send,
// PSNs of responses of READs included. PSNs that the peer is known to have do not count.
func (q *QP) Outstanding() int32 { return q.req.outstanding() }

// Repeating reports whether the next packet was lost and counts as in flight already.
func (q *QP) Repeating() bool { return q.req.lost }

// Probing reports whether the oldest packet in flight was sent again, and nothing new
// since. Only a packet that is sent after a repetition shows that the repetition, or its
// acknowledgement, was lost, too. A window that held this packet back would leave the loss
// to the timeout.
func (q *QP) Probing() bool { return q.req.probing() }

// RetransmitAt is the time at which the packets in flight are retransmitted, unless they are
// acknowledged before; units.Forever if nothing is in flight or no timeout is set.
func (q *QP) RetransmitAt() units.Time { return q.req.retryAt() }

// SourceOf is the ID of the work request with the payload of a request from Next.
func (q *QP) SourceOf(p *Packet) (id uint64, ok bool) { return q.req.sourceOf(p) }

// SetChance sets the seed of the queue pair's random draws. It must be unique.
func (q *QP) SetChance(x uint32) { q.req.chance = x }

// SetQKey sets the required Q_Key of datagrams to this queue pair.
func (q *QP) SetQKey(qkey uint32) { q.resp.qkey = qkey }

// PostSend appends a work request to the send queue.
func (q *QP) PostSend(now units.Time, wr WorkRequest) error { return q.req.post(now, wr) }

// PostRecv appends a receive to the receive queue.
func (q *QP) PostRecv(now units.Time, r RecvRequest) error {
	return q.resp.post(&q.req.endpoint, now, r)
}

// WantsRecv reports whether p needs a receive now and none is posted: an owner of shared receives
// posts one before Receive.
func (q *QP) WantsRecv(p *Packet) bool { return q.resp.wantsRecv(&q.req.endpoint, p) }

// Ready is when the queue pair may next emit a packet: now or earlier, later
// because congestion control or a busy peer makes it wait, or units.Forever
// because it has nothing to send before something arrives or is posted.
func (q *QP) Ready(now units.Time) units.Time {
	switch {
	case q.Responding():
		return max(now, q.req.paceAt)
	case q.req.sendable() && !q.req.restrained():
		return max(now, q.req.holdUntil, q.req.paceAt)
	}
	return units.Forever
}

// Held reports whether congestion control or a busy peer delays the queue pair, if it has a packet
// to send: Ready without checking for one.
func (q *QP) Held(now units.Time) bool {
	return q.req.paceAt > now || q.req.holdUntil > now && !q.Responding()
}

// Next fills p with the next packet to send and reports whether there is one. It ignores Ready's
// time: an early call sends early. p's payload, p.Length bytes of it, comes from the work request
// SourceOf(p) at p.Offset, or, for a read response, from the memory at p.VA + p.Offset under
// p.RKey.
func (q *QP) Next(now units.Time, p *Packet) bool {
	if q.Responding() && !(q.req.respTurn && q.req.sendable() && !q.req.restrained()) {
		q.req.respTurn = true
		if q.resp.nextResponse(&q.req.endpoint, p) {
			q.req.pace(&q.req.endpoint, now, units.Bytes(p.Length))
		}
		return true
	}
	if !q.req.sendable() || q.req.restrained() {
		return false
	}
	q.req.respTurn = false
	switch {
	case q.req.sprays():
		q.req.board.unordered.emit(&q.req, now, p)
	case q.req.lost:
		q.req.board.emit(&q.req, now, p)
	default:
		q.req.nextRequest(now, p)
	}
	return true
}

// NextPSN is the PSN of the packet that the requester sends next.
func (q *QP) NextPSN() units.PSN { return q.req.nxt }

// Expected is the PSN of the next request for the responder.
func (q *QP) Expected() units.PSN { return q.resp.epsn }

// Verdict is the result for a received packet and its payload.
type Verdict uint8

const (
	// Dropped is a packet that was a duplicate, out of order, or invalid in this state.
	Dropped Verdict = iota
	// Held is a packet ahead of the expected one, which a NAK has reported to its sender. The
	// caller keeps the packet and gives it again in its turn (SelectiveHeld).
	Held
	// Taken is a packet that was accepted and has no payload to place.
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

// Receive takes a packet from the network. It appends answers and completions to
// b. Its verdict says where the payload goes, for which it sets p.VA, p.RKey and
// p.Offset.
//
// After it, as after every call, the caller looks at NextTimeout and Ready.
func (q *QP) Receive(now units.Time, p *Packet, b *Batch) Verdict {
	if q.req.state < StateRTR || q.req.state == StateErr {
		return Dropped
	}
	info := &ops[p.Op]
	if p.Flags&(FlagCE|FlagCNP|FlagTrimmed) != 0 {
		if p.Flags&FlagTrimmed != 0 {
			return q.resp.receiveTrimmed(&q.req.endpoint, p, info, b)
		}
		q.congested(now, p, info, b)
	}
	v := Dropped
	switch info.class {
	case classSend, classWrite, classReadRequest, classAtomic:
		if info.svc != q.req.service {
			return Dropped
		}
		v = q.resp.receive(&q.req.endpoint, now, p, info, b)
	case classAck, classReadResponse, classAtomicResponse, classSelectiveAck, classNack:
		if q.req.service != RC || q.req.state < StateRTS {
			return Dropped
		}
		v = q.req.receive(now, p, info.class, b)
	case classDatagram:
		if q.req.service == UD {
			return q.resp.receiveUD(&q.req.endpoint, p, info, b)
		}
	case classResync:
		if q.req.cfg.Delivery == EndToEnd {
			return q.resp.receiveResync(&q.req.endpoint, p, b)
		}
	case classCNP:
		return Taken
	}
	if q.req.state == StateErr {
		q.flush(b)
	}
	return v
}

// NextTimeout is when Timeout wants to be called, or units.Forever. It may
// become later at every packet, and earlier too: the caller keeps the deadline
// that it has as long as that is no later, and calls Timeout then; Timeout at
// a stale deadline does no harm and names the true one.
func (q *QP) NextTimeout() units.Time { return q.req.wake }

// Timeout handles the due deadlines. Calling it early is harmless.
func (q *QP) Timeout(now units.Time, b *Batch) {
	if now < q.req.wake || q.req.wake == units.Forever {
		return
	}
	if q.req.state == StateErr {
		q.BecomeErr(b)
		return
	}
	q.req.timeout(now, b)
	if q.req.state == StateErr {
		q.flush(b)
	}
}

// Responding reports whether the responder has a packet to send: the next packet need not be a
// request.
func (q *QP) Responding() bool { return q.req.owed != 0 }
