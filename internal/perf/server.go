package perf

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"time"

	"weft/verbs"
)

// Serve answers clients until ctx ends. Each connection of l is one test after
// the other; told is called with each test that ends, and its error.
func Serve(ctx context.Context, l net.Listener, dev *verbs.Device, told func(peer net.Addr, t *Test, err error)) error {
	stop := context.AfterFunc(ctx, func() { _ = l.Close() })
	defer stop()
	room := make(chan struct{}, maxTests)
	for {
		c, err := l.Accept()
		if err != nil {
			if ctx.Err() != nil {
				return nil
			}
			return err
		}
		room <- struct{}{}
		go func() {
			defer func() { <-room }()
			defer c.Close()
			closes := context.AfterFunc(ctx, func() { _ = c.Close() })
			defer closes()
			peer := newLink(c)
			for {
				t, err := serveOne(ctx, peer, dev)
				if errors.Is(err, io.EOF) && t == nil {
					return
				}
				told(c.RemoteAddr(), t, err)
				if err != nil {
					return
				}
			}
		}()
	}
}

// serveOne does what one test asks for.
func serveOne(ctx context.Context, l *link, dev *verbs.Device) (*Test, error) {
	var client End
	if err := l.read(&client, idle); err != nil {
		return nil, err
	}
	t := client.Test
	if t == nil {
		return nil, errors.New("perf: the client names no test")
	}
	if t.OverTCP {
		return t, serveTCP(l, t)
	}
	t.MTU = min(t.MTU, dev.PathMTU())
	e, err := newEnds(dev, t, 0)
	if err != nil {
		return t, errors.Join(err, l.write(&End{Error: err.Error()}))
	}
	defer e.close()
	if err := e.meet(l, &client); err != nil {
		return t, err
	}
	before, _ := cpuTime()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	err = e.serve(&stopper{ctx: ctx}, l)
	after, _ := cpuTime()
	o := outcome{CPU: after - before, Sum: sum(e.inBytes())}
	if err != nil {
		o.Error = err.Error()
	}
	return t, errors.Join(err, l.write(&o))
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
	return l.read(&done, 0)
}

func serveTCP(l *link, t *Test) error {
	if err := t.Check(); err != nil {
		return errors.Join(err, l.write(&End{Error: err.Error()}))
	}
	if err := l.write(&End{}); err != nil {
		return err
	}
	if err := l.conn.SetDeadline(time.Time{}); err != nil {
		return err
	}
	before, _ := cpuTime()
	buf, err := drain(l.conn, l.in, t)
	if err != nil {
		return fmt.Errorf("perf: over TCP: %w", err)
	}
	after, _ := cpuTime()
	return l.write(&outcome{CPU: after - before, Sum: sum(buf)})
}
