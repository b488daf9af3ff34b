package validate

import (
	"weft/internal/sim/run/network"
	"weft/internal/study/headroom"
	"weft/scenario"
	"weft/units"
)

// headroomCase is one setting of the headroom.
type headroomCase struct {
	name, link  string
	perByte     int64 // ps
	quanta      int64
	millimetres int64
	cutThrough  bool
}

// bound is weft's own headroom for packets of a size on the wire, and the loop in picoseconds.
func (c *headroomCase) bound(size int64) (bytes, loop int64) {
	const pipeline, frame = 500_000, 84
	signal := c.millimetres * 505 / 100
	t := size * c.perByte
	loop = signal + pipeline + (t - 1) + frame*c.perByte + signal + c.quanta*64*c.perByte
	if !c.cutThrough {
		loop += t
	}
	return size * ((loop + t - 1) / t), loop
}

// drops runs the scripted phase with a headroom and counts the packets that
// overran it.
func (c *headroomCase) drops(e *Env, room int64) (int64, error) {
	m, err := roce(c.link)
	if err != nil {
		return 0, err
	}
	m.setSignal(units.Time(c.millimetres * 505 / 100))
	m.Ethernet.PFC.Response = units.Time(c.quanta * 64 * c.perByte)
	if !c.cutThrough {
		m.Switch.Forwarding = scenario.StoreAndForward
	}
	return headroom.Drops(e.Ctx, m.scenario, units.Bytes(room), func(d *network.Devices) {
		e.change(Models{Devices: d, Link: &m.Link})
	})
}
