package sim

import (
	"weft/internal/fabric"
	"weft/internal/runstore"
)

// rememberLanes notes the SL2VL tables at the start. Where packets are on the levels
// of the scenario the run has none: its levels keep their lanes (ib.sl2vl).
func (d *mending) rememberLanes() {
	if d.paths == nil {
		return
	}
	ports := map[int]int{}
	for _, sw := range d.rows() {
		ports[sw] = len(d.graph.Nodes[d.graph.Endpoints+sw].Cables)
	}
	d.sl2vl = d.lanes.Own(ports)
}

// writeLanes applies the SL2VL table of a pair of ports that a switch has taken, where
// it says anything new.
func (d *mending) writeLanes(w *laneWrite, rec *runstore.Recovery) {
	if d.sl2vl == nil || w.in == 0 || w.out == 0 {
		return // the switch's own port
	}
	sw := int(d.m.nodes[w.node]) - d.graph.Endpoints
	c := fabric.LaneChange{At: w.at - d.start, Row: int32(sw), In: uint16(w.in) - 1, Out: uint16(w.out) - 1}
	for sl, vl := range w.vl {
		c.Lanes[sl] = uint8(vl)
	}
	m := d.sl2vl.Map(sw)
	if m.Lanes(c.In, c.Out) == c.Lanes {
		return
	}
	m.Set(c.In, c.Out, &c.Lanes)
	d.out.lanes = append(d.out.lanes, c)
	rec.LaneTables++
	rec.LastLanes = max(rec.LastLanes, c.At-rec.At)
}

// widen gives the run as many lanes as packets get into by the SL2VL tables of all
// times: on tables that need fewer lanes, or others, old levels may have lanes of their
// own.
func (p *plan) widen(fp *faultPlan) {
	if len(fp.lanes) == 0 {
		return
	}
	used := p.usedLevels()
	top := p.lanes.Count - 1
	for i := range fp.lanes {
		for sl, vl := range fp.lanes[i].Lanes {
			if used>>sl&1 != 0 {
				top = max(top, int(vl))
			}
		}
	}
	wide := *p.lanes
	wide.Count = top + 1
	p.lanes = &wide
}

// usedLevels are the service levels of all paths, a bit each.
func (p *plan) usedLevels() (used uint16) {
	for i := range p.paths {
		levels := &p.paths[i]
		for _, src := range levels.lid {
			for _, dst := range levels.lid {
				if src != dst && src != 0 && dst != 0 {
					used |= 1 << levels.of(src, dst)
				}
			}
		}
	}
	return used
}
