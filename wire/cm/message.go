package cm

import (
	"encoding/binary"
	"errors"

	"weft/units"
)

// Sizes in bytes.
const (
	MADBytes  = 256 // a whole datagram
	headBytes = 24  // its common header
	bodyBytes = MADBytes - headBytes

	ReqPrivate  = 92 // private data of each message (IBA vol. 1, tables 12.6.5 and on)
	RejPrivate  = 148
	RepPrivate  = 196
	RtuPrivate  = 224
	DreqPrivate = 220
	DrepPrivate = 224
)

// ErrMessage is the error for a datagram that is not a message of communication management.
var ErrMessage = errors.New("cm: not a message of communication management")

// Attribute is the type of a message (IBA vol. 1, 16.7.2).
type Attribute uint16

// The messages.
const (
	AttrReq     Attribute = 0x0010
	AttrMra     Attribute = 0x0011
	AttrRej     Attribute = 0x0012
	AttrRep     Attribute = 0x0013
	AttrRtu     Attribute = 0x0014
	AttrDreq    Attribute = 0x0015
	AttrDrep    Attribute = 0x0016
	AttrSidrReq Attribute = 0x0017
	AttrSidrRep Attribute = 0x0018
)

// Header is the common header of a message (IBA vol. 1, 13.4.3).
type Header struct {
	Transaction uint64
	Attribute   Attribute
}

// The fixed fields of every message's header.
const (
	baseVersion  = 1
	class        = 7
	classVersion = 2
	methodSend   = 3
)

// AppendTo appends the 24 bytes of the header.
func (h *Header) AppendTo(b []byte) []byte {
	b = append(b, baseVersion, class, classVersion, methodSend, 0, 0, 0, 0)
	b = binary.BigEndian.AppendUint64(b, h.Transaction)
	b = binary.BigEndian.AppendUint16(b, uint16(h.Attribute))
	return append(b, 0, 0, 0, 0, 0, 0)
}

// Parse reads the header of a whole datagram, and returns the bytes behind it.
func (h *Header) Parse(b []byte) ([]byte, error) {
	if len(b) != MADBytes || b[0] != baseVersion || b[1] != class || b[2] != classVersion || b[3] != methodSend {
		return nil, ErrMessage
	}
	h.Transaction = binary.BigEndian.Uint64(b[8:])
	h.Attribute = Attribute(binary.BigEndian.Uint16(b[16:]))
	return b[headBytes:], nil
}

// ID identifies a connection at one end.
type ID uint32

// Path is the path of a connection's packets, as in a REQ.
type Path struct {
	LocalLID, RemoteLID units.LID // 0xffff on RoCE
	LocalGID, RemoteGID [16]byte
	FlowLabel           uint32 // 20 bits
	Rate                uint16 // 12 bits: six reserved, six for the rate's code
	TrafficClass        uint8
	HopLimit            uint8
	SL                  uint8
	SubnetLocal         bool
	AckTimeout          uint8 // Local ACK Timeout of the queue pairs
}

// Req requests a connection (IBA vol. 1, 12.6.5).
type Req struct {
	Local              ID
	Service            uint64
	CAGUID             uint64
	QKey               uint32
	QPN                units.QPN
	ResponderResources uint8 // READs and atomics that the requesting end serves
	InitiatorDepth     uint8 // READs and atomics that the requesting end has outstanding
	RemoteTimeout      uint8 // time for the answer, 4.096 us times 2^n; 5 bits
	LocalTimeout       uint8
	Service2           uint8 // transport service: 0 is RC, 1 UC, 3 the extended one
	Extended           uint8 // extended transport service: 1 is XRC; 3 bits
	FlowControl        bool
	PSN                units.PSN
	RetryCount         uint8
	PKey               uint16
	MTU                uint8 // code: 1 is 256, 5 is 4096
	RNRRetry           uint8
	MaxRetries         uint8
	SRQ                bool
	Path               Path
	Private            [ReqPrivate]byte
}

