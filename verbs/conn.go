package verbs

import (
	"bytes"
	"cmp"
	"container/list"
	"fmt"
	"net/netip"
	"time"

	"weft/units"
	"weft/wire/cm"
)

// ConnParam holds one end's parameters of a connection (rdma_connect(3), rdma_accept(3)). The zero
// value stands for the usual parameters.
type ConnParam struct {
	// PrivateData is sent to the peer: up to 56 bytes with Dial, 196 with Accept.
	PrivateData []byte
	// Access is the peer's rights on memory.
	Access Access
	// ResponderResources is the number of READs and atomics that this end serves at a time,
	// InitiatorDepth the number that it has outstanding; 0 is MaxRdAtomic.
	ResponderResources, InitiatorDepth uint8
	// AckTimeout is the Local ACK Timeout of this end's queue pair: 4.096 us times 2^AckTimeout, 1 to
	// 31; 0 is the usual, AckTimeout of the package.
	AckTimeout uint8
	// GoBackN offers no selective repeat. By default this end offers selective repeat, and uses it
	// with a peer (a weft device) that offers it too; with any other peer it uses go-back-N. The
	// offer takes the last 4 bytes of the private data. It is not made if PrivateData needs them.
	GoBackN bool
	// Patience is how long Dial asks again for a port where nobody listens yet; 0 asks once.
	Patience time.Duration
	// Space is the space of the port with Dial: PortSpaceTCP unless it is set.
	Space PortSpace
	// QPN is the number of a queue pair that the program brings to RTS by itself, with the attributes
	// of Conn.Attr. The queue pair of Dial or Accept is nil then.
	QPN QPN
	// Type is the service of that queue pair: RC, which 0 stands for, XRCSend with Dial, XRCRecv with
	// Accept.
	Type QPType
}

// within checks that the private data fits. It gives up the offer if there is no room left for it.
func (p ConnParam) within(room int) (ConnParam, error) {
	if len(p.PrivateData) > room {
		return p, invalid("%d bytes of private data: at most %d", len(p.PrivateData), room)
	}
	p.GoBackN = p.GoBackN || len(p.PrivateData) > room-len(offer)
	return p, nil
}

// defaults fills in unset fields.
func (p ConnParam) defaults() ConnParam {
	if p.ResponderResources == 0 {
		p.ResponderResources = MaxRdAtomic
	}
	if p.InitiatorDepth == 0 {
		p.InitiatorDepth = MaxRdAtomic
	}
	p.AckTimeout = cmp.Or(p.AckTimeout, AckTimeout)
	return p
}

// PeerParam is what a peer says of its end of a connection, in its request or its acceptance.
type PeerParam struct {
	QPN  QPN
	Type QPType // RC, XRCSend in a request, XRCRecv in an acceptance
	// Port, in a request, is the number that its program or device has chosen.
	Port                               uint16
	ResponderResources, InitiatorDepth uint8
	RetryCount, RNRRetry               uint8
	SRQ                                bool
}

// PortSpace is a space of ports: the same number in another space is another port.
type PortSpace uint8

// The spaces of connections (rdma_create_id(3)).
const (
	PortSpaceTCP PortSpace = iota // RDMA_PS_TCP
	PortSpaceIB                   // RDMA_PS_IB, which programs use for XRC
)

// service is the service ID of a port.
func (s PortSpace) service(port uint16) uint64 {
	if s == PortSpaceIB {
		return cm.IBServiceID(port)
	}
	return cm.ServiceID(port)
}

// Conn is a connection of two queue pairs.
type Conn struct {
	m        *manager
	qp       *QP // nil: the program connects it
	qpn      QPN
	service  QPType // of the own queue pair
	theirs   PeerParam
	attr     QPAttr    // of the queue pair, once the peer's message is known
	psn      units.PSN // the first that this end sends, of an accepted request
	peer     netip.AddrPort
	listener *Listener // that received the request; nil for own requests
	local    cm.ID
	remote   cm.ID
	state    connState
	param    ConnParam
	asked    cm.Req
	tid      uint64
	half     *list.Element // its element in manager.half.conns
	message  []byte        // sent again until it is answered
	rep      []byte        // of an accepted request
	rest     *list.Element // its element in manager.resting
	again    int64         // next repetition, or the end of the request, by the manager's clock
	until    int64         // end of Patience, or of probePatience, by the same clock
	tries    int
	private  []byte
	offered  bool // the peer offers selective repeat
	err      error
	settled  chan struct{} // established, or failed
	finished chan struct{} // disconnected, or failed
	left     bool          // the peer has ended the connection
}

// connState is the state of a connection (IBA vol. 1, 12.9.6).
type connState uint8

const (
	connReqSent connState = iota
	connReqReceived
	connRepReceived // and the program connects the queue pair
	connRepSent
	connEstablished
	connDreqSent
	connClosed
)

func newConn(m *manager, peer netip.AddrPort, state connState) *Conn {
	return &Conn{
		m: m, peer: peer, state: state, settled: make(chan struct{}),
		finished: make(chan struct{}),
	}
}

