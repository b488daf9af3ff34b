package mad

import "weft/units"

// Entries of a table in one datagram.
const (
	PKeysPerBlock     = 32 // IBA vol. 1, 14.2.5.7
	LIDsPerBlock      = 64 // 14.2.5.10
	MLIDsPerBlock     = 32 // 14.2.5.12
	PortsPerPosition  = 16 // 14.2.5.12: ports of one multicast block
	GUIDsPerBlock     = 8  // 14.2.5.5
	VLArbPerBlock     = 32 // 14.2.5.9
	ServiceLevels     = 16 // 14.2.5.8
	positionShift     = 28 // in the modifier of a multicast block
	multicastBlockMax = 0x1FF
)

// PKey is a partition key: 15 bits of partition, and full membership.
type PKey uint16

// DefaultPKey is the key of the default partition, with full membership.
const DefaultPKey PKey = 0xFFFF

// Full reports whether the key has full membership.
func (k PKey) Full() bool { return k&0x8000 != 0 }

// Partition is the key without the membership bit; 0 is no partition.
func (k PKey) Partition() PKey { return k &^ 0x8000 }

// Matches reports whether two keys belong to the same partition and at least one has full
// membership (IBA vol. 1, 10.9.3).
func (k PKey) Matches(other PKey) bool {
	return k.Partition() != 0 && k.Partition() == other.Partition() && (k.Full() || other.Full())
}

// PKeyTable is a block of a port's partition keys. Its modifier is the block; for a switch's
// external port, the upper half is the port (IBA vol. 1, 14.2.5.7).
type PKeyTable [PKeysPerBlock]PKey

func (t *PKeyTable) layout(c *codec) {
	for i := range t {
		bits(c, 16, &t[i])
	}
}

// SLToVL is the lane of each service level. For a switch, its modifier has the input port in the
// second byte and the output port in the first (IBA vol. 1, 14.2.5.8). Lane 15 drops.
type SLToVL [ServiceLevels]units.VL

func (t *SLToVL) layout(c *codec) {
	for i := range t {
		bits(c, 4, &t[i])
	}
}

// VLWeight is an entry of an arbitration table: a lane may send Weight times 64 bytes. An entry
// with weight 0 is skipped.
type VLWeight struct {
	VL     units.VL
	Weight uint8
}

// VLArb is a block of a port's arbitration tables. Its modifier has the block in
// the upper half: 1 and 2 low priority, 3 and 4 high; and the port in the lower
// (IBA vol. 1, 14.2.5.9).
type VLArb [VLArbPerBlock]VLWeight

func (t *VLArb) layout(c *codec) {
	for i := range t {
		c.skip(4)
		bits(c, 4, &t[i].VL)
		bits(c, 8, &t[i].Weight)
	}
}

// LinearFDB is a block of a linear forwarding table: the output port of each of
// 64 LIDs, 255 for none. Its modifier is the block (IBA vol. 1, 14.2.5.10).
type LinearFDB [LIDsPerBlock]uint8

func (t *LinearFDB) layout(c *codec) { raw(c, t[:]) }

// MulticastFDB is a block of a multicast forwarding table: for each of 32 LIDs a mask of 16 output
// ports, with port 0 in the lowest bit. Its modifier is a [MulticastBlock] (IBA vol. 1, 14.2.5.12).
type MulticastFDB [MLIDsPerBlock]uint16

func (t *MulticastFDB) layout(c *codec) {
	for i := range t {
		bits(c, 16, &t[i])
	}
}

// MulticastBlock is the modifier of a multicast block: 32 LIDs from 0xC000 +
// 32 × block, and 16 ports from 16 × position.
func MulticastBlock(block uint16, position uint8) uint32 {
	return uint32(position)<<positionShift | uint32(block)&multicastBlockMax
}

// SplitMulticastBlock is the block and the position of a modifier.
func SplitMulticastBlock(modifier uint32) (block uint16, position uint8) {
	return uint16(modifier & multicastBlockMax), uint8(modifier >> positionShift)
}

// GUIDInfo is a block of a port's GUIDs; the first of block 0 is the port's own,
// which cannot be written (IBA vol. 1, 14.2.5.5).
type GUIDInfo [GUIDsPerBlock]units.GUID

func (t *GUIDInfo) layout(c *codec) {
	for i := range t {
		bits(c, 64, &t[i])
	}
}
