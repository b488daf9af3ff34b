package validate

import (
	"weft/internal/study/headroom"
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
	reaction := units.Time(c.quanta * 64 * c.perByte)
	m.Propagation, m.Switch.CutThrough = units.Time(c.millimetres*505/100), c.cutThrough
	m.NIC.PFC.Reaction, m.Switch.PFC.Reaction = reaction, reaction
	m.builder(e, nil) // for the change of a test
	phase := headroom.Phase{PerByte: units.PerByte{Num: c.perByte, Den: 1}, Signal: m.Propagation, NIC: m.NIC, Switch: m.Switch}
	return phase.Drops(e.Ctx, units.Bytes(room))
}
