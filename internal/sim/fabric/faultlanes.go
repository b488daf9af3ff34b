package fabric

import (
	"cmp"
	"slices"

	"weft/internal/sim/routing"
	"weft/units"
)

// LaneChange is a new SL2VL table of a switch between two of its ports, from At on. A packet that
// waits at an output then keeps its lane: the table is read once, at arrival. Of several changes of
// a pair of ports at the same time, the last is valid.
type LaneChange struct {
	At      units.Time
	Row     int32  // of the forwarding tables
	In, Out uint16 // ports, from 0
	Lanes   [routing.Levels]uint8
}

// laneChanges gives the network its own SL2VL tables if they change, and orders the changes.
func (b *Builder) laneChanges() {
	n := &b.n
	if len(b.Faults.Lanes) == 0 {
		return
	}
	if n.laneRule == nil || !n.laneRule.ByLevel() {
		b.fail("the SL2VL table of %s changes, but lanes do not follow service levels", n.names[n.tables.Endpoints+int(b.Faults.Lanes[0].Row)])
		return
	}
	ports := map[int]int{}
	for _, c := range b.Faults.Lanes {
		nd := b.switchOf(c.Row)
		if sink := nd.sink(); int32(c.In) >= sink || int32(c.Out) >= sink {
			b.fail("%s has %d ports: a change of its SL2VL table names ports %d and %d", n.names[n.tables.Endpoints+int(c.Row)], sink, c.In+1, c.Out+1)
			return
		}
		ports[int(c.Row)] = int(nd.ports)
		r := &n.faults.rows[c.Row]
		r.lanes = append(r.lanes, c)
	}
	n.laneRule = n.laneRule.WithTables(ports)
	for row := range n.faults.rows {
		slices.SortStableFunc(n.faults.rows[row].lanes, func(a, b LaneChange) int { return cmp.Compare(a.At, b.At) })
	}
}

// changeLanes writes the due changes into the SL2VL table of a row's switch.
func (r *rowChanges) changeLanes(p *Partition) {
	for r.lane < len(r.lanes) && r.lanes[r.lane].At <= p.now {
		c := &r.lanes[r.lane]
		p.net.laneRule.Map(int(c.Row)).Set(c.In, c.Out, &c.Lanes)
		r.lane++
	}
}
