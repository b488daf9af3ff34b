package perf

import (
	"container/list"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/semaphore"

	"weft/internal/base/door"
	"weft/verbs"
)

// Ended is called for each test that has ended, with its error, and for a connection that failed
// without a test, with t nil.
type Ended func(peer net.Addr, t *Test, err error)

// Serve answers clients until ctx ends. Each connection of l runs one test after another. All
// concurrent tests share the given number of bytes of memory.
func Serve(ctx context.Context, l net.Listener, dev *verbs.Device, bytes int64, ended Ended) error {
	return newServer(dev, bytes, ended).serve(ctx, l)
}

// server is the state shared by the tests of a server. Anybody may connect, so these times bound
// how long a client can hold its share.
type server struct {
	dev   *verbs.Device
	ended Ended
	tests chan struct{} // one place for each running test

	bytes  int64 // the memory of all tests
	memory *semaphore.Weighted

	// Deadlines: first for a client's first order, idle for each further order, queue for the wait
	// for a place and for memory, still for a test without progress, longest for any test.
	first, idle, queue, still, longest time.Duration

	mu      sync.Mutex
	clients int
	idlers  *list.List // idle links; the longest idle is first
}

func newServer(dev *verbs.Device, bytes int64, ended Ended) *server {
	return &server{
		dev: dev, ended: ended, tests: make(chan struct{}, maxTests), idlers: list.New(),
		bytes: bytes, memory: semaphore.NewWeighted(bytes),
		first: firstOrder, idle: nextOrder, queue: patience / 2, still: patience, longest: longestTest,
	}
}

func (s *server) serve(ctx context.Context, l net.Listener) error {
	stop := context.AfterFunc(ctx, func() { _ = l.Close() })
	defer stop()
	for {
		c, err := door.Next(l.Accept)
		if err != nil {
			if ctx.Err() != nil {
				return nil
			}
			return err
		}
		go s.client(ctx, c)
	}
}

// client answers one connection.
func (s *server) client(ctx context.Context, c net.Conn) {
	defer c.Close()
	defer context.AfterFunc(ctx, func() { _ = c.Close() })()
	l := newLink(c)
	if !s.enter() {
		err := fmt.Errorf("perf: the server has %d clients, and all of them run tests: try again later", maxClients)
		s.ended(c.RemoteAddr(), nil, errors.Join(err, l.write(&End{Error: err.Error()})))
		return
	}
	defer s.leave()
	for wait := s.first; ; wait = s.idle {
		var order End
		entry := s.idleNow(l)
		err := l.read(&order, wait)
		s.active(entry)
		if errors.Is(err, io.EOF) || ctx.Err() != nil {
			return
		}
		if err == nil {
			err = s.one(ctx, l, &order)
		} else {
			err = fmt.Errorf("perf: the client orders no test within %v: %w", wait, err)
		}
		s.ended(c.RemoteAddr(), order.Test, err)
		if err != nil {
			return
		}
	}
}

// enter admits a client. When there are too many, the client that has been idle for longest is
// disconnected.
func (s *server) enter() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.clients >= maxClients {
		oldest := s.idlers.Front()
		if oldest == nil {
			return false
		}
		if l, ok := s.idlers.Remove(oldest).(*link); ok {
			_ = l.conn.Close()
		}
	}
	s.clients++
	return true
}

func (s *server) leave() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.clients--
}

// idleNow notes that a client is idle; active, that it has ordered a test.
func (s *server) idleNow(l *link) *list.Element {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.idlers.PushBack(l)
}

func (s *server) active(e *list.Element) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.idlers.Remove(e)
}

// claim waits for the memory of a test. The server frees the memory of a test a little after the
// client has its result, so the next test of the same client may arrive first.
func (s *server) claim(ctx context.Context, n int64) error {
	ctx, cancel := context.WithTimeoutCause(ctx, s.queue, fmt.Errorf("running tests have freed too little within %v: try again later", s.queue))
	defer cancel()
	if n > s.bytes {
		return fmt.Errorf("perf: the test takes %d bytes of memory, and the server has %d", n, s.bytes)
	}
	if s.memory.Acquire(ctx, n) != nil {
		return fmt.Errorf("perf: the test takes %d bytes of memory, and the server has %d: %w", n, s.bytes, context.Cause(ctx))
	}
	return nil
}

