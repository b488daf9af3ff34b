//go:build cgo && linux

package main

/*
#include <string.h>
#include "core.h"

static void weft_tell(weft_cm_deliver to, uintptr_t object, const struct weft_cm_event *e) { to(object, e); }
*/
import "C"

import (
	stdcontext "context"
	"errors"
	"net"
	"net/netip"
	"sync"
	"syscall"
	"time"
	"unsafe"

	"weft/units"
	"weft/verbs"
)

// The types of rdma_cm_event.
const (
	connectRequest  = 4
	connectResponse = 5
	connectError    = 6
	unreachable     = 7
	rejected        = 8
	established     = 9
	disconnected    = 10
)

// cmID is one end of a connection, or a listener, of a program of librdmacm. Each wait for the peer is
// a goroutine, which tells its outcome as an event.
type cmID struct {
	device *device
	of     verbs.QPType // its queue pair's
	space  verbs.PortSpace
	ctx    stdcontext.Context
	cancel stdcontext.CancelFunc

	mu       sync.Mutex
	object   uintptr // the C object; 0: destroyed
	listener *verbs.Listener
	service  *verbs.Service
	named    *net.UnixListener // the listener's name
	request  *verbs.Request
	question *verbs.Question
	conn     *verbs.Conn
	param    verbs.ConnParam
}

// deliver is the C function that takes events.
var deliver C.weft_cm_deliver

//export weft_cm_events
func weft_cm_events(to C.weft_cm_deliver) C.int {
	deliver = to
	return 0
}

func newID(d *device, of verbs.QPType, space verbs.PortSpace) *cmID {
	c := &cmID{device: d, of: of, space: space}
	c.ctx, c.cancel = stdcontext.WithCancel(stdcontext.Background())
	return c
}

// weft_reaches is the error for an address to which no packet of a device can go.
//
//export weft_reaches
func weft_reaches(dev C.weft_id, to *C.uint8_t) C.int {
	return errno("rdma_resolve_addr", object[*context](dev).Reaches(address(to)))
}

//export weft_cm_create
func weft_cm_create(dev C.weft_id, qpType, portSpace C.uint32_t, of C.uintptr_t, id *C.weft_id) C.int {
	c := newID(object[*context](dev).device, services[qpType], spaces[portSpace])
	c.object = uintptr(of)
	keep(id, c)
	return 0
}

// weft_cm_adopt gives a request its C object.
//
//export weft_cm_adopt
func weft_cm_adopt(id C.weft_id, of C.uintptr_t) C.int {
	c := object[*cmID](id)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.object = uintptr(of)
	return 0
}

// tell tells an event, unless the C object is destroyed.
func (c *cmID) tell(e *C.struct_weft_cm_event) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.object != 0 {
		C.weft_tell(deliver, C.uintptr_t(c.object), e)
	}
}

// weft_cm_listen listens for requests to an address, to any without one.
//
//export weft_cm_listen
func weft_cm_listen(id C.weft_id, addr *C.uint8_t, port C.uint16_t) C.int {
	c := object[*cmID](id)
	var at netip.Addr
	if addr != nil {
		at = address(addr)
	}
	var err error
	if c.of == verbs.UD {
		if c.service, err = c.device.ListenDatagramsAt(at, uint16(port)); err == nil {
			go c.serveQuestions(c.service)
		}
	} else if c.listener, err = c.device.ListenAt(c.space, at, uint16(port)); err == nil {
		go c.serve(c.listener)
	}
	if errors.Is(err, verbs.ErrInUse) {
		return C.int(syscall.EADDRINUSE)
	}
	if err == nil && (!at.IsValid() || at.Is4() == c.device.Addr().Addr().Unmap().Is4()) { // requests come
		c.named = c.device.named(serviceOf(c.of, c.space, uint16(port)))
	}
	return errno("rdma_listen", err)
}

// serve tells the requests of a listener until it closes.
func (c *cmID) serve(l *verbs.Listener) {
	for {
		r, err := l.Accept(c.ctx)
		if err != nil {
			return
		}
		p := r.Param()
		n := newID(c.device, verbs.RC, c.space)
		if p.Type == verbs.XRCSend {
			n.of = verbs.XRCRecv
		}
		n.request = r
		e := eventOf(connectRequest, r.Peer(), r.PrivateData(), requestPrivate)
		e.port = C.uint16_t(p.Port)
		e.fill(&p)
		c.offer(e, n)
	}
}

// serveQuestions tells the questions for a service until it closes.
func (c *cmID) serveQuestions(s *verbs.Service) {
	for {
		q, err := s.Accept(c.ctx)
		if err != nil {
			return
		}
		n := newID(c.device, verbs.UD, c.space)
		n.question = q
		c.offer(eventOf(connectRequest, q.Peer(), q.PrivateData(), questionPrivate), n)
	}
}

// offer tells a request, under its own ID.
func (c *cmID) offer(e *cmEvent, n *cmID) {
	var id C.weft_id
	keep(&id, n)
	e.request = id
	for number, t := range services {
		if t == n.of {
			e.qp_type = number
		}
	}
	c.tell((*C.struct_weft_cm_event)(e))
}

