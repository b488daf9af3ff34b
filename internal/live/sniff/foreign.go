package sniff

import (
	"weft/wire"
	"weft/wire/pcap"
)

// Foreign is a kind of packets of RDMA that are counted and not decoded.
type Foreign uint8

// The kinds.
const (
	NotForeign Foreign = iota
	InfiniBand         // of a capture of an InfiniBand link: ibdump, tcpdump on an HCA, Endace's cards
	RoCEv1             // EtherType 0x8915
	OtherLink          // of a link type that weft does not know
	numForeign
)

// foreignNames are the kinds in sentences.
var foreignNames = [numForeign]string{"", "InfiniBand", "RoCE v1", "a link type that weft does not know"}

func (f Foreign) String() string { return foreignNames[f] }

// Records of ERF (Endace, "ERF Types Reference Guide"; Wireshark's wiretap/erf.h): a header of 16 bytes, then
// extension headers of 8 bytes while the highest bit of the type or of the last one is set. The Ethernet types
// have two bytes of padding before the frame.
const (
	erfBytes          = 16
	erfExtension      = 8
	erfPad            = 2
	erfMore           = 0x80
	erfTypes          = 0x7f
	erfInfiniBand     = 21
	erfInfiniBandLink = 25
	maxExtensions     = 16
)

// erfEthernet are the types of records that hold an Ethernet frame: plain, and with colours.
var erfEthernet = map[byte]bool{2: true, 11: true, 16: true, 20: true}

// erf is the type and the frame of a record.
func erf(b []byte) (kind byte, frame []byte, ok bool) {
	if len(b) < erfBytes {
		return 0, nil, false
	}
	kind, b, more := b[8]&erfTypes, b[erfBytes:], b[8]&erfMore != 0
	for range maxExtensions {
		if !more {
			break
		}
		if len(b) < erfExtension {
			return kind, nil, false
		}
		more, b = b[0]&erfMore != 0, b[erfExtension:]
	}
	if !erfEthernet[kind] {
		return kind, b, true
	}
	if len(b) < erfPad {
		return kind, nil, false
	}
	return kind, b[erfPad:], true
}

// foreign is the kind of a packet that is not RoCE v2.
func foreign(p *pcap.Packet) Foreign {
	switch p.Link {
	case pcap.InfiniBand:
		return InfiniBand
	case pcap.Raw:
		return NotForeign
	case pcap.ERF:
		if kind, _, ok := erf(p.Data); ok && (kind == erfInfiniBand || kind == erfInfiniBandLink) {
			return InfiniBand
		} else if ok && !erfEthernet[kind] {
			return OtherLink
		}
	case pcap.Ethernet, pcap.LinuxSLL, pcap.LinuxSLL2:
	default:
		return OtherLink
	}
	if kind, _, ok := link(p); ok && kind == wire.EtherTypeRoCEv1 {
		return RoCEv1
	}
	return NotForeign
}
