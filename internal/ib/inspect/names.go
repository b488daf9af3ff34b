package inspect

import (
	"fmt"
	"slices"

	"weft/internal/ib/subnet"
)

// names is the names of nodes in messages, by node: the description, and the GUID behind it if
// several nodes have that description.
type names []string

func namesOf(s *subnet.Subnet) names {
	count := map[string]int{}
	for i := range s.Nodes {
		count[s.Nodes[i].Name]++
	}
	out := make(names, len(s.Nodes))
	for i := range s.Nodes {
		out[i] = s.NodeName(int32(i))
		if n := &s.Nodes[i]; n.Name != "" && count[n.Name] > 1 {
			out[i] += " (" + n.GUID.String() + ")"
		}
	}
	return out
}

func (n names) of(node int32) string { return n[node] }

func (in *inspection) endName(e subnet.End) string {
	return fmt.Sprintf("%s port %d", in.names.of(e.Node), e.Port)
}

// naming reports missing and duplicate names and LIDs.
func (in *inspection) naming() {
	count := map[string][]int32{}
	unnamed, noLID, mlx := 0, 0, 0
	for i := range in.s.Nodes {
		n := &in.s.Nodes[i]
		switch {
		case isAggregation(n):
			continue
		case isUnnamed(n) && n.Kind == subnet.Switch:
			unnamed++
		case !isUnnamed(n):
			count[n.Name] = append(count[n.Name], int32(i))
		}
		if p := &n.Ports[n.Base()]; p.LID == 0 && (n.Kind == subnet.Switch || p.Peer.Exists()) {
			noLID++
		}
		if isUnnamed(n) && n.Kind == subnet.Adapter {
			mlx++
		}
	}
	var twice []string
	for name, nodes := range count {
		if len(nodes) > 1 {
			twice = append(twice, name)
		}
	}
	slices.Sort(twice)
	for _, name := range twice {
		nodes := count[name]
		first, second := &in.s.Nodes[nodes[0]], &in.s.Nodes[nodes[1]]
		in.find(Warning, "duplicate-name", nil, "%s have the name %q (%v, %v): messages with this name are ambiguous", plural(len(nodes), "node"), name, first.GUID, second.GUID)
	}
	if unnamed > 0 {
		in.find(Note, "unnamed-switch", nil, "%s only the vendor's default name: name switches, or give the tools a node-name-map", have(unnamed, "switch"))
	}
	if mlx > 0 {
		in.find(Note, "unnamed-adapter", nil, "%s only the vendor's default name: which host they are in is unknown", have(mlx, "adapter"))
	}
	if noLID == len(in.s.Nodes) && noLID > 0 {
		in.find(Note, "no-lids", nil, "no node has a LID: no Subnet Manager has run, or the file does not keep LIDs")
	} else if noLID > 0 {
		in.find(Warning, "no-lid", nil, "%s no LID: the Subnet Manager has not brought them up", have(noLID, "node"))
	}
}

func have(n int, word string) string {
	if n == 1 {
		return "1 " + word + " has"
	}
	return plural(n, word) + " have"
}

// housings finds directors: switch chips with one SystemImageGUID.
func (in *inspection) housings() {
	chips := map[string][]string{}
	for i := range in.s.Nodes {
		if n := &in.s.Nodes[i]; n.Kind == subnet.Switch && n.SystemGUID != 0 {
			key := n.SystemGUID.String()
			chips[key] = append(chips[key], in.names.of(int32(i)))
		}
	}
	for guid, names := range chips {
		if len(names) > 1 {
			in.report.Housings = append(in.report.Housings, Housing{GUID: guid, Chips: len(names), Names: names})
		}
	}
	slices.SortFunc(in.report.Housings, func(a, b Housing) int {
		if a.GUID < b.GUID {
			return -1
		}
		return 1
	})
}
