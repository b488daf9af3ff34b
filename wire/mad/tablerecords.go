package mad

import "weft/units"

// Components of these records, as bits of a component mask (IBA vol. 1, 15.2.5).
const (
	RecLID uint64 = 1 << 0 // of all except InformInfoRecord

	BlockRecBlock uint64 = 1 << 1 // of LinearFDBRecord, GUIDInfoRecord and PKeyRecord
	PKeyRecPort   uint64 = 1 << 2

	MulticastRecPosition uint64 = 1 << 1
	MulticastRecBlock    uint64 = 1 << 3

	LevelRecIn  uint64 = 1 << 1
	LevelRecOut uint64 = 1 << 2

	VLArbRecPort  uint64 = 1 << 1
	VLArbRecBlock uint64 = 1 << 2

	SMInfoRecGUID     uint64 = 1 << 2
	SMInfoRecPriority uint64 = 1 << 5
	SMInfoRecState    uint64 = 1 << 6

	InformRecSubscriber uint64 = 1 << 0
	InformRecNumber     uint64 = 1 << 1
)

// SwitchInfoRecord is SwitchInfo of a switch (IBA vol. 1, 15.2.5).
type SwitchInfoRecord struct {
	LID  units.LID
	Info SwitchInfo
}

func (r *SwitchInfoRecord) layout(c *codec) {
	bits(c, 16, &r.LID)
	c.skip(16)
	r.Info.layout(c)
}

// LinearFDBRecord is a block of the linear forwarding table of a switch (IBA vol. 1, 15.2.5).
type LinearFDBRecord struct {
	LID   units.LID
	Block uint16
	Table LinearFDB
}

func (r *LinearFDBRecord) layout(c *codec) {
	bits(c, 16, &r.LID)
	bits(c, 16, &r.Block)
	c.skip(32)
	raw(c, r.Table[:])
}

// MulticastFDBRecord is a block of the multicast forwarding table of a switch (IBA vol. 1, 15.2.5).
type MulticastFDBRecord struct {
	LID      units.LID
	Position uint8  // 4 bits: the block of 16 ports
	Block    uint16 // 9 bits
	Table    MulticastFDB
}

func (r *MulticastFDBRecord) layout(c *codec) {
	bits(c, 16, &r.LID)
	bits(c, 4, &r.Position)
	c.skip(3)
	bits(c, 9, &r.Block)
	c.skip(32)
	r.Table.layout(c)
}

// SLToVLRecord is the lanes of service levels at a port; In is 0 except for switches (IBA vol. 1,
// 15.2.5).
type SLToVLRecord struct {
	LID     units.LID
	In, Out uint8
	Table   SLToVL
}

func (r *SLToVLRecord) layout(c *codec) {
	bits(c, 16, &r.LID)
	bits(c, 8, &r.In)
	bits(c, 8, &r.Out)
	c.skip(32)
	r.Table.layout(c)
}

// VLArbRecord is a block of the arbitration tables of a port: 1 and 2 low priority, 3 and 4 high (IBA vol. 1, 15.2.5).
type VLArbRecord struct {
	LID   units.LID
	Port  uint8
	Block uint8
	Table VLArb
}

func (r *VLArbRecord) layout(c *codec) {
	bits(c, 16, &r.LID)
	bits(c, 8, &r.Port)
	bits(c, 8, &r.Block)
	c.skip(32)
	r.Table.layout(c)
}

// PKeyRecord is a block of the partition keys of a port (IBA vol. 1, 15.2.5).
type PKeyRecord struct {
	LID   units.LID
	Block uint16
	Port  uint8 // of a switch
	Table PKeyTable
}

func (r *PKeyRecord) layout(c *codec) {
	bits(c, 16, &r.LID)
	bits(c, 16, &r.Block)
	bits(c, 8, &r.Port)
	c.skip(24)
	r.Table.layout(c)
}

// GUIDInfoRecord is a block of the GUIDs of a port (IBA vol. 1, 15.2.5).
type GUIDInfoRecord struct {
	LID   units.LID
	Block uint8
	Table GUIDInfo
}

func (r *GUIDInfoRecord) layout(c *codec) {
	bits(c, 16, &r.LID)
	bits(c, 8, &r.Block)
	c.skip(8 + 32)
	r.Table.layout(c)
}

// SMInfoRecord describes a Subnet Manager (IBA vol. 1, 15.2.5).
type SMInfoRecord struct {
	LID  units.LID
	Info SMInfo
}

func (r *SMInfoRecord) layout(c *codec) {
	bits(c, 16, &r.LID)
	c.skip(16)
	r.Info.layout(c)
}

// InformInfoRecord is a subscription: the subscriber, its number, and the events (IBA vol. 1, 15.2.5).
type InformInfoRecord struct {
	Subscriber GID
	Number     uint16
	Info       InformInfo
}

func (r *InformInfoRecord) layout(c *codec) {
	r.Subscriber.layout(c)
	bits(c, 16, &r.Number)
	c.skip(48)
	r.Info.layout(c)
}
