package wire

// The bytes of link-level flow control.
const (
	// InfiniBandFlowControlBytes is the flow-control packet of one virtual
	// lane: operand, FCTBS, VL and FCCL in 4 bytes, LPCRC in 2 (IBA vol. 1,
	// 7.9). On the cable it is between delimiters.
	InfiniBandFlowControlBytes = 6

	// PFCBytes is a priority flow control frame on the cable: a MAC control
	// frame of the minimum size and the gap (IEEE 802.1Qbb; IEEE 802.3, 31).
	PFCBytes = EthernetMinFrame + EthernetGapBytes

	// InfiniBandDelimiterBytes is the size of the start and end delimiters of each data and each
	// flow-control packet on a link with 8b/10b code (SDR, DDR, QDR): one symbol each, SDP or SLP
	// and EGP (IBA vol. 2, physical layer). With them a packet fills whole columns of a 4x link:
	// its own length is 2 more than a multiple of 4.
	//
	// From FDR on the code is 64b/66b, which marks start and end in control blocks; their exact
	// cost was found in no public source, so it is 0 here. If it were as large as with 8b/10b, a
	// packet with 4096 bytes of payload would take 0.05 % longer, the shortest acknowledgement 7 %.
	InfiniBandDelimiterBytes = 2
)

// padded is payload rounded up to a multiple of 4, as in every packet with a BTH (IBA vol. 1, 9.2,
// PadCnt).
func padded(payload int) int { return (payload + 3) &^ 3 }

// InfiniBandBytes is the length of an InfiniBand packet from the LRH to the
// VCRC, without delimiters. The LRH's packet length and the data counters of a
// port stop before the VCRC. grh adds the global route header that routed and
// multicast packets need.
func InfiniBandBytes(op Opcode, payload int, grh bool) int {
	n := LRHBytes + op.HeaderBytes() + padded(payload) + ICRCBytes + VCRCBytes
	if grh {
		n += GRHBytes
	}
	return n
}

// EthernetFraming is the form of the headers around the transport on Ethernet. The zero value is
// IPv4 without a VLAN tag.
type EthernetFraming struct {
	VLAN bool // an IEEE 802.1Q tag, which carries the priority for PFC
	IPv6 bool
}

// bytes is the size of the frame's parts outside of UDP or TCP.
func (f EthernetFraming) bytes() int {
	n := EthernetBytes + IPv4Bytes + FCSBytes
	if f.VLAN {
		n += VLANBytes
	}
	if f.IPv6 {
		n += IPv6Bytes - IPv4Bytes
	}
	return n
}

// AroundIP is the number of bytes that the cable carries around an IP packet, preamble and gap
// included.
func (f EthernetFraming) AroundIP() int {
	n := EthernetBytes + FCSBytes + EthernetGapBytes
	if f.VLAN {
		n += VLANBytes
	}
	return n
}

// RoCEv2Bytes is the length of a RoCE v2 packet on the cable, preamble and gap
// included.
func RoCEv2Bytes(op Opcode, payload int, f EthernetFraming) int {
	frame := f.bytes() + UDPBytes + op.HeaderBytes() + padded(payload) + ICRCBytes
	return max(frame, EthernetMinFrame) + EthernetGapBytes
}

// RoCEv1Bytes is the length of a RoCE v1 packet on the cable, preamble and gap included: a global
// route header follows the Ethernet header (IBA vol. 1, annex A16). vlan adds a tag.
func RoCEv1Bytes(op Opcode, payload int, vlan bool) int {
	frame := EthernetBytes + GRHBytes + op.HeaderBytes() + padded(payload) + ICRCBytes + FCSBytes
	if vlan {
		frame += VLANBytes
	}
	return max(frame, EthernetMinFrame) + EthernetGapBytes
}

// TCPSegmentBytes is the length of a TCP segment with timestamps on the cable,
// preamble and gap included; without payload it is a pure acknowledgement.
func TCPSegmentBytes(payload int, f EthernetFraming) int {
	frame := f.bytes() + TCPBytes + TCPTimestampBytes + payload
	return max(frame, EthernetMinFrame) + EthernetGapBytes
}
