package ranks

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"sync"
	"time"

	"weft/internal/base/door"
	"weft/internal/base/sorting"
	"weft/verbs"
)

// greeting is the first line from a server of ranks to a caller, as JSON.
type greeting struct {
	Addr  netip.Addr `json:"addr"` // of the device that the rank may have
	Error string     `json:"error,omitempty"`
}

// Server runs ranks for callers on other machines: one for each connection, each with its own
// address of this machine.
type Server struct {
	mu     sync.Mutex
	free   []netip.Addr
	last   map[netip.Addr]verbs.Stats // of the last rank at an address
	open   map[netip.Addr]*verbs.Device
	memory memory
	// Deadlines of a caller's first order, and of each further one.
	first, then time.Duration
}

// NewServer is a server of one rank at a time on each address. The vectors of all ranks together
// take at most the given number of bytes.
func NewServer(bytes int64, addrs ...netip.Addr) *Server {
	return &Server{
		free: addrs, memory: memory{most: bytes}, first: openTime, then: orderTime,
		last: map[netip.Addr]verbs.Stats{}, open: map[netip.Addr]*verbs.Device{},
	}
}

// Devices are the counters of the last device at each address that had one, in the order of the addresses. Any
// goroutine may ask.
func (s *Server) Devices() (list []Device) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for a, dev := range s.open {
		list = append(list, Device{a, dev.Stats(), verbs.PortActive})
	}
	for a, stats := range s.last {
		if s.open[a] == nil {
			list = append(list, Device{a, stats, verbs.PortDown})
		}
	}
	sorting.Func(list, func(a, b Device) int { return a.Addr.Compare(b.Addr) })
	return list
}

// memory is the memory for the vectors of all ranks of a server.
type memory struct {
	mu         sync.Mutex
	used, most int64
}

// claim takes bytes; a nil memory has no bound.
func (m *memory) claim(n int64) error {
	if m == nil {
		return nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if n > m.most-m.used {
		return fmt.Errorf("ranks: the vectors take %d bytes, and this host has %d of %d left for them", n, m.most-m.used, m.most)
	}
	m.used += n
	return nil
}

// give returns bytes.
func (m *memory) give(n int64) {
	if m != nil {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.used -= n
	}
}

// bounded is a connection with a deadline for each write.
type bounded struct{ net.Conn }

func (b bounded) Write(p []byte) (int, error) {
	if err := b.SetWriteDeadline(time.Now().Add(patience)); err != nil {
		return 0, err
	}
	return b.Conn.Write(p)
}

// Serve answers callers until ctx ends; tell is called for ranks that failed.
func (s *Server) Serve(ctx context.Context, l net.Listener, tell func(caller net.Addr, err error)) error {
	ctx, cancel := context.WithCancel(ctx)
	var ranks sync.WaitGroup
	defer ranks.Wait()
	defer cancel()
	defer context.AfterFunc(ctx, func() { _ = l.Close() })()
	for {
		c, err := door.Next(l.Accept)
		switch {
		case ctx.Err() != nil:
			return nil
		case err != nil:
			return err
		}
		ranks.Go(func() {
			defer c.Close()
			defer context.AfterFunc(ctx, func() { _ = c.Close() })()
			if err := s.rank(ctx, c); err != nil && ctx.Err() == nil {
				tell(c.RemoteAddr(), err)
			}
		})
	}
}

// rank serves one caller, with an address that no other rank has.
func (s *Server) rank(ctx context.Context, conn net.Conn) error {
	c := bounded{conn}
	addr, ok := s.take()
	if !ok {
		g := greeting{Error: "all addresses of this host are in use: try again later"}
		return errors.Join(errors.New("ranks: "+g.Error), writeLine(c, &g))
	}
	defer s.give(addr)
	if err := writeLine(c, &greeting{Addr: addr}); err != nil {
		return err
	}
	defer s.closed(addr)
	return (&rank{only: addr, memory: &s.memory, opened: s.opened}).serve(ctx, c, c, s.first, s.then)
}

func (s *Server) opened(dev *verbs.Device) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.open[dev.Addr().Addr()] = dev
}

func (s *Server) closed(a netip.Addr) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if dev := s.open[a]; dev != nil {
		s.last[a] = dev.Stats()
		delete(s.open, a)
	}
}

func (s *Server) take() (a netip.Addr, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.free) == 0 {
		return a, false
	}
	a, s.free = s.free[0], s.free[1:]
	return a, true
}

func (s *Server) give(a netip.Addr) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.free = append(s.free, a)
}

// Call asks a server for a rank. It ends when the member is closed.
func Call(ctx context.Context, server string) (m Member, addr netip.Addr, end func() error, err error) {
	d := net.Dialer{Timeout: greetingTime}
	c, err := d.DialContext(ctx, "tcp", server)
	if err != nil {
		return m, addr, nil, fmt.Errorf("ranks: %w", err)
	}
	refuse := func(err error) (Member, netip.Addr, func() error, error) {
		_ = c.Close()
		return m, addr, nil, fmt.Errorf("ranks: %s: %w", server, err)
	}
	_ = c.SetReadDeadline(time.Now().Add(greetingTime))
	in := bufio.NewReader(io.LimitReader(c, maxGreeting))
	line, err := in.ReadBytes('\n')
	if err != nil {
		return refuse(fmt.Errorf("it sends no address for a rank: %w", err))
	}
	var g greeting
	switch err := json.Unmarshal(line, &g); {
	case err != nil:
		return refuse(fmt.Errorf("it is not weft live serve: %w", err))
	case g.Error != "":
		return refuse(errors.New(g.Error))
	case !g.Addr.IsValid():
		return refuse(errors.New("it has no address for a rank"))
	}
	_ = c.SetReadDeadline(time.Time{})
	return Member{In: c, Out: c}, g.Addr, c.Close, nil
}

// writeLine writes a value as one line of JSON.
func writeLine(w io.Writer, v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	_, err = w.Write(append(b, '\n'))
	return err
}
