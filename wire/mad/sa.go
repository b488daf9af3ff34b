package mad

import "encoding/binary"

// The offsets of subnet administration datagrams: the header of the reliable
// multi-packet protocol (IBA vol. 1, 13.6.2), then the header of the class (15.2.1.1).
const (
	offRMPP          = 24
	offSMKey         = 36
	offAttrOffset    = 44
	offComponentMask = 48
	offSAData        = 56
)

// SADataBytes is the room for records in a subnet administration datagram.
const SADataBytes = 200

// saHeaderBytes is the size of the class header. The length of each segment of a multi-packet
// answer includes it (IBA vol. 1, 13.6.2.1).
const saHeaderBytes = offSAData - offSMKey

// RMPPType is the kind of a packet of the reliable multi-packet protocol.
type RMPPType uint8

// The kinds (IBA vol. 1, 13.6.2.1).
const (
	RMPPNone  RMPPType = 0
	RMPPData  RMPPType = 1
	RMPPAck   RMPPType = 2
	RMPPStop  RMPPType = 3
	RMPPAbort RMPPType = 4
)

// RMPP is the header of the reliable multi-packet protocol (IBA vol. 1, 13.6.2).
type RMPP struct {
	Version  uint8 // 1
	Type     RMPPType
	RespTime uint8 // 5 bits: 31 is "none given"
	Last     bool
	First    bool
	Active   bool   // false: the other fields have no meaning
	Status   uint8  // of Stop and Abort
	Segment  uint32 // Data and Ack: the segment's number, from 1
	// Length depends on the packet. In the first segment it is the payload of the whole
	// transfer, if that is known; in the last segment its own payload; in an
	// acknowledgement the last segment that may be sent.
	Length uint32
}

func (r *RMPP) layout(c *codec) {
	bits(c, 8, &r.Version)
	bits(c, 8, &r.Type)
	bits(c, 5, &r.RespTime)
	flag(c, &r.Last)
	flag(c, &r.First)
	flag(c, &r.Active)
	bits(c, 8, &r.Status)
	bits(c, 32, &r.Segment)
	bits(c, 32, &r.Length)
}

// RMPP reads the header of the multi-packet protocol.
func (m *MAD) RMPP() RMPP {
	var r RMPP
	r.layout(&codec{b: m[offRMPP:offSMKey]})
	return r
}

// SetRMPP writes the header of the multi-packet protocol.
func (m *MAD) SetRMPP(r RMPP) {
	clear(m[offRMPP:offSMKey])
	r.layout(&codec{b: m[offRMPP:offSMKey], writing: true})
}

// RecordStride is the distance of two records in an answer, in bytes: AttributeOffset counts 8
// bytes.
func (m *MAD) RecordStride() int { return int(binary.BigEndian.Uint16(m[offAttrOffset:])) * 8 }

// SetRecordStride writes the distance of records of a size, rounded up to a multiple of 8 bytes.
func (m *MAD) SetRecordStride(recordBytes int) {
	binary.BigEndian.PutUint16(m[offAttrOffset:], uint16((recordBytes+7)/8))
}

// Payload is the RMPP length of a segment with a number of bytes of records.
func Payload(recordBytes int) uint32 { return uint32(recordBytes + saHeaderBytes) }

// Records is the number of bytes of records in a segment, as its header states, at most
// SADataBytes.
func (m *MAD) Records() int {
	r := m.RMPP()
	if !r.Active || !r.Last || r.Length < saHeaderBytes {
		return SADataBytes
	}
	return int(min(r.Length-saHeaderBytes, SADataBytes))
}

// Length is the number of used bytes: the last segment of a multi-packet answer ends behind its
// records.
func (m *MAD) Length() int {
	if m.Class() != SubnAdm || !m.RMPP().Active {
		return Size
	}
	return offSAData + m.Records()
}

// SMKey is the Subnet Manager's key in trusted requests.
func (m *MAD) SMKey() uint64 { return binary.BigEndian.Uint64(m[offSMKey:]) }

// SetSMKey changes the Subnet Manager's key.
func (m *MAD) SetSMKey(key uint64) { binary.BigEndian.PutUint64(m[offSMKey:], key) }

// ComponentMask has a bit for each component of the attribute that the query sets; bit 0
// is the first component.
func (m *MAD) ComponentMask() uint64 { return binary.BigEndian.Uint64(m[offComponentMask:]) }

// SetComponentMask changes the component mask.
func (m *MAD) SetComponentMask(mask uint64) { binary.BigEndian.PutUint64(m[offComponentMask:], mask) }

// SAData holds the record or records of a subnet administration datagram, in
// place.
func (m *MAD) SAData() []byte { return m[offSAData : offSAData+SADataBytes : offSAData+SADataBytes] }