// one runs one test, once a place and memory are free.
func (s *server) one(ctx context.Context, l *link, order *End) error {
	t := order.Test
	if t == nil {
		return errors.New("perf: the client names no test")
	}
	err := t.Check()
	if err == nil {
		err = s.place(ctx)
	}
	if err != nil {
		return errors.Join(err, l.write(&End{Error: err.Error()}))
	}
	defer func() { <-s.tests }()
	if err := s.claim(ctx, t.memory()); err != nil {
		return errors.Join(err, l.write(&End{Error: err.Error()}))
	}
	defer s.memory.Release(t.memory())
	// The deadline for an order is over; the test has the bounds below.
	if err := l.conn.SetReadDeadline(time.Time{}); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, s.longest, fmt.Errorf("perf: a test takes %v at most", s.longest))
	defer cancel()
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	defer context.AfterFunc(ctx, func() { _ = l.conn.SetDeadline(time.Unix(1, 0)) })()
	if t.OverTCP {
		return s.overTCP(ctx, end, l, t)
	}
	return s.overRDMA(ctx, end, l, order)
}

// place waits for a test's place.
func (s *server) place(ctx context.Context) error {
	late := time.NewTimer(s.queue)
	defer late.Stop()
	select {
	case s.tests <- struct{}{}:
		return nil
	case <-late.C:
		return fmt.Errorf("perf: %d tests are running, and none has ended within %v: try again later", maxTests, s.queue)
	case <-ctx.Done():
		return ctx.Err()
	}
}

// watch ends a test without progress. progress changes whenever the test goes on.
func (s *server) watch(ctx context.Context, end func(error), progress func() uint64) {
	tick := time.NewTicker(s.still)
	defer tick.Stop()
	for last := progress(); ; {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			now := progress()
			if now == last {
				end(errGone)
				return
			}
			last = now
		}
	}
}

func (s *server) overRDMA(ctx context.Context, end func(error), l *link, order *End) error {
	t := order.Test
	t.MTU = min(t.MTU, s.dev.PathMTU())
	e, err := newEnds(s.dev, t)
	if err != nil {
		return errors.Join(err, l.write(&End{Error: err.Error()}))
	}
	defer e.close()
	if err := e.meet(l, order); err != nil {
		return err
	}
	go s.watch(ctx, end, e.progress)
	before, _ := cpuTime()
	err = e.serve(&stopper{ctx: ctx}, l)
	if ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	after, _ := cpuTime()
	o := outcome{CPU: after - before, Sum: sum(e.inBytes())}
	if err != nil {
		o.Error = err.Error()
	}
	return errors.Join(err, l.write(&o))
}

// progress changes with each request that arrives.
func (e *ends) progress() (all uint64) {
	for _, q := range e.qps {
		a, _ := q.Query()
		all = all*31 + uint64(a.RQPSN)
	}
	return all
}

// meet sends this side's queue pairs to the client and connects them with the client's.
func (e *ends) meet(l *link, client *End) error {
	if err := errors.Join(e.connect(client), e.prepare()); err != nil {
		return errors.Join(err, l.write(&End{Error: err.Error()}))
	}
	mine := e.describe()
	mine.Selective = e.t.Selective
	return l.write(mine)
}

// prepare posts the receives that must be there before the first message.
func (e *ends) prepare() error {
	if e.t.Verb != Send {
		return nil
	}
	for _, q := range e.qps {
		if err := e.postRecv(q, recvDepth(e.t)); err != nil {
			return err
		}
	}
	return nil
}

// serve takes part until the client reports the end.
func (e *ends) serve(stop *stopper, l *link) error {
	n := e.t.Iters + e.t.Warmup
	var err error
	switch {
	case e.t.Kind == Bandwidth && e.t.Verb == Send:
		err = e.sink(stop, n)
	case e.t.Kind == Latency && (e.t.Verb == Send || e.t.Verb == Write):
		err = e.reply(stop, n)
	}
	if err != nil {
		return err
	}
	var done struct{}
	return l.readWhenever(&done)
}

// counted counts the bytes that are read.
type counted struct {
	in io.Reader
	n  atomic.Uint64
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.in.Read(p)
	c.n.Add(uint64(n))
	return n, err
}

func (s *server) overTCP(ctx context.Context, end func(error), l *link, t *Test) error {
	if err := l.write(&End{}); err != nil {
		return err
	}
	if err := l.conn.SetWriteDeadline(time.Time{}); err != nil {
		return err
	}
	in := &counted{in: l.in}
	go s.watch(ctx, end, in.n.Load)
	before, _ := cpuTime()
	buf, err := drain(l.conn, in, t)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err != nil {
		return fmt.Errorf("perf: over TCP: %w", err)
	}
	after, _ := cpuTime()
	return l.write(&outcome{CPU: after - before, Sum: sum(buf)})
}
