package cycles

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// lists is a graph by lists of successors.
type lists [][]int32

func (g lists) Len() int { return len(g) }

func (g lists) Next(v int32, at int) (int32, int) {
	if at == len(g[v]) {
		return -1, at
	}
	return g[v][at], at + 1
}

// between is the length of the shortest path from each vertex to each, in edges, by
// Floyd and Warshall; 0 if there is no path.
func between(g lists) [][]int {
	d := make([][]int, len(g))
	for v := range g {
		d[v] = make([]int, len(g))
		for _, w := range g[v] {
			d[v][w] = 1
		}
	}
	for k := range g {
		for i := range g {
			for j := range g {
				if way := d[i][k] + d[k][j]; d[i][k] > 0 && d[k][j] > 0 && (d[i][j] == 0 || way < d[i][j]) {
					d[i][j] = way
				}
			}
		}
	}
	return d
}

func TestCyclesAgreeWithADumbTwin(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	cyclic := 0
	for range 500 {
		g := make(lists, 2+rng.IntN(12))
		for range rng.IntN(2 * len(g)) {
			v, w := rng.IntN(len(g)), int32(rng.IntN(len(g)))
			if v != int(w) && !slices.Contains(g[v], w) {
				g[v] = append(g[v], w)
			}
		}
		d := between(g)
		want := map[int]int{} // by the least vertex of a component: its shortest cycle
		for v := range g {
			if d[v][v] == 0 {
				continue // on no cycle
			}
			least := 0
			for d[v][least] == 0 || d[least][v] == 0 {
				least++
			}
			if want[least] == 0 || d[v][v] < want[least] {
				want[least] = d[v][v]
			}
		}
		found, components := Find(g, len(g), 1<<20)
		if components != len(want) || len(found) != len(want) {
			t.Fatalf("%v: %d cycles of %d components, want %d", g, len(found), components, len(want))
		}
		for _, c := range found {
			cyclic++
			n, member := len(c.Vertices), 0
			for i, v := range c.Vertices {
				if next := c.Vertices[(i+1)%n]; !slices.Contains(g[v], next) {
					t.Fatalf("%v: no edge from %d to %d in %v", g, v, next, c.Vertices)
				}
			}
			least := -1
			for v := range g {
				if at := int(c.Vertices[0]); d[v][at] > 0 && d[at][v] > 0 {
					member++
					if least < 0 {
						least = v
					}
				}
			}
			if n != want[least] || !c.Shortest || c.Component != member {
				t.Fatalf("%v: cycle %+v, want a cycle of %d in a component of %d", g, c, want[least], member)
			}
		}
	}
	if cyclic < 50 {
		t.Errorf("%d cycles in all: too few for a test", cyclic)
	}
}

func TestABoundEndsTheSearch(t *testing.T) {
	g := lists{{1}, {2}, {0, 3}, {2}} // a triangle, then a pair
	found, _ := Find(g, 1, 1)
	if len(found) != 1 || found[0].Shortest {
		t.Errorf("with one edge to follow: %+v, want a cycle that may not be the shortest", found)
	}
	found, _ = Find(g, 1, 100)
	if len(found) != 1 || !found[0].Shortest || len(found[0].Vertices) != 2 {
		t.Errorf("without a bound: %+v, want the pair 2, 3", found)
	}
}

func TestNoMoreComponentsAreSearchedThanAskedFor(t *testing.T) {
	g := lists{{1}, {0}, {3}, {2}, {5}, {4}}
	found, components := Find(g, 2, 100)
	if len(found) != 2 || components != 3 {
		t.Errorf("%d cycles of %d components, want 2 of 3", len(found), components)
	}
}
