package verbs

import (
	"net/netip"
	"testing"

	"weft/internal/live"
)

func udp(t testing.TB, a netip.AddrPort) live.Conn {
	t.Helper()
	c, err := live.OpenUDP(a)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func mustAddr(s string) netip.AddrPort { return netip.MustParseAddrPort(s) }
