package wire

import (
	"net/netip"
	"testing"
)

// The UDP header is found behind a plain IPv4 or IPv6 header only: not with another
// protocol, in a fragment or in a truncated packet.
func TestFindUDPFindsWholeDatagramsOnly(t *testing.T) {
	udp := UDPHeader{Src: 49152, Dst: 4791, Length: 8}
	v4 := func(change func(*IPv4Header)) []byte {
		h := IPv4Header{Protocol: ProtocolUDP, TTL: 64, Length: 28, Src: netip.MustParseAddr("10.0.0.1").As4(), Dst: netip.MustParseAddr("10.0.0.2").As4()}
		change(&h)
		return udp.AppendTo(h.AppendTo(nil))
	}
	v6 := func(next uint8) []byte {
		h := IPv6Header{NextHeader: next, HopLimit: 64, Length: 8}
		return udp.AppendTo(h.AppendTo(nil))
	}
	for name, c := range map[string]struct {
		ip   []byte
		want bool
	}{
		"IPv4":                   {v4(func(*IPv4Header) {}), true},
		"IPv4, not to fragment":  {v4(func(h *IPv4Header) { h.Flags = 0x4000 }), true},
		"IPv4, TCP":              {v4(func(h *IPv4Header) { h.Protocol = 6 }), false},
		"IPv4, more to come":     {v4(func(h *IPv4Header) { h.Flags = 0x2000 }), false},
		"IPv4, a later fragment": {v4(func(h *IPv4Header) { h.Flags = 1 }), false},
		"IPv6":                   {v6(ProtocolUDP), true},
		"IPv6, TCP":              {v6(6), false},
		"nothing":                {nil, false},
		"IPv4 cut":               {v4(func(*IPv4Header) {})[:IPv4Bytes+7], false},
		"IPv4 header cut":        {v4(func(*IPv4Header) {})[:IPv4Bytes-1], false},
		"IPv6 cut":               {v6(ProtocolUDP)[:IPv6Bytes+7], false},
	} {
		got, ok := FindUDP(c.ip)
		if ok != c.want || ok && got != udp {
			t.Errorf("%s: found %v, %+v; want %v", name, ok, got, c.want)
		}
	}
}
