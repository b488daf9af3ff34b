package route

import (
	"fmt"

	"weft/internal/ib/subnet"
	"weft/units"
)

// torus2QoS routes a torus or mesh in dimension order: x, then y, then z, the short way round each
// ring. Virtual lanes keep it free of deadlock. It has two qualities of service, and routes around
// a failed switch or cable (torus-2QoS(8) of OpenSM):
//
//   - Bits 0 to 2 of the service level say whether the path crosses the dateline
//     of x, y or z; bit 3 is the quality of service.
//   - Bit 0 of the lane is the dateline's bit for the dimension of the cable, so
//     that no lane goes all the way round a ring. Bit 2 is the quality.
//   - A path round a failed cable goes the long way round its ring. A path that would
//     turn at a failed switch turns one switch earlier, passes it in the next dimension,
//     and turns back against the order for a hop; bit 1 of the lane marks that hop.
//
// Half-way round a ring, switches with an even coordinate go up and the others
// down. The columns of cables between two neighbours are shared in turn.
func torus2QoS(j *job) error {
	j.unpredictable = "these are weft's own tables of torus-2QoS: OpenSM's choice of parallel cables and its paths round faults are not followed"
	if j.opt.Torus == nil {
		return &Refusal{
			Engine: "torus-2QoS", Reason: "it needs the dimensions of the torus, and the directions of some cables",
			Remedy: "Give it torus-2QoS.conf; dfsssp and lash route tori without",
		}
	}
	have := j.lanes()
	if have < torusLanes/2 {
		return &Refusal{
			Engine: "torus-2QoS", Reason: fmt.Sprintf("it needs %d virtual lanes, and the switches have %d", torusLanes/2, have),
			Remedy: "Use updn or dnup, or give the data more lanes if the switches have them",
		}
	}
	g, err := j.layOut(j.opt.Torus)
	if err != nil {
		return err
	}
	t := &torus{g, j.fabric}
	if err := t.fill(); err != nil {
		return err
	}
	j.hops = j.shortestPaths().columns
	j.tab.Lanes = torusLanes
	if have < torusLanes {
		j.tab.Lanes = torusLanes / 2
		j.notes = append(j.notes, fmt.Sprintf("with %d virtual lanes instead of %d there is one quality of service", have, torusLanes))
	}
	j.tab.SL2VL = t.lanes(have >= torusLanes)
	j.tab.SL = t.levels()
	return nil
}

// torusLanes is the lanes of two qualities of service.
const torusLanes = 8

type torus struct {
	*grid
	f *fabric
}

// joined reports whether a cable leads from a cell in a direction.
func (t *torus) joined(cell int, dir heading) bool {
	sw := t.at[cell]
	return sw >= 0 && len(t.ports[sw][dir]) > 0
}

// run is the number of cables from a cell in a direction to the coordinate to; false if a cable or
// a switch between is missing.
func (t *torus) run(cell int, dir heading, to int) (int, bool) {
	dim := int(dir / 2)
	for n := 0; ; n++ {
		if t.coord(cell, dim) == to {
			return n, true
		}
		if !t.joined(cell, dir) || n > t.radix[dim] {
			return 0, false
		}
		cell, _ = t.step(cell, dir)
	}
}

// along is the better direction from a cell to a coordinate of one dimension.
func (t *torus) along(cell, dim, to int) (heading, bool) {
	up, down := heading(2*dim), heading(2*dim+1)
	a, okUp := t.run(cell, up, to)
	b, okDown := t.run(cell, down, to)
	switch {
	case !okUp:
		return down, okDown
	case !okDown || a < b || a == b && t.coord(cell, dim)%2 == 0:
		return up, true
	}
	return down, true
}

// next is the direction in which a packet leaves a cell for another: along the
// first dimension in which they differ. If the switch of its next turn is
// missing, it goes on to the neighbour of that switch, and turns there.
func (t *torus) next(cell, goal int) (heading, bool) {
	for dim := range 3 {
		to := t.coord(goal, dim)
		if t.coord(cell, dim) == to {
			continue
		}
		if t.at[t.move(cell, dim, to)] >= 0 {
			return t.along(cell, dim, to)
		}
		if dir, adjacent := t.towards(cell, dim, to); !adjacent {
			return dir, true
		}
	}
	return 0, false
}

// towards is the better direction to a missing switch; adjacent says that there is no
// switch between.
func (t *torus) towards(cell, dim, to int) (dir heading, adjacent bool) {
	best := t.radix[dim]
	missing := t.move(cell, dim, to)
	for side := range heading(2) {
		back := heading(2*dim) + 1 - side // from the missing switch
		near, ok := t.step(missing, back)
		if !ok || t.at[near] < 0 {
			continue
		}
		if near == cell {
			return dir, true
		}
		if n, ok := t.run(cell, heading(2*dim)+side, t.coord(near, dim)); ok && n < best {
			best, dir = n, heading(2*dim)+side
		}
	}
	return dir, best == t.radix[dim]
}

