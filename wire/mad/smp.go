package mad

import (
	"encoding/binary"

	"weft/units"
)

// The offsets of subnet management datagrams (IBA vol. 1, 14.2.1).
const (
	offHopPointer  = 6 // these two only on directed routes
	offHopCount    = 7
	offMKey        = 24
	offDrSLID      = 32
	offDrDLID      = 34
	offSMPData     = 64
	offInitialPath = 128
	offReturnPath  = 192
)

// SMPDataBytes is the size of an attribute in a subnet management datagram.
const SMPDataBytes = 64

// MaxHops is the longest directed route: the path arrays have an entry per hop, from 1 on; entry 0
// is unused (IBA vol. 1, 14.2.1.2).
const MaxHops = 63

// NewDirected is a directed-route request. The path has the output port of each hop; it may be
// empty, for the sender's own node. It panics if the path has more than MaxHops: callers check the
// length first.
func NewDirected(method Method, attr Attribute, modifier uint32, tid uint64, path []uint8) MAD {
	if len(path) > MaxHops {
		panic("mad: a directed route has at most 63 hops")
	}
	m := New(SubnDirected, method, attr, modifier, tid)
	m[offHopCount] = uint8(len(path))
	binary.BigEndian.PutUint16(m[offDrSLID:], uint16(units.PermissiveLID))
	binary.BigEndian.PutUint16(m[offDrDLID:], uint16(units.PermissiveLID))
	copy(m[offInitialPath+1:], path)
	return m
}

// SMPData is the attribute of a subnet management datagram, in place.
func (m *MAD) SMPData() []byte {
	return m[offSMPData : offSMPData+SMPDataBytes : offSMPData+SMPDataBytes]
}

// MKey is the management key.
func (m *MAD) MKey() uint64 { return binary.BigEndian.Uint64(m[offMKey:]) }

// SetMKey changes the management key.
func (m *MAD) SetMKey(key uint64) { binary.BigEndian.PutUint64(m[offMKey:], key) }

// HopPointer is the number of completed hops of the directed route.
func (m *MAD) HopPointer() uint8 { return m[offHopPointer] }

// SetHopPointer changes the number of completed hops.
func (m *MAD) SetHopPointer(hops uint8) { m[offHopPointer] = hops }

// HopCount is the number of hops of the directed route, as in the datagram; a value above MaxHops
// is invalid.
func (m *MAD) HopCount() uint8 { return m[offHopCount] }

// DrSLID is the source of the LID-routed part before the directed one, or the
// permissive LID.
func (m *MAD) DrSLID() units.LID { return units.LID(binary.BigEndian.Uint16(m[offDrSLID:])) }

// DrDLID is the destination of the LID-routed part after the directed one, or
// the permissive LID.
func (m *MAD) DrDLID() units.LID { return units.LID(binary.BigEndian.Uint16(m[offDrDLID:])) }

// Returning reports whether a directed-route datagram is on its way back.
func (m *MAD) Returning() bool {
	return Status(binary.BigEndian.Uint16(m[offStatus:]))&directionBit != 0
}

// SetReturning marks a directed-route datagram as on its way back.
func (m *MAD) SetReturning() { m[offStatus] |= uint8(directionBit >> 8) }

// InitialPath is the output port of hop 1 to 63.
func (m *MAD) InitialPath(hop uint8) uint8 { return m[offInitialPath+int(hop&MaxHops)] }

// SetReturnPath sets the input port of hop 1 to 63.
func (m *MAD) SetReturnPath(hop, port uint8) { m[offReturnPath+int(hop&MaxHops)] = port }

// ReturnPath is the input port of hop 1 to 63.
func (m *MAD) ReturnPath(hop uint8) uint8 { return m[offReturnPath+int(hop&MaxHops)] }
