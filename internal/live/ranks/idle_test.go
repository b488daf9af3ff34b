package ranks

import (
	"bufio"
	"context"
	"encoding/json"
	"net"
	"net/netip"
	"strings"
	"testing"
	"time"

	"weft/verbs"
)

// caller is a connection to a server, by hand.
type caller struct {
	t *testing.T
	net.Conn
	in *bufio.Reader
}

func call(t *testing.T, server string) *caller {
	t.Helper()
	c, err := net.Dial("tcp", server)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return &caller{t, c, bufio.NewReader(c)}
}

// says reads the next line of the server, as JSON.
func (c *caller) says(into any) {
	c.t.Helper()
	_ = c.SetReadDeadline(time.Now().Add(patience))
	line, err := c.in.ReadBytes('\n')
	if err == nil {
		err = json.Unmarshal(line, into)
	}
	if err != nil {
		c.t.Fatal(err)
	}
}

// impatient is a server of one rank that waits 50 ms for each order; told receives the errors that
// end ranks.
func impatient(t *testing.T, addr string, bytes int64) (server string, told <-chan error) {
	t.Helper()
	l, err := net.Listen("tcp", net.JoinHostPort(addr, "0"))
	if err != nil {
		t.Fatal(err)
	}
	ends := make(chan error, 10)
	s := NewServer(bytes, netip.MustParseAddr(addr))
	s.first, s.then = 50*time.Millisecond, 50*time.Millisecond
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = s.Serve(ctx, l, func(_ net.Addr, err error) { ends <- err })
	}()
	t.Cleanup(func() { cancel(); <-done })
	return l.Addr().String(), ends
}

// A caller holds a rank no longer than its deadline if it sends nothing, never ends a line, or
// sends one order only.
func TestAnIdleCallerHoldsNoRank(t *testing.T) {
	server, told := impatient(t, "127.3.4.2", DefaultMemory)
	open, err := json.Marshal(&order{Do: "open", Addrs: []netip.AddrPort{netip.MustParseAddrPort("127.3.4.2:48791")}, Bytes: 64})
	if err != nil {
		t.Fatal(err)
	}
	for name, what := range map[string]func(c *caller){
		"nothing": func(*caller) {},
		"a line that never ends": func(c *caller) {
			stop := time.Now().Add(patience)
			for time.Now().Before(stop) {
				if _, err := c.Write([]byte("x")); err != nil {
					return
				}
				time.Sleep(10 * time.Millisecond)
			}
		},
		"one order": func(c *caller) {
			_, _ = c.Write(append(open, '\n'))
			var r reply
			c.says(&r)
			if r.Error != "" {
				t.Error(r.Error)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			c := call(t, server)
			var g greeting
			if c.says(&g); g.Error != "" {
				t.Fatal(g.Error)
			}
			what(c)
			if err := <-told; !strings.Contains(err.Error(), "gives no order") {
				t.Errorf("the rank ends with %v", err)
			}
		})
	}
}

// A very long order ends when its caller has gone.
func TestACallerWhoHasGoneLeavesNoWork(t *testing.T) {
	gone, leave := net.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- Serve(context.Background(), gone, gone) }()
	for _, o := range []order{
		{Do: "open", Addrs: []netip.AddrPort{netip.AddrPortFrom(netip.MustParseAddr("127.3.5.2"), freePort(t))}, Bytes: 64},
		{Do: "connect"},
		{Do: "run", Bytes: 64, Iters: maxIters, Warmup: maxIters},
	} {
		if err := writeLine(leave, &o); err != nil {
			t.Fatal(err)
		}
		if o.Do != "run" {
			if _, err := bufio.NewReader(leave).ReadBytes('\n'); err != nil {
				t.Fatal(err)
			}
		}
	}
	_ = leave.Close()
	select {
	case <-ended:
	case <-time.After(patience):
		t.Fatal("the rank works on after its caller has gone")
	}
}

func TestAServersMemoryIsBounded(t *testing.T) {
	const bytes = 1 << 20
	server, _ := impatient(t, "127.3.6.2", 2*bytes)
	for _, c := range []struct {
		bytes int
		fits  bool
	}{{bytes, true}, {bytes + 4, false}, {bytes, true}} {
		k := call(t, server)
		var g greeting
		for k.says(&g); g.Error != ""; k.says(&g) { // the earlier caller has not gone yet
			time.Sleep(10 * time.Millisecond)
			k = call(t, server)
			g = greeting{}
		}
		if err := writeLine(k, &order{Do: "open", Addrs: []netip.AddrPort{netip.MustParseAddrPort("127.3.6.2:48791")}, Bytes: c.bytes}); err != nil {
			t.Fatal(err)
		}
		var r reply
		k.says(&r)
		if c.fits != (r.Error == "") || !c.fits && !strings.Contains(r.Error, "this host has") {
			t.Errorf("a vector of %d bytes, of two in %d: %q", c.bytes, 2*bytes, r.Error)
		}
		_ = k.Close()
	}
}

func TestAnOrderHasBounds(t *testing.T) {
	for _, o := range []order{{Iters: maxIters + 1}, {Iters: -1}, {Warmup: maxIters + 1}, {Warmup: -1}} {
		if o.check() == nil {
			t.Errorf("%+v is accepted", o)
		}
	}
}

// A rank refuses a stranger that dials it, and accepts the ranks that it expects.
func TestAStrangerWhoDialsARankIsRefused(t *testing.T) {
	port := freePort(t)
	addr := func(k byte) netip.AddrPort { return netip.AddrPortFrom(netip.AddrFrom4([4]byte{127, 3, 7, k}), port) }
	stranger, err := verbs.Open(verbs.Options{Addr: addr(9)})
	if err != nil {
		t.Fatal(err)
	}
	defer stranger.Close()
	r := [2]*rank{{}, {}}
	for i := range r {
		o := order{Do: "open", Rank: i, Addrs: []netip.AddrPort{addr(1), addr(2)}, Bytes: 64}
		if err := r[i].obey(t.Context(), &o, new(reply)); err != nil {
			t.Fatal(err)
		}
		defer r[i].close()
	}
	connected := make(chan error, 1)
	go func() { connected <- r[0].connect(t.Context()) }()
	cq, err := stranger.CreateCQ(1)
	if err != nil {
		t.Fatal(err)
	}
	qp, err := stranger.AllocPD().CreateQP(verbs.QPInitAttr{SendCQ: cq, RecvCQ: cq})
	if err != nil {
		t.Fatal(err)
	}
	claim := verbs.ConnParam{PrivateData: (&place{}).put(1)}
	if _, err := stranger.Dial(t.Context(), qp, addr(1).Addr(), servicePort, claim); err == nil {
		t.Error("a stranger that claims to be rank 1 is connected")
	}
	if err := r[1].connect(t.Context()); err != nil {
		t.Error(err)
	}
	if err := <-connected; err != nil {
		t.Error(err)
	}
}
