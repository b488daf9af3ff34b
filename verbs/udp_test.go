package verbs

import (
	"net/netip"
	"testing"

	"weft/verbs/internal/socket"
)

func udp(t testing.TB, a netip.AddrPort) socket.Conn {
	t.Helper()
	c, err := socket.OpenUDP(a)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func mustAddr(s string) netip.AddrPort { return netip.MustParseAddrPort(s) }

func withWays(t testing.TB, a netip.AddrPort) socket.Conn {
	t.Helper()
	c, err := socket.OpenNear(a)
	if err != nil {
		t.Fatal(err)
	}
	return c
}
