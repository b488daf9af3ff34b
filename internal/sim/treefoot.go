package sim

import (
	"slices"

	"weft/internal/fabric"
	"weft/internal/topology"
)

// inTree takes in what a leg uses on which the network reduces or copies: the NIC, and
// the ports of its rail's trees. Trees of several groups share no port, but other data of
// a phase may go where a tree is: then the phase is not divided.
func (f *footing) inTree(group int, c *communicator, w *leg, talked map[[2]int32]bool, out *form) bool {
	if f.plan.unlike(f.whole) {
		return false
	}
	rail := int(w.rail) - 1
	nic := c.nic(int(w.from), rail)
	if talked[[2]int32{nic, nic}] {
		return true
	}
	talked[[2]int32{nic, nic}] = true
	leaf, port, ok := f.plan.leafPort(nic)
	if !ok {
		return false
	}
	f.islands.touch(group, resource{kind: ofNIC, at: nic})
	out.nics, out.at = append(out.nics, nic), append(out.at, [2]int32{leaf, port})
	if c.layout.Node(int(w.from)) > 0 { // the first node's leg has the tree
		return true
	}
	number := c.trees.trees[rail*c.trees.ports]
	return f.tree(group, c, number, out)
}

// tree takes in a tree: what its switches have to do, from the root down, and over what
// cables.
func (f *footing) tree(group int, c *communicator, number int32, out *form) bool {
	tree := f.plan.forest.trees[number]
	at := make(map[int32]*fabric.TreeSwitch, len(tree))
	var queue []*fabric.TreeSwitch
	for i := range tree {
		at[tree[i].Switch] = &tree[i]
		if tree[i].Parent < 0 {
			queue = append(queue, &tree[i])
		}
	}
	for ; len(queue) > 0; queue = queue[1:] {
		t := queue[0]
		out.numbers = append(out.numbers, int64(len(t.Children)))
		for _, child := range t.Children {
			cable := f.plan.graph.Nodes[t.Switch].Cables[child]
			own, far := f.plan.formOf(cable, t.Switch), f.plan.far(cable, t.Switch)
			out.numbers = own.numbers(out.numbers)
			if f.plan.graph.Nodes[far].Kind == topology.Endpoint {
				out.numbers = append(out.numbers, int64(slices.Index(c.nics, far)))
				continue
			}
			out.numbers = append(out.numbers, -1)
			below := at[far]
			queue = append(queue, below)
			if !f.carried(group, t.Switch, child, number) || !f.carried(group, far, below.Parent, number) {
				return false
			}
		}
	}
	return true
}

// carried notes that a port between switches carries a tree's data. Trees count as
// carriers below all NICs.
func (f *footing) carried(group int, sw, port, tree int32) bool {
	at := resource{ofSwitch, sw, port}
	f.islands.touch(group, at)
	carrier, known := f.carries[at]
	f.carries[at] = -1 - tree
	return !known || carrier == -1-tree
}
