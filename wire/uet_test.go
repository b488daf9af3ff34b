package wire

import "testing"

// Each size is written out again, header by header.
func TestUltraEthernetPacketsAreTheSumOfTheirHeaders(t *testing.T) {
	const ethernet, ipv4, ipv6, udp, fcs, gap, vlan = 14, 20, 40, 8, 4, 8 + 12, 4
	const request = 2 + 2 + 4 + 2 + 2
	const semantic = (1 + 1 + 2 + 4 + 2 + 2) + 8 + 4 + 8 + 8 + 4
	const ack = (2 + 2 + 4 + 2 + 2) + 1 + 1 + 2 + 8 + 8
	const response = 1 + 1 + 2 + 4 + 4
	for _, x := range []struct {
		what      string
		got, want int
	}{
		{"a full packet", UETBytes(4096, EthernetFraming{}), ethernet + ipv4 + udp + request + semantic + 4096 + fcs + gap},
		{"one byte, not padded", UETBytes(1, EthernetFraming{IPv6: true, VLAN: true}), ethernet + vlan + ipv6 + udp + request + semantic + 1 + fcs + gap},
		{"an acknowledgement", UETAckFrameBytes(EthernetFraming{}), ethernet + ipv4 + udp + ack + response + fcs + gap},
		{"a NACK, the least frame", UETNackFrameBytes(EthernetFraming{}), 64 + gap},
		{"a NACK over IPv6", UETNackFrameBytes(EthernetFraming{IPv6: true}), ethernet + ipv6 + udp + 16 + fcs + gap},
	} {
		if x.got != x.want {
			t.Errorf("%s takes %d bytes on the cable, want %d", x.what, x.got, x.want)
		}
	}
}
