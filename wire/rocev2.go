package wire

import "encoding/binary"

// RoCEv2 is a RoCE v2 packet in an Ethernet frame, from the IP header to the ICRC (IBA vol. 1,
// A17).
type RoCEv2 struct {
	IPv6   bool // V6 is valid, else V4
	V4     IPv4Header
	V6     IPv6Header
	UDP    UDPHeader
	Packet Packet
	ICRC   uint32
	// Calculated is the correct ICRC of the packet.
	Calculated uint32

	crc ICRC
}

// Parse reads a packet whose IP header begins b; it ignores the bytes behind its end, such as the
// padding of short frames. It reports a wrong ICRC as ErrICRC with all fields set, so that a
// sniffer can show the packet. The caller checks the destination port, 4791.
func (r *RoCEv2) Parse(b []byte) error {
	if len(b) == 0 {
		return ErrTruncated
	}
	end, head, err := r.parseIP(b)
	if err != nil {
		return err
	}
	if end < head+UDPBytes+BTHBytes+ICRCBytes || end > len(b) {
		return ErrTruncated
	}
	if err := r.UDP.Parse(b[head:]); err != nil {
		return err
	}
	if head+int(r.UDP.Length) != end {
		return ErrLength
	}
	tail := end - ICRCBytes
	if err := r.Packet.Parse(b[head+UDPBytes : tail]); err != nil {
		return err
	}
	r.ICRC = binary.LittleEndian.Uint32(b[tail:])
	r.Calculated = r.calculate(b[:tail])
	if r.ICRC != r.Calculated {
		return ErrICRC
	}
	return nil
}

// ParseCut reads a packet of which a capture has only the first bytes. It returns the length of the
// payload on the wire, without padding; Packet.Payload is the captured part. The ICRC is missing
// and not checked.
func (r *RoCEv2) ParseCut(b []byte) (payload int, err error) {
	if len(b) == 0 {
		return 0, ErrTruncated
	}
	end, head, err := r.parseIP(b)
	if err != nil {
		return 0, err
	}
	if end <= len(b) { // only bytes behind the packet were cut
		err = r.Parse(b)
		return len(r.Packet.Payload), err
	}
	if len(b) < head+UDPBytes {
		return 0, ErrTruncated
	}
	if err := r.UDP.Parse(b[head:]); err != nil {
		return 0, err
	}
	if head+int(r.UDP.Length) != end {
		return 0, ErrLength
	}
	size := int(r.UDP.Length) - UDPBytes - ICRCBytes
	return r.Packet.parseCut(b[head+UDPBytes:min(len(b), end-ICRCBytes)], size)
}

// parseIP reads the IP header and returns the ends of the packet and of the header.
func (r *RoCEv2) parseIP(b []byte) (end, head int, err error) {
	r.IPv6 = b[0]>>4 == 6
	if r.IPv6 {
		if err := r.V6.Parse(b); err != nil {
			return 0, 0, err
		}
		if r.V6.NextHeader != ProtocolUDP {
			return 0, 0, ErrReserved
		}
		return IPv6Bytes + int(r.V6.Length), IPv6Bytes, nil
	}
	if err := r.V4.Parse(b); err != nil {
		return 0, 0, err
	}
	if r.V4.Protocol != ProtocolUDP {
		return 0, 0, ErrReserved
	}
	return int(r.V4.Length), IPv4Bytes, nil
}

// AppendTo appends the packet; it sets lengths, padding and ICRC. The UDP checksum is written as it
// is.
func (r *RoCEv2) AppendTo(b []byte) ([]byte, error) {
	start := len(b)
	op := r.Packet.BTH.Opcode
	size := UDPBytes + op.HeaderBytes() + padded(len(r.Packet.Payload)) + ICRCBytes
	if size+IPv4Bytes > 0xffff {
		return b, ErrLength
	}
	if r.IPv6 {
		r.V6.Length, r.V6.NextHeader = uint16(size), ProtocolUDP
		b = r.V6.AppendTo(b)
	} else {
		r.V4.Length, r.V4.Protocol = uint16(IPv4Bytes+size), ProtocolUDP
		b = r.V4.AppendTo(b)
	}
	r.UDP.Length = uint16(size)
	b = r.UDP.AppendTo(b)
	b, err := r.Packet.AppendTo(b)
	if err != nil {
		return b[:start], err
	}
	r.ICRC = r.calculate(b[start:])
	r.Calculated = r.ICRC
	return AppendICRC(b, r.ICRC), nil
}

func (r *RoCEv2) calculate(packet []byte) uint32 {
	if r.IPv6 {
		return r.crc.V6(packet)
	}
	return r.crc.V4(packet)
}
