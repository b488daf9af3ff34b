package route

import (
	"bytes"
	"cmp"
	"math"
	"slices"

	"weft/internal/ib/subnet"
	"weft/units"
)

// osmTrees computes the trees of OpenSM's sssp and dfsssp (3.3.23), entry for entry. Like spanner
// it puts each tree on the cables with the least load from earlier trees. It differs in the order
// of destinations, in the weight of a path, and in the choice between paths of equal weight.
// OpenSM's tables follow these rules:
//
//   - Destinations are first the ends, by switch: the switch with the most ends first, ties in the
//     order of GUIDs; then the switches, in the same order. All LIDs of a port follow each other.
//   - The initial weight of a cable is the square of the number of LIDs of adapters and switches. In
//     each tree every switch adds the number of its ends' LIDs, routers among them, plus one, for
//     itself, to all cables of its path.
//   - Routers get no route.
//   - Of paths of equal weight the first is taken; switches are visited in the order of a heap with
//     four branches.
type osmTrees struct {
	s      *spanner
	number []int32 // of each switch in OpenSM's order
	sw     []int32 // its inverse
	cost   []int64 // by number: cost of the path to the root
	via    []int32 // by number: channel towards the root
	load   []int64 // by number
	near   []int32 // numbers of the switches that reach the root, nearest first
	heap   fourHeap
}

// unreached is the cost of a switch without a path.
const unreached = math.MaxInt64

// routeAsOpenSM fills the tables with OpenSM's trees.
func (s *spanner) routeAsOpenSM() {
	f := s.f
	n := len(f.sw)
	o := &osmTrees{
		s: s, number: make([]int32, n), sw: f.order,
		cost: make([]int64, n+1), via: make([]int32, n), load: make([]int64, n),
	}
	o.heap = fourHeap{cost: o.cost, items: make([]int32, 0, n+1), at: make([]int32, n+1)}
	lids := int64(0)
	for i, sw := range f.order {
		o.number[sw] = int32(i)
		lids += int64(f.sw[sw].adapters)<<f.lmc + 1
	}
	for c := range s.weight {
		s.weight[c] = lids * lids
	}
	byLoad := slices.Clone(f.order)
	slices.SortStableFunc(byLoad, func(a, b int32) int { return cmp.Compare(f.sw[b].hosts, f.sw[a].hosts) })
	for _, sw := range byLoad {
		for _, l := range f.sw[sw].ports {
			if l.end < 0 || f.ends[l.end].router {
				continue
			}
			e := &f.ends[l.end]
			for k := range e.width {
				o.tree(sw, true)
				o.write(sw, int(e.lid)+k, e.port)
			}
		}
	}
	for _, sw := range byLoad {
		for k := range f.sw[sw].width {
			o.tree(sw, false)
			o.write(sw, int(f.sw[sw].lid)+k, 0)
		}
	}
}

// tree finds the lightest paths to a switch, and adds them to the weights. For an end on the
// switch, the end itself is a member of the heap, the last. It leaves first, which changes the
// order of the others.
func (o *osmTrees) tree(root int32, toEnd bool) {
	n := len(o.sw)
	for i := range o.cost {
		o.cost[i] = unreached
	}
	for i := range o.via {
		o.via[i] = -1
	}
	source := o.number[root]
	if toEnd {
		o.heap.fill(n + 1)
		o.heap.lower(int32(n), 0)
		o.heap.take()
		o.heap.lower(source, 0)
	} else {
		o.heap.fill(n)
		o.heap.lower(source, 0)
	}
	o.near = o.near[:0]
	for len(o.heap.items) > 0 {
		u := o.heap.take()
		if o.cost[u] == unreached {
			break
		}
		o.near = append(o.near, u)
		o.relax(u)
	}
	o.charge()
}

// relax looks for lighter paths through switch number u, over its ports in turn.
func (o *osmTrees) relax(u int32) {
	s := o.s
	sw := o.sw[u]
	for c := s.f.base[sw]; c < s.f.base[sw+1]; c++ {
		if s.to[c] < 0 {
			continue
		}
		v := o.number[s.to[c]]
		back := int32(s.f.base[s.to[c]] + int(s.in[c]))
		if cost := o.cost[u] + s.weight[back]; cost < o.cost[v] {
			o.via[v] = back
			o.heap.lower(v, cost)
		}
	}
}

