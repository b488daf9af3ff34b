package cm

import (
	"encoding/binary"

	"weft/units"
)

// Sizes of a SIDR message's private data (IBA vol. 1, 12.11.1 and 12.11.2).
const (
	SidrReqPrivate = 216
	SidrRepPrivate = 136
	sidrInfo       = 72
)

// SidrReq asks for the UD queue pair that serves a service: service ID resolution (IBA vol. 1,
// 12.11.1).
type SidrReq struct {
	Request ID
	PKey    uint16
	Service uint64
	Private [SidrReqPrivate]byte
}

// AppendTo appends the 232 bytes of the message.
func (m *SidrReq) AppendTo(b []byte) []byte {
	b = binary.BigEndian.AppendUint32(b, uint32(m.Request))
	b = binary.BigEndian.AppendUint32(b, uint32(m.PKey)<<16)
	b = binary.BigEndian.AppendUint64(b, m.Service)
	return append(b, m.Private[:]...)
}

// Parse reads the message from the 232 bytes behind the header.
func (m *SidrReq) Parse(p []byte) error {
	if len(p) < bodyBytes {
		return ErrMessage
	}
	be := binary.BigEndian
	*m = SidrReq{Request: ID(be.Uint32(p)), PKey: be.Uint16(p[4:]), Service: be.Uint64(p[8:]), Private: [SidrReqPrivate]byte(p[16:])}
	return nil
}

// SidrStatus is the answer to a SidrReq (IBA vol. 1, 12.11.2).
type SidrStatus uint8

// The answers.
const (
	SidrValid       SidrStatus = iota // QPN and QKey are valid
	SidrUnsupported                   // nobody serves the service
	SidrRejected                      // the service refuses
	SidrNoQP                          // it has no queue pair left
	SidrRedirected                    // Info has the address to ask
	SidrBadVersion                    // unknown version of class 7
)

// SidrRep answers a SidrReq (IBA vol. 1, 12.11.2).
type SidrRep struct {
	Request   ID
	Status    SidrStatus
	InfoBytes uint8
	QPN       units.QPN
	Service   uint64
	QKey      uint32
	Info      [sidrInfo]byte
	Private   [SidrRepPrivate]byte
}

// AppendTo appends the 232 bytes of the message.
func (m *SidrRep) AppendTo(b []byte) []byte {
	b = binary.BigEndian.AppendUint32(b, uint32(m.Request))
	b = append(b, byte(m.Status), m.InfoBytes, 0, 0)
	b = binary.BigEndian.AppendUint32(b, uint32(m.QPN)<<8)
	b = binary.BigEndian.AppendUint64(b, m.Service)
	b = binary.BigEndian.AppendUint32(b, m.QKey)
	b = append(b, m.Info[:]...)
	return append(b, m.Private[:]...)
}

// Parse reads the message from the 232 bytes behind the header.
func (m *SidrRep) Parse(p []byte) error {
	if len(p) < bodyBytes {
		return ErrMessage
	}
	be := binary.BigEndian
	*m = SidrRep{
		Request: ID(be.Uint32(p)), Status: SidrStatus(p[4]), InfoBytes: p[5], QPN: units.QPN(be.Uint32(p[8:]) >> 8),
		Service: be.Uint64(p[12:]), QKey: be.Uint32(p[20:]), Info: [sidrInfo]byte(p[24:]), Private: [SidrRepPrivate]byte(p[24+sidrInfo:]),
	}
	return nil
}
