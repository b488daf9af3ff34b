package ranks

import (
	"context"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"weft/internal/sim/collective"
	"weft/internal/test/doortest"
	"weft/verbs"
)

// servedAt is the address of a server of ranks on these loopback addresses.
func servedAt(t *testing.T, addrs ...string) string {
	t.Helper()
	_, at := serverAt(t, addrs...)
	return at
}

// serverAt is a server that has had callers for whom there was no descriptor.
func serverAt(t *testing.T, addrs ...string) (*Server, string) {
	t.Helper()
	l, err := net.Listen("tcp", net.JoinHostPort(addrs[0], "0"))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	var list []netip.Addr
	for _, a := range addrs {
		list = append(list, netip.MustParseAddr(a))
	}
	done := make(chan error, 1)
	server := NewServer(DefaultMemory, list...)
	go func() { done <- server.Serve(ctx, &doortest.Crowded{Listener: l, Left: 3}, func(net.Addr, error) {}) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	return server, l.Addr().String()
}

// A server shows the device of each address: open while its rank runs, and with its last counters afterwards.
func TestAServerShowsItsDevices(t *testing.T) {
	server, at := serverAt(t, "127.3.0.5", "127.3.0.6")
	s := Spec{Algo: collective.Ring, Max: 1 << 12}
	var members []Member
	var ends []func() error
	port := freePort(t)
	for range 2 {
		m, addr, end, err := Call(context.Background(), at)
		if err != nil {
			t.Fatal(err)
		}
		members, s.Addrs, ends = append(members, m), append(s.Addrs, netip.AddrPortFrom(addr, port)), append(ends, end)
	}
	if got := server.Devices(); len(got) != 0 {
		t.Errorf("%d devices before the first", len(got))
	}
	g, err := NewGroup(members, s)
	if err == nil {
		_, err = g.AllReduce(1<<12, 2, 0, true, true)
	}
	if err != nil {
		t.Fatal(err)
	}
	theirs := g.Devices()
	for i, d := range server.Devices() {
		if d.State != verbs.PortActive || len(theirs) != 2 || d.Addr != theirs[i].Addr || d.BytesSent < theirs[i].BytesSent || d.BytesSent < 1<<12 {
			t.Errorf("device %d is %+v, its rank says %+v", i, d, theirs)
		}
	}
	for _, end := range ends {
		_ = end()
	}
	for open := 2; open > 0; runtime.Gosched() { // until the server has noticed
		open = 0
		for _, d := range server.Devices() {
			if d.State == verbs.PortActive {
				open++
			} else if d.BytesSent < 1<<12 {
				t.Fatalf("the closed device is %+v", d)
			}
		}
	}
}

func called(t *testing.T, server string) (Member, netip.Addr) {
	t.Helper()
	m, addr, end, err := Call(context.Background(), server)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = end() })
	return m, addr
}

func TestRanksOfSeveralServersAddUpTheirVectors(t *testing.T) {
	one, two := servedAt(t, "127.3.0.2"), servedAt(t, "127.3.0.3", "127.3.0.4")
	s := Spec{Algo: collective.Ring, Max: 1 << 16}
	var members []Member
	port := freePort(t)
	for _, server := range []string{one, two, two} {
		m, addr := called(t, server)
		members, s.Addrs = append(members, m), append(s.Addrs, netip.AddrPortFrom(addr, port))
	}
	g, err := NewGroup(members, s)
	if err != nil {
		t.Fatal(err)
	}
	r, err := g.AllReduce(1<<16, 2, 0, true, true)
	if err != nil || r.Wrong != 0 {
		t.Errorf("%d elements are wrong, %v", r.Wrong, err)
	}
	if _, _, _, err := Call(context.Background(), one); err == nil || !strings.Contains(err.Error(), "all addresses of this host are in use") {
		t.Errorf("a second rank at one address: %v", err)
	}
}

func TestARankOpensOnlyItsServersAddress(t *testing.T) {
	m, _ := called(t, servedAt(t, "127.3.1.2"))
	elsewhere := netip.MustParseAddrPort("127.3.1.9:48791")
	_, err := NewGroup([]Member{m}, Spec{Algo: collective.Ring, Max: 64, Addrs: []netip.AddrPort{elsewhere}})
	if err == nil || !strings.Contains(err.Error(), "this rank may have one at 127.3.1.2") {
		t.Errorf("a device at %v: %v", elsewhere, err)
	}
}

func TestAnotherServerIsNotTakenForAServerOfRanks(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			_, _ = c.Write([]byte("SSH-2.0-OpenSSH\r\n"))
			_ = c.Close()
		}
	}()
	if _, _, _, err := Call(context.Background(), l.Addr().String()); err == nil || !strings.Contains(err.Error(), "not weft live serve") {
		t.Errorf("an SSH server: %v", err)
	}
}

func TestRemoteCallersMakeTheServerWriteNoFile(t *testing.T) {
	at := netip.MustParseAddrPort("127.1.9.1:48791")
	r := &rank{only: at.Addr()}
	file := filepath.Join(t.TempDir(), "x.pcapng")
	err := r.obey(t.Context(), &order{Do: "open", Addrs: []netip.AddrPort{at}, Bytes: 64, Capture: file}, new(reply))
	if err == nil || r.dev != nil {
		t.Errorf("a capture was taken: %v", err)
	}
	if _, err := os.Stat(file); err == nil {
		t.Error("a file was made")
	}
}
