package verbs

import (
	"bytes"
	"container/list"
	"context"
	"errors"
	"fmt"
	"net/netip"
	"slices"

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
	// GoBackN offers no selective repeat. By default this end offers selective repeat, and uses it
	// with a peer (a weft device) that offers it too; with any other peer it uses go-back-N. The
	// offer takes the last 4 bytes of the private data. It is not made if PrivateData needs them.
	GoBackN bool
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
	qp       *QP
	peer     netip.AddrPort
	at       *Listener // that received the request; nil for own requests
	local    cm.ID
	remote   cm.ID
	state    connState
	param    ConnParam
	asked    cm.Req
	tid      uint64
	half     *list.Element // its element in manager.half
	message  []byte        // sent again until it is answered
	again    int64         // next repetition, or the end of the request, by the manager's clock
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
	connRepSent
	connEstablished
	connDreqSent
	connClosed
)

// Listener accepts requests for connections to a port.
type Listener struct {
	m       *manager
	service uint64
	backlog backlog[*Conn]
}

// Listen starts listening for connections to a port of the device, as rdma_listen does. Other
// devices reach it at the device's address.
func (d *Device) Listen(port uint16) (*Listener, error) {
	m, err := d.manager()
	if err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	service := cm.ServiceID(port)
	if m.listeners[service] != nil {
		return nil, fmt.Errorf("%w: %d", ErrInUse, port)
	}
	l := &Listener{m: m, service: service, backlog: newBacklog[*Conn](m)}
	m.listeners[service] = l
	return l, nil
}

// Close stops listening. Connections stay; requests not yet accepted are rejected.
func (l *Listener) Close() error {
	l.m.mu.Lock()
	defer l.m.mu.Unlock()
	if l.m.listeners[l.service] != l {
		return ErrClosed
	}
	delete(l.m.listeners, l.service)
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

// Accept connects qp, which is in RESET, and waits until the peer has received the acceptance.
func (r *Request) Accept(ctx context.Context, qp *QP, p ConnParam) (*Conn, error) {
	p, err := p.within(cm.RepPrivate)
	if err != nil {
		return nil, err
	}
	c := r.c
	if err := c.m.accept(c, qp, p); err != nil {
		return nil, err
	}
	err = c.wait(ctx)
	return c, err
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

// Dial connects qp, which is in RESET, to a port of another device. Both devices must use the same
// UDP port.
func (d *Device) Dial(ctx context.Context, qp *QP, to netip.Addr, port uint16, p ConnParam) (*Conn, error) {
	p, err := p.within(reqPrivate)
	if err != nil {
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
	err = c.wait(ctx)
	return c, err
}

// wait waits until the connection is established or has failed.
func (c *Conn) wait(ctx context.Context) error {
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

// PrivateData is the private data that the peer sent, in its request or its acceptance.
func (c *Conn) PrivateData() []byte { return c.private }

// SelectiveRepeat reports whether both ends have offered selective repeat, and so use it.
func (c *Conn) SelectiveRepeat() bool {
	c.m.mu.Lock()
	defer c.m.mu.Unlock()
	return c.selective()
}

// QP is the connection's queue pair at this end.
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
