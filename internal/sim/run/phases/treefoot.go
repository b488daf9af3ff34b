package phases

import (
	"weft/internal/base/topology"

	"weft/internal/sim/fabric/reduction"
	"weft/internal/sim/run/executor"
)

// inTree adds the resources of an edge with reduction or copying in the network: the NIC, and the
// ports of its rail's trees. Trees of several groups share no port, but other data of a phase may
// use the ports of a tree: then the phase is not divided.
func (f *footing) inTree(group int, c *executor.Communicator, w *executor.Edge, talked map[[2]int32]bool, out *form) bool {
	if unlike(f.plan, f.whole) {
		return false
	}
	nic, tree, first := c.Joint(w)
	if talked[[2]int32{nic, nic}] {
		return true
	}
	talked[[2]int32{nic, nic}] = true
	leaf, port, ok := leafPort(f.plan, nic)
	if !ok {
		return false
	}
	f.islands.touch(group, resource{kind: ofNIC, at: nic})
	out.nics, out.at = append(out.nics, nic), append(out.at, [2]int32{leaf, port})
	return !first || f.tree(group, c, tree, out)
}

// tree adds a tree's resources, and describes the work of its switches, from the root down, and
// their cables.
func (f *footing) tree(group int, c *executor.Communicator, number int32, out *form) bool {
	tree := f.plan.Aggregation.Tree(number)
	at := make(map[int32]*reduction.TreeSwitch, len(tree))
	var queue []*reduction.TreeSwitch
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
			cable := f.plan.Graph.Nodes[t.Switch].Cables[child]
			own, below := formOf(f.plan, cable, t.Switch), far(f.plan, cable, t.Switch)
			out.numbers = own.numbers(out.numbers)
			if f.plan.Graph.Nodes[below].Kind == topology.Endpoint {
				out.numbers = append(out.numbers, int64(c.Place(below)))
				continue
			}
			out.numbers = append(out.numbers, -1)
			queue = append(queue, at[below])
			if !f.carried(group, t.Switch, child, number) || !f.carried(group, below, at[below].Parent, number) {
				return false
			}
		}
	}
	return true
}

// carried records that a port between switches carries a tree's data. Trees have carrier numbers
// below all NICs.
func (f *footing) carried(group int, sw, port, tree int32) bool {
	at := resource{ofSwitch, sw, port}
	f.islands.touch(group, at)
	carrier, known := f.carries[at]
	f.carries[at] = -1 - tree
	return !known || carrier == -1-tree
}
