package sniff

import (
	"encoding/binary"

	"weft/wire"
	"weft/wire/pcap"
)

// Headers that can precede a RoCE v2 packet.
const (
	sllBytes   = 16 // Linux cooked capture; the EtherType is in its last two bytes
	sll2Bytes  = 20 // version 2; the EtherType is in its first two bytes
	vxlanPort  = 4789
	vxlanBytes = 8
	vxlanValid = 0x08 // the flag that makes the VNI valid (RFC 7348)

	// EtherTypes of tags in front of a customer's VLAN: IEEE 802.1ad, and its predecessor.
	typeService  wire.EtherType = 0x88a8
	typeStacked  wire.EtherType = 0x9100
	typeStacked2 wire.EtherType = 0x9200
)

// findRoCE finds an IP packet to RoCE v2's port in a captured packet: behind VLAN tags, and inside
// VXLAN. marked says that an outer header carries congestion experienced.
func findRoCE(p *pcap.Packet) (ip []byte, marked, ok bool) {
	kind, ip, ok := link(p)
	if !ok {
		return nil, false, false
	}
	for range maxTunnels + 1 {
		if kind != wire.EtherTypeIPv4 && kind != wire.EtherTypeIPv6 {
			return nil, false, false
		}
		udp, found := wire.FindUDP(ip)
		if !found {
			return nil, false, false
		}
		if udp.Dst == wire.RoCEv2Port {
			return ip, marked, true
		}
		head := wire.IPv4Bytes
		if kind == wire.EtherTypeIPv6 {
			head = wire.IPv6Bytes
		}
		inner := ip[head+wire.UDPBytes:]
		if udp.Dst != vxlanPort || len(inner) < vxlanBytes || inner[0]&vxlanValid == 0 {
			return nil, false, false
		}
		marked = marked || congestion(ip) == 3
		if kind, ip, found = ethernet(inner[vxlanBytes:]); !found {
			return nil, false, false
		}
	}
	return nil, false, false
}

// link reads the header of the capture's link type in front of IP.
func link(p *pcap.Packet) (kind wire.EtherType, ip []byte, ok bool) {
	b := p.Data
	switch p.Link {
	case pcap.Ethernet:
		return ethernet(b)
	case pcap.LinuxSLL:
		if len(b) < sllBytes {
			return 0, nil, false
		}
		return tags(wire.EtherType(binary.BigEndian.Uint16(b[14:])), b[sllBytes:])
	case pcap.LinuxSLL2:
		if len(b) < sll2Bytes {
			return 0, nil, false
		}
		return tags(wire.EtherType(binary.BigEndian.Uint16(b)), b[sll2Bytes:])
	case pcap.ERF:
		if kind, frame, found := erf(b); found && erfEthernet[kind] {
			return ethernet(frame)
		}
		return 0, nil, false
	case pcap.Raw:
		if len(b) > 0 && b[0]>>4 == 6 {
			return wire.EtherTypeIPv6, b, true
		}
		return wire.EtherTypeIPv4, b, true
	default:
		return 0, nil, false
	}
}

func ethernet(b []byte) (kind wire.EtherType, payload []byte, ok bool) {
	var eth wire.EthernetHeader
	n, err := eth.Parse(b)
	if err != nil {
		return 0, nil, false
	}
	return tags(eth.Type, b[n:])
}

// tags skips VLAN tags; carriers stack several.
func tags(kind wire.EtherType, b []byte) (wire.EtherType, []byte, bool) {
	for kind == wire.EtherTypeVLAN || kind == typeService || kind == typeStacked || kind == typeStacked2 {
		if len(b) < wire.VLANBytes {
			return 0, nil, false
		}
		kind, b = wire.EtherType(binary.BigEndian.Uint16(b[2:])), b[wire.VLANBytes:]
	}
	return kind, b, true
}

// congestion is the ECN field of an IP packet: 3 is congestion experienced.
func congestion(ip []byte) uint8 {
	if ip[0]>>4 == 6 {
		return ip[1] >> 4 & 3
	}
	return ip[1] & 3
}
