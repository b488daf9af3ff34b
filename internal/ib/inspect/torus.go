package inspect

import (
	"cmp"
	"slices"

	"weft/internal/base/sorting"
)

// grid is a torus or a mesh: the product of rings and lines.
type grid struct {
	size    []int     // by dimension
	ring    []bool    // by dimension: closed to a ring (at least three switches)
	at      [][]int32 // by dimension and switch: its coordinate, in the order of the links
	missing [][2]int32
}

// maxGridDegree bounds the search: a switch in a torus of six dimensions has twelve neighbours.
const maxGridDegree = 12

// gridOf recognises a torus, even if some of its links are missing, or a complete mesh.
//
// In a product of graphs, two links of different dimensions at one switch span a square, and
// opposite links of a square have one dimension. So links form classes, and the product of the
// class sizes must be the number of switches. A missing link would join classes. So the first rule
// is applied only to switches with all links around them (torus), then to all switches (mesh).
//
// A ring of four is the product of two pairs, so a torus with rings of four is a hypercube too. Two
// pairs become one ring.
func gridOf(g *graph) (grid, bool) {
	if len(g.node) < 3 {
		return grid{}, false
	}
	full := 0
	for a := range g.near {
		full = max(full, len(g.near[a]))
	}
	if full > maxGridDegree {
		return grid{}, false
	}
	for _, strict := range []bool{true, false} {
		need := 0
		if strict {
			need = full
		}
		if found, ok := classesOf(g, need).grid(g); ok {
			return found, true
		}
	}
	return grid{}, false
}

// classes are the links of a graph by dimension.
type classes struct {
	class map[[2]int32]int32 // by link, the lesser switch first
	count int
}

func pairOf(a, b int32) [2]int32 { return [2]int32{min(a, b), max(a, b)} }

// classesOf finds the classes; need is the least number of neighbours at which a missing square is
// evidence.
func classesOf(g *graph, need int) classes {
	index := map[[2]int32]int32{}
	var pairs [][2]int32
	var parent []int32
	for a := range g.near {
		for _, n := range g.near[a] {
			if n.to > int32(a) {
				index[pairOf(int32(a), n.to)] = int32(len(parent))
				pairs = append(pairs, pairOf(int32(a), n.to))
				parent = append(parent, int32(len(parent)))
			}
		}
	}
	root := func(x int32) int32 {
		for parent[x] != x {
			parent[x] = parent[parent[x]]
			x = parent[x]
		}
		return x
	}
	join := func(a, b, c, d int32) { parent[root(index[pairOf(a, b)])] = root(index[pairOf(c, d)]) }
	for u := range g.near {
		for i, n := range g.near[u] {
			for _, m := range g.near[u][i+1:] {
				v, w, at := n.to, m.to, int32(u)
				square := false
				for _, x := range g.near[v] {
					if x.to != at && g.cables(x.to, w) > 0 && g.cables(x.to, at) == 0 {
						square = true
						join(at, v, x.to, w)
						join(at, w, x.to, v)
					}
				}
				if !square && min(len(g.near[u]), len(g.near[v]), len(g.near[w])) >= need {
					join(at, v, at, w)
				}
			}
		}
	}
	c := classes{class: map[[2]int32]int32{}}
	number := map[int32]int32{}
	for i, pair := range pairs {
		r := root(int32(i))
		if _, ok := number[r]; !ok {
			number[r] = int32(len(number))
		}
		c.class[pair] = number[r]
	}
	c.count = len(number)
	return c
}

// grid reports whether the classes are the dimensions of a torus or a mesh, and returns it.
func (c classes) grid(g *graph) (grid, bool) {
	if c.count == 0 || c.count > maxGridDegree {
		return grid{}, false
	}
	at := make([][]int32, c.count) // by dimension and switch
	var d grid
	product := 1
	for dim := range c.count {
		of, n := g.components(func(a, b int32) bool { return c.class[pairOf(a, b)] != int32(dim) })
		at[dim], d.size = of, append(d.size, n)
		if product *= n; product > len(g.node) {
			return grid{}, false
		}
	}
	if product != len(g.node) {
		return grid{}, false
	}
	shape := make([]lineShape, c.count)
	for dim := range shape {
		next := c.next(at[dim], dim, d.size[dim])
		if shape[dim] = shapeOf(next); shape[dim] == neither {
			return grid{}, false
		}
		renumber(at[dim], next)
		d.ring = append(d.ring, shape[dim] == ring)
	}
	if !d.absent(g, c, at) {
		return grid{}, false
	}
	d.at = at
	d.pairUp()
	return d, true
}

