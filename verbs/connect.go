package verbs

import (
	"context"
	"fmt"
	"net/netip"
	"slices"

	"weft/wire/cm"
)

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

// ListenAt is Listen for a port of a space, and for requests to one address: that of the device, or
// all of a family, as 0.0.0.0 and ::. The zero Addr takes those to any address. Listeners for
// different requests may have the same port.
func (d *Device) ListenAt(space PortSpace, at netip.Addr, port uint16) (*Listener, error) {
	m, err := d.manager()
	if err != nil {
		return nil, err
	}
	p := boundTo(space.service(port), at)
	l := &Listener{m: m, bound: p, backlog: newBacklog[*Conn](&m.mu, m.stopped)}
	if !addListener(m, m.listeners, p, l) {
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
	if !removeListener(l.m, l.m.listeners, l.bound, l) {
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

// Accept connects qp, which is in RESET or INIT, and waits until the peer has received the
// acceptance.
func (r *Request) Accept(ctx context.Context, qp *QP, p ConnParam) (*Conn, error) {
	c, err := r.Answer(qp, p)
	if err != nil {
		return nil, err
	}
	err = c.Wait(ctx)
	return c, err
}

// Answer connects qp, which is in RESET or INIT, and sends the acceptance; Wait tells whether it
// has arrived.
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

// Dial connects qp, which is in RESET or INIT, to a port of another device. Both devices must use
// the same UDP port. With ConnParam.QPN it returns when the peer has accepted; the program then
// brings its queue pair to RTS and calls Establish.
func (d *Device) Dial(
	ctx context.Context, qp *QP, to netip.Addr, port uint16, p ConnParam,
) (*Conn, error) {
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

// flush moves the queue pair to ERR.
func (c *Conn) flush() {
	if c.qp != nil {
		// It fails only if the queue pair is destroyed.
		_ = c.qp.Modify(&QPAttr{State: StateErr}, AttrState)
	}
}

// QP is the connection's queue pair at this end; nil if the program connects it.
func (c *Conn) QP() *QP { return c.qp }

// Done is closed when the connection has ended. The queue pair is then in ERR, unless the peer has ended
// the connection: as on Linux, it keeps its state until Disconnect, and sends whose acknowledgements are
// under way still complete.
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
