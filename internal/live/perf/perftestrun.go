package perf

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/netip"
	"time"
)

// Perftest is a test against perftest's own programs (ib_write_bw and so on).
type Perftest struct {
	Meeting
	// CM connects all queue pairs by the connection manager, as perftest's -R.
	CM bool
}

// leastIters is perftest's minimum number of iterations.
const leastIters = 5

// errOnlyPlain refuses options that perftest's exchange does not carry.
var errOnlyPlain = errors.New("perf: perftest has no warm-up and no TCP mode: leave both out")

// errOnlyManaged refuses an offer that cannot be made without the connection manager.
var errOnlyManaged = errors.New("perf: only the connection manager can offer selective repeat, and perftest uses it only with -R")

// Run runs one test. As in perftest, t.Iters counts the iterations of each queue pair. The server's
// Result depends on the test: for a bandwidth of one-sided operations it is the client's figure,
// for SENDs the messages that arrived, for latencies it is empty. The data is not compared.
func (p *Perftest) Run(ctx context.Context, t Test, ready Ready) (*Result, error) {
	if err := t.Check(); err != nil {
		return nil, err
	}
	switch {
	case t.Warmup != 0 || t.OverTCP:
		return nil, errOnlyPlain
	case t.Selective && !p.CM:
		return nil, errOnlyManaged
	case t.Iters < leastIters:
		return nil, fmt.Errorf("perf: %d iterations: perftest makes at least %d", t.Iters, leastIters)
	}
	if t.Iters *= t.QPs; t.Iters > MaxIters {
		return nil, fmt.Errorf("perf: %d iterations over all queue pairs: at most %d", t.Iters, MaxIters)
	}
	meet := p.meetTCP
	if p.CM {
		meet = p.meetCM
	}
	side, end, err := meet(ctx)
	if err != nil {
		return nil, err
	}
	defer end()
	r, err := side.run(ctx, t, ready)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	return r, err
}

// meetTCP accepts the other side's TCP connection, or dials it.
func (p *Perftest) meetTCP(ctx context.Context) (*session, func(), error) {
	c, err := p.dial(ctx)
	if err != nil {
		return nil, nil, err
	}
	// The other side must state its test in time; the test itself has no deadline.
	if err := c.SetReadDeadline(time.Now().Add(patience)); err != nil {
		return nil, nil, err
	}
	stop := context.AfterFunc(ctx, func() { _ = c.Close() })
	end := func() {
		stop()
		_ = c.Close()
	}
	begun := func() error { return c.SetReadDeadline(time.Time{}) }
	return &session{Perftest: p, party: party{over: tcpChannel{c}, serves: p.Server == "", text: true}, begun: begun}, end, nil
}

// meetCM uses the connection manager: the two sides exchange messages on a separate connection,
// before the queue pairs of the test are connected at the same port.
func (p *Perftest) meetCM(ctx context.Context) (*session, func(), error) {
	c, err := newCMChannel(ctx, p.Dev)
	if err != nil {
		return nil, nil, err
	}
	if c.conn, err = p.join(ctx, c, c.qp, false); err != nil {
		c.close()
		return nil, nil, err
	}
	// As over TCP: the other side must state its test in time.
	var late context.CancelFunc
	c.ctx, late = context.WithTimeout(ctx, patience)
	begun := func() error {
		late()
		c.ctx = ctx
		return nil
	}
	s := &session{Perftest: p, party: party{over: c, serves: p.Server == ""}, begun: begun}
	s.connect = func(ctx context.Context, e *ends) error {
		for _, q := range e.qps {
			conn, err := p.join(ctx, c, q, e.t.Selective)
			if err != nil {
				return err
			}
			e.conns = append(e.conns, conn)
		}
		return nil
	}
	return s, func() { late(); c.close() }, nil
}

// session is one side of one test.
type session struct {
	*Perftest
	party
	// connect connects the queue pairs by the connection manager; if nil, their keys connect them.
	connect func(ctx context.Context, e *ends) error
	// begun, if not nil, is called when the two sides know each other.
	begun func() error
}

func (s *session) run(ctx context.Context, t Test, ready Ready) (*Result, error) {
	mtu, page, err := s.greet(min(t.MTU, s.Dev.PathMTU()))
	if err != nil {
		return nil, err
	}
	t.MTU = mtu
	e, err := newEnds(s.Dev, &t, page)
	if err != nil {
		return nil, err
	}
	defer e.close()
	if s.connect != nil {
		if err := s.connectAll(ctx, e); err != nil {
			return nil, err
		}
	}
	if err := s.introduce(e, ready); err != nil {
		return nil, err
	}
	if s.begun != nil {
		if err := s.begun(); err != nil {
			return nil, err
		}
	}
	stop := &stopper{ctx: ctx}
	r := &Result{Test: t, CPU: math.NaN()}
	stats := s.Dev.Stats()
	if s.serves {
		err = e.answer(stop, r)
	} else {
		err = e.ask(stop, r)
	}
	if err != nil {
		return nil, err
	}
	r.Selective = e.selective()
	err = s.part(e, r)
	r.count(stats, s.Dev.Stats())
	return r, err
}

