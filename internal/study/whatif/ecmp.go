package whatif

import (
	"cmp"
	"context"
	"math"
	"slices"

	"weft/internal/base/sorting"
	"weft/internal/base/topology"
	"weft/internal/ib/route"
	"weft/internal/sim/routing"
	"weft/units"
)

// BGP is the name of the routing of Ethernet: eBGP, whose switches share a flow evenly among equally short paths.
const BGP route.Name = "BGP"

// EvaluateECMP judges an Ethernet fabric without each of some parts. The nodes of the parts are those of the graph; a cable
// without a rate of its own has the given one. Of its equally short paths a switch uses those that BGP lets it use; all
// without limits.
func EvaluateECMP(ctx context.Context, g *topology.Graph, rate units.Rate, limits *routing.Multipath, parts []Part, o Options) (*Report, error) {
	b := newBalanced(g, rate, o.Shifts)
	b.limits = limits
	return evaluate(ctx, b, parts, o)
}

// balanced is an Ethernet fabric.
type balanced struct {
	g      *topology.Graph
	shifts []int
	hop    [][]hop   // by switch and port
	rate   []float64 // by cable
	island []int     // by endpoint; endpoints of different islands never had a path
	limits *routing.Multipath
}

// hop is what a switch's port leads to.
type hop struct {
	channel int32 // twice the cable, and 1 more from its end B
	to      int32 // the switch; below 0: none
}

func newBalanced(g *topology.Graph, rate units.Rate, shifts int) *balanced {
	b := &balanced{g: g, shifts: spaced(g.Endpoints-g.Services, shifts), hop: make([][]hop, g.Switches()), rate: make([]float64, len(g.Cables))}
	for i := range g.Cables {
		b.rate[i] = float64(cmp.Or(g.Cables[i].Rate, rate))
	}
	for sw := range b.hop {
		node := topology.NodeID(g.Endpoints + sw)
		for port, c := range g.Nodes[node].Cables {
			h := hop{to: -1}
			if c >= 0 {
				at := topology.End{Node: node, Port: int32(port)}
				far, _, _ := g.Peer(at)
				h = hop{channel: 2 * c, to: int32(far.Node) - int32(g.Endpoints)}
				if g.Cables[c].B == at {
					h.channel++
				}
			}
			b.hop[sw] = append(b.hop[sw], h)
		}
	}
	b.island = islandsIn(g)
	return b
}

// spaced are the distances of evenly spaced shifts between so many ends, at most limit if it is not 0.
func spaced(ends, limit int) (shifts []int) {
	if limit == 0 || ends-1 <= limit {
		for k := 1; k < ends; k++ {
			shifts = append(shifts, k)
		}
		return shifts
	}
	limit = max(limit, 2)
	for i := range limit {
		shifts = append(shifts, 1+int(int64(i)*int64(ends-2)/int64(limit-1)))
	}
	return shifts
}

func (b *balanced) ends() int { return b.g.Endpoints - b.g.Services }

func (b *balanced) text() any { return []any{b.g, b.rate, b.limits} }

func (b *balanced) whole() (State, error) { return b.judge(make([]bool, len(b.g.Cables))), nil }

func (b *balanced) prepare(State, []Part) {}

func (b *balanced) without(p Part) (State, error) {
	down := make([]bool, len(b.g.Cables))
	if p.Node < 0 {
		down[b.g.Nodes[p.Cable.Node].Cables[p.Cable.Port-1]] = true
		return b.judge(down), nil
	}
	for _, c := range b.g.Nodes[p.Node].Cables {
		if c >= 0 {
			down[c] = true
		}
	}
	return b.judge(down), nil
}

// judge routes the fabric without some cables.
func (b *balanced) judge(down []bool) State {
	w := newFlows(b, down)
	st := State{Engine: BGP, Pairs: w.pairs()}
	all := int64(0)
	for _, alive := range w.alive {
		all += int64(len(alive)) * int64(len(alive)-1)
	}
	if st.Pairs == 0 || st.Pairs != all {
		return st // some host gets nothing
	}
	worst, sum := 1., 0.
	for _, k := range b.shifts {
		share := w.shift(k)
		worst, sum = min(worst, share), sum+share
	}
	st.Shift, st.WorstShift = rounded(sum/float64(len(b.shifts))), rounded(worst)
	return st
}

// rounded is a share without the noise of sums, so that failures that cost the same are equal.
func rounded(share float64) float64 { return math.Round(share*1e9) / 1e9 }

// flows are the flows of one pattern after another over a fabric without some cables.
type flows struct {
	*balanced
	down    []bool
	routes  *routing.Detours
	used    [][][]uint16 // by leaf and switch: the ports that BGP uses, if it has limits
	order   [][]int32    // by leaf: the switches with a path to it, the farthest first
	alive   [][]int      // by island: endpoints with a cable
	access  [][]place    // by endpoint and plane
	load    []float64    // by channel
	through []float64    // by switch
	wanted  [][]want     // by leaf
}

// place is where an endpoint's cable leads.
type place struct {
	sw   int32 // below 0: nowhere
	rate float64
}

// want is data from the endpoints of a switch.
type want struct {
	from int32
	data float64
}

