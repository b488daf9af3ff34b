package verbs

import (
	"bytes"
	"container/list"
	"context"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"syscall"
	"time"

	"weft/units"
	"weft/wire/cm"
)

// Errors of connections.
var (
	ErrRejected = errors.New("verbs: the peer rejects the connection")
	// ErrNoListener is wrapped together with ErrRejected if nobody at the peer listens at the port,
	// or not yet.
	ErrNoListener = errors.New("nobody listens there")
	ErrNoAnswer   = errors.New("verbs: the peer does not answer")
	ErrInUse      = errors.New("verbs: the port is in use")
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
	// AckTimeout is the Local ACK Timeout of this end's queue pair: 4.096 us times 2^AckTimeout, 1 to 31;
	// 0 is the usual, AckTimeout of the package.
	AckTimeout uint8
	// GoBackN offers no selective repeat. By default this end offers selective repeat, and uses it
	// with a peer (a weft device) that offers it too; with any other peer it uses go-back-N. The
	// offer takes the last 4 bytes of the private data. It is not made if PrivateData needs them.
	GoBackN bool
	// Patience is how long Dial asks again for a port where nobody listens yet; 0 asks once.
	Patience time.Duration
	// Space is the space of the port with Dial: PortSpaceTCP unless it is set.
	Space PortSpace
	// QPN is the number of a queue pair that the program brings to RTS by itself, with the attributes of
	// Conn.Attr. The queue pair of Dial or Accept is nil then.
	QPN QPN
	// Type is the service of that queue pair: RC, which 0 stands for, XRCSend with Dial, XRCRecv with Accept.
	Type QPType
}

// PeerParam is what a peer says of its end of a connection, in its request or its acceptance.
type PeerParam struct {
	QPN                                QPN
	Type                               QPType // RC, XRCSend in a request, XRCRecv in an acceptance
	Port                               uint16 // of a request: the number that its program or device has chosen
	ResponderResources, InitiatorDepth uint8
	RetryCount, RNRRetry               uint8
	SRQ                                bool
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
	return target == ErrRejected || target == ErrNoListener && cm.Reason(e.Reason) == cm.ReasonInvalidSvc
}

// offer, in the last bytes of private data, offers selective repeat.
var offer = [4]byte{'w', 'f', 'S', 'R'}

// within checks that the private data fits. It gives up the offer if there is no room left for it.
func (p ConnParam) within(room int) (ConnParam, error) {
	if len(p.PrivateData) > room {
		return p, invalid("%d bytes of private data: at most %d", len(p.PrivateData), room)
	}
	p.GoBackN = p.GoBackN || len(p.PrivateData) > room-len(offer)
	return p, nil
}

