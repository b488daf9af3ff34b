package mad

import "weft/units"

// SwitchInfo is the capabilities and the forwarding settings of a switch (IBA vol. 1,
// 14.2.5.4).
type SwitchInfo struct {
	LinearFDBCap    uint16    // entries, from LID 0
	RandomFDBCap    uint16    // 0: the switch has linear tables
	MulticastFDBCap uint16    // entries, from LID 0xC000
	LinearFDBTop    units.LID // the last LID that the linear table forwards
	DefaultPort     uint8
	// DefaultMulticastPrimary and NotPrimary are the output ports of multicast packets without an
	// entry in the table.
	DefaultMulticastPrimary    uint8
	DefaultMulticastNotPrimary uint8
	LifeTime                   uint8 // 5 bits: packets live 4.096 µs × 2^LifeTime; above 19 without limit
	PortStateChange            bool  // a port changed its state; writing it clears it
	OptimizedSLToVL            uint8 // 2 bits
	LIDsPerPort                uint16
	PartitionEnforcementCap    uint16
	InboundEnforcement         bool
	OutboundEnforcement        bool
	FilterRawInbound           bool
	FilterRawOutbound          bool
	EnhancedPort0              bool
	MulticastFDBTop            units.LID
}

func (s *SwitchInfo) layout(c *codec) {
	bits(c, 16, &s.LinearFDBCap)
	bits(c, 16, &s.RandomFDBCap)
	bits(c, 16, &s.MulticastFDBCap)
	bits(c, 16, &s.LinearFDBTop)
	bits(c, 8, &s.DefaultPort)
	bits(c, 8, &s.DefaultMulticastPrimary)
	bits(c, 8, &s.DefaultMulticastNotPrimary)
	bits(c, 5, &s.LifeTime)
	flag(c, &s.PortStateChange)
	bits(c, 2, &s.OptimizedSLToVL)
	bits(c, 16, &s.LIDsPerPort)
	bits(c, 16, &s.PartitionEnforcementCap)
	flag(c, &s.InboundEnforcement)
	flag(c, &s.OutboundEnforcement)
	flag(c, &s.FilterRawInbound)
	flag(c, &s.FilterRawOutbound)
	flag(c, &s.EnhancedPort0)
	c.skip(3 + 8)
	bits(c, 16, &s.MulticastFDBTop)
}