// AppendTo appends the 232 bytes of the message.
func (m *Req) AppendTo(b []byte) []byte {
	at := len(b)
	b = append(b, make([]byte, bodyBytes)...)
	p := b[at:]
	be := binary.BigEndian
	be.PutUint32(p, uint32(m.Local))
	be.PutUint64(p[8:], m.Service)
	be.PutUint64(p[16:], m.CAGUID)
	be.PutUint32(p[28:], m.QKey)
	be.PutUint32(p[32:], uint32(m.QPN)<<8|uint32(m.ResponderResources))
	p[39] = m.InitiatorDepth
	p[43] = m.RemoteTimeout<<3 | m.Service2&3<<1 | bit(m.FlowControl, 1)
	be.PutUint32(p[44:], uint32(m.PSN)<<8|uint32(m.LocalTimeout)<<3&0xf8|uint32(m.RetryCount&7))
	be.PutUint16(p[48:], m.PKey)
	p[50] = m.MTU<<4 | m.RNRRetry&7
	p[51] = m.MaxRetries<<4 | bit(m.SRQ, 8) | m.Extended&7
	m.Path.put(p[52:])
	copy(p[140:], m.Private[:])
	return b
}

// Parse reads the message from the 232 bytes behind the header.
func (m *Req) Parse(p []byte) error {
	if len(p) < bodyBytes {
		return ErrMessage
	}
	be := binary.BigEndian
	*m = Req{
		Local: ID(be.Uint32(p)), Service: be.Uint64(p[8:]), CAGUID: be.Uint64(p[16:]), QKey: be.Uint32(p[28:]),
		QPN: units.QPN(be.Uint32(p[32:]) >> 8), ResponderResources: p[35], InitiatorDepth: p[39],
		RemoteTimeout: p[43] >> 3, Service2: p[43] >> 1 & 3, FlowControl: p[43]&1 != 0,
		PSN: units.PSN(be.Uint32(p[44:]) >> 8), LocalTimeout: p[47] >> 3, RetryCount: p[47] & 7,
		PKey: be.Uint16(p[48:]), MTU: p[50] >> 4, RNRRetry: p[50] & 7, MaxRetries: p[51] >> 4, SRQ: p[51]&8 != 0, Extended: p[51] & 7,
		Private: [ReqPrivate]byte(p[140:]),
	}
	m.Path.parse(p[52:])
	return nil
}

func (m *Path) put(p []byte) {
	be := binary.BigEndian
	be.PutUint16(p, uint16(m.LocalLID))
	be.PutUint16(p[2:], uint16(m.RemoteLID))
	copy(p[4:], m.LocalGID[:])
	copy(p[20:], m.RemoteGID[:])
	be.PutUint32(p[36:], m.FlowLabel<<12|uint32(m.Rate)&0xfff)
	p[40], p[41], p[42], p[43] = m.TrafficClass, m.HopLimit, m.SL<<4|bit(m.SubnetLocal, 8), m.AckTimeout<<3
}

func (m *Path) parse(p []byte) {
	be := binary.BigEndian
	*m = Path{
		LocalLID: units.LID(be.Uint16(p)), RemoteLID: units.LID(be.Uint16(p[2:])),
		LocalGID: [16]byte(p[4:]), RemoteGID: [16]byte(p[20:]),
		FlowLabel: be.Uint32(p[36:]) >> 12, Rate: uint16(be.Uint32(p[36:]) & 0xfff),
		TrafficClass: p[40], HopLimit: p[41], SL: p[42] >> 4, SubnetLocal: p[42]&8 != 0, AckTimeout: p[43] >> 3,
	}
}

// Rep accepts a connection (IBA vol. 1, 12.6.8).
type Rep struct {
	Local, Remote      ID
	QKey               uint32
	QPN                units.QPN
	EEC                units.QPN // of XRC instead of QPN: the receiving queue pair
	PSN                units.PSN
	ResponderResources uint8
	InitiatorDepth     uint8
	AckDelay           uint8 // delay of the answering end, 4.096 us times 2^n; 5 bits
	Failover           uint8
	FlowControl        bool
	RNRRetry           uint8
	SRQ                bool
	CAGUID             uint64
	Private            [RepPrivate]byte
}

// AppendTo appends the 232 bytes of the message.
func (m *Rep) AppendTo(b []byte) []byte {
	at := len(b)
	b = append(b, make([]byte, bodyBytes)...)
	p := b[at:]
	be := binary.BigEndian
	be.PutUint32(p, uint32(m.Local))
	be.PutUint32(p[4:], uint32(m.Remote))
	be.PutUint32(p[8:], m.QKey)
	be.PutUint32(p[12:], uint32(m.QPN)<<8)
	be.PutUint32(p[16:], uint32(m.EEC)<<8)
	be.PutUint32(p[20:], uint32(m.PSN)<<8)
	p[24], p[25] = m.ResponderResources, m.InitiatorDepth
	p[26] = m.AckDelay<<3 | m.Failover&3<<1 | bit(m.FlowControl, 1)
	p[27] = m.RNRRetry<<5 | bit(m.SRQ, 0x10)
	be.PutUint64(p[28:], m.CAGUID)
	copy(p[36:], m.Private[:])
	return b
}

