package mad

import "weft/units"

// Kinds of membership of a port in a multicast group: bits of JoinState (IBA vol. 1, 15.2.5.17).
const (
	JoinFull     uint8 = 1
	JoinNon      uint8 = 2
	JoinSendOnly uint8 = 4
)

// Components of an MCMemberRecord, as bits of a component mask.
const (
	MCMGID      uint64 = 1 << 0
	MCPortGID   uint64 = 1 << 1
	MCQKey      uint64 = 1 << 2
	MCMLID      uint64 = 1 << 3
	MCTClass    uint64 = 1 << 6
	MCPKey      uint64 = 1 << 7
	MCSL        uint64 = 1 << 12
	MCFlowLabel uint64 = 1 << 13
	MCScope     uint64 = 1 << 15
	MCJoinState uint64 = 1 << 16
)

// MCMemberRecord is a port's membership of a multicast group (IBA vol. 1,
// 15.2.5.17).
type MCMemberRecord struct {
	MGID             GID
	PortGID          GID
	QKey             uint32
	MLID             units.LID
	MTUSelector      Selector
	MTU              uint8
	TClass           uint8
	PKey             PKey
	RateSelector     Selector
	Rate             uint8
	LifetimeSelector Selector
	Lifetime         uint8
	SL               units.SL
	FlowLabel        uint32 // 20 bits
	HopLimit         uint8
	Scope            uint8 // 4 bits
	JoinState        uint8 // 4 bits
	ProxyJoin        bool
}

func (r *MCMemberRecord) layout(c *codec) {
	r.MGID.layout(c)
	r.PortGID.layout(c)
	bits(c, 32, &r.QKey)
	bits(c, 16, &r.MLID)
	bits(c, 2, &r.MTUSelector)
	bits(c, 6, &r.MTU)
	bits(c, 8, &r.TClass)
	bits(c, 16, &r.PKey)
	bits(c, 2, &r.RateSelector)
	bits(c, 6, &r.Rate)
	bits(c, 2, &r.LifetimeSelector)
	bits(c, 6, &r.Lifetime)
	bits(c, 4, &r.SL)
	bits(c, 20, &r.FlowLabel)
	bits(c, 8, &r.HopLimit)
	bits(c, 4, &r.Scope)
	bits(c, 4, &r.JoinState)
	flag(c, &r.ProxyJoin)
	c.skip(23)
}
