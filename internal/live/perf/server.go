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

	"weft/verbs"
)

// Told hears of each test that has ended, and its error; of a connection that ended
// without one, t is nil.
type Told func(peer net.Addr, t *Test, err error)

// Serve answers clients until ctx ends. Each connection of l is one test after the
// other. The tests that run at the same time have so many bytes of memory together.
func Serve(ctx context.Context, l net.Listener, dev *verbs.Device, bytes int64, told Told) error {
	return newServer(dev, bytes, told).serve(ctx, l)
}

// server is what the tests of a server share. Whoever connects may ask: nobody holds
// more than his share for longer than these times.
type server struct {
	dev   *verbs.Device
	told  Told
	tests chan struct{} // a place of each test that runs

	// A client's first order, and each that follows, comes within these times, a place
	// is waited for so long, a test in which nothing happens ends after still, and
	// any after longest.
	first, idle, queue, still, longest time.Duration

	mu      sync.Mutex
	clients int
	resting *list.List // of links that ask for nothing: who has done so for longest is first
	free    int64      // bytes
}

func newServer(dev *verbs.Device, bytes int64, told Told) *server {
	return &server{
		dev: dev, told: told, tests: make(chan struct{}, maxTests), resting: list.New(), free: bytes,
		first: firstOrder, idle: nextOrder, queue: patience / 2, still: patience, longest: longestTest,
	}
}

func (s *server) serve(ctx context.Context, l net.Listener) error {
	stop := context.AfterFunc(ctx, func() { _ = l.Close() })
	defer stop()
	for {
		c, err := l.Accept()
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
		err := fmt.Errorf("perf: %d clients are here, and all of them are busy", maxClients)
		s.told(c.RemoteAddr(), nil, errors.Join(err, l.write(&End{Error: err.Error()})))
		return
	}
	defer s.leave()
	for wait := s.first; ; wait = s.idle {
		var order End
		rests := s.rest(l)
		err := l.read(&order, wait)
		s.rises(rests)
		if errors.Is(err, io.EOF) || ctx.Err() != nil {
			return
		}
		if err == nil {
			err = s.one(ctx, l, &order)
		} else {
			err = fmt.Errorf("perf: the client asks for nothing within %v: %w", wait, err)
		}
		s.told(c.RemoteAddr(), order.Test, err)
		if err != nil {
			return
		}
	}
}

// enter takes in a client. When there are too many, the one that has asked for nothing
// for longest goes.
func (s *server) enter() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.clients >= maxClients {
		oldest := s.resting.Front()
		if oldest == nil {
			return false
		}
		if l, ok := s.resting.Remove(oldest).(*link); ok {
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

// rest notes that a client asks for nothing, and rises that it does.
func (s *server) rest(l *link) *list.Element {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.resting.PushBack(l)
}

func (s *server) rises(e *list.Element) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.resting.Remove(e)
}

// claim takes memory for a test, and says how much is missing.
func (s *server) claim(n int64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if n > s.free {
		return fmt.Errorf("perf: the test takes %d bytes, and the server has %d left", n, s.free)
	}
	s.free -= n
	return nil
}

func (s *server) release(n int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.free += n
}

// one does what one test asks for, when it has a place and its memory.
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
	if err := s.claim(t.memory()); err != nil {
		return errors.Join(err, l.write(&End{Error: err.Error()}))
	}
	defer s.release(t.memory())
	// The time for an order is over; the test has those below.
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
		return fmt.Errorf("perf: %d tests run, and none has ended within %v", maxTests, s.queue)
	case <-ctx.Done():
		return ctx.Err()
	}
}

// watch ends a test in which nothing happens: progress changes with all that does.
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
	e, err := newEnds(s.dev, t, 0)
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

// meet connects the queue pairs with the client's, which it tells of them.
func (e *ends) meet(l *link, client *End) error {
	if err := errors.Join(e.connect(client), e.prepare()); err != nil {
		return errors.Join(err, l.write(&End{Error: err.Error()}))
	}
	mine := e.describe()
	mine.Selective = e.t.Selective
	return l.write(mine)
}

// prepare posts what must be there before the first message.
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

// serve takes part until the client says that it is done.
func (e *ends) serve(stop *stopper, l *link) error {
	n := e.t.Iters + e.t.Warmup
	var err error
	switch {
	case e.t.Kind == Bandwidth && e.t.Verb == Send:
		_, _, err = e.sink(stop, n)
	case e.t.Kind == Latency && (e.t.Verb == Send || e.t.Verb == Write):
		_, err = e.reply(stop, n)
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
