package perf

import (
	"context"
	"errors"
	"io"
	"math"
	"net"
	"net/netip"
	"strings"
	"testing"
	"time"

	"weft/internal/test/doortest"
	"weft/verbs"
)

// ended is a test of a server that has ended.
type ended struct {
	t   *Test
	err error
}

// serverOf is a server on a loopback address of the test, after change. Each has had callers for whom there was no
// descriptor.
func serverOf(t *testing.T, addr string, bytes int64, change func(*server)) (at string, dev *verbs.Device, ends <-chan ended) {
	t.Helper()
	dev = device(t, addr, freePort(t))
	l, err := net.Listen("tcp", net.JoinHostPort(addr, "0"))
	if err != nil {
		t.Fatal(err)
	}
	told := make(chan ended, 1000)
	s := newServer(dev, bytes, func(_ net.Addr, of *Test, err error) { told <- ended{of, err} })
	change(s)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- s.serve(ctx, &doortest.Crowded{Listener: l, Left: 3}) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	return l.Addr().String(), dev, told
}

// asker is a client of a server, with a device of its own.
func asker(t *testing.T, at string, dev *verbs.Device, addr string) *Client {
	t.Helper()
	c, err := Dial(t.Context(), device(t, addr, dev.Addr().Port()), at)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// freePort is a free port of UDP: several runs of the tests may be active at once.
func freePort(t *testing.T) uint16 {
	t.Helper()
	c, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	return netip.MustParseAddrPort(c.LocalAddr().String()).Port()
}

// device opens a device on the loopback.
func device(t *testing.T, addr string, port uint16) *verbs.Device {
	t.Helper()
	d, err := verbs.Open(verbs.Options{Addr: netip.AddrPortFrom(netip.MustParseAddr(addr), port)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() })
	return d
}

var small = Test{Verb: Write, Kind: Bandwidth, Size: 64, Iters: 100, QPs: 1, MTU: 4096, Depth: 4, List: 1}

func run(t *testing.T, c *Client, order Test) error {
	t.Helper()
	_, err := c.Run(t.Context(), order, func(*Test, *End, *End) {})
	return err
}

// Idle connections beyond the server's bound hold up no other client.
func TestIdleClientsHoldUpNobody(t *testing.T) {
	at, dev, _ := serverOf(t, "127.3.8.1", DefaultMemory, func(s *server) { s.first = time.Hour })
	var idle []net.Conn
	for range maxClients + 10 {
		c, err := net.Dial("tcp", at)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		idle = append(idle, c)
	}
	closed := make(chan struct{}, len(idle))
	for _, c := range idle {
		go func() {
			if _, err := c.Read(make([]byte, 1)); errors.Is(err, io.EOF) {
				closed <- struct{}{}
			}
		}()
	}
	for range 10 { // as many connections as exceed the bound
		select {
		case <-closed:
		case <-time.After(patience):
			t.Fatalf("more than %d clients are kept", maxClients)
		}
	}
	if err := run(t, asker(t, at, dev, "127.3.8.2"), small); err != nil {
		t.Error(err)
	}
}

func TestAClientThatAsksForNothingIsLetGo(t *testing.T) {
	at, _, ends := serverOf(t, "127.3.8.1", DefaultMemory, func(s *server) { s.first = 50 * time.Millisecond })
	c, err := net.Dial("tcp", at)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for _, b := range []byte(`{"test":{"verb":"write"`) { // a line that does not end
		_, _ = c.Write([]byte{b})
	}
	if e := <-ends; e.err == nil || !strings.Contains(e.err.Error(), "orders no test within 50ms") {
		t.Errorf("it ended with %v", e.err)
	}
}

// Clients that begin a test and then stop, over RDMA or TCP, lose their places.
func TestATestInWhichNothingHappensEnds(t *testing.T) {
	var of *server
	at, dev, ends := serverOf(t, "127.3.8.1", DefaultMemory, func(s *server) { s.still, of = 50*time.Millisecond, s })
	tcp := small
	tcp.OverTCP = true
	for range maxTests {
		for _, order := range []Test{small, tcp} {
			c, err := net.Dial("tcp", at)
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			l := newLink(c)
			end := &End{Test: &order, Addr: netip.AddrPortFrom(netip.MustParseAddr("127.3.8.9"), dev.Addr().Port()).String(), Reads: 1, QPs: []EndQP{{QPN: 99}}}
			if err := l.write(end); err != nil {
				t.Fatal(err)
			}
			var server End
			if err := l.read(&server, patience); err != nil || server.Error != "" {
				t.Fatalf("%v %s", err, server.Error)
			}
		}
	}
	for range 2 * maxTests {
		if e := <-ends; !errors.Is(e.err, errGone) {
			t.Errorf("a test ended with %v, want %v", e.err, errGone)
		}
	}
	of.still = patience // a busy machine lets the next test wait, too
	if err := run(t, asker(t, at, dev, "127.3.8.2"), small); err != nil {
		t.Error(err)
	}
}

// The deadline of an order does not apply to the test that it starts.
func TestATestMayTakeLongerThanAnOrder(t *testing.T) {
	const first = 100 * time.Millisecond
	at, dev, ends := serverOf(t, "127.3.8.1", DefaultMemory, func(s *server) { s.first = first })
	tcp := small
	tcp.OverTCP, tcp.Iters = true, 1
	for _, order := range []Test{small, tcp} {
		c, err := net.Dial("tcp", at)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		l := newLink(c)
		end := &End{Test: &order, Addr: netip.AddrPortFrom(netip.MustParseAddr("127.3.8.9"), dev.Addr().Port()).String(), Reads: 1, QPs: []EndQP{{QPN: 99}}}
		var server End
		var o outcome
		if err := errors.Join(l.write(end), l.read(&server, patience)); err != nil || server.Error != "" {
			t.Fatalf("%v %s", err, server.Error)
		}
		time.Sleep(3 * first)
		if order.OverTCP {
			_, err = c.Write(make([]byte, order.Size))
			_, _ = l.in.ReadByte() // the receiver has all bytes
		} else {
			err = l.write(struct{}{})
		}
		if err := errors.Join(err, l.read(&o, patience)); err != nil || o.Error != "" {
			t.Errorf("over TCP %v: %v %s", order.OverTCP, err, o.Error)
		}
		_ = c.Close()
		if e := <-ends; e.err != nil {
			t.Errorf("over TCP %v: it ended with %v", order.OverTCP, e.err)
		}
	}
}

// A test continues as long as it makes progress, up to its bound.
func TestATestHasABound(t *testing.T) {
	at, dev, ends := serverOf(t, "127.3.8.1", DefaultMemory, func(s *server) { s.longest = 100 * time.Millisecond })
	order := small
	order.Iters = 10_000_000
	err := run(t, asker(t, at, dev, "127.3.8.2"), order)
	if e := <-ends; e.err == nil || !strings.Contains(e.err.Error(), "a test takes 100ms at most") {
		t.Errorf("it ended with %v", e.err)
	}
	if err == nil {
		t.Error("the client has measured to the end")
	}
}

func TestTestsWithoutPlaceOrMemoryGetAnError(t *testing.T) {
	at, dev, _ := serverOf(t, "127.3.8.1", small.memory(), func(*server) {})
	big := small
	big.Size *= 2
	if err := run(t, asker(t, at, dev, "127.3.8.2"), big); err == nil || !strings.Contains(err.Error(), "and the server has") {
		t.Errorf("a test that needs more memory than the server has: %v", err)
	}
	for _, addr := range []string{"127.3.8.3", "127.3.8.5"} { // memory freed by the first is given to the second
		if err := run(t, asker(t, at, dev, addr), small); err != nil {
			t.Error(err)
		}
	}
	at, dev, _ = serverOf(t, "127.3.8.1", DefaultMemory, func(s *server) {
		s.queue = 50 * time.Millisecond
		for range maxTests {
			s.tests <- struct{}{}
		}
	})
	if err := run(t, asker(t, at, dev, "127.3.8.4"), small); err == nil || !strings.Contains(err.Error(), "tests are running") {
		t.Errorf("one test more than a server has places for: %v", err)
	}
}

// A test waits for the memory of the test before it: its client has the result before the server
// has freed the memory.
func TestATestWaitsForMemory(t *testing.T) {
	s := newServer(nil, small.memory(), nil)
	if err := s.claim(t.Context(), small.memory()); err != nil {
		t.Fatal(err)
	}
	time.AfterFunc(20*time.Millisecond, func() { s.memory.Release(small.memory()) })
	if err := s.claim(t.Context(), small.memory()); err != nil {
		t.Error(err)
	}
	s.queue = 20 * time.Millisecond
	if err := s.claim(t.Context(), 1); err == nil || !strings.Contains(err.Error(), "freed too little within 20ms") {
		t.Errorf("a test without memory: %v", err)
	}
}

// The computed memory of a test is within a fifth of its buffers, the largest part of its memory.
func TestATestTakesTheMemoryThatItIsCountedFor(t *testing.T) {
	for _, order := range []Test{
		{Verb: Write, Kind: Bandwidth, Size: 1 << 20, QPs: 1, Depth: 4, Iters: 1, MTU: 4096},
		{Verb: Write, Kind: Latency, Size: MaxSize, QPs: 1, Depth: 1, Iters: 1, MTU: 4096, OverTCP: true},
	} {
		buffers := 2 * float64(order.Size)
		if order.OverTCP {
			buffers /= 2
		}
		if got := float64(order.memory()); math.Abs(got/buffers-1) > 0.2 {
			t.Errorf("%+v: computed memory %.0f bytes, its buffers have %.0f", order, got, buffers)
		}
	}
}
