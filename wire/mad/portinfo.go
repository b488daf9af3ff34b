package mad

import "weft/units"

// PortState is the logical state of a port (IBA vol. 1, 7.2.7).
type PortState uint8

// The states. In a Set, PortNop leaves the state as it is.
const (
	PortNop    PortState = 0
	PortDown   PortState = 1
	PortInit   PortState = 2 // carries subnet management only
	PortArmed  PortState = 3 // receives everything, sends subnet management only
	PortActive PortState = 4
)

// String is the state in the words of the specification.
func (s PortState) String() string {
	switch s {
	case PortNop:
		return "no change"
	case PortDown:
		return "Down"
	case PortInit:
		return "Init"
	case PortArmed:
		return "Armed"
	case PortActive:
		return "Active"
	}
	return "reserved state"
}

// PhysState is the state of a port's link training (IBA vol. 1, 14.2.5.6).
type PhysState uint8

// The states that software sees. In a Set, PhysNop leaves the state as it is.
const (
	PhysNop      PhysState = 0
	PhysSleep    PhysState = 1
	PhysPolling  PhysState = 2
	PhysDisabled PhysState = 3
	PhysLinkUp   PhysState = 5
)

// Bits of PortInfo.CapabilityMask (IBA vol. 1, 14.2.5.6).
const (
	CapIsSM          uint32 = 1 << 1
	CapNotice        uint32 = 1 << 2
	CapTrap          uint32 = 1 << 3
	CapAutoMigration uint32 = 1 << 5
	CapSLMapping     uint32 = 1 << 6
	CapExtSpeeds     uint32 = 1 << 14
	CapSystemGUID    uint32 = 1 << 11
	CapMask2         uint32 = 1 << 15 // CapabilityMask2 says more
	CapReregister    uint32 = 1 << 25
)

// Bits of PortInfo.CapabilityMask2. The bits for XDR are from Linux (include/rdma/ib_mad.h).
const (
	Cap2Width2x    uint16 = 1 << 4
	Cap2HDR        uint16 = 1 << 5
	Cap2NDR        uint16 = 1 << 10
	Cap2ExtSpeeds2 uint16 = 1 << 11 // the second fields of extended speeds
	Cap2XDR        uint16 = 1 << 12
)

// PortInfo is the state and the capabilities of a port (IBA vol. 1, 14.2.5.6).
// Widths and speeds are bit masks; MTU codes are 1 (256 bytes) to 5 (4096).
type PortInfo struct {
	MKey           uint64
	GIDPrefix      uint64
	LID            units.LID
	MasterSMLID    units.LID
	CapabilityMask uint32
	DiagCode       uint16
	MKeyLease      uint16 // seconds; 0: without end
	LocalPort      uint8  // the port that received the request

	LinkWidthEnabled   uint8 // 1, 2, 4, 8, 16: 1x, 4x, 8x, 12x, 2x
	LinkWidthSupported uint8
	LinkWidthActive    uint8
	LinkSpeedSupported uint8 // 4 bits: 1 SDR, 2 DDR, 4 QDR
	State              PortState
	PhysState          PhysState
	LinkDownDefault    uint8
	MKeyProtect        uint8 // 2 bits
	LMC                uint8 // 3 bits
	LinkSpeedActive    uint8
	LinkSpeedEnabled   uint8
	NeighborMTU        uint8
	MasterSMSL         units.SL
	VLCap              uint8 // 1: VL0; 2: 2 lanes; 3: 4; 4: 8; 5: 15
	InitType           uint8
	VLHighLimit        uint8
	VLArbHighCap       uint8 // entries of the high-priority table
	VLArbLowCap        uint8
	InitTypeReply      uint8
	MTUCap             uint8
	VLStallCount       uint8 // 3 bits
	HOQLife            uint8 // 5 bits
	OperationalVLs     uint8 // coded as VLCap
	PartitionIn        bool  // partitions are enforced on incoming packets
	PartitionOut       bool
	FilterRawIn        bool
	FilterRawOut       bool
	MKeyViolations     uint16
	PKeyViolations     uint16
	QKeyViolations     uint16
	GUIDCap            uint8 // GUIDs of the port's table
	ClientReregister   bool
	MulticastPKeyTraps uint8 // 2 bits
	SubnetTimeOut      uint8 // 5 bits: 4.096 µs × 2^n
	RespTime           uint8 // 5 bits, likewise
	LocalPhyErrors     uint8 // threshold
	OverrunErrors      uint8 // threshold
	MaxCreditHint      uint16
	// The second extended speeds: 1 XDR. Linux's mlx5 reads the active speed in this way
	// (drivers/infiniband/hw/mlx5/mad.c). libibmad has three fields in the byte before
	// RoundTripLatency. Their widths of 3, 2 and 3 bits, in this order, follow from a test of
	// another program against it; the specification was not seen.
	LinkSpeedExt2Active uint8  // 3 bits; 0: see the first fields
	LinkSpeedExt2Cap    uint8  // 2 bits
	LinkSpeedExt2On     uint8  // 3 bits: enabled
	RoundTripLatency    uint32 // 24 bits
	CapabilityMask2     uint16
	LinkSpeedExtActive  uint8 // 0, or 1 FDR, 2 EDR, 4 HDR, 8 NDR
	LinkSpeedExtCap     uint8
	LinkSpeedExtOn      uint8 // 5 bits: enabled
}

