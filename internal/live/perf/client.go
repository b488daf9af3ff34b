package perf

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net"
	"time"

	"weft/verbs"
)

// Client is a connection to a server.
type Client struct {
	dev *verbs.Device
	l   *link
}

// Dial connects to the server that listens at a TCP address.
func Dial(ctx context.Context, dev *verbs.Device, server string) (*Client, error) {
	var d net.Dialer
	c, err := d.DialContext(ctx, "tcp", server)
	if err != nil {
		return nil, err
	}
	return &Client{dev: dev, l: newLink(c)}, nil
}

// Close ends the connection.
func (c *Client) Close() error { return c.l.conn.Close() }

// Ready is called when the two ends of a test know each other, before the first message. Over TCP
// local and peer are nil.
type Ready func(t *Test, local, peer *End)

// Run runs a test.
func (c *Client) Run(ctx context.Context, t Test, ready Ready) (*Result, error) {
	if err := t.Check(); err != nil {
		return nil, err
	}
	stop := context.AfterFunc(ctx, func() { _ = c.Close() })
	defer stop()
	r, err := c.run(ctx, t, ready)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	return r, err
}

func (c *Client) run(ctx context.Context, t Test, ready Ready) (*Result, error) {
	if t.OverTCP {
		return c.runTCP(t)
	}
	t.MTU = min(t.MTU, c.dev.PathMTU())
	e, err := newEnds(c.dev, &t)
	if err != nil {
		return nil, err
	}
	defer e.close()
	mine := e.describe()
	mine.Test = &t
	if err := c.l.write(mine); err != nil {
		return nil, err
	}
	peer, err := c.accepted()
	if err != nil {
		return nil, err
	}
	t.MTU = min(t.MTU, peer.MTU)
	t.Selective = t.Selective && peer.Selective
	if err := errors.Join(e.connect(peer), e.prepare()); err != nil {
		return nil, err
	}
	ready(&t, mine, peer)
	r := &Result{Test: t, CPU: math.NaN()}
	stop := &stopper{ctx: ctx}
	before, _ := cpuTime()
	if err := e.measure(stop, r, 0, t.Warmup); err != nil {
		return nil, err
	}
	stats := c.dev.Stats()
	if err := e.measure(stop, r, t.Warmup, t.Iters); err != nil {
		return nil, err
	}
	r.count(stats, c.dev.Stats())
	r.Selective = t.Selective
	if err := c.l.write(struct{}{}); err != nil {
		return nil, err
	}
	return r, c.conclude(r, e.cpu.Seconds()-before.Seconds(), e)
}

// accepted reads the server's side.
func (c *Client) accepted() (*End, error) {
	peer := new(End)
	if err := c.l.read(peer, patience); err != nil {
		return nil, fmt.Errorf("perf: the server does not answer: %w", err)
	}
	if peer.Error != "" {
		return nil, fmt.Errorf("perf: the server refuses: %s", peer.Error)
	}
	return peer, nil
}

// measure runs iterations; iterations of the warm-up, from 0, leave no result. The marks of round
// trips continue after the warm-up's.
func (e *ends) measure(stop *stopper, r *Result, from, n int) error {
	if n == 0 {
		return nil
	}
	if e.t.Kind == Latency {
		trips, err := e.trips(stop, from, n)
		if err != nil {
			return err
		}
		e.cpu, _ = cpuTime()
		*r = Result{Test: *e.t, CPU: math.NaN()}
		share := 1.0
		if e.t.Verb == Write || e.t.Verb == Send {
			share = 2
		}
		r.latency(trips, share)
		return nil
	}
	t, err := e.run(stop, n)
	if err != nil {
		return err
	}
	e.cpu, _ = cpuTime()
	*r = Result{Test: *e.t, CPU: math.NaN()}
	r.bandwidth(t, e.t.Size)
	return nil
}

// conclude takes the server's processor time, and compares the bytes that arrived with the bytes
// that were sent.
func (c *Client) conclude(r *Result, cpu float64, e *ends) error {
	var o outcome
	if err := c.l.read(&o, patience); err != nil {
		return fmt.Errorf("perf: the server sends no outcome of the test: %w", err)
	}
	if o.Error != "" {
		return fmt.Errorf("perf: at the server: %s", o.Error)
	}
	t := &r.Test
	if _, ok := cpuTime(); ok {
		r.CPU = (cpu + o.CPU.Seconds()) / (float64(t.Iters+t.Warmup) * float64(t.Size) / 1e9)
	}
	switch {
	case e == nil:
		r.Whole = o.Sum == sum(pattern(t.Size))
	case t.Verb == Read:
		r.Whole = sum(e.inBytes()) == sum(pattern(t.Size))
	default:
		r.Whole = o.Sum == sum(e.outBytes())
	}
	return nil
}

func (c *Client) runTCP(t Test) (*Result, error) {
	if err := c.l.write(&End{Test: &t}); err != nil {
		return nil, err
	}
	if _, err := c.accepted(); err != nil {
		return nil, err
	}
	// The deadline for the order is over; the test has none.
	if err := c.l.conn.SetDeadline(time.Time{}); err != nil {
		return nil, err
	}
	r := &Result{Test: t, CPU: math.NaN()}
	before, _ := cpuTime()
	if err := stream(c.l.conn, c.l.in, &t, r); err != nil {
		return nil, err
	}
	after, _ := cpuTime()
	return r, c.conclude(r, after.Seconds()-before.Seconds(), nil)
}

// count adds the device's counters between two snapshots.
func (r *Result) count(a, b verbs.Stats) {
	r.PacketsSent, r.PacketsReceived = b.PacketsSent-a.PacketsSent, b.PacketsReceived-a.PacketsReceived
	r.Repeated, r.BadICRC = b.Repeated-a.Repeated, b.BadICRC-a.BadICRC
	r.Datagrams, r.Near, r.Lost = b.DatagramsSent-a.DatagramsSent, b.NearSent-a.NearSent, b.Lost-a.Lost
	r.Marked, r.CNPsSent, r.CNPsReceived = b.Marked-a.Marked, b.CNPsSent-a.CNPsSent, b.CNPsReceived-a.CNPsReceived
}
