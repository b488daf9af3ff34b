package routing

import (
	"iter"

	"weft/internal/base/topology"
)

// Loads is the number of flows on each cable: 2·c from A to B, 2·c+1 back.
type Loads []int32

func direct(g *topology.Graph, cable int32, out topology.End) int32 {
	if g.Cables[cable].A == out {
		return 2 * cable
	}
	return 2*cable + 1
}

// Load counts the flows that a pattern puts on each cable by static routing.
func Load(g *topology.Graph, t *Tables, pattern iter.Seq2[int, int]) (Loads, error) {
	loads := make(Loads, 2*len(g.Cables))
	var path []topology.End
	for src, dst := range pattern {
		var err error
		if path, err = appendPath(path[:0], g, t, src, dst, nil); err != nil {
			return nil, err
		}
		for _, e := range path {
			loads[direct(g, g.Nodes[e.Node].Cables[e.Port], e)]++
		}
	}
	return loads, nil
}

// Range is the lowest and the highest load among cables of a kind, of both
// directions.
func (l Loads) Range(g *topology.Graph, kind topology.CableKind) (low, high int32) {
	low = -1
	for c := range g.Cables {
		if g.KindOf(g.Cables[c]) != kind {
			continue
		}
		a, b := l[2*c], l[2*c+1]
		if low < 0 {
			low = a
		}
		low, high = min(low, a, b), max(high, a, b)
	}
	return max(low, 0), high
}

// Shift is the pattern in which endpoint i of n sends to i+k mod n.
func Shift(n, k int) iter.Seq2[int, int] {
	return func(yield func(int, int) bool) {
		for i := range n {
			if !yield(i, (i+k)%n) {
				return
			}
		}
	}
}

// AllToAll is the pattern in which each of n endpoints sends to each other.
func AllToAll(n int) iter.Seq2[int, int] {
	return func(yield func(int, int) bool) {
		for i := range n {
			for j := range n {
				if i != j && !yield(i, j) {
					return
				}
			}
		}
	}
}
