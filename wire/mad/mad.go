package mad

import (
	"encoding/binary"

	"weft/units"
)

// Size is the length of every management datagram in bytes (IBA vol. 1, 13.4.2).
const Size = 256

// MAD is a management datagram in wire format.
type MAD [Size]byte

// The offsets of the common header (IBA vol. 1, 13.4.3).
const (
	offBaseVersion  = 0
	offClass        = 1
	offClassVersion = 2
	offMethod       = 3
	offStatus       = 4
	offTID          = 8
	offAttribute    = 16
	offModifier     = 20
)

// Class is a management class (IBA vol. 1, 13.4.4).
type Class uint8

// The classes of this package.
const (
	SubnLID      Class = 0x01 // subnet management, LID-routed
	SubnAdm      Class = 0x03 // subnet administration
	Perf         Class = 0x04 // performance management
	Congestion   Class = 0x21 // congestion control
	SubnDirected Class = 0x81 // subnet management, directed route
)

// Subnet reports whether the class is subnet management, whose datagrams use VL15 and
// QP 0.
func (c Class) Subnet() bool { return c == SubnLID || c == SubnDirected }

// CongestionVersion is the class version of congestion control (IBA vol. 1, A10.4.1).
const CongestionVersion = 2

// version is the class version in use: 1, except 2 for subnet administration (IBA vol. 1, 15.2.1.1)
// and for congestion control.
func (c Class) version() uint8 {
	if c == SubnAdm || c == Congestion {
		return 2
	}
	return 1
}

// Method is the method of a datagram (IBA vol. 1, 13.4.5 and 15.2.2).
type Method uint8

// The methods. Only subnet administration uses GetTable and the methods after it.
const (
	Get         Method = 0x01
	Set         Method = 0x02
	Trap        Method = 0x05
	Report      Method = 0x06
	TrapRepress Method = 0x07
	GetTable    Method = 0x12
	GetTraceTbl Method = 0x13
	GetMulti    Method = 0x14
	Delete      Method = 0x15

	// Response is the bit that the answers to these methods carry.
	Response Method = 0x80
)

// Answer is the method of the answer to m: GetResp for Set, TrapRepress for Trap,
// otherwise m with the response bit.
func (m Method) Answer() Method {
	switch m {
	case Set:
		return Get | Response
	case Trap:
		return TrapRepress
	}
	return m | Response
}

// Attribute is an attribute ID. The numbers of subnet management are in IBA vol. 1, table 124, the
// numbers of subnet administration in table 192.
type Attribute uint16

// The attributes.
const (
	AttrClassPortInfo   Attribute = 0x0001
	AttrNotice          Attribute = 0x0002
	AttrInformInfo      Attribute = 0x0003
	AttrNodeDescription Attribute = 0x0010
	AttrNodeInfo        Attribute = 0x0011
	AttrSwitchInfo      Attribute = 0x0012
	AttrGUIDInfo        Attribute = 0x0014
	AttrPortInfo        Attribute = 0x0015
	AttrPKeyTable       Attribute = 0x0016
	AttrSLToVL          Attribute = 0x0017
	AttrVLArb           Attribute = 0x0018
	AttrLinearFDB       Attribute = 0x0019
	AttrMulticastFDB    Attribute = 0x001B
	AttrSMInfo          Attribute = 0x0020
	AttrMlnxExtPortInfo Attribute = 0xFF90

	AttrNodeRecord     Attribute = 0x0011
	AttrPortInfoRecord Attribute = 0x0012
	AttrSLToVLRecord   Attribute = 0x0013
	AttrSwitchRecord   Attribute = 0x0014
	AttrLinearRecord   Attribute = 0x0015
	AttrMCastRecord    Attribute = 0x0017
	AttrSMInfoRecord   Attribute = 0x0018
	AttrLinkRecord     Attribute = 0x0020
	AttrGUIDInfoRecord Attribute = 0x0030
	AttrServiceRecord  Attribute = 0x0031
	AttrPKeyRecord     Attribute = 0x0033
	AttrPathRecord     Attribute = 0x0035
	AttrVLArbRecord    Attribute = 0x0036
	AttrMCMemberRecord Attribute = 0x0038
	AttrInformRecord   Attribute = 0x00F3

	AttrPortCounters         Attribute = 0x0012
	AttrPortCountersExtended Attribute = 0x001D
)

// Status is the status of an answer (IBA vol. 1, 13.4.7). The low byte is common to all
// classes, the high byte belongs to the class.
type Status uint16

