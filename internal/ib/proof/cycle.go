package proof

import (
	"math/bits"

	"weft/internal/ib/subnet"
	"weft/units"
)

// Hold is one step of a credit loop: packets wait behind this port, on this
// lane, for credits of the next.
type Hold struct {
	Port subnet.End // the sending side
	VL   units.VL
}

// Cycle is a credit loop: each hold waits for the one after it, and the last
// for the first.
type Cycle struct {
	Holds []Hold
	// Channels is how many pairs of port and lane are part of any loop that is
	// knotted with this one.
	Channels int
	// Shortest says that no shorter loop exists in that knot.
	Shortest bool
}

// graph is the dependency graph with its lanes laid side by side: vertex
// lane*channels+channel.
type graph struct {
	n        *network
	d        *dependencies
	channels int
}

// lane and channel of a vertex.
func (g *graph) split(v int32) (lane int, channel int) {
	return int(v) / g.channels, int(v) % g.channels
}

// after is the least successor of v at position at or later, with the position
// that comes next; -1 when there is none. A position is a lane and a port.
func (g *graph) after(v int32, at int) (succ int32, next int) {
	lane, c := g.split(v)
	to := g.n.to[c]
	width := g.d.words * 64
	for l := at / width; l < lanes; l++ {
		plane := g.d.next[lane][l]
		if plane == nil {
			at = (l + 1) * width
			continue
		}
		row := plane[c*g.d.words : (c+1)*g.d.words]
		for p := at - l*width; p < width; {
			w := row[p>>6] >> (p & 63)
			if w == 0 {
				p = (p | 63) + 1
				continue
			}
			p += bits.TrailingZeros64(w)
			return int32(l*g.channels + int(to)*g.n.stride + p), l*width + p + 1
		}
		at = (l + 1) * width
	}
	return -1, at
}

// knots are the sets of vertices that reach each other, of more than one
// (Tarjan, "Depth-first search and linear graph algorithms", 1972).
func (g *graph) knots() [][]int32 {
	size := lanes * g.channels
	t := &tarjan{g: g, index: make([]int32, size), low: make([]int32, size)}
	for lane := range lanes {
		if !g.inUse(lane) {
			continue
		}
		for c := range g.channels {
			if v := int32(lane*g.channels + c); t.index[v] == 0 {
				t.visit(v)
			}
		}
	}
	return t.knots
}

func (g *graph) inUse(lane int) bool {
	for _, plane := range g.d.next[lane] {
		if plane != nil {
			return true
		}
	}
	return false
}

type tarjan struct {
	g          *graph
	index, low []int32 // 0 is not visited; low is -1 once the component is known
	count      int32
	open       []int32
	frames     []frame
	knots      [][]int32
}

type frame struct {
	v  int32
	at int
}

func (t *tarjan) visit(root int32) {
	t.enter(root)
	for len(t.frames) > 0 {
		f := &t.frames[len(t.frames)-1]
		w, at := t.g.after(f.v, f.at)
		f.at = at
		switch {
		case w < 0:
			t.leave()
		case t.index[w] == 0:
			t.enter(w)
		case t.low[w] >= 0:
			t.low[f.v] = min(t.low[f.v], t.index[w])
		}
	}
}

func (t *tarjan) enter(v int32) {
	t.count++
	t.index[v], t.low[v] = t.count, t.count
	t.open = append(t.open, v)
	t.frames = append(t.frames, frame{v, 0})
}

func (t *tarjan) leave() {
	v := t.frames[len(t.frames)-1].v
	t.frames = t.frames[:len(t.frames)-1]
	if len(t.frames) > 0 {
		u := t.frames[len(t.frames)-1].v
		t.low[u] = min(t.low[u], t.low[v])
	}
	if t.low[v] != t.index[v] {
		return
	}
	at := len(t.open) - 1
	for t.open[at] != v {
		at--
	}
	knot := t.open[at:]
	for _, w := range knot {
		t.low[w] = -1
	}
	if len(knot) > 1 {
		t.knots = append(t.knots, append([]int32(nil), knot...))
	}
	t.open = t.open[:at]
}

// cycles are the credit loops: the shortest of each knot.
func (d *dependencies) cycles(n *network) (cycles []Cycle, knots int) {
	g := &graph{n: n, d: d, channels: len(n.to)}
	all := g.knots()
	if len(all) == 0 {
		return nil, 0
	}
	s := &search{g: g, knot: make([]int32, lanes*g.channels), from: make([]int32, lanes*g.channels), left: maxSearch}
	for i, knot := range all {
		for _, v := range knot {
			s.knot[v] = int32(i + 1)
		}
	}
	for _, knot := range all[:min(len(all), maxCycles)] {
		cycles = append(cycles, s.shortest(knot))
	}
	return cycles, len(all)
}

// search finds shortest cycles by breadth-first searches from each vertex that
// stop where they cannot become shorter than the best so far.
type search struct {
	g     *graph
	knot  []int32 // number of a vertex's knot, 0: in none
	from  []int32 // predecessor in this search plus one, 0: not seen
	queue []int32
	left  int // edges that may still be looked at
}

func (s *search) shortest(knot []int32) Cycle {
	var best []int32
	c := Cycle{Channels: len(knot), Shortest: true}
	for _, v := range knot {
		if found := s.back(v, len(best)); found != nil {
			best = found
		}
		if s.left <= 0 && best != nil {
			c.Shortest = false
			break
		}
	}
	for _, v := range best {
		lane, channel := s.g.split(v)
		c.Holds = append(c.Holds, Hold{s.g.n.channelAt(int32(channel)), units.VL(lane)})
	}
	return c
}

// back is the shortest way from v to itself that is shorter than limit vertices
// (0: of any length), nil where there is none.
func (s *search) back(v int32, limit int) []int32 {
	s.queue = append(s.queue[:0], v)
	defer func() {
		for _, w := range s.queue {
			s.from[w] = 0
		}
	}()
	end := len(s.queue)
	for i, depth := 0, 1; i < len(s.queue); i++ {
		if i == end {
			depth++
			end = len(s.queue)
		}
		if limit > 0 && depth >= limit {
			return nil
		}
		u := s.queue[i]
		for w, at := s.g.after(u, 0); w >= 0; w, at = s.g.after(u, at) {
			s.left--
			if w == v {
				return s.way(v, u)
			}
			if s.knot[w] == s.knot[v] && s.from[w] == 0 {
				s.from[w] = u + 1
				s.queue = append(s.queue, w)
			}
		}
	}
	return nil
}

// way lists the vertices from v to its predecessor u on the cycle.
func (s *search) way(v, u int32) []int32 {
	var back []int32
	for ; u != v; u = s.from[u] - 1 {
		back = append(back, u)
	}
	back = append(back, v)
	for i, j := 0, len(back)-1; i < j; i, j = i+1, j-1 {
		back[i], back[j] = back[j], back[i]
	}
	return back
}
