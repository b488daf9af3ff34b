package perf

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"strconv"
	"time"

	"weft/verbs"
)

// The number of dials while nobody listens, and the time between two: perftest's own values.
const (
	dials  = 10
	redial = 100 * time.Millisecond
)

// Meeting is the connection of this side with a program of Linux. That program is the server, or
// the client of one test.
type Meeting struct {
	Dev *verbs.Device
	// Server is the host that runs the server; if empty, this side is the server.
	Server string
	// Port is the TCP port, or the port of the connection manager.
	Port uint16
	// Waiting is called when a server listens; it may be nil.
	Waiting func()
}

func (p *Meeting) waits() {
	if p.Waiting != nil {
		p.Waiting()
	}
}

// dial makes the TCP connection.
func (p *Meeting) dial(ctx context.Context) (net.Conn, error) {
	if p.Server != "" {
		var d net.Dialer
		return d.DialContext(ctx, "tcp", net.JoinHostPort(p.Server, strconv.Itoa(int(p.Port))))
	}
	l, err := net.ListenTCP("tcp", net.TCPAddrFromAddrPort(netip.AddrPortFrom(p.Dev.Addr().Addr(), p.Port)))
	if err != nil {
		return nil, err
	}
	defer l.Close()
	stop := context.AfterFunc(ctx, func() { _ = l.Close() })
	defer stop()
	p.waits()
	return l.Accept()
}

// tcpChannel is a channel over TCP. A broken connection ends a wait.
type tcpChannel struct{ c net.Conn }

func (t tcpChannel) send(b []byte) error {
	if err := t.c.SetWriteDeadline(time.Now().Add(patience)); err != nil {
		return err
	}
	_, err := t.c.Write(b)
	return err
}

func (t tcpChannel) receive(b []byte) error {
	for n := 0; n < len(b); {
		k, err := t.c.Read(b[n:])
		if err != nil {
			return err
		}
		n += k
	}
	return nil
}

func (t tcpChannel) gone() {
	if c, ok := t.c.(*net.TCPConn); ok && c.CloseWrite() == nil && c.SetReadDeadline(time.Now().Add(farewell)) == nil {
		_ = t.receive(make([]byte, 1)) // the read returns only at the end of the connection
	}
}

// join connects a queue pair to the other side's port, or accepts it at this side's port; with
// selective it offers selective repeat.
func (p *Meeting) join(ctx context.Context, c *cmChannel, q *verbs.QP, selective bool) (*verbs.Conn, error) {
	param := verbs.ConnParam{Access: access, GoBackN: !selective}
	if p.Server != "" {
		found, err := net.DefaultResolver.LookupNetIP(ctx, "ip", p.Server)
		if err != nil {
			return nil, err
		}
		if q == c.qp {
			return p.Dev.Dial(ctx, q, found[0].Unmap(), p.Port, param)
		}
		return p.dialUntilHeard(ctx, q, found[0].Unmap(), param)
	}
	if c.listener == nil {
		var err error
		if c.listener, err = p.Dev.Listen(p.Port); err != nil {
			return nil, err
		}
		p.waits()
	}
	r, err := c.listener.Accept(ctx)
	if err != nil {
		return nil, err
	}
	return r.Accept(ctx, q, param)
}

// dialUntilHeard dials again for a short time until somebody listens: perftest's server stops listening
// after the first connection, and then starts anew for the test's.
func (p *Meeting) dialUntilHeard(ctx context.Context, q *verbs.QP, to netip.Addr, param verbs.ConnParam) (*verbs.Conn, error) {
	for try := 1; ; try++ {
		conn, err := p.Dev.Dial(ctx, q, to, p.Port, param)
		if !errors.Is(err, verbs.ErrNoListener) || try == dials {
			return conn, err
		}
		// The failed attempt has ended the queue pair.
		if err := q.Modify(&verbs.QPAttr{State: verbs.StateReset}, verbs.AttrState); err != nil {
			return nil, err
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(redial):
		}
	}
}
