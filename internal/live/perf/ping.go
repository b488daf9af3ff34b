package perf

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"net/netip"
	"time"

	"weft/units"
	"weft/verbs"
)

// PingPort is the connection manager's port for pings.
const PingPort = 7471

// maxPings bounds the peers that ping a device at the same time.
const maxPings = 1024

// ServePings lets peers read a region of 64 KiB, until ctx ends. The device answers pings alone,
// without code of this process.
func ServePings(ctx context.Context, dev *verbs.Device) error {
	l, err := dev.Listen(PingPort)
	if err != nil {
		return err
	}
	defer l.Close()
	pd := dev.AllocPD()
	mr, err := pd.RegMR(make([]byte, maxPing), verbs.AccessRemoteRead)
	if err != nil {
		return err
	}
	cq, err := dev.CreateCQ(maxPings)
	if err != nil {
		return err
	}
	where := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint64(nil, mr.Addr()), mr.RKey())
	room := make(chan struct{}, maxPings)
	for {
		r, err := l.Accept(ctx)
		if err != nil {
			if ctx.Err() != nil || errors.Is(err, verbs.ErrClosed) {
				return nil
			}
			return err
		}
		select {
		case room <- struct{}{}:
		default:
			_ = r.Reject(nil)
			continue
		}
		go func() {
			defer func() { <-room }()
			qp, err := pd.CreateQP(verbs.QPInitAttr{Type: verbs.RC, SendCQ: cq, RecvCQ: cq})
			if err != nil {
				_ = r.Reject(nil)
				return
			}
			defer func() { _ = qp.Destroy() }()
			c, err := r.Accept(ctx, qp, verbs.ConnParam{Access: verbs.AccessRemoteRead, PrivateData: where})
			if err != nil {
				return
			}
			pinged(ctx, c)
		}()
	}
}

// pinged waits until a peer disconnects, or has sent no ping for PingIdle.
func pinged(ctx context.Context, c *verbs.Conn) {
	tick := time.NewTicker(PingIdle)
	defer tick.Stop()
	for last, _ := c.QP().Query(); ; {
		select {
		case <-c.Done():
			return
		case <-ctx.Done():
			return
		case <-tick.C:
			now, _ := c.QP().Query()
			if now.RQPSN == last.RQPSN {
				part(ctx, c)
				return
			}
			last = now
		}
	}
}

// part ends a connection, and does not wait long for a peer that has gone.
func part(ctx context.Context, c *verbs.Conn) {
	ctx, cancel := context.WithTimeout(ctx, farewell)
	defer cancel()
	_ = c.Disconnect(ctx) // a peer that has gone has disconnected, too
}

// maxPing is the longest ping.
const maxPing = 64 << 10

// Pings are the pings of one device.
type Pings struct {
	Host  string     `json:"host"` // as the user names it
	Addr  netip.Addr `json:"address"`
	Bytes int        `json:"bytes"`    // of each ping
	Times []float64  `json:"times_us"` // round trips, in microseconds
}

// Pinger reads a peer's memory again and again.
type Pinger struct {
	dev  *verbs.Device
	conn *verbs.Conn
	cq   *verbs.CQ
	wr   verbs.SendWR
	wc   [1]verbs.WC
}

// NewPinger connects to a device. Each Ping reads size bytes.
func NewPinger(ctx context.Context, dev *verbs.Device, to netip.Addr, size int) (*Pinger, error) {
	if size < 1 || size > maxPing {
		return nil, fmt.Errorf("perf: a ping of %d bytes: valid are 1 to %d", size, maxPing)
	}
	pd := dev.AllocPD()
	mr, err := pd.RegMR(make([]byte, size), verbs.AccessLocalWrite)
	if err != nil {
		return nil, err
	}
	cq, err := dev.CreateCQ(4)
	if err != nil {
		return nil, err
	}
	qp, err := pd.CreateQP(verbs.QPInitAttr{Type: verbs.RC, SendCQ: cq, RecvCQ: cq, MaxSendWR: 1})
	if err != nil {
		return nil, err
	}
	c, err := dev.Dial(ctx, qp, to, PingPort, verbs.ConnParam{})
	if err != nil {
		return nil, err
	}
	where := c.PrivateData()
	return &Pinger{dev: dev, conn: c, cq: cq, wr: verbs.SendWR{
		Opcode: verbs.RDMARead, Flags: verbs.SendSignaled, SGL: []verbs.SGE{mr.SGE(0, size)},
		RemoteAddr: binary.BigEndian.Uint64(where), RKey: binary.BigEndian.Uint32(where[8:]),
	}}, nil
}

// Ping reads once, and returns the round-trip time.
func (p *Pinger) Ping(ctx context.Context) (time.Duration, error) {
	if err := p.dev.Sync(); err != nil {
		return 0, err
	}
	start := p.dev.Clock()
	if err := p.conn.QP().PostSend(p.wr); err != nil {
		return 0, err
	}
	stop := &stopper{ctx: ctx}
	for {
		n, err := p.cq.Poll(p.wc[:])
		if err == nil && n == 0 {
			err = stop.look()
		}
		if err != nil {
			return 0, err
		}
		if n > 0 {
			return time.Duration((p.dev.Clock() - start) / units.Nanosecond), p.wc[0].Status.Err()
		}
	}
}

// Close disconnects.
func (p *Pinger) Close(ctx context.Context) error { return p.conn.Disconnect(ctx) }