func newFlows(b *balanced, down []bool) *flows {
	g := b.g
	w := &flows{
		balanced: b, down: down, routes: routing.NewDetours(g, down), order: make([][]int32, g.Switches()),
		access: make([][]place, b.ends()), load: make([]float64, 2*len(g.Cables)), through: make([]float64, g.Switches()), wanted: make([][]want, g.Switches()),
	}
	for e := range w.access {
		cabled := false
		for plane := range max(1, g.Planes) {
			far, ok := routing.EndpointIn(g, e, int32(plane), down)
			if !ok {
				w.access[e] = append(w.access[e], place{sw: -1})
				continue
			}
			cabled = true
			w.access[e] = append(w.access[e], place{int32(far.Node) - int32(g.Endpoints), b.rate[g.Nodes[far.Node].Cables[far.Port]]})
		}
		if !cabled {
			continue
		}
		for len(w.alive) <= b.island[e] {
			w.alive = append(w.alive, nil)
		}
		w.alive[b.island[e]] = append(w.alive[b.island[e]], e)
	}
	for leaf := range w.order {
		dist := w.routes.Distances(leaf)
		for sw, d := range dist {
			if d > 0 {
				w.order[leaf] = append(w.order[leaf], int32(sw))
			}
		}
		sorting.Func(w.order[leaf], func(x, y int32) int { return cmp.Or(cmp.Compare(dist[y], dist[x]), cmp.Compare(x, y)) })
	}
	if b.limits != nil {
		w.limit()
	}
	return w
}

// limit finds the ports that BGP uses. They are alike for all endpoints of a leaf.
func (w *flows) limit() {
	w.used = make([][][]uint16, w.g.Switches())
	set := w.limits.Of(w.g, w.routes.Set)
	for e, planes := range w.access {
		for _, at := range planes {
			if at.sw < 0 || w.used[at.sw] != nil {
				continue
			}
			w.used[at.sw] = make([][]uint16, w.g.Switches())
			for _, sw := range w.order[at.sw] {
				w.used[at.sw][sw] = set(int(sw), e)
			}
		}
	}
}

// ports are those that a switch uses for the endpoints of a leaf.
func (w *flows) ports(sw, leaf int) []uint16 {
	if w.used != nil {
		return w.used[leaf][sw]
	}
	return w.routes.ToLeaf(sw, leaf)
}

// joined reports whether a path leads from an endpoint to another in a plane.
func (w *flows) joined(from, to, plane int) bool {
	a, b := w.access[from][plane], w.access[to][plane]
	return a.sw >= 0 && b.sw >= 0 && (a.sw == b.sw || len(w.routes.ToLeaf(int(a.sw), int(b.sw))) > 0)
}

// pairs is the number of pairs of endpoints with a path. Endpoints at the same switches are alike.
func (w *flows) pairs() (pairs int64) {
	type key [4]int32 // by plane; more planes than that are not built
	count, first := map[key]int64{}, map[key]int{}
	var keys []key
	for _, e := range slices.Concat(w.alive...) {
		var k key
		for plane, at := range w.access[e] {
			k[min(plane, len(k)-1)] = at.sw
		}
		if count[k]++; count[k] == 1 {
			first[k] = e
			keys = append(keys, k)
		}
	}
	for _, a := range keys {
		for _, b := range keys {
			if !w.reach(first[a], first[b]) {
				continue
			}
			if pairs += count[a] * count[b]; a == b {
				pairs -= count[a]
			}
		}
	}
	return pairs
}

// reach reports whether a path leads from an endpoint to another in any plane.
func (w *flows) reach(from, to int) bool {
	for p := range w.access[from] {
		if w.joined(from, to, p) {
			return true
		}
	}
	return false
}

// shift is the share that the slowest flow gets of the rate at which the cables of its hosts can carry, if each host sends to
// the one that is some places behind it. Several planes carry equal parts.
func (w *flows) shift(by int) float64 {
	clear(w.load)
	for i := range w.wanted {
		w.wanted[i] = w.wanted[i][:0]
	}
	for _, alive := range w.alive {
		for i, from := range alive {
			w.send(from, alive[(i+by)%len(alive)])
		}
	}
	for leaf := range w.wanted {
		w.carry(leaf)
	}
	share := 1.
	for channel, load := range w.load {
		if rate := w.rate[channel/2]; load > rate {
			share = min(share, rate/load)
		}
	}
	return share
}

// send adds the data of an endpoint for another one to what is wanted at its leaves.
func (w *flows) send(from, to int) {
	open := 0
	for p := range w.access[from] {
		if w.joined(from, to, p) {
			open++
		}
	}
	for p := range w.access[from] {
		if !w.joined(from, to, p) {
			continue
		}
		a, b := w.access[from][p], w.access[to][p]
		data := min(a.rate, b.rate) / float64(open)
		if list := w.wanted[b.sw]; len(list) > 0 && list[len(list)-1].from == a.sw {
			list[len(list)-1].data += data
		} else {
			w.wanted[b.sw] = append(list, want{a.sw, data})
		}
	}
}

// carry adds what the endpoints of a leaf get to the loads: each switch shares it evenly among the paths that it uses.
func (w *flows) carry(leaf int) {
	if len(w.wanted[leaf]) == 0 {
		return
	}
	for _, x := range w.wanted[leaf] {
		if int(x.from) != leaf {
			w.through[x.from] += x.data
		}
	}
	for _, sw := range w.order[leaf] {
		data := w.through[sw]
		if data == 0 {
			continue
		}
		w.through[sw] = 0
		ports := w.ports(int(sw), leaf)
		each := data / float64(len(ports))
		for _, port := range ports {
			h := w.hop[sw][port]
			w.load[h.channel] += each
			if int(h.to) != leaf {
				w.through[h.to] += each
			}
		}
	}
}
