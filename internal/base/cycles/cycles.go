package cycles

import "slices"

// Graph is a directed graph. Its vertices are the numbers below Len.
type Graph interface {
	Len() int
	// Next is the first successor of v at position at or behind it, and the position that follows;
	// the successor is -1 if there is none. Positions begin at 0.
	Next(v int32, at int) (successor int32, next int)
}

// Cycle is a cycle of a graph: an edge leads from each vertex to the one after it,
// and from the last to the first.
type Cycle struct {
	Vertices []int32
	// Component is the number of vertices in the strongly connected component of the
	// cycle: every vertex that shares a cycle with one of Vertices.
	Component int
	// Shortest says that the component has no shorter cycle. It is false if the
	// search was ended by its bound.
	Shortest bool
}

// Find finds one cycle in each of the first most strongly connected components. It is the shortest
// cycle, unless the search ends early because it has followed edges edges. Find returns the cycles
// and the number of all components that have a cycle. A vertex that is its own successor is not a
// cycle.
func Find(g Graph, most, edges int) (found []Cycle, components int) {
	all := stronglyConnected(g)
	if len(all) == 0 {
		return nil, 0
	}
	s := &search{g: g, component: make([]int32, g.Len()), from: make([]int32, g.Len()), left: edges}
	for i, c := range all {
		for _, v := range c {
			s.component[v] = int32(i + 1)
		}
	}
	for _, c := range all[:min(len(all), most)] {
		found = append(found, s.shortest(c))
	}
	return found, len(all)
}

// stronglyConnected is the sets of two or more vertices that reach each other (Tarjan, "Depth-first
// search and linear graph algorithms", 1972).
func stronglyConnected(g Graph) [][]int32 {
	t := &tarjan{g: g, index: make([]int32, g.Len()), low: make([]int32, g.Len())}
	for v := range int32(g.Len()) {
		if t.index[v] == 0 {
			t.visit(v)
		}
	}
	return t.components
}

type tarjan struct {
	g          Graph
	index, low []int32 // index 0: not visited; low -1: the component is known
	count      int32
	open       []int32 // vertices whose component is not known
	frames     []frame
	components [][]int32
}

type frame struct {
	v  int32
	at int
}

func (t *tarjan) visit(root int32) {
	t.enter(root)
	for len(t.frames) > 0 {
		f := &t.frames[len(t.frames)-1]
		w, at := t.g.Next(f.v, f.at)
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
	component := t.open[at:]
	for _, w := range component {
		t.low[w] = -1
	}
	if len(component) > 1 {
		t.components = append(t.components, slices.Clone(component))
	}
	t.open = t.open[:at]
}

// search finds the shortest cycle by a breadth-first search from each vertex. A search ends when it
// can no longer find a cycle shorter than the best so far.
type search struct {
	g         Graph
	component []int32 // number of a vertex's component; 0: none
	from      []int32 // predecessor in this search plus one; 0: not seen
	queue     []int32
	left      int // edges that may still be followed
}

func (s *search) shortest(component []int32) Cycle {
	c := Cycle{Component: len(component), Shortest: true}
	for _, v := range component {
		if found := s.back(v, len(c.Vertices)); found != nil {
			c.Vertices = found
		}
		if s.left <= 0 && c.Vertices != nil {
			c.Shortest = false
			break
		}
	}
	return c
}

// back is the shortest path from v to itself over fewer vertices than limit (0: any number), nil if
// there is none.
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
		for w, at := s.g.Next(u, 0); w >= 0; w, at = s.g.Next(u, at) {
			s.left--
			if w == v {
				return s.way(v, u)
			}
			if s.component[w] == s.component[v] && s.from[w] == 0 {
				s.from[w] = u + 1
				s.queue = append(s.queue, w)
			}
		}
	}
	return nil
}

// way lists the vertices from v to its predecessor u on the cycle.
func (s *search) way(v, u int32) []int32 {
	var way []int32
	for ; u != v; u = s.from[u] - 1 {
		way = append(way, u)
	}
	way = append(way, v)
	slices.Reverse(way)
	return way
}
