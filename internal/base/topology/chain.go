package topology

import (
	"fmt"

	"weft/units"
)

// Chain is two endpoints with switches between them in a row, or one cable.
type Chain struct {
	Switches int
	// Lengths are those of a path in a tree: to a leaf, to a spine, to a core, and back.
	Lengths Lengths
}

// Count implements Spec.
func (s Chain) Count() (Count, error) {
	g, err := s.Build()
	if err != nil {
		return Count{}, err
	}
	return Tally(g), nil
}

// Build implements Spec.
func (s Chain) Build() (*Graph, error) {
	if err := checkSizes(size{"the number of switches", s.Switches, 0, maxRadix}); err != nil {
		return nil, err
	}
	b := newBuilder(s.Lengths)
	b.add(Endpoint, 0, 1, 2, func(i int, n *Node) { n.Name = nicName(i, 1) })
	b.add(Switch, 1, 2, s.Switches, func(i int, n *Node) { n.Name = fmt.Sprintf("switch%d", i+1) })
	lengths := []units.Length{s.Lengths.NodeLeaf, s.Lengths.LeafSpine, s.Lengths.SpineCore}
	from := b.free(0)
	for i := range s.Switches + 1 {
		to := NodeID(2 + i)
		if i == s.Switches {
			to = 1
		}
		b.join(Local, from, b.free(to))
		b.g.Cables[i].Length = lengths[min(i, s.Switches-i, len(lengths)-1)]
		if i < s.Switches {
			from = b.free(to)
		}
	}
	b.g.NodeNICs = 1
	return &b.g, nil
}
