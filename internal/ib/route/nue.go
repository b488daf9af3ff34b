package route

import (
	"container/heap"
	"fmt"

	"weft/internal/ib/subnet"
	"weft/units"
)

// nue routes in the channel dependency graph itself, so that its tables are free of credit loops on any number of lanes, one
// included, and reach everything that cables join (Domke, Hoefler and Matsuoka, "Routing on the dependency graph: a new
// approach to deadlock-free high-performance routing", HPDC 2016).
//
// The switches with ends are shared out among the lanes, and a path is on the lane of its destination. On each lane the paths
// of a spanning tree are dependencies from the beginning: the way out. For each LID the shortest paths grow from its switch
// outwards, the least loaded first, and a cable is taken only if its dependency closes no circle with those before. If a
// switch cannot be reached so, the LID follows the spanning tree.
//
// The tables are weft's own. OpenSM's nue divides the fabric by METIS, or by chance without it, which the tables of weft do
// not follow.
func nue(j *job) error {
	j.unpredictable = "these are weft's own tables of nue: OpenSM's division of the destinations among lanes, by METIS or by chance, and its order of them are not followed"
	j.hops = j.shortestPaths().columns
	s := newSpanner(j.fabric)
	lanes := newNueLanes(s, j.nueLanes())
	targets := j.targets()
	widest := 1
	for i := range targets {
		widest = max(widest, targets[i].width)
	}
	trees := 0
	for k := range widest {
		for i := range targets {
			t := &targets[i]
			if t.sw < 0 || k >= t.width {
				continue
			}
			if !lanes.of(t.sw).route(t.sw) {
				trees++
			}
			if t.counted {
				s.charge(1)
			}
			s.write(int(t.lid)+k, t.port)
		}
	}
	j.tab.Lanes = lanes.used()
	if j.tab.Lanes > 1 {
		j.tab.SL = lanes.levels()
	}
	note := "nue is weft's own: not OpenSM's entry for entry; reach and freedom from credit loops are proven for these tables"
	if trees > 0 {
		note += fmt.Sprintf("; %d of %d LIDs follow a spanning tree, since shorter paths would close a loop: more lanes (--nue-lanes) make them fewer", trees, int(j.tab.Top))
	}
	j.notes = append(j.notes, note)
	return nil
}

// nueLanes is the most lanes that nue uses: by default 1, as nue_max_num_vls of OpenSM.
func (j *job) nueLanes() int { return min(max(j.opt.NueLanes, 1), j.lanes()) }

// nueLanes is the lanes of nue.
type nueLanes struct {
	s    *spanner
	lane []*nueLane
	at   []int // by switch: its lane
}

// newNueLanes shares the switches with ends out among lanes, in turn by the order of their GUIDs.
func newNueLanes(s *spanner, most int) *nueLanes {
	n := &nueLanes{s: s, at: make([]int, len(s.f.sw))}
	next := 0
	for _, sw := range s.f.order {
		if s.ends[sw] > 0 {
			n.at[sw] = next % most
			next++
		}
	}
	tree := newWayOut(s)
	for range max(min(most, next), 1) {
		n.lane = append(n.lane, newNueLane(s, tree))
	}
	return n
}

func (n *nueLanes) of(sw int32) *nueLane { return n.lane[n.at[sw]] }

func (n *nueLanes) used() int { return len(n.lane) }

// levels is the service level of paths: the lane of the destination's switch.
func (n *nueLanes) levels() subnet.PathSL {
	at := n.s.f.switchOf()
	return func(_, dst units.LID) units.SL {
		if int(dst) >= len(at) || at[dst] < 0 {
			return 0
		}
		return units.SL(n.at[at[dst]])
	}
}

// nueLane is one lane: the dependencies so far, without a circle.
type nueLane struct {
	s       *spanner
	o       *ordered
	out     *wayOut
	pending nueHeap
	settled []bool
	taken   []int // dependencies of the current tree
	// barred are the dependencies that close a circle with those before them, which stay; refused are those of the current
	// tree.
	barred  []bool
	refused []int
}

func newNueLane(s *spanner, out *wayOut) *nueLane {
	l := &nueLane{s: s, o: newOrdered(s), out: out, settled: make([]bool, len(s.f.sw))}
	l.barred = make([]bool, len(l.o.paths))
	out.each(func(c int32, port uint8) {
		e := l.o.edge(c, port)
		if !l.o.admit(e) {
			panic("route: the paths of a spanning tree close a circle") // no two of them turn back
		}
		l.o.paths[e]++
	})
	return l
}

// hopPrice is the price of a hop: more than all loads along a path, so that the shortest of the paths without a circle is
// taken.
const hopPrice = 1 << 40

// route grows the paths to a switch, into s.order and s.via; false if they follow the spanning tree.
func (l *nueLane) route(root int32) bool {
	s := l.s
	for i := range s.via {
		s.via[i], l.settled[i] = -1, false
	}
	l.pending, l.taken, l.refused, s.order = l.pending[:0], l.taken[:0], l.refused[:0], append(s.order[:0], root)
	l.settled[root] = true
	l.reach(root, 0)
	for len(l.pending) > 0 {
		x, _ := heap.Pop(&l.pending).(nueStep)
		u, v := s.at[x.channel], s.to[x.channel]
		if l.settled[u] || !l.take(x.channel, v) {
			continue
		}
		l.settled[u], s.via[u] = true, x.channel
		s.order = append(s.order, u)
		l.reach(u, x.cost)
	}
	if len(s.order) == l.out.size[l.out.part[root]] {
		return true
	}
	for _, e := range l.taken {
		l.o.paths[e]--
	}
	for _, e := range l.refused {
		l.barred[e] = false // they may have closed a circle with the paths that were taken back
	}
	l.out.towards(root)
	return false
}

// take adds the dependency of a channel on the way on from its far switch, unless that closes a circle.
func (l *nueLane) take(c, far int32) bool {
	next := l.s.via[far]
	if next < 0 {
		return true // the far switch is the destination's
	}
	e := l.o.edge(c, uint8(int(next)-l.s.f.base[far]))
	if l.barred[e] {
		return false
	}
	if l.o.paths[e] == 0 && !l.o.admit(e) {
		l.barred[e] = true
		l.refused = append(l.refused, e)
		return false
	}
	l.o.paths[e]++
	l.taken = append(l.taken, e)
	return true
}

// reach offers the cables into a switch.
func (l *nueLane) reach(v int32, cost int64) {
	s := l.s
	for c := s.f.base[v]; c < s.f.base[v+1]; c++ {
		u := s.to[c]
		if u < 0 || u == v || l.settled[u] {
			continue
		}
		into := int32(s.f.base[u] + int(s.in[c]))
		heap.Push(&l.pending, nueStep{cost + hopPrice + s.weight[into], into})
	}
}

// nueStep is a cable that may be the way of its switch, with the price of the path.
type nueStep struct {
	cost    int64
	channel int32
}

type nueHeap []nueStep

func (h nueHeap) Len() int { return len(h) }
func (h nueHeap) Less(a, b int) bool {
	return h[a].cost < h[b].cost || h[a].cost == h[b].cost && h[a].channel < h[b].channel
}
func (h nueHeap) Swap(a, b int) { h[a], h[b] = h[b], h[a] }
func (h *nueHeap) Push(x any) {
	if step, ok := x.(nueStep); ok {
		*h = append(*h, step)
	}
}

func (h *nueHeap) Pop() any {
	last := len(*h) - 1
	x := (*h)[last]
	*h = (*h)[:last]
	return x
}