// offers reports whether private data contains the offer, and returns the rest before it.
func offers(private []byte) (rest []byte, yes bool) {
	rest, yes = bytes.CutSuffix(private, offer[:])
	return rest, yes
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
	at       *Listener // that received the request; nil for own requests
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

// Listener accepts requests for connections to a port.
type Listener struct {
	m       *manager
	bound   bound
	backlog backlog[*Conn]
}

// Listen starts listening for connections to a port of the device, as rdma_listen does. Other
// devices reach it at the device's address.
func (d *Device) Listen(port uint16) (*Listener, error) {
	return d.ListenAt(PortSpaceTCP, netip.Addr{}, port)
}

// ListenAt is Listen for a port of a space, and for requests to one address: that of the device, or all of a family, as
// 0.0.0.0 and ::. The zero Addr takes those to any address. Listeners for different requests may have the same port.
func (d *Device) ListenAt(space PortSpace, at netip.Addr, port uint16) (*Listener, error) {
	m, err := d.manager()
	if err != nil {
		return nil, err
	}
	p := boundTo(space.service(port), at)
	l := &Listener{m: m, bound: p, backlog: newBacklog[*Conn](&m.mu, m.stopped)}
	if !add(m, m.listeners, p, l) {
		return nil, fmt.Errorf("%w: %d", ErrInUse, port)
	}
	if err := d.listens(p); err != nil {
		_ = l.Close()
		return nil, fmt.Errorf("%w: %d", err, port)
	}
	return l, nil
}

// Close stops listening. Connections stay; requests not yet accepted are rejected.
func (l *Listener) Close() error {
	if !drop(l.m, l.m.listeners, l.bound, l) {
		return ErrClosed
	}
	l.m.mu.Lock()
	defer l.m.mu.Unlock()
	close(l.backlog.closed)
	for _, c := range slices.Clone(l.backlog.waits) {
		l.m.answer(c.peer, c.rejection(cm.ReasonInvalidSvc, nil))
		l.m.end(c, ErrClosed)
	}
	return nil
}

// Request is a peer's request for a connection, to be accepted or rejected.
type Request struct{ c *Conn }

// Accept waits for a request.
func (l *Listener) Accept(ctx context.Context) (*Request, error) {
	c, err := l.backlog.next(ctx)
	if err != nil {
		return nil, err
	}
	return &Request{c}, nil
}

// PrivateData is the private data that the peer sent.
func (r *Request) PrivateData() []byte { return r.c.private }

// Peer is the peer's address.
func (r *Request) Peer() netip.AddrPort { return r.c.peer }

// Param is what the peer says of its end.
func (r *Request) Param() PeerParam { return r.c.theirs }

// Attr is Conn.Attr of the connection that the request leads to.
func (r *Request) Attr(s QPState, p ConnParam) (QPAttr, QPAttrMask, error) {
	r.c.m.mu.Lock()
	defer r.c.m.mu.Unlock()
	r.c.param = p.defaults()
	r.c.plan(&r.c.asked)
	return r.c.attrOf(s)
}

// Accept connects qp, which is in RESET or INIT, and waits until the peer has received the acceptance.
func (r *Request) Accept(ctx context.Context, qp *QP, p ConnParam) (*Conn, error) {
	c, err := r.Answer(qp, p)
	if err != nil {
		return nil, err
	}
	err = c.Wait(ctx)
	return c, err
}

// Answer connects qp, which is in RESET or INIT, and sends the acceptance; Wait tells whether it has arrived.
func (r *Request) Answer(qp *QP, p ConnParam) (*Conn, error) {
	p, err := p.within(cm.RepPrivate)
	if err != nil {
		return nil, err
	}
	if err := r.c.m.accept(r.c, qp, p); err != nil {
		return nil, err
	}
	return r.c, nil
}

// Reject refuses the connection.
func (r *Request) Reject(private []byte) error {
	if len(private) > cm.RejPrivate {
		return invalid("%d bytes of private data: at most %d", len(private), cm.RejPrivate)
	}
	return r.c.m.refuse(r.c, private)
}

// reqPrivate is the size of a REQ's private data after the addresses.
const reqPrivate = cm.ReqPrivate - cm.IPBytes

// sameFamily is an address to which packets of the device can go: IPv4 or IPv6, as its own, and of its fabric.
func (d *Device) sameFamily(to netip.Addr) (netip.Addr, error) {
	to = to.Unmap()
	if own := d.Addr().Addr().Unmap(); !to.IsValid() || own.Is4() != to.Is4() {
		return to, fmt.Errorf("%w: %w", invalid("the address %v from a device at %v: both are IPv4, or both IPv6", to, own), syscall.ENETUNREACH)
	}
	return to, d.onFabric(to)
}

// Dial connects qp, which is in RESET or INIT, to a port of another device. Both devices must use the
// same UDP port. With ConnParam.QPN it returns when the peer has accepted; the program then brings its
// queue pair to RTS and calls Establish.
func (d *Device) Dial(ctx context.Context, qp *QP, to netip.Addr, port uint16, p ConnParam) (*Conn, error) {
	p, err := p.within(reqPrivate)
	if err != nil {
		return nil, err
	}
	if to, err = d.sameFamily(to); err != nil {
		return nil, err
	}
	m, err := d.manager()
	if err != nil {
		return nil, err
	}
	c, err := m.dial(qp, netip.AddrPortFrom(to, d.Addr().Port()), port, p)
	if err != nil {
		return nil, err
	}
	err = c.Wait(ctx)
	return c, err
}

// Wait waits until the connection is established or has failed.
func (c *Conn) Wait(ctx context.Context) error {
	select {
	case <-c.settled:
		c.m.mu.Lock()
		defer c.m.mu.Unlock()
		return c.err
	case <-c.m.stopped:
		return ErrClosed
	case <-ctx.Done():
		c.m.mu.Lock()
		defer c.m.mu.Unlock()
		c.m.end(c, ctx.Err())
		return ctx.Err()
	}
}

// Attr is the attributes with which a program brings its own queue pair to INIT, RTR or RTS.
func (c *Conn) Attr(s QPState) (QPAttr, QPAttrMask, error) {
	c.m.mu.Lock()
	defer c.m.mu.Unlock()
	return c.attrOf(s)
}

// Establish says to the peer that the queue pair is ready, which the program has connected.
func (c *Conn) Establish() error {
	c.m.mu.Lock()
	defer c.m.mu.Unlock()
	if c.state != connRepReceived {
		return fmt.Errorf("%w: the connection is established or has ended", ErrClosed)
	}
	c.m.establish(c)
	return nil
}

// Param is what the peer says of its end.
func (c *Conn) Param() PeerParam {
	c.m.mu.Lock()
	defer c.m.mu.Unlock()
	return c.theirs
}

// PrivateData is the private data that the peer sent, in its request or its acceptance.
func (c *Conn) PrivateData() []byte { return c.private }

// SelectiveRepeat reports whether both ends have offered selective repeat, and so use it.
func (c *Conn) SelectiveRepeat() bool {
	c.m.mu.Lock()
	defer c.m.mu.Unlock()
	return c.selective()
}

// QP is the connection's queue pair at this end; nil if the program connects it.
func (c *Conn) QP() *QP { return c.qp }

// Done is closed when the connection has ended: the queue pair is then in ERR.
func (c *Conn) Done() <-chan struct{} { return c.finished }

// Disconnect ends the connection at both ends, and waits for the peer's answer.
func (c *Conn) Disconnect(ctx context.Context) error {
	c.m.disconnect(c)
	select {
	case <-c.finished:
		return nil
	case <-c.m.stopped:
		return ErrClosed
	case <-ctx.Done():
		return ctx.Err()
	}
}
