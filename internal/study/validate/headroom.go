package validate

import (
	"context"
	"fmt"

	lossless "weft/internal/roce"
	"weft/internal/sim/fabric"
	"weft/internal/sim/transport"
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

// bound is weft's own headroom for packets of so many bytes on the wire, and
// the loop in picoseconds.
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
func (c *headroomCase) drops(e *Env, headroom int64) (int64, error) {
	m, err := roce(c.link)
	if err != nil {
		return 0, err
	}
	const packets, threshold = 200, 40_000
	perByte := units.PerByte{Num: c.perByte, Den: 1}
	reaction := units.Time(c.quanta * 64 * c.perByte)
	m.Classes, m.Propagation = 2, units.Time(c.millimetres*505/100)
	m.NIC.PFC.Reaction, m.Switch.PFC.Reaction = reaction, reaction
	m.Switch.CutThrough = c.cutThrough
	// One threshold for all of the run, no multiple of a packet.
	m.Switch.Shared, m.Switch.AlphaNum, m.Switch.AlphaDen = 64<<20, 1, 64<<20/threshold
	m.Switch.Reserve, m.Switch.Headroom, m.Switch.XonOffset = 0, int32(headroom), 30_000
	a := &app{}
	b := m.builder(e, a)
	slow := units.PerByte{Num: 80_000, Den: 1}
	n, err := m.starOf(b, []units.PerByte{perByte, slow, perByte})
	if err != nil {
		return 0, err
	}
	flood := fabric.Connection{Service: transport.UC, Class: 0}
	qp, _, err := n.Connect(0, 1, flood, flood)
	if err != nil {
		return 0, err
	}
	// C's packets start to leave the switch 1 ps before A's come to account.
	a.timer = func(p *fabric.Partition, _ uint32) {
		if err := p.Post(0, qp, transport.WorkRequest{Op: transport.OpSend, Length: packets * mtu}); err != nil {
			panic(fmt.Sprintf("validate: %v", err))
		}
	}
	n.Partition(0).At(1, 0)
	against := fabric.Connection{Service: transport.UC, Class: 1}
	if err := post(n, 2, 0, against, transport.WorkRequest{Op: transport.OpSend, Length: 20 * packets * mtu}); err != nil {
		return 0, err
	}
	if err := run(e, n, units.Second); err != nil {
		return 0, err
	}
	s := n.Stats()
	if s.Pauses == 0 {
		return 0, fmt.Errorf("%s: no pause", c.name)
	}
	return s.Dropped[fabric.DropHeadroom], nil
}

// HeadroomProof is what the simulator found in the worst phase that is
// scripted for a link: see the case pfc/headroom for its terms.
type HeadroomProof struct {
	Loop   units.Time  // from the packet that passes the threshold to the peer's stop
	Packet units.Bytes // of one packet on the wire
	Bound  units.Bytes // the least headroom, in whole packets
	// AtBound and Below are the packets that were lost with the bound and with
	// one packet less. A proof has none of the first and some of the second.
	AtBound, Below int64
}

// ProveHeadroom runs the worst phase on a link of a speed, with the peer's
// response of the standard and a switch that cuts through, with full packets of
// 4096 bytes of payload. It fails for a speed of which no link is known.
func ProveHeadroom(ctx context.Context, speed units.Rate, cable units.Length) (HeadroomProof, error) {
	name := fmt.Sprintf("%dg", speed/units.Gbps)
	perByte, _, err := link(name)
	if err != nil {
		return HeadroomProof{}, fmt.Errorf("the simulator has no link of %v: %w", speed, err)
	}
	response, ok := lossless.PeerResponse(speed)
	if !ok {
		return HeadroomProof{}, fmt.Errorf("no response time is known at %v", speed)
	}
	const size = 4096 + 82
	c := &headroomCase{
		name: name, link: name, perByte: perByte.Num / perByte.Den, quanta: response / 64,
		millimetres: int64(cable), cutThrough: true,
	}
	bound, loop := c.bound(size)
	p := HeadroomProof{Loop: units.Time(loop), Packet: size, Bound: units.Bytes(bound)}
	e := &Env{Ctx: ctx}
	if p.AtBound, err = c.drops(e, bound); err != nil {
		return HeadroomProof{}, err
	}
	p.Below, err = c.drops(e, bound-size)
	return p, err
}
