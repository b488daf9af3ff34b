package subnet

import (
	"cmp"
	"strings"

	"weft/internal/base/sorting"
)

// CompareNames compares names in natural order: digits count as numbers, so node9 comes before
// node10. The result is negative, 0 or positive, as from strings.Compare.
func CompareNames(a, b string) int {
	for a != "" && b != "" {
		x, restA := digits(a)
		y, restB := digits(b)
		if x != "" && y != "" {
			x, y = strings.TrimLeft(x, "0"), strings.TrimLeft(y, "0")
			if len(x) != len(y) {
				return len(x) - len(y)
			}
			if c := strings.Compare(x, y); c != 0 {
				return c
			}
			a, b = restA, restB
			continue
		}
		if a[0] != b[0] {
			return int(a[0]) - int(b[0])
		}
		a, b = a[1:], b[1:]
	}
	return len(a) - len(b)
}

// digits splits a text into its leading number and the rest.
func digits(s string) (number, rest string) {
	i := 0
	for i < len(s) && s[i] >= '0' && s[i] <= '9' {
		i++
	}
	return s[:i], s[i:]
}

// Reordered is the subnet with its nodes in another order: of their numbers in s, each of which order has once. It shares
// nothing with s.
func (s *Subnet) Reordered(order []int32) *Subnet {
	now := make([]int32, len(order))
	for i, was := range order {
		now[was] = int32(i)
	}
	c := &Subnet{Nodes: make([]Node, len(order)), Origin: s.Origin}
	for i, was := range order {
		c.Nodes[i] = s.Nodes[was]
		c.Nodes[i].Ports = append([]Port(nil), c.Nodes[i].Ports...)
		for p := range c.Nodes[i].Ports {
			if peer := &c.Nodes[i].Ports[p].Peer; peer.Exists() {
				peer.Node = now[peer.Node]
			}
		}
	}
	if c.Origin.Exists() {
		c.Origin.Node = now[c.Origin.Node]
	}
	return c
}

// ByName are the numbers of the nodes in the natural order of their names, then of their GUIDs. It does not depend on the
// order in which a tool met the nodes.
func (s *Subnet) ByName() []int32 {
	order := make([]int32, len(s.Nodes))
	for i := range order {
		order[i] = int32(i)
	}
	sorting.StableFunc(order, func(a, b int32) int {
		x, y := &s.Nodes[a], &s.Nodes[b]
		return cmp.Or(CompareNames(x.Name, y.Name), cmp.Compare(x.Name, y.Name), cmp.Compare(x.GUID, y.GUID))
	})
	return order
}
