package mad

import "weft/units"

// InformInfo subscribes to notices, or ends a subscription (IBA vol. 1,
// 13.4.8.3).
type InformInfo struct {
	GID       GID
	FirstLID  units.LID // first LID of the range of issuers; 0xFFFF: all
	LastLID   units.LID
	Generic   uint8 // 1: TrapNumber and ProducerType are of a generic notice
	Subscribe uint8 // 1: subscribe, 0: end the subscription
	Type      uint16
	Trap      TrapNumber // 0xFFFF: all
	QPN       units.QPN
	RespTime  uint8
	Producer  uint32 // 24 bits: 0xFFFFFF: all
}

func (r *InformInfo) layout(c *codec) {
	r.GID.layout(c)
	bits(c, 16, &r.FirstLID)
	bits(c, 16, &r.LastLID)
	c.skip(16)
	bits(c, 8, &r.Generic)
	bits(c, 8, &r.Subscribe)
	bits(c, 16, &r.Type)
	bits(c, 16, &r.Trap)
	bits(c, 24, &r.QPN)
	c.skip(3)
	bits(c, 5, &r.RespTime)
	c.skip(8)
	bits(c, 24, &r.Producer)
}
