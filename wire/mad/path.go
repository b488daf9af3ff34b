package mad

import "weft/units"

// Selector is the comparison of a query's component (IBA vol. 1, 15.2.5.16).
type Selector uint8

// The selectors.
const (
	Greater Selector = 0
	Less    Selector = 1
	Exactly Selector = 2
	Largest Selector = 3
)

// Components of a PathRecord, as bits of a component mask (IBA vol. 1,
// 15.2.5.16).
const (
	PathServiceID uint64 = 1<<0 | 1<<1
	PathDGID      uint64 = 1 << 2
	PathSGID      uint64 = 1 << 3
	PathDLID      uint64 = 1 << 4
	PathSLID      uint64 = 1 << 5
	PathNumb      uint64 = 1 << 12
	PathPKey      uint64 = 1 << 13
	PathSL        uint64 = 1 << 15
	PathMTUSel    uint64 = 1 << 16
	PathMTU       uint64 = 1 << 17
	PathRateSel   uint64 = 1 << 18
	PathRate      uint64 = 1 << 19
)

// PathRecord is a path from one port to another (IBA vol. 1, 15.2.5.16).
type PathRecord struct {
	ServiceID        uint64
	DGID, SGID       GID
	DLID, SLID       units.LID
	RawTraffic       bool
	FlowLabel        uint32 // 20 bits
	HopLimit         uint8
	TClass           uint8
	Reversible       bool
	NumbPath         uint8 // 7 bits: maximum number of paths in the answer
	PKey             PKey
	QoSClass         uint16 // 12 bits
	SL               units.SL
	MTUSelector      Selector
	MTU              uint8 // 6 bits: 1 (256 bytes) to 5 (4096)
	RateSelector     Selector
	Rate             uint8 // 6 bits: see RateCode
	LifetimeSelector Selector
	Lifetime         uint8 // 6 bits: 4.096 µs × 2^n
	Preference       uint8
}

func (p *PathRecord) layout(c *codec) {
	bits(c, 64, &p.ServiceID)
	p.DGID.layout(c)
	p.SGID.layout(c)
	bits(c, 16, &p.DLID)
	bits(c, 16, &p.SLID)
	flag(c, &p.RawTraffic)
	c.skip(3)
	bits(c, 20, &p.FlowLabel)
	bits(c, 8, &p.HopLimit)
	bits(c, 8, &p.TClass)
	flag(c, &p.Reversible)
	bits(c, 7, &p.NumbPath)
	bits(c, 16, &p.PKey)
	bits(c, 12, &p.QoSClass)
	bits(c, 4, &p.SL)
	bits(c, 2, &p.MTUSelector)
	bits(c, 6, &p.MTU)
	bits(c, 2, &p.RateSelector)
	bits(c, 6, &p.Rate)
	bits(c, 2, &p.LifetimeSelector)
	bits(c, 6, &p.Lifetime)
	bits(c, 8, &p.Preference)
	c.skip(48)
}

// Admits reports whether a value meets a bound under the selector. If the query does not use the
// selector (selected is false), the value must equal the bound.
func (s Selector) Admits(value, bound int64, selected bool) bool {
	if !selected {
		s = Exactly
	}
	switch s {
	case Greater:
		return value > bound
	case Less:
		return value < bound
	case Exactly:
		return value == bound
	}
	return true // the largest available: the only value
}