type lineShape int

const (
	neither lineShape = iota
	line
	ring
)

// next lists the neighbours of each coordinate of a dimension.
func (c classes) next(at []int32, dim, size int) [][]int32 {
	next := make([][]int32, size)
	for pair, class := range c.class {
		if class != int32(dim) {
			continue
		}
		a, b := at[pair[0]], at[pair[1]]
		if !slices.Contains(next[a], b) {
			next[a] = append(next[a], b)
		}
		if !slices.Contains(next[b], a) {
			next[b] = append(next[b], a)
		}
	}
	for i := range next {
		slices.Sort(next[i])
	}
	return next
}

// shapeOf decides whether the coordinates form a ring, a line, or neither.
func shapeOf(next [][]int32) lineShape {
	ends := 0
	for _, n := range next {
		switch {
		case len(n) == 1:
			ends++
		case len(n) != 2:
			return neither
		}
	}
	switch {
	case ends == 0 && len(next) >= 3:
		return ring
	case ends == 2:
		return line
	}
	return neither
}

// renumber numbers the coordinates of a dimension along its line from one end, or along its ring
// from the first switch.
func renumber(at []int32, next [][]int32) {
	start := at[0]
	for i, n := range next {
		if len(n) == 1 {
			start = int32(i)
			break
		}
	}
	number := make([]int32, len(next))
	before := int32(-1)
	for i, here := int32(0), start; int(i) < len(next); i++ {
		number[here] = i
		onward := next[here][0]
		if onward == before {
			onward = next[here][len(next[here])-1]
		}
		before, here = here, onward
	}
	for sw := range at {
		at[sw] = number[at[sw]]
	}
}

// absent finds the links of the product that the fabric lacks. If more than a fifth are missing,
// the fabric is no grid.
func (d *grid) absent(g *graph, c classes, at [][]int32) bool {
	where := map[string]int32{}
	key := func(sw int32, dim int, coordinate int32) string {
		b := make([]byte, 0, 4*len(at))
		for i := range at {
			v := at[i][sw]
			if i == dim {
				v = coordinate
			}
			b = append(b, byte(v), byte(v>>8), byte(v>>16))
		}
		return string(b)
	}
	for sw := range g.node {
		where[key(int32(sw), -1, 0)] = int32(sw)
	}
	if len(where) != len(g.node) {
		return false
	}
	type step struct{ dim, from, to int32 }
	steps := map[step]bool{}
	for pair, class := range c.class {
		steps[step{class, at[class][pair[0]], at[class][pair[1]]}] = true
		steps[step{class, at[class][pair[1]], at[class][pair[0]]}] = true
	}
	present := 0
	for sw := range g.node {
		for s := range steps {
			if at[s.dim][sw] != s.from {
				continue
			}
			far := where[key(int32(sw), int(s.dim), s.to)]
			if far < int32(sw) {
				continue
			}
			if g.cables(int32(sw), far) > 0 {
				present++
			} else {
				d.missing = append(d.missing, [2]int32{int32(sw), far})
			}
		}
	}
	sorting.Func(d.missing, func(a, b [2]int32) int { return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1])) })
	return 5*len(d.missing) <= present
}

// pairUp joins two dimensions of two to a ring of four, and sorts the dimensions: rings first, then
// by falling length.
func (d *grid) pairUp() {
	type dimension struct {
		size int
		ring bool
		at   []int32
	}
	var out []dimension
	var half []int32 // coordinates of a dimension of two without a partner yet
	for i, n := range d.size {
		switch {
		case n != 2:
			out = append(out, dimension{n, d.ring[i], d.at[i]})
		case half == nil:
			half = d.at[i]
		default:
			at := make([]int32, len(half))
			for sw := range at {
				at[sw] = half[sw] ^ d.at[i][sw] | d.at[i][sw]<<1 // 0, 1, 3, 2 and back: a Gray code
			}
			out = append(out, dimension{4, true, at})
			half = nil
		}
	}
	if half != nil {
		out = append(out, dimension{2, false, half})
	}
	sorting.StableFunc(out, func(a, b dimension) int {
		if a.ring != b.ring {
			if a.ring {
				return -1
			}
			return 1
		}
		return b.size - a.size
	})
	d.size, d.ring, d.at = nil, nil, nil
	for _, o := range out {
		d.size, d.ring, d.at = append(d.size, o.size), append(d.ring, o.ring), append(d.at, o.at)
	}
}
