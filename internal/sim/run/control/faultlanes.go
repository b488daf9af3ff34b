package control

import (
	"weft/internal/sim/fabric/fault"
	"weft/internal/sim/run/network"
	"weft/results"
)

// rememberLanes records the SL2VL tables at the start. If packets use the scenario's service
// levels, there are none: each level keeps its lane (ib.sl2vl).
func (d *mending) rememberLanes() {
	if d.Paths == nil {
		return
	}
	ports := map[int]int{}
	for _, sw := range d.rows() {
		ports[sw] = len(d.Graph.Nodes[d.Graph.Endpoints+sw].Cables)
	}
	d.sl2vl = d.Lanes.WithTables(ports)
}

// writeLanes applies the SL2VL table of a pair of ports that a switch has received, if it is new.
func (d *mending) writeLanes(w *laneWrite, rec *results.Recovery) {
	if d.sl2vl == nil || w.in == 0 || w.out == 0 {
		return // the switch's own port
	}
	sw := int(d.m.nodes[w.node]) - d.Graph.Endpoints
	c := fault.LaneChange{At: w.at - d.start, Row: int32(sw), In: uint16(w.in) - 1, Out: uint16(w.out) - 1}
	for sl, vl := range w.vl {
		c.Lanes[sl] = uint8(vl)
	}
	m := d.sl2vl.Map(sw)
	if m.Lanes(c.In, c.Out) == c.Lanes {
		return
	}
	m.Set(c.In, c.Out, &c.Lanes)
	d.out.Lanes = append(d.out.Lanes, c)
	rec.LaneTables++
	rec.LastLanes = max(rec.LastLanes, c.At-rec.At)
}

// widen gives the run as many lanes as the SL2VL tables of all times use: new tables may need fewer
// lanes, while old levels still have theirs.
func widen(p *network.Plan, fp *network.Faults) {
	if len(fp.Lanes) == 0 {
		return
	}
	used := usedLevels(p)
	top := p.Lanes.Count - 1
	for i := range fp.Lanes {
		for sl, vl := range fp.Lanes[i].Lanes {
			if used>>sl&1 != 0 {
				top = max(top, int(vl))
			}
		}
	}
	wide := *p.Lanes
	wide.Count = top + 1
	p.Lanes = &wide
}

// usedLevels are the service levels of all paths, as a bit mask.
func usedLevels(p *network.Plan) (used uint16) {
	for i := range p.Paths {
		levels := &p.Paths[i]
		for _, src := range levels.LID {
			for _, dst := range levels.LID {
				if src != dst && src != 0 && dst != 0 {
					used |= 1 << levels.Of(src, dst)
				}
			}
		}
	}
	return used
}