// setQueuePair gives a connection its queue pair, or the number of the program's own, and reports
// whether it takes its receives from a shared queue.
func (c *Conn) setQueuePair(qp *QP, p *ConnParam, xrc QPType) (shared bool, err error) {
	switch {
	case (qp == nil) == (p.QPN == 0):
		return false, invalid(
			"a connection needs a queue pair, or the number of one that the program connects")
	case qp == nil:
		c.qpn, c.service = p.QPN, p.Type
	default:
		c.qp, c.qpn, c.service = qp, qp.QPN(), qp.attr.Type
		shared = qp.attr.SRQ != nil
	}
	if c.service != RC && c.service != xrc {
		return false, invalid("a connection has a queue pair of RC, or of XRC: "+
			"XRCSend asks, XRCRecv accepts; this is %v", c.service)
	}
	return shared, nil
}

// The transport service of a REQ for XRC (IBA vol. 1, 12.7.22 and annex A14).
const (
	serviceExtended = 3
	extendedXRC     = 1
)

// setService sets the service of a REQ.
func (c *Conn) setService(r *cm.Req) {
	if c.service == XRCSend {
		r.Service2, r.Extended = serviceExtended, extendedXRC
	}
}

// askedService is the service of a peer's queue pair that sends a REQ; false if connections have no
// such.
func askedService(r *cm.Req) (t QPType, ok bool) {
	switch {
	case r.Service2 == 0:
		return RC, true
	case r.Service2 == serviceExtended && r.Extended == extendedXRC:
		return XRCSend, true
	}
	return 0, false
}

// accepting is the service of the accepting end's queue pair, by that of the asking end's.
var accepting = map[QPType]QPType{RC: RC, XRCSend: XRCRecv}

// setAttributes sets the attributes of the queue pair, once both messages are known. The starting
// PSN in a message is the first PSN that the message's receiver must send (IBA vol. 1, 12.7.31).
func (c *Conn) setAttributes(theirs, ours units.PSN, mtu int) {
	c.attr = QPAttr{
		Access: c.param.Access, PathMTU: min(mtu, c.m.dev.mtu), Dest: c.peer, DestQPN: c.theirs.QPN,
		RQPSN: ours, SQPSN: theirs,
		MaxRdAtomic:     int(min(c.param.InitiatorDepth, c.theirs.ResponderResources)),
		MaxDestRdAtomic: int(min(c.param.ResponderResources, max(1, c.theirs.InitiatorDepth))),
		MinRNRTimer:     12, Timeout: c.param.AckTimeout, RetryCnt: 7, RNRRetry: 7,
		SelectiveRepeat: c.selective() && c.qp != nil,
	}
}

// plan sets the attributes for a request that is about to be accepted, with a PSN of its own.
func (c *Conn) plan(r *cm.Req) {
	if c.psn == 0 {
		c.psn = units.PSN(secret()&units.PSNMask) | 1
	}
	c.setAttributes(r.PSN, c.psn, cm.MTUBytes(r.MTU))
}

// connect brings the queue pair to RTS, if it is not the program's own.
func (c *Conn) connect() error {
	if c.qp == nil {
		return nil
	}
	return c.qp.ConnectWith(&c.attr)
}

// attrOf is the attributes for a state, and which of them are set.
func (c *Conn) attrOf(s QPState) (QPAttr, QPAttrMask, error) {
	if s != StateInit && s != StateRTR && s != StateRTS || s != StateInit && c.attr.DestQPN == 0 {
		return QPAttr{}, 0, invalid("attributes for %v: the connection has none yet", s)
	}
	a := c.attr
	a.State, a.Access = s, c.param.Access
	return a, needs[s][c.service].must, nil
}

// selective reports whether both ends offer selective repeat.
func (c *Conn) selective() bool { return c.offered && !c.param.GoBackN }

// offer, in the last bytes of private data, offers selective repeat.
var offer = [4]byte{'w', 'f', 'S', 'R'}

// cutOffer reports whether private data contains the offer, and returns the rest before it.
func cutOffer(private []byte) (rest []byte, yes bool) {
	rest, yes = bytes.CutSuffix(private, offer[:])
	return rest, yes
}

func head(tid uint64, a cm.Attribute) []byte {
	h := cm.Header{Transaction: tid, Attribute: a}
	return h.AppendTo(nil)
}

// tooLong rejects a REQ with a path MTU for which this side has no room, with the greatest one.
func (c *Conn) tooLong() []byte {
	rej := cm.Rej{Local: c.local, Remote: c.remote, Reason: cm.ReasonInvalidMTU, InfoBytes: 1}
	rej.Info[0] = cm.MTUCode(c.m.dev.mtu)
	return rej.AppendTo(head(c.tid, cm.AttrRej))
}

func (c *Conn) rejection(why cm.Reason, private []byte) []byte {
	rej := cm.Rej{Local: c.local, Remote: c.remote, Reason: why}
	copy(rej.Private[:], private)
	return rej.AppendTo(head(c.tid, cm.AttrRej))
}

// RejectError is the refusal of a connection by the peer; it is ErrRejected.
type RejectError struct {
	Reason uint16 // IBA vol. 1, 12.6.7.2: 8 nobody listens, 28 the program refuses
}

// Error implements error.
func (e *RejectError) Error() string {
	if cm.Reason(e.Reason) == cm.ReasonInvalidSvc {
		return fmt.Sprintf("%v: %v", ErrRejected, ErrNoListener)
	}
	return fmt.Sprintf("%v (reason %d)", ErrRejected, e.Reason)
}

// Is implements errors.Is.
func (e *RejectError) Is(target error) bool {
	return target == ErrRejected ||
		target == ErrNoListener && cm.Reason(e.Reason) == cm.ReasonInvalidSvc
}

// rejection is the error of a REJ.
func rejection(why cm.Reason) error {
	return &RejectError{uint16(why)}
}