// cmEvent is an event that is made.
type cmEvent C.struct_weft_cm_event

// The lengths that programs get of private data, whatever the peer has filled of it.
const (
	requestPrivate  = 56
	responsePrivate = 196
	rejectPrivate   = 148
	questionPrivate = 180
	answerPrivate   = 136
)

// eventOf is an event about a peer with its private data, padded to a length.
func eventOf(kind uint32, peer netip.AddrPort, private []byte, length int) *cmEvent {
	e := &cmEvent{_type: C.uint32_t(kind), private_len: C.uint32_t(length)}
	a := peer.Addr().As16()
	for i, b := range a {
		e.peer[i] = C.uint8_t(b)
	}
	for i, b := range private[:min(len(private), length)] {
		e.private_data[i] = C.uint8_t(b)
	}
	return e
}

// fill sets the parameters of the peer's end.
func (e *cmEvent) fill(p *verbs.PeerParam) {
	e.qp_num = C.uint32_t(p.QPN)
	e.responder_resources, e.initiator_depth = C.uint8_t(p.InitiatorDepth), C.uint8_t(p.ResponderResources)
	e.retry_count, e.rnr_retry_count = C.uint8_t(p.RetryCount), C.uint8_t(p.RNRRetry)
	if p.SRQ {
		e.srq = 1
	}
}

// spaces are the spaces of ports by the numbers of rdma_port_space, but PortSpaceTCP.
var spaces = map[C.uint32_t]verbs.PortSpace{0x013f: verbs.PortSpaceIB}

// connParam is a program's parameters.
func (c *cmID) connParam(p *C.struct_weft_cm_param) verbs.ConnParam {
	return verbs.ConnParam{
		PrivateData:        C.GoBytes(p.private_data, C.int(p.private_len)),
		Access:             verbs.AccessLocalWrite | verbs.AccessRemoteWrite | verbs.AccessRemoteRead | verbs.AccessRemoteAtomic,
		ResponderResources: uint8(p.responder_resources), InitiatorDepth: uint8(p.initiator_depth), AckTimeout: uint8(p.ack_timeout),
		QPN: units.QPN(p.qp_num), Type: c.of, Space: c.space,
	}
}

// queuePair is the queue pair of an ID; nil if the program connects its own.
func queuePair(id C.weft_id) *verbs.QP {
	if id == 0 {
		return nil
	}
	return object[*verbs.QP](id)
}

// notYet is how long a connection waits for a listener. perftest's server (-R) ends its first listener before
// it makes its second. Its client may come in between, and perftest 4.5 then uses an ID that it has freed. The
// kernel resolves addresses and routes more slowly, so that its programs seldom see that.
const notYet = 500 * time.Millisecond

//export weft_cm_connect
func weft_cm_connect(id C.weft_id, addr *C.uint8_t, port C.uint16_t, qp C.weft_id, in *C.struct_weft_cm_param) C.int {
	c, to := object[*cmID](id), address(addr)
	p := c.connParam(in)
	if c.of == verbs.UD {
		go c.resolve(to, uint16(port), p.PrivateData)
		return 0
	}
	q := queuePair(qp)
	c.mu.Lock()
	c.param = p
	c.mu.Unlock()
	go func() {
		until := time.Now().Add(notYet)
		at := where(c.ctx, to, serviceOf(c.of, c.space, uint16(port)), until)
		p.Patience = max(0, time.Until(until))
		conn, err := c.device.Dial(c.ctx, q, at, uint16(port), p)
		c.outcome(conn, err, connectKind(q))
	}()
	return 0
}

// connectKind is the event of an accepted connection: the program that connects its own queue pair
// has to say when that is done.
func connectKind(q *verbs.QP) uint32 {
	if q == nil {
		return connectResponse
	}
	return established
}

// outcome tells how a connection has begun, and later that it has ended.
func (c *cmID) outcome(conn *verbs.Conn, err error, kind uint32) {
	var refused *verbs.RejectError
	switch {
	case err == nil:
		c.mu.Lock()
		c.conn = conn
		c.mu.Unlock()
		p := conn.Param()
		e := eventOf(kind, netip.AddrPort{}, conn.PrivateData(), responsePrivate)
		e.fill(&p)
		c.tell((*C.struct_weft_cm_event)(e))
		<-conn.Done()
		c.tell((*C.struct_weft_cm_event)(eventOf(disconnected, netip.AddrPort{}, nil, 0)))
	case c.ctx.Err() != nil:
	case errors.As(err, &refused):
		e := eventOf(rejected, netip.AddrPort{}, conn.PrivateData(), rejectPrivate)
		e.status = C.int32_t(refused.Reason)
		c.tell((*C.struct_weft_cm_event)(e))
	case errors.Is(err, verbs.ErrNoAnswer):
		c.fails(unreachable, syscall.ETIMEDOUT)
	default:
		c.fails(connectError, syscall.Errno(errno("rdma_connect", err)))
	}
}