func (p *PortInfo) layout(c *codec) {
	bits(c, 64, &p.MKey)
	bits(c, 64, &p.GIDPrefix)
	bits(c, 16, &p.LID)
	bits(c, 16, &p.MasterSMLID)
	bits(c, 32, &p.CapabilityMask)
	bits(c, 16, &p.DiagCode)
	bits(c, 16, &p.MKeyLease)
	bits(c, 8, &p.LocalPort)
	bits(c, 8, &p.LinkWidthEnabled)
	bits(c, 8, &p.LinkWidthSupported)
	bits(c, 8, &p.LinkWidthActive)
	bits(c, 4, &p.LinkSpeedSupported)
	bits(c, 4, &p.State)
	bits(c, 4, &p.PhysState)
	bits(c, 4, &p.LinkDownDefault)
	bits(c, 2, &p.MKeyProtect)
	c.skip(3)
	bits(c, 3, &p.LMC)
	bits(c, 4, &p.LinkSpeedActive)
	bits(c, 4, &p.LinkSpeedEnabled)
	bits(c, 4, &p.NeighborMTU)
	bits(c, 4, &p.MasterSMSL)
	bits(c, 4, &p.VLCap)
	bits(c, 4, &p.InitType)
	bits(c, 8, &p.VLHighLimit)
	bits(c, 8, &p.VLArbHighCap)
	bits(c, 8, &p.VLArbLowCap)
	bits(c, 4, &p.InitTypeReply)
	bits(c, 4, &p.MTUCap)
	p.layoutService(c)
}

// layoutService is the second part, from VLStallCount on.
func (p *PortInfo) layoutService(c *codec) {
	bits(c, 3, &p.VLStallCount)
	bits(c, 5, &p.HOQLife)
	bits(c, 4, &p.OperationalVLs)
	flag(c, &p.PartitionIn)
	flag(c, &p.PartitionOut)
	flag(c, &p.FilterRawIn)
	flag(c, &p.FilterRawOut)
	bits(c, 16, &p.MKeyViolations)
	bits(c, 16, &p.PKeyViolations)
	bits(c, 16, &p.QKeyViolations)
	bits(c, 8, &p.GUIDCap)
	flag(c, &p.ClientReregister)
	bits(c, 2, &p.MulticastPKeyTraps)
	bits(c, 5, &p.SubnetTimeOut)
	c.skip(3)
	bits(c, 5, &p.RespTime)
	bits(c, 4, &p.LocalPhyErrors)
	bits(c, 4, &p.OverrunErrors)
	bits(c, 16, &p.MaxCreditHint)
	bits(c, 3, &p.LinkSpeedExt2Active)
	bits(c, 2, &p.LinkSpeedExt2Cap)
	bits(c, 3, &p.LinkSpeedExt2On)
	bits(c, 24, &p.RoundTripLatency)
	bits(c, 16, &p.CapabilityMask2)
	bits(c, 4, &p.LinkSpeedExtActive)
	bits(c, 4, &p.LinkSpeedExtCap)
	c.skip(3)
	bits(c, 5, &p.LinkSpeedExtOn)
}