// connectAll lets the connection manager connect, between two barriers.
func (s *session) connectAll(ctx context.Context, e *ends) error {
	none := new(keys)
	if _, err := s.swapKeys(none); err != nil {
		return err
	}
	if err := s.connect(ctx, e); err != nil {
		return err
	}
	_, err := s.swapKeys(none)
	return err
}

// mine are this side's keys of a queue pair.
func (s *session) mine(e *ends, i int) *keys {
	d := e.describe()
	return &keys{Reads: d.Reads, EndQP: d.QPs[i], RKey: d.RKey, VAddr: d.VAddr, Addr: s.Dev.Addr().Addr()}
}

// introduce does the steps before the first message.
func (s *session) introduce(e *ends, ready Ready) error {
	peer := new(End)
	for n, i := range e.t.steps() {
		if n == len(e.qps) {
			e.peer = peer
			if s.connect == nil {
				if err := e.connect(peer); err != nil {
					return err
				}
			}
			if err := e.prepare(); err != nil {
				return err
			}
		}
		k, err := s.swapKeys(s.mine(e, i))
		if err != nil {
			return err
		}
		if n < len(e.qps) {
			peer.Addr = netip.AddrPortFrom(k.Addr, s.Dev.Addr().Port()).String()
			peer.VAddr, peer.Source, peer.RKey, peer.Reads = k.VAddr, k.VAddr, k.RKey, k.Reads
			peer.QPs = append(peer.QPs, k.EndQP)
		}
	}
	ready(e.t, e.describe(), peer)
	return nil
}

// ask is the client's part between the first message and the last. In the latency of WRITEs the
// server begins.
func (e *ends) ask(stop *stopper, r *Result) error {
	if e.t.Kind != Latency || e.t.Verb != Write {
		return e.measure(stop, r, 0, e.t.Iters)
	}
	trips, err := e.reply(stop, e.t.Iters)
	if err == nil {
		r.latency(trips, 2)
	}
	return err
}

// answer is the server's part.
func (e *ends) answer(stop *stopper, r *Result) (err error) {
	switch {
	case e.t.Kind == Latency && e.t.Verb == Write:
		_, err = e.trips(stop, 0, e.t.Iters)
	case e.t.Kind == Latency && e.t.Verb == Send:
		_, err = e.reply(stop, e.t.Iters)
	case e.t.Verb == Send:
		var after int
		var took time.Duration
		if after, took, err = e.sink(stop, e.t.Iters); after > 0 {
			r.Elapsed = took
			r.MessageRate = float64(after) / took.Seconds()
			r.Average = r.MessageRate * float64(e.t.Size)
		}
	}
	return err // the device alone answers one-sided operations
}

// part ends a test in the order that perftest expects.
func (s *session) part(e *ends, r *Result) error {
	t := e.t
	if t.Kind == Bandwidth && t.Verb != Send {
		if _, err := s.swapKeys(s.mine(e, 0)); err != nil {
			return fmt.Errorf("perf: the other side does not confirm the end of the test: %w", err)
		}
		const mib = 1 << 20
		theirs, err := s.swapReports(report{
			size: uint64(t.Size), iters: uint64(t.Iters / t.QPs), peak: r.Peak / mib, mean: r.Average / mib, rate: r.MessageRate / 1e6,
		})
		if err != nil {
			return err
		}
		if s.serves {
			r.takeReport(&theirs)
		}
	}
	if t.Kind == Latency && t.Verb == Write {
		s.over.gone() // the other side may still wait for an acknowledgement
		return nil
	}
	return s.farewell(s.mine(e, 0))
}

// farewell is the last swap. A client leaves as soon as it has received the message; the server
// does not learn of it, and need not.
func (s *session) farewell(mine *keys) error {
	_, err := s.swapKeys(mine)
	if s.serves && errors.Is(err, errUnheard) {
		return nil
	}
	return err
}

// takeReport takes over the client's measurement. Its bandwidths have no unit; its message rate has
// one.
func (r *Result) takeReport(c *report) {
	r.MessageRate = c.rate * 1e6
	r.Average = r.MessageRate * float64(c.size)
	if c.mean > 0 {
		r.Peak = r.Average * c.peak / c.mean
	}
}
