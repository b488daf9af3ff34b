package sim

import (
	"slices"

	"weft/internal/collective"
	"weft/internal/topology"
	"weft/internal/workload"
)

// fold is a part of a phase whose groups stand for all.
type fold struct {
	phase *workload.Phase
	like  map[int32]int32 // by rank of the others: the rank that it is like
	drawn bool            // the parts are alike but for what their switches draw
}

// stand is the rank that stands for a rank.
func (f *fold) stand(rank int32) int32 {
	if at, other := f.like[rank]; other {
		return at
	}
	return rank
}

// part is the groups of a phase in one place, and what two places must have in common
// to be alike: of each group the bytes, and where in the place each member is.
type part struct {
	phase  workload.Phase
	within [][]int32
}

// folded is the fold of a phase whose groups are each in one place; nil if they are
// not. Of places that are alike the first stands for the others. place is a member's
// place and where in it the member is.
func folded(phase *workload.Phase, place func(rank int32) (at, within int32, ok bool)) *fold {
	parts, ok := partsIn(phase, place)
	if !ok {
		return nil
	}
	own := *phase
	own.Groups, own.Bytes = nil, nil
	f := &fold{phase: &own, like: make(map[int32]int32)}
	var stand []*part
	for _, p := range parts {
		i := slices.IndexFunc(stand, p.alike)
		if i < 0 {
			stand = append(stand, p)
			own.Groups, own.Bytes = append(own.Groups, p.phase.Groups...), append(own.Bytes, p.phase.Bytes...)
			continue
		}
		for k, g := range p.phase.Groups {
			for j, rank := range g {
				f.like[rank] = stand[i].phase.Groups[k][j]
			}
		}
	}
	return f
}

// partsIn are the parts of a phase, place by place; false if a group is in several.
func partsIn(phase *workload.Phase, place func(rank int32) (at, within int32, ok bool)) (list []*part, ok bool) {
	parts := make(map[int32]*part)
	for i, g := range phase.Groups {
		home, _, _ := place(g[0])
		var within []int32
		for _, rank := range g {
			at, where, ok := place(rank)
			if !ok || at != home {
				return nil, false
			}
			within = append(within, where)
		}
		p := parts[home]
		if p == nil {
			p = new(part)
			parts[home] = p
			list = append(list, p)
		}
		p.phase.Groups, p.phase.Bytes = append(p.phase.Groups, g), append(p.phase.Bytes, phase.Bytes[i])
		p.within = append(p.within, within)
	}
	return list, true
}

// alike reports whether two parts have the same in the same places.
func (p *part) alike(o *part) bool {
	return slices.Equal(p.phase.Bytes, o.phase.Bytes) && slices.EqualFunc(p.within, o.within, slices.Equal[[]int32])
}

// insideNodes is the fold of a phase whose groups stay inside nodes: the nodes are
// alike and share no link in it.
func insideNodes(cluster collective.Layout, phase *workload.Phase) *fold {
	return folded(phase, func(rank int32) (at, within int32, ok bool) {
		return int32(cluster.Node(int(rank))), int32(cluster.Local(int(rank))), true
	})
}

// underLeaves is the fold of a phase whose groups each stay under one switch, with a
// NIC for each of their members and no two of them in a node: what they send goes to
// the switch and down again, there is no other way to choose, and the switches are
// alike and share no link in it.
func (p *plan) underLeaves(cluster collective.Layout, phase *workload.Phase) *fold {
	if phase.Kind != workload.Collective || cluster.Rails() != cluster.PerNode || p.faults != nil {
		return nil
	}
	for _, g := range phase.Groups {
		nodes := make(map[int]bool)
		for _, rank := range g {
			nodes[cluster.Node(int(rank))] = true
		}
		if len(nodes) < len(g) {
			return nil
		}
	}
	f := folded(phase, func(rank int32) (at, within int32, ok bool) { return p.leafPort(rank) })
	if f != nil {
		f.drawn = true
	}
	return f
}

// leafPort is the switch that a NIC is cabled to, and the switch's port; false where it
// has several cables or none.
func (p *plan) leafPort(nic int32) (leaf, port int32, ok bool) {
	nd := &p.graph.Nodes[nic]
	if len(nd.Cables) != 1 || nd.Cables[0] < 0 {
		return 0, 0, false
	}
	c := &p.graph.Cables[nd.Cables[0]]
	far := c.A
	if far.Node == topology.NodeID(nic) {
		far = c.B
	}
	return int32(far.Node), far.Port, p.graph.Nodes[far.Node].Kind == topology.Switch
}
