package mad

import "weft/units"

// Components of records, as bits of a component mask (IBA vol. 1, 15.2.5).
const (
	NodeRecLID        uint64 = 1 << 0
	NodeRecType       uint64 = 1 << 4
	NodeRecSystemGUID uint64 = 1 << 6
	NodeRecNodeGUID   uint64 = 1 << 7
	NodeRecPortGUID   uint64 = 1 << 8
	NodeRecDesc       uint64 = 1 << 14

	PortRecLID  uint64 = 1 << 0
	PortRecPort uint64 = 1 << 1
	// PortRecCapability is PortInfo.CapabilityMask. With BitwiseCapability in the attribute
	// modifier, a port matches if it has all requested bits (IBA vol. 1, 15.2.5.3).
	PortRecCapability uint64 = 1 << 7
	BitwiseCapability uint32 = 1 << 31

	LinkRecFromLID  uint64 = 1 << 0
	LinkRecFromPort uint64 = 1 << 1
	LinkRecToPort   uint64 = 1 << 2
	LinkRecToLID    uint64 = 1 << 3

	ServiceRecID   uint64 = 1 << 0
	ServiceRecGID  uint64 = 1 << 1
	ServiceRecPKey uint64 = 1 << 2
	ServiceRecName uint64 = 1 << 6
)

// NodeRecord is subnet administration's record of a node (IBA vol. 1, 15.2.5.2).
type NodeRecord struct {
	LID  units.LID
	Info NodeInfo
	Desc NodeDescription
}

func (r *NodeRecord) layout(c *codec) {
	bits(c, 16, &r.LID)
	c.skip(16)
	r.Info.layout(c)
	raw(c, r.Desc[:])
}

// PortInfoRecord is the PortInfo of a port (IBA vol. 1, 15.2.5.3).
type PortInfoRecord struct {
	LID     units.LID
	Port    uint8
	Options uint8
	Info    PortInfo
}

func (r *PortInfoRecord) layout(c *codec) {
	bits(c, 16, &r.LID)
	bits(c, 8, &r.Port)
	bits(c, 8, &r.Options)
	r.Info.layout(c)
}

// LinkRecord is one direction of a cable (IBA vol. 1, 15.2.5.13).
type LinkRecord struct {
	FromLID  units.LID
	FromPort uint8
	ToPort   uint8
	ToLID    units.LID
}

func (r *LinkRecord) layout(c *codec) {
	bits(c, 16, &r.FromLID)
	bits(c, 8, &r.FromPort)
	bits(c, 8, &r.ToPort)
	bits(c, 16, &r.ToLID)
}

// ServiceRecord is an announced service (IBA vol. 1, 15.2.5.14).
type ServiceRecord struct {
	ID    uint64
	GID   GID
	PKey  PKey
	Lease uint32 // seconds; all ones: without end
	Key   [16]byte
	Name  [64]byte
	Data  [64]byte // four vectors of 16 bytes: of 8, 16, 32 and 64 bits
}

func (r *ServiceRecord) layout(c *codec) {
	bits(c, 64, &r.ID)
	r.GID.layout(c)
	bits(c, 16, &r.PKey)
	c.skip(16)
	bits(c, 32, &r.Lease)
	raw(c, r.Key[:])
	raw(c, r.Name[:])
	raw(c, r.Data[:])
}
