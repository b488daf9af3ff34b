package mad

import "weft/units"

// offPerfData is the offset of the attribute in a performance datagram.
const offPerfData = 64

// PerfData is the attribute of a performance datagram, in place.
func (m *MAD) PerfData() []byte { return m[offPerfData:] }

// offLogData is the offset of a congestion log. It is the only attribute of congestion control at
// this offset (IBA vol. 1, A10.4.1).
const offLogData = 32

// LogData is the log of a datagram of congestion control, in place.
func (m *MAD) LogData() []byte { return m[offLogData:] }

// Bits of ClassPortInfo.CapabilityMask of performance management (IBA vol. 1,
// 16.1.3.1).
const (
	PerfAllPorts uint16 = 1 << 8 // PortSelect 255 stands for all ports
	PerfExtended uint16 = 1 << 9 // PortCountersExtended
	PerfXmitWait uint16 = 1 << 12
)

// ClassPortInfo is a port's capabilities in a management class, and the address to which
// the class is redirected (IBA vol. 1, 13.4.8.1).
type ClassPortInfo struct {
	BaseVersion     uint8
	ClassVersion    uint8
	CapabilityMask  uint16
	CapabilityMask2 uint32 // 27 bits
	RespTime        uint8  // 5 bits: 4.096 µs × 2^n
	Redirect        ClassAddress
	Trap            ClassAddress
}

// ClassAddress is the destination of a class's datagrams or traps.
type ClassAddress struct {
	GID       GID
	TClass    uint8
	SL        units.SL
	FlowLabel uint32 // 20 bits
	LID       units.LID
	PKey      PKey
	HopLimit  uint8 // of traps alone
	QPN       units.QPN
	QKey      uint32
}

func (a *ClassAddress) layout(c *codec) {
	a.GID.layout(c)
	bits(c, 8, &a.TClass)
	bits(c, 4, &a.SL)
	bits(c, 20, &a.FlowLabel)
	bits(c, 16, &a.LID)
	bits(c, 16, &a.PKey)
	bits(c, 8, &a.HopLimit)
	bits(c, 24, &a.QPN)
	bits(c, 32, &a.QKey)
}

func (p *ClassPortInfo) layout(c *codec) {
	bits(c, 8, &p.BaseVersion)
	bits(c, 8, &p.ClassVersion)
	bits(c, 16, &p.CapabilityMask)
	bits(c, 27, &p.CapabilityMask2)
	bits(c, 5, &p.RespTime)
	p.Redirect.layout(c)
	p.Trap.layout(c)
}

// PortCounters are the counters that every port has. They stop at their
// highest value (IBA vol. 1, 16.1.3.5). Data are counted in units of 4 bytes.
type PortCounters struct {
	Port              uint8  // PortSelect
	Select            uint16 // of a Set: which counters it writes
	SymbolErrors      uint16
	LinkRecoveries    uint8
	LinkDowned        uint8
	RcvErrors         uint16
	RcvRemoteErrors   uint16
	RcvSwitchErrors   uint16
	XmitDiscards      uint16
	XmitConstraint    uint8
	RcvConstraint     uint8
	Select2           uint8
	LocalIntegrity    uint8 // 4 bits
	ExcessiveOverruns uint8 // 4 bits
	QP1Dropped        uint16
	VL15Dropped       uint16
	XmitData          uint32
	RcvData           uint32
	XmitPkts          uint32
	RcvPkts           uint32
	XmitWait          uint32
}

func (p *PortCounters) layout(c *codec) {
	c.skip(8)
	bits(c, 8, &p.Port)
	bits(c, 16, &p.Select)
	bits(c, 16, &p.SymbolErrors)
	bits(c, 8, &p.LinkRecoveries)
	bits(c, 8, &p.LinkDowned)
	bits(c, 16, &p.RcvErrors)
	bits(c, 16, &p.RcvRemoteErrors)
	bits(c, 16, &p.RcvSwitchErrors)
	bits(c, 16, &p.XmitDiscards)
	bits(c, 8, &p.XmitConstraint)
	bits(c, 8, &p.RcvConstraint)
	bits(c, 8, &p.Select2)
	bits(c, 4, &p.LocalIntegrity)
	bits(c, 4, &p.ExcessiveOverruns)
	bits(c, 16, &p.QP1Dropped)
	bits(c, 16, &p.VL15Dropped)
	bits(c, 32, &p.XmitData)
	bits(c, 32, &p.RcvData)
	bits(c, 32, &p.XmitPkts)
	bits(c, 32, &p.RcvPkts)
	bits(c, 32, &p.XmitWait)
}

// PortCountersExtended are the counters of 64 bits (IBA vol. 1, 16.1.4.11).
// Data are counted in units of 4 bytes.
type PortCountersExtended struct {
	Port              uint8
	Select            uint16
	Select2           uint32
	XmitData          uint64
	RcvData           uint64
	XmitPkts          uint64
	RcvPkts           uint64
	UnicastXmitPkts   uint64
	UnicastRcvPkts    uint64
	MulticastXmitPkts uint64
	MulticastRcvPkts  uint64
}

func (p *PortCountersExtended) layout(c *codec) {
	c.skip(8)
	bits(c, 8, &p.Port)
	bits(c, 16, &p.Select)
	bits(c, 32, &p.Select2)
	bits(c, 64, &p.XmitData)
	bits(c, 64, &p.RcvData)
	bits(c, 64, &p.XmitPkts)
	bits(c, 64, &p.RcvPkts)
	bits(c, 64, &p.UnicastXmitPkts)
	bits(c, 64, &p.UnicastRcvPkts)
	bits(c, 64, &p.MulticastXmitPkts)
	bits(c, 64, &p.MulticastRcvPkts)
}