// Parse reads the message from the 232 bytes behind the header.
func (m *Rep) Parse(p []byte) error {
	if len(p) < bodyBytes {
		return ErrMessage
	}
	be := binary.BigEndian
	*m = Rep{
		Local: ID(be.Uint32(p)), Remote: ID(be.Uint32(p[4:])), QKey: be.Uint32(p[8:]), QPN: units.QPN(be.Uint32(p[12:]) >> 8),
		EEC: units.QPN(be.Uint32(p[16:]) >> 8), PSN: units.PSN(be.Uint32(p[20:]) >> 8), ResponderResources: p[24], InitiatorDepth: p[25],
		AckDelay: p[26] >> 3, Failover: p[26] >> 1 & 3, FlowControl: p[26]&1 != 0, RNRRetry: p[27] >> 5, SRQ: p[27]&0x10 != 0,
		CAGUID: be.Uint64(p[28:]), Private: [RepPrivate]byte(p[36:]),
	}
	return nil
}

// Reason is the reason for a rejected connection (IBA vol. 1, 12.6.7.2).
type Reason uint16

// The reasons in use here.
const (
	ReasonNoResources  Reason = 3
	ReasonTimeout      Reason = 4
	ReasonInvalidComm  Reason = 6 // an unknown ID
	ReasonInvalidSvc   Reason = 8 // no listener for the service
	ReasonInvalidTrans Reason = 9
	ReasonInvalidMTU   Reason = 26 // the greatest path MTU is in the additional information
	ReasonConsumer     Reason = 28 // given by the application
)

// Rej rejects a connection (IBA vol. 1, 12.6.7).
type Rej struct {
	Local, Remote ID
	Rejected      uint8 // the rejected message: 0 is REQ, 1 REP, 3 other
	Reason        Reason
	Info          [72]byte
	InfoBytes     uint8
	Private       [RejPrivate]byte
}

// AppendTo appends the 232 bytes of the message.
func (m *Rej) AppendTo(b []byte) []byte {
	at := len(b)
	b = append(b, make([]byte, bodyBytes)...)
	p := b[at:]
	be := binary.BigEndian
	be.PutUint32(p, uint32(m.Local))
	be.PutUint32(p[4:], uint32(m.Remote))
	p[8], p[9] = m.Rejected<<6, m.InfoBytes<<1
	be.PutUint16(p[10:], uint16(m.Reason))
	copy(p[12:], m.Info[:])
	copy(p[84:], m.Private[:])
	return b
}

// Parse reads the message from the 232 bytes behind the header.
func (m *Rej) Parse(p []byte) error {
	if len(p) < bodyBytes {
		return ErrMessage
	}
	be := binary.BigEndian
	*m = Rej{
		Local: ID(be.Uint32(p)), Remote: ID(be.Uint32(p[4:])), Rejected: p[8] >> 6, InfoBytes: p[9] >> 1,
		Reason: Reason(be.Uint16(p[10:])), Info: [72]byte(p[12:]), Private: [RejPrivate]byte(p[84:]),
	}
	return nil
}

// Pair is an RTU, a DREQ or a DREP: two IDs, and in a DREQ the addressed queue pair. Its private
// data stays empty here (IBA vol. 1, 12.6.9 to 12.6.11).
type Pair struct {
	Local, Remote ID
	QPN           units.QPN // DREQ only
}

// AppendTo appends the 232 bytes of the message.
func (m *Pair) AppendTo(b []byte) []byte {
	at := len(b)
	b = append(b, make([]byte, bodyBytes)...)
	binary.BigEndian.PutUint32(b[at:], uint32(m.Local))
	binary.BigEndian.PutUint32(b[at+4:], uint32(m.Remote))
	binary.BigEndian.PutUint32(b[at+8:], uint32(m.QPN)<<8)
	return b
}

// Parse reads the message from the 232 bytes behind the header.
func (m *Pair) Parse(p []byte) error {
	if len(p) < bodyBytes {
		return ErrMessage
	}
	be := binary.BigEndian
	*m = Pair{Local: ID(be.Uint32(p)), Remote: ID(be.Uint32(p[4:])), QPN: units.QPN(be.Uint32(p[8:]) >> 8)}
	return nil
}

func bit(set bool, b uint8) uint8 {
	if set {
		return b
	}
	return 0
}