// The statuses. NoResources and the statuses after it belong to subnet administration (IBA vol. 1,
// 15.2.1.2).
const (
	OK               Status = 0
	Busy             Status = 0x0001
	BadVersion       Status = 1 << 2
	BadMethod        Status = 2 << 2
	BadAttribute     Status = 3 << 2 // the method does not fit the attribute, or it is unknown
	BadField         Status = 7 << 2 // a value, or the attribute modifier
	NoResources      Status = 0x0100
	ReqInvalid       Status = 0x0200
	NoRecords        Status = 0x0300
	TooManyRecords   Status = 0x0400
	BadGID           Status = 0x0500
	MissingComponent Status = 0x0600
	Denied           Status = 0x0700

	directionBit Status = 1 << 15 // on directed routes: the datagram is on its way back
)

// FromBytes copies a datagram from the first 256 bytes of a slice. A shorter slice is a
// *ShortError.
func FromBytes(b []byte) (MAD, error) {
	if len(b) < Size {
		return MAD{}, &ShortError{"a management datagram", Size, len(b)}
	}
	return MAD(b[:Size]), nil
}

// New is a request without data. The meaning of the modifier depends on the attribute: a
// port, a block.
func New(class Class, method Method, attr Attribute, modifier uint32, tid uint64) MAD {
	var m MAD
	m[offBaseVersion] = 1
	m[offClass] = uint8(class)
	m[offClassVersion] = class.version()
	m[offMethod] = uint8(method)
	m.SetTID(tid)
	binary.BigEndian.PutUint16(m[offAttribute:], uint16(attr))
	m.SetModifier(modifier)
	return m
}

// Class is the management class.
func (m *MAD) Class() Class { return Class(m[offClass]) }

// VersionOK reports whether base and class version are the current ones.
func (m *MAD) VersionOK() bool {
	return m[offBaseVersion] == 1 && m[offClassVersion] == m.Class().version()
}

// Method is the method, with the response bit.
func (m *MAD) Method() Method { return Method(m[offMethod]) }

// SetMethod changes the method.
func (m *MAD) SetMethod(method Method) { m[offMethod] = uint8(method) }

// Answers reports whether the datagram answers another: it has the response
// bit, or is a TrapRepress.
func (m *MAD) Answers() bool { return m.Method()&Response != 0 || m.Method() == TrapRepress }

// Status is the status, without the direction bit of directed routes.
func (m *MAD) Status() Status {
	s := Status(binary.BigEndian.Uint16(m[offStatus:]))
	if m.Class() == SubnDirected {
		s &^= directionBit
	}
	return s
}

// SetStatus changes the status and keeps the direction bit.
func (m *MAD) SetStatus(s Status) {
	if m.Class() == SubnDirected {
		s = s&^directionBit | Status(binary.BigEndian.Uint16(m[offStatus:]))&directionBit
	}
	binary.BigEndian.PutUint16(m[offStatus:], uint16(s))
}

// TID is the transaction ID; an answer has the ID of its request.
func (m *MAD) TID() uint64 { return binary.BigEndian.Uint64(m[offTID:]) }

// SetTID changes the transaction ID.
func (m *MAD) SetTID(tid uint64) { binary.BigEndian.PutUint64(m[offTID:], tid) }

// Attribute is the attribute ID.
func (m *MAD) Attribute() Attribute { return Attribute(binary.BigEndian.Uint16(m[offAttribute:])) }

// Modifier is the attribute modifier.
func (m *MAD) Modifier() uint32 { return binary.BigEndian.Uint32(m[offModifier:]) }

// SetModifier changes the attribute modifier.
func (m *MAD) SetModifier(v uint32) { binary.BigEndian.PutUint32(m[offModifier:], v) }

// GID is a global identifier: the prefix of a subnet and the GUID of a port (IBA vol. 1, 4.1.1). A
// multicast GID has 16 bytes as well, without these parts.
type GID struct {
	Prefix uint64
	GUID   units.GUID
}

// DefaultPrefix is the subnet prefix of an unconfigured subnet: link-local (IBA vol. 1, 4.1.1).
const DefaultPrefix uint64 = 0xFE80_0000_0000_0000

// Multicast reports whether the GID is a multicast GID.
func (g GID) Multicast() bool { return g.Prefix>>56 == 0xFF }

func (g *GID) layout(c *codec) {
	bits(c, 64, &g.Prefix)
	bits(c, 64, &g.GUID)
}
