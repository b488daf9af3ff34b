package proof

import (
	"math/bits"

	"weft/internal/ib/subnet"
	"weft/units"
)

// lanes is the number of data lanes, VL0 to VL14; SL2VL value 15 drops the packet.
const lanes = 15

// dependencies is the edges of the channel dependency graph: by pair of lanes (from, to), a bitmap
// of next ports for each channel.
type dependencies struct {
	words int // length of a bitmap of ports
	next  [lanes][lanes][]uint64
}

func newDependencies(n *network) *dependencies {
	return &dependencies{words: (n.stride + 63) / 64}
}

// plane is the bitmap from one lane to another; it is made at the first use.
func (d *dependencies) plane(n *network, from, to units.VL) []uint64 {
	if d.next[from][to] == nil {
		d.next[from][to] = make([]uint64, len(n.to)*d.words)
	}
	return d.next[from][to]
}

// merge adds the dependencies that another worker found.
func (d *dependencies) merge(e *dependencies) {
	for a := range d.next {
		for b := range d.next[a] {
			switch theirs := e.next[a][b]; {
			case theirs == nil:
			case d.next[a][b] == nil:
				d.next[a][b] = theirs
			default:
				for i, w := range theirs {
					d.next[a][b][i] |= w
				}
			}
		}
	}
}

// onOneLane adds the dependencies of all paths to one LID when all are on lane
// 0. sources is the number of paths that leave each switch.
func (d *dependencies) onOneLane(n *network, t *tree, sources []uint32) {
	plane := d.plane(n, 0, 0)
	for i := len(t.order) - 1; i > 0; i-- {
		u := t.order[i]
		v := t.next[u]
		if sources[u] == 0 || v == t.root {
			continue
		}
		q := int(t.port[v])
		plane[(int(u)*n.stride+int(t.port[u]))*d.words+q>>6] |= 1 << (q & 63)
	}
}

// levels is, for paths to one LID, the lanes on which packets of each service level leave each
// switch, one bit per lane.
type levels struct {
	lane [][16]uint16
	used []uint16 // by switch: service levels with a lane
}

func newLevels(n *network) *levels {
	return &levels{lane: make([][16]uint16, len(n.sw)), used: make([]uint16, len(n.sw))}
}

// add notes that packets of a level enter switch u at a port. It returns false if the switch drops
// them.
func (x *levels) add(n *network, t *subnet.Tables, u int32, in, out uint8, sl units.SL) (units.VL, bool) {
	vl := laneOf(n, t, u, in, out, sl)
	if vl >= lanes {
		return vl, false
	}
	if x.used[u]>>sl&1 == 0 {
		x.used[u] |= 1 << sl
		x.lane[u][sl] = 0
	}
	x.lane[u][sl] |= 1 << vl
	return vl, true
}

func laneOf(n *network, t *subnet.Tables, u int32, in, out uint8, sl units.SL) units.VL {
	if t.SL2VL == nil {
		return units.VL(sl)
	}
	m := &t.SL2VL[t.Dense[n.sw[u]]]
	if len(m.VL) == 0 {
		return units.VL(sl) // without a table, the lane is the service level
	}
	at := (int(in)*(m.Ports+1)+int(out))*16 + int(sl)
	if int(in) > m.Ports || int(out) > m.Ports || at >= len(m.VL) {
		return lanes // a port without an entry drops
	}
	return m.VL[at]
}

// onLanes adds the dependencies of all paths to one LID on the lanes of their service levels.
func (d *dependencies) onLanes(n *network, tb *subnet.Tables, t *tree, x *levels, lid int, f *findings) {
	clear(x.used)
	for i := len(t.order) - 1; i >= 0; i-- {
		u := t.order[i]
		for _, e := range n.at[u] {
			d.start(n, tb, t, x, &n.ends[e], lid, f)
		}
		v := t.next[u]
		if v < 0 || v == t.root || x.used[u] == 0 {
			continue
		}
		c := int(u)*n.stride + int(t.port[u])
		in, out := n.in[c], t.port[v]
		for used := x.used[u]; used != 0; used &= used - 1 {
			sl := units.SL(bits.TrailingZeros16(used))
			to, ok := x.add(n, tb, v, in, out, sl)
			if !ok {
				f.add(LostLane, n.switchAt(v, out), lid)
				continue
			}
			for from := x.lane[u][sl]; from != 0; from &= from - 1 {
				plane := d.plane(n, units.VL(bits.TrailingZeros16(from)), to)
				plane[c*d.words+int(out)>>6] |= 1 << (out & 63)
			}
		}
	}
}

// start puts the paths of one end to the LID on their lane at its first switch.
func (d *dependencies) start(n *network, tb *subnet.Tables, t *tree, x *levels, e *end, lid int, f *findings) {
	if e.sw == t.root {
		return // one switch: no cable between switches
	}
	first, last := units.SL(0), units.SL(15)
	if tb.SL != nil {
		first = tb.SL(e.lid, units.LID(lid)) & 15
		last = first
	}
	for sl := first; sl <= last; sl++ {
		if _, ok := x.add(n, tb, e.sw, e.in, t.port[e.sw], sl); !ok && tb.SL != nil {
			f.add(LostLane, n.switchAt(e.sw, t.port[e.sw]), lid)
		}
	}
}

// inUse is the lanes that paths hold while they wait for the next cable.
func (d *dependencies) inUse() []int {
	var used [lanes]bool
	for a := range d.next {
		for b := range d.next[a] {
			if d.next[a][b] != nil {
				used[a], used[b] = true, true
			}
		}
	}
	var all []int
	for lane, is := range used {
		if is {
			all = append(all, lane)
		}
	}
	return all
}
