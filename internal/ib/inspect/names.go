package inspect

import (
	"maps"
	"slices"

	"weft/internal/ib/subnet"
	"weft/units"
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
	return in.names.of(e.Node) + " " + in.s.Nodes[e.Node].NameOfPort(e.Port)
}

// naming reports missing and duplicate names and LIDs.
func (in *inspection) naming() {
	count := map[string][]int32{}
	unnamed, mlx := 0, 0
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
	if !in.ethernet {
		in.withoutLIDs()
	}
}

// withoutLIDs counts the ports that should have a LID and have none: 0, or the permissive LID, which
// ports have until a manager gives them one.
func (in *inspection) withoutLIDs() {
	none, all := 0, 0
	for i := range in.s.Nodes {
		n := &in.s.Nodes[i]
		if isAggregation(n) {
			continue // switches give them no name, and some files no LID
		}
		for p := range n.Ports {
			if isSwitch := n.Kind == subnet.Switch; isSwitch != (p == 0) || !isSwitch && !n.Ports[p].Peer.Exists() {
				continue
			}
			all++
			if lid := n.Ports[p].LID; lid == 0 || lid == units.PermissiveLID {
				none++
			}
		}
	}
	if none == all && all > 0 {
		in.find(Note, "no-lids", nil, "no node has a LID: no Subnet Manager has run, or the file does not keep LIDs")
	} else if none > 0 {
		in.find(Warning, "no-lid", nil, "%d of %s no LID: the Subnet Manager has not brought them up", none, have(all, "port"))
	}
}

func have(n int, word string) string {
	if n == 1 {
		return "1 " + word + " has"
	}
	return plural(n, word) + " have"
}

// housings finds switch chips with one SystemImageGUID.
func (in *inspection) housings() {
	chips := map[units.GUID][]int32{}
	for i := range in.s.Nodes {
		if n := &in.s.Nodes[i]; n.Kind == subnet.Switch && n.SystemGUID != 0 {
			chips[n.SystemGUID] = append(chips[n.SystemGUID], int32(i))
		}
	}
	for _, guid := range slices.Sorted(maps.Keys(chips)) {
		nodes := chips[guid]
		if len(nodes) < 2 {
			continue
		}
		h := Housing{GUID: guid.String(), Chips: len(nodes)}
		parts := map[int]bool{}
		for _, node := range nodes {
			h.Names = append(h.Names, in.names.of(node))
			parts[in.part[in.all.number(node)]] = true
		}
		h.Planes = len(parts) == len(nodes)
		in.report.Housings = append(in.report.Housings, h)
	}
}