// fails tells an event with an error.
func (c *cmID) fails(kind uint32, why syscall.Errno) {
	e := eventOf(kind, netip.AddrPort{}, nil, 0)
	e.status = -C.int32_t(why)
	c.tell((*C.struct_weft_cm_event)(e))
}

// resolve asks for the queue pair of a service, and tells the answer.
func (c *cmID) resolve(to netip.Addr, port uint16, private []byte) {
	until := time.Now().Add(notYet)
	at := where(c.ctx, to, serviceOf(c.of, c.space, port), until)
	r, err := c.device.Resolve(c.ctx, at, port, private)
	for errors.Is(err, verbs.ErrNoListener) && time.Now().Before(until) && c.ctx.Err() == nil {
		time.Sleep(notYet / 50)
		r, err = c.device.Resolve(c.ctx, at, port, private)
	}
	switch {
	case err == nil:
		e := eventOf(established, r.Addr, r.PrivateData, answerPrivate)
		e.qp_num, e.qkey = C.uint32_t(r.QPN), C.uint32_t(r.QKey)
		c.tell((*C.struct_weft_cm_event)(e))
	case c.ctx.Err() != nil:
	case errors.Is(err, verbs.ErrRejected):
		c.fails(unreachable, syscall.ECONNREFUSED)
	default:
		c.fails(unreachable, syscall.ETIMEDOUT)
	}
}

//export weft_cm_accept
func weft_cm_accept(id, qp C.weft_id, in *C.struct_weft_cm_param) C.int {
	c, q := object[*cmID](id), queuePair(qp)
	p := c.connParam(in)
	if c.question != nil {
		if q == nil {
			return C.int(syscall.EINVAL)
		}
		return errno("rdma_accept", c.question.Answer(q, p.PrivateData))
	}
	if c.request == nil {
		return C.int(syscall.EINVAL)
	}
	conn, err := c.request.Answer(q, p)
	if err != nil {
		return errno("rdma_accept", err)
	}
	go func() { c.outcome(conn, conn.Wait(c.ctx), established) }()
	return 0
}

//export weft_cm_reject
func weft_cm_reject(id C.weft_id, data unsafe.Pointer, n C.uint32_t) C.int {
	c, private := object[*cmID](id), C.GoBytes(data, C.int(n))
	switch {
	case c.question != nil:
		return errno("rdma_reject", c.question.Refuse(private))
	case c.request != nil:
		return errno("rdma_reject", c.request.Reject(private))
	}
	return C.int(syscall.EINVAL)
}

// connection is the ID's connection; nil before it has begun.
func (c *cmID) connection() *verbs.Conn {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.conn
}

// weft_cm_attr is the attributes for a state of a queue pair that the program connects itself.
//
//export weft_cm_attr
func weft_cm_attr(id C.weft_id, state C.uint32_t, out *C.struct_weft_qp_attr) C.int {
	c := object[*cmID](id)
	c.mu.Lock()
	conn, request, p := c.conn, c.request, c.param
	c.mu.Unlock()
	a := verbs.QPAttr{Access: c.connParam(&C.struct_weft_cm_param{}).Access}
	var err error
	switch {
	case conn != nil:
		a, _, err = conn.Attr(verbs.QPState(state))
	case request != nil:
		p.Access = a.Access
		a, _, err = request.Attr(verbs.QPState(state), p)
	case verbs.QPState(state) != verbs.StateInit:
		return C.int(syscall.EINVAL)
	}
	if err == nil {
		*out = attributes(&a)
	}
	return errno("rdma_init_qp_attr", err)
}

//export weft_cm_establish
func weft_cm_establish(id C.weft_id) C.int {
	conn := object[*cmID](id).connection()
	if conn == nil {
		return C.int(syscall.EINVAL)
	}
	return errno("rdma_establish", conn.Establish())
}

//export weft_cm_disconnect
func weft_cm_disconnect(id C.weft_id) C.int {
	conn := object[*cmID](id).connection()
	if conn == nil {
		return C.int(syscall.EINVAL)
	}
	part(conn) // the end is an event
	return 0
}

// part sends the good bye of a connection before it returns, because the program may end then. While it
// does not, the message is repeated until it is answered.
func part(conn *verbs.Conn) {
	ctx, cancel := stdcontext.WithCancel(stdcontext.Background())
	cancel()
	_ = conn.Disconnect(ctx) // it does not wait for the answer
}

//export weft_cm_destroy
func weft_cm_destroy(id C.weft_id) C.int {
	c := object[*cmID](id)
	c.mu.Lock()
	c.object = 0 // no event comes any more
	conn := c.conn
	c.mu.Unlock()
	if c.named != nil {
		_ = c.named.Close()
	}
	switch {
	case c.listener != nil:
		_ = c.listener.Close()
	case c.service != nil:
		_ = c.service.Close()
	case conn != nil:
		part(conn)
	case c.request != nil:
		_ = c.request.Reject(nil) // it fails if the request is answered, or the peer has gone
	}
	c.cancel()
	forget(id)
	return 0
}