// fill computes the forwarding tables.
func (t *torus) fill() error {
	for root := range t.f.sw {
		goal := t.cell[root]
		for u := range t.f.sw {
			if u == root {
				t.deliver(int32(root))
				continue
			}
			dir, ok := t.next(t.cell[u], goal)
			if !ok {
				return &Refusal{
					Engine: "torus-2QoS",
					Reason: fmt.Sprintf("too many switches or cables are missing: there is no path in the order of dimensions from %s to %s", t.f.nameOf(int32(u)), t.f.nameOf(int32(root))),
					Remedy: "Mend the fabric, or use dfsssp or lash, which need no order",
				}
			}
			t.enter(int32(u), int32(root), t.ports[u][dir])
		}
		if err := t.arrives(int32(root)); err != nil {
			return err
		}
	}
	return nil
}

// enter routes all LIDs of a switch and its ends over the cables to one neighbour in turn.
func (t *torus) enter(u, root int32, ports []uint8) {
	row, w, turn := t.f.tab.LFT[u], &t.f.sw[root], 0
	for k := range w.width {
		row[int(w.lid)+k] = ports[0]
	}
	for _, l := range w.ports {
		if l.end < 0 {
			continue
		}
		e := &t.f.ends[l.end]
		for k := range e.width {
			row[int(e.lid)+k] = ports[turn%len(ports)]
			turn++
		}
	}
}

// deliver enters the ends on a switch into its own table.
func (t *torus) deliver(root int32) {
	row, w := t.f.tab.LFT[root], &t.f.sw[root]
	for k := range w.width {
		row[int(w.lid)+k] = 0
	}
	for p, l := range w.ports {
		if l.end < 0 {
			continue
		}
		e := &t.f.ends[l.end]
		for k := range e.width {
			row[int(e.lid)+k] = uint8(p)
		}
	}
}

// arrives refuses a fabric with so many faults that packets loop.
func (t *torus) arrives(root int32) error {
	lid := t.f.sw[root].lid
	for u := range t.f.sw {
		at := int32(u)
		for hops := 0; at != root; hops++ {
			if hops > len(t.f.sw) {
				return &Refusal{
					Engine: "torus-2QoS",
					Reason: fmt.Sprintf("too many switches or cables are missing: the path in the order of dimensions from %s to %s loops", t.f.nameOf(int32(u)), t.f.nameOf(root)),
					Remedy: "Mend the fabric, or use dfsssp or lash, which need no order",
				}
			}
			at = t.f.sw[at].ports[t.f.tab.LFT[at][lid]].sw
		}
	}
	return nil
}

// levels is the service level of each path at the lower quality of service:
// which datelines it crosses.
func (t *torus) levels() subnet.PathSL {
	n := len(t.f.sw)
	crossed := make([]uint8, n*n)
	for src := range n {
		for dst := range n {
			crossed[src*n+dst] = t.crossings(int32(src), int32(dst))
		}
	}
	at := t.f.switchOf()
	return func(src, dst units.LID) units.SL {
		if int(src) >= len(at) || int(dst) >= len(at) || at[src] < 0 || at[dst] < 0 {
			return 0
		}
		return units.SL(crossed[int(at[src])*n+int(at[dst])])
	}
}

// crossings is the datelines that the path between two switches crosses, a bit per dimension.
func (t *torus) crossings(src, dst int32) uint8 {
	bits, lid := uint8(0), t.f.sw[dst].lid
	for at := src; at != dst; {
		to := t.f.sw[at].ports[t.f.tab.LFT[at][lid]].sw
		for dim := range 3 {
			a, b := t.coord(t.cell[at], dim), t.coord(t.cell[to], dim)
			if t.radix[dim] > 2 && (a-b > 1 || b-a > 1) {
				bits |= 1 << dim
			}
		}
		at = to
	}
	return bits
}

// lanes is the SL2VL tables.
func (t *torus) lanes(twoQualities bool) []subnet.SLMap {
	maps := make([]subnet.SLMap, len(t.f.sw))
	for u := range t.f.sw {
		w := &t.f.sw[u]
		dim := make([]int, len(w.ports)) // of each port; 3: no cable of the torus
		for p := range dim {
			dim[p] = 3
		}
		for dir, ports := range t.ports[u] {
			for _, p := range ports {
				dim[p] = dir / 2
			}
		}
		maps[u] = subnet.NewSLMap(len(w.ports) - 1)
		for in := range dim {
			for out := range dim {
				for sl := range units.SL(16) {
					maps[u].Set(uint8(in), uint8(out), sl, torusLane(dim[in], dim[out], sl, twoQualities))
				}
			}
		}
	}
	return maps
}

// torusLane is the lane between cables of two dimensions; dimension 3 is the cable of an end.
func torusLane(in, out int, sl units.SL, twoQualities bool) units.VL {
	quality := units.VL(sl >> 3)
	if !twoQualities {
		quality = 0
	}
	if out == 3 {
		return quality // OpenSM sends to ends on lanes 0 and 1
	}
	vl := units.VL(sl>>out&1) | quality<<2
	if in < 3 && in > out {
		vl |= 2
	}
	return vl
}
