package protocol

import (
	"testing"

	"weft/wire"
)

// A description that lacks a field is found here, not by a user.
func TestEveryProtocolIsDescribedInFull(t *testing.T) {
	seen := map[string]bool{}
	for _, p := range All {
		if p.Name == "" || p.Title == "" || seen[p.Name] || seen[p.Title] {
			t.Errorf("%q (%q): want a name and a title of its own", p.Name, p.Title)
		}
		seen[p.Name], seen[p.Title] = true, true
		if Of(p.Name) != p {
			t.Errorf("%s: Of gives another protocol", p.Name)
		}
		if p.MTU.Name == "" || p.MTU.Want == "" || p.MTU.Only == nil && p.MTU.Least >= p.MTU.Most {
			t.Errorf("%s: want an MTU with a range, or with sizes", p.Name)
		}
		if p.OnTCP() && (p.CNPs || p.Unordered || p.Reads) {
			t.Errorf("%s: TCP has features of queue pairs", p.Name)
		}
		if p.ServiceLevels == p.Ethernet() {
			t.Errorf("%s: want service levels on InfiniBand's links, and priorities on Ethernet", p.Name)
		}
	}
}

// Bytes of headers: IBA vol. 1, 5.2 and A16, A17; IEEE 802.3; RFC 9293 and 7323.
func TestAFullPacketHasTheHeadersOfItsProtocol(t *testing.T) {
	const (
		ethernet = 8 + 14 + 4 + 12 // preamble, header, FCS, gap
		ib       = 8 + 12 + 4 + 2  // LRH, BTH, ICRC, VCRC
		segment  = 20 + 20 + 12    // IP, TCP, time stamps
	)
	for _, c := range []struct {
		protocol       string
		mtu            int
		f              Framing
		payload, bytes int
	}{
		{"infiniband", 4096, Framing{}, 4096, 4096 + ib},
		{"infiniband", 4096, Framing{GRH: true, Delimiters: 2}, 4096, 4096 + ib + 40 + 2},
		{"roce-v2", 4096, Framing{}, 4096, 4096 + ethernet + 20 + 8 + 12 + 4},
		{"roce-v2", 4096, Framing{EthernetFraming: wire.EthernetFraming{VLAN: true, IPv6: true}}, 4096, 4096 + ethernet + 4 + 40 + 8 + 12 + 4},
		{"roce-v1", 4096, Framing{}, 4096, 4096 + ethernet + 40 + 12 + 4},
		{"efa", 8928, Framing{}, 8928, 9000 + ethernet},
		{"tcp", 9000, Framing{}, 9000 - segment, 9000 + ethernet},
		{"iwarp", 9000, Framing{}, 9000 - segment - 20, 9000 + ethernet}, // MPA 2 + 4, DDP and RDMAP 14
	} {
		payload, bytes := Of(c.protocol).FullPacket(wire.RCWriteMiddle, c.mtu, c.f)
		if payload != c.payload || bytes != c.bytes {
			t.Errorf("%s of MTU %d, %+v: %d B of payload in %d B, want %d in %d", c.protocol, c.mtu, c.f, payload, bytes, c.payload, c.bytes)
		}
	}
}

func TestAnUnknownNameHasAnEmptyDescription(t *testing.T) {
	if p := Of("token-ring"); p == nil || p.Name != "" {
		t.Errorf("%+v: want an empty description", p)
	}
}
