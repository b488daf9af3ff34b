package network

import (
	"cmp"
	"fmt"
	"slices"

	"weft/internal/base/topology"
	"weft/internal/sim/fabric"
	"weft/internal/sim/routing"
	"weft/internal/sim/runstore"
	"weft/internal/sim/scenario"
)

// Forest is the trees along which the switches of a fabric with SHARP reduce for groups
// of ranks: for each group one for each rail, and with several planes one for each port
// of a NIC. It does what NVIDIA's Aggregation Manager does since SHARP 3.4, which makes
// trees when a job asks for them, as long as the switches' limits allow.
//
// A group asks for its trees when NCCL makes its communicator, and has them until the
// end. One that gets none goes without: NCCL then sends point to point ("Cannot
// initialize CollNet, using point-to-point network instead", src/transport/generic.cc).
type Forest struct {
	plan    *Plan
	use     map[topology.End]bool // ports that serve a tree, or switches as port -1
	trees   []fabric.AggregationTree
	groves  map[string]*Grove // by members
	without int               // groups that got none
	refusal error             // why the first of them did not
}

// Grove is the trees of a group.
type Grove struct {
	Ports  int   // of a NIC: it has a tree for each
	Reason error // why the group goes without; nil where it has trees
	first  int32 // tree; the others follow, by rail and port
}

// Tree is the tree of a rail that joins a port of its NICs.
func (g *Grove) Tree(rail, port int) int32 { return g.first + int32(rail*g.Ports+port) }

// newForest is a fabric's trees before any group has some; nil where switches do not
// reduce.
func newForest(p *Plan) *Forest {
	if !p.Fabric.IB.SHARP {
		return nil
	}
	return &Forest{plan: p, use: make(map[topology.End]bool), groves: make(map[string]*Grove)}
}

// maxTrees is how many trees of streaming aggregation a subnet can have, V
// (docs.nvidia.com, SHARP 3.13.0, general information: 63 with Quantum, 511 with
// Quantum-2).
var maxTrees = map[scenario.Aggregation]int{scenario.AggregationPerSwitch: 63, scenario.AggregationPerPort: 511}

// groveKey is what a group's trees are found by, in whatever order its ranks are.
func groveKey(members []int32) string { return fmt.Sprint(slices.Sorted(slices.Values(members))) }

// Plant makes the trees of a group of ranks, unless it has asked before: of NICs node by
// node, in the order of rails in each.
func (f *Forest) Plant(members []int32, rails int, nics []int32) *Grove {
	key := groveKey(members)
	g := f.groves[key]
	if g == nil {
		g = &Grove{Ports: max(1, f.plan.Graph.Nodes[nics[0]].Cabled()), first: int32(len(f.trees))}
		if g.Reason = f.grow(g, rails, nics); g.Reason != nil {
			f.without++
			f.refusal = cmp.Or(f.refusal, g.Reason)
		}
		f.groves[key] = g
	}
	return g
}

// Of is the trees of a group that was planted; nil where it goes without, or switches do
// not reduce.
func (f *Forest) Of(members []int32) *Grove {
	if f == nil {
		return nil
	}
	if g := f.groves[groveKey(members)]; g != nil && g.Reason == nil {
		return g
	}
	return nil
}

// Tree is a tree by its number.
func (f *Forest) Tree(number int32) fabric.AggregationTree { return f.trees[number] }

// Result is what became of the groups that asked; nil where switches do not reduce.
func (f *Forest) Result() *runstore.Reduction {
	if f == nil {
		return nil
	}
	out := &runstore.Reduction{Trees: len(f.trees), Groups: len(f.groves) - f.without, Without: f.without}
	if f.refusal != nil {
		out.Why = f.refusal.Error()
	}
	return out
}

// grow makes the trees of a group: all of them, or none.
func (f *Forest) grow(g *Grove, rails int, nics []int32) error {
	s := &f.plan.Fabric.Switch
	if limit, need := maxTrees[s.StreamingAggregation], rails*g.Ports; len(f.trees)+need > limit {
		return fmt.Errorf("its %d trees would be more than the %d of streaming aggregation that a subnet of %s switches can have", need, limit, s.Model)
	}
	seen := make(map[int32]bool)
	for _, nic := range nics {
		if seen[nic] {
			return fmt.Errorf("several of its ranks share %s, and a NIC contributes once", f.plan.Graph.Nodes[nic].Name)
		}
		seen[nic] = true
	}
	var claimed []topology.End
	for rail := range rails {
		for port := range g.Ports {
			tree, err := f.tree(rail, rails, nics, port)
			if err != nil {
				f.trees = f.trees[:g.first]
				for _, at := range claimed {
					delete(f.use, at)
				}
				return f.refused(rail, err)
			}
			for i := range tree {
				claimed = append(claimed, f.claim(&tree[i])...)
			}
			f.add(tree)
		}
	}
	return nil
}

// refused is why a rail has no tree, with the limit that stands in its way.
func (f *Forest) refused(rail int, err error) error {
	s := &f.plan.Fabric.Switch
	where := "at each port"
	if s.StreamingAggregation == scenario.AggregationPerSwitch {
		where = "at a time"
	}
	return fmt.Errorf("rail %d: %w (a %s serves one tree of streaming aggregation %s)", rail, err, s.Model, where)
}

// tree is the tree of a rail that joins a port of its NICs. Rails begin at roots of their
// own.
func (f *Forest) tree(rail, rails int, nics []int32, port int) ([]routing.ReductionNode, error) {
	var members []topology.End
	for i := rail; i < len(nics); i += rails {
		members = append(members, topology.End{Node: topology.NodeID(nics[i]), Port: int32(port)})
	}
	return routing.ReductionTree(f.plan.Graph, members, int(members[0].Node)%f.plan.Node.NICs, f.free)
}

// unit is what serves one tree: a port of a switch, or all of it.
func (f *Forest) unit(port topology.End) topology.End {
	if f.plan.Fabric.Switch.StreamingAggregation == scenario.AggregationPerSwitch {
		port.Port = -1
	}
	return port
}

func (f *Forest) free(port topology.End) bool {
	return !f.use[f.unit(port)]
}

// claim takes what a tree needs of a switch.
func (f *Forest) claim(n *routing.ReductionNode) (claimed []topology.End) {
	for _, port := range slices.Concat(n.Children, []int32{n.Parent}) {
		if port >= 0 {
			at := f.unit(topology.End{Node: n.Switch, Port: port})
			f.use[at] = true
			claimed = append(claimed, at)
		}
	}
	return claimed
}

// add takes in a tree as the fabric has it.
func (f *Forest) add(nodes []routing.ReductionNode) {
	tree := make(fabric.AggregationTree, len(nodes))
	for i, n := range nodes {
		tree[i] = fabric.TreeSwitch{Switch: int32(n.Switch), Parent: n.Parent, Children: n.Children}
	}
	f.trees = append(f.trees, tree)
}

// aggregation is the trees as the fabric takes them; nil where nothing reduces.
func (f *Forest) aggregation() *fabric.Aggregation {
	if f == nil || len(f.trees) == 0 {
		return nil
	}
	return &fabric.Aggregation{Trees: f.trees, Latency: f.plan.Fabric.IB.SHARPLatency}
}