// charge adds the paths of the tree to the weights.
func (o *osmTrees) charge() {
	s := o.s
	for _, u := range o.near {
		o.load[u] = int64(s.f.sw[o.sw[u]].hosts)<<s.f.lmc + 1
	}
	for i := len(o.near) - 1; i > 0; i-- {
		u := o.near[i]
		s.weight[o.via[u]] += o.load[u]
		o.load[o.number[s.to[o.via[u]]]] += o.load[u]
	}
}

// write enters the tree for the LID at a port of the root into the tables.
func (o *osmTrees) write(root int32, lid int, port uint8) {
	lft := o.s.f.tab.LFT
	for _, u := range o.near {
		if sw := o.sw[u]; sw != root {
			lft[sw][lid] = uint8(int(o.via[u]) - o.s.f.base[sw])
		}
	}
	lft[root][lid] = port
}

// fourHeap is a heap of numbers by cost with four children per number. The order of numbers
// with equal costs is part of the result: of equal children the last comes first.
type fourHeap struct {
	cost  []int64
	items []int32
	at    []int32 // by number: its index in items
}

// fill adds the numbers below n, with equal costs.
func (h *fourHeap) fill(n int) {
	h.items = h.items[:n]
	for i := range h.items {
		h.items[i], h.at[i] = int32(i), int32(i)
	}
}

// lower gives a number a lower cost.
func (h *fourHeap) lower(x int32, cost int64) {
	h.cost[x] = cost
	i := h.at[x]
	for i > 0 {
		above := (i - 1) / 4
		if h.cost[h.items[above]] <= cost {
			break
		}
		h.put(i, h.items[above])
		i = above
	}
	h.put(i, x)
}

// take takes the number with the lowest cost out.
func (h *fourHeap) take() int32 {
	first := h.items[0]
	last := int32(len(h.items) - 1)
	x := h.items[last]
	h.items = h.items[:last]
	if last == 0 {
		return first
	}
	i := int32(0)
	for 4*i+1 < last {
		least := min(4*i+4, last-1)
		for c := least - 1; c > 4*i; c-- {
			if h.cost[h.items[c]] < h.cost[h.items[least]] {
				least = c
			}
		}
		if h.cost[h.items[least]] >= h.cost[x] {
			break
		}
		h.put(i, h.items[least])
		i = least
	}
	h.put(i, x)
	return first
}

func (h *fourHeap) put(i, x int32) { h.items[i], h.at[x] = x, i }

// usedPorts is the LID matrix that OpenSM writes with these trees: it has hops only for the ports
// in the tables.
func (j *job) usedPorts() func(to int32, column []uint8) {
	return func(to int32, column []uint8) {
		for i := range column {
			column[i] = noPath
		}
		for i := range j.sw {
			lid := j.sw[to].lid
			if hops := j.hopsAlong(int32(i), to, lid); hops < noPath {
				column[j.base[i]], column[j.base[i]+int(j.tab.LFT[i][lid])] = hops, hops
			}
		}
	}
}

// hopsAlong counts the hops from one switch to another along the tables' path to a LID; noPath if
// it does not arrive.
func (j *job) hopsAlong(from, to int32, lid units.LID) uint8 {
	hops := uint8(0)
	for u := from; u != to; hops++ {
		port := j.tab.LFT[u][lid]
		if port == subnet.NoPort || hops == noPath-1 {
			return noPath
		}
		u = j.sw[u].ports[port].sw
	}
	return hops
}

// hopsToEnds is the rows of that matrix for LIDs of adapters, one hop more than for their switches.
func (j *job) hopsToEnds() map[units.LID][][]uint8 {
	rows := map[units.LID][][]uint8{}
	for i := range j.ends {
		e := &j.ends[i]
		for lid := e.lid; e.sw >= 0 && !e.router && lid < e.lid+units.LID(e.width); lid++ {
			rows[lid] = make([][]uint8, len(j.sw))
			for from := range j.sw {
				hops := j.hopsAlong(int32(from), e.sw, lid)
				if hops >= noPath-1 {
					continue
				}
				row := bytes.Repeat([]byte{noPath}, len(j.sw[from].ports))
				row[0], row[j.tab.LFT[from][lid]] = hops+1, hops+1
				rows[lid][from] = row
			}
		}
	}
	return rows
}
