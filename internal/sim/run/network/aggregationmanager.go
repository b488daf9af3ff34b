package network

import (
	"cmp"
	"fmt"
	"slices"

	"weft/internal/base/topology"
	"weft/internal/sim/fabric"
	"weft/internal/sim/fabric/reduction"
	"weft/internal/sim/routing"
	"weft/results"
	"weft/scenario"
)

// AggregationManager allocates the trees along which the switches of a fabric with SHARP reduce for
// groups of ranks: for each group one for each rail, and with several planes one for each port of a
// NIC. Like NVIDIA's Aggregation Manager since SHARP 3.4, it makes trees when a job requests them,
// within the switches' limits.
//
// A group requests its trees when NCCL makes its communicator, and keeps them until the end. If
// there are no trees for a group, NCCL sends point to point ("Cannot initialize CollNet, using
// point-to-point network instead", src/transport/generic.cc).
type AggregationManager struct {
	plan    *Plan
	use     map[topology.End]bool // ports in use by a tree, or switches as port -1
	trees   []reduction.Tree
	groups  map[string]*GroupTrees // by members
	without int                    // number of groups without trees
	refusal error                  // reason for the first of them
}

// GroupTrees are the trees of a group.
type GroupTrees struct {
	Ports  int   // ports of a NIC: it has a tree for each
	Reason error // why the group has no trees; nil if it has
	first  int32 // first tree; the others follow, by rail and port
}

// Tree is the tree of a rail for a port of its NICs.
func (g *GroupTrees) Tree(rail, port int) int32 { return g.first + int32(rail*g.Ports+port) }

// newAggregationManager is a fabric's manager without any trees; nil if switches do not reduce.
func newAggregationManager(p *Plan) *AggregationManager {
	if !p.Fabric.IB.SHARP {
		return nil
	}
	return &AggregationManager{plan: p, use: make(map[topology.End]bool), groups: make(map[string]*GroupTrees)}
}

// maxTrees is the maximum number of trees of streaming aggregation in a subnet, V (docs.nvidia.com,
// SHARP 3.13.0, general information: 63 with Quantum, 511 with Quantum-2).
var maxTrees = map[scenario.Aggregation]int{scenario.AggregationPerSwitch: 63, scenario.AggregationPerPort: 511}

// groupKey identifies a group in any order of its ranks.
func groupKey(members []int32) string { return fmt.Sprint(slices.Sorted(slices.Values(members))) }

// Allocate makes the trees of a group of ranks at its first request: of NICs node by node, in the
// order of rails in each.
func (f *AggregationManager) Allocate(members []int32, rails int, nics []int32) *GroupTrees {
	key := groupKey(members)
	g := f.groups[key]
	if g == nil {
		g = &GroupTrees{Ports: max(1, f.plan.Graph.Nodes[nics[0]].Cabled()), first: int32(len(f.trees))}
		if g.Reason = f.allocate(g, rails, nics); g.Reason != nil {
			f.without++
			f.refusal = cmp.Or(f.refusal, g.Reason)
		}
		f.groups[key] = g
	}
	return g
}

// Of is the trees of a group; nil if it has none, or if switches do not reduce.
func (f *AggregationManager) Of(members []int32) *GroupTrees {
	if f == nil {
		return nil
	}
	if g := f.groups[groupKey(members)]; g != nil && g.Reason == nil {
		return g
	}
	return nil
}

// Tree is a tree by its number.
func (f *AggregationManager) Tree(number int32) reduction.Tree { return f.trees[number] }

// Result is the summary of all requests; nil if switches do not reduce.
func (f *AggregationManager) Result() *results.Reduction {
	if f == nil {
		return nil
	}
	out := &results.Reduction{Trees: len(f.trees), Groups: len(f.groups) - f.without, Without: f.without}
	if f.refusal != nil {
		out.Why = f.refusal.Error()
	}
	return out
}

// allocate makes the trees of a group: all of them, or none.
func (f *AggregationManager) allocate(g *GroupTrees, rails int, nics []int32) error {
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

// refused is the reason why a rail has no tree, with the limit.
func (f *AggregationManager) refused(rail int, err error) error {
	s := &f.plan.Fabric.Switch
	where := "at each port"
	if s.StreamingAggregation == scenario.AggregationPerSwitch {
		where = "at a time"
	}
	return fmt.Errorf("rail %d: %w (a %s serves one tree of streaming aggregation %s)", rail, err, s.Model, where)
}

// tree is the tree of a rail for a port of its NICs. Each rail begins at another root.
func (f *AggregationManager) tree(rail, rails int, nics []int32, port int) ([]routing.ReductionNode, error) {
	var members []topology.End
	for i := rail; i < len(nics); i += rails {
		members = append(members, topology.End{Node: topology.NodeID(nics[i]), Port: int32(port)})
	}
	return routing.ReductionTree(f.plan.Graph, members, int(members[0].Node)%f.plan.Node.NICs, f.free)
}

// unit is the part of a switch that serves one tree: a port, or the whole switch.
func (f *AggregationManager) unit(port topology.End) topology.End {
	if f.plan.Fabric.Switch.StreamingAggregation == scenario.AggregationPerSwitch {
		port.Port = -1
	}
	return port
}

func (f *AggregationManager) free(port topology.End) bool {
	return !f.use[f.unit(port)]
}

// claim reserves a tree's parts of a switch.
func (f *AggregationManager) claim(n *routing.ReductionNode) (claimed []topology.End) {
	for _, port := range slices.Concat(n.Children, []int32{n.Parent}) {
		if port >= 0 {
			at := f.unit(topology.End{Node: n.Switch, Port: port})
			f.use[at] = true
			claimed = append(claimed, at)
		}
	}
	return claimed
}

// add adds a tree in the fabric's form.
func (f *AggregationManager) add(nodes []routing.ReductionNode) {
	tree := make(reduction.Tree, len(nodes))
	for i, n := range nodes {
		tree[i] = reduction.TreeSwitch{Switch: int32(n.Switch), Parent: n.Parent, Children: n.Children}
	}
	f.trees = append(f.trees, tree)
}

// aggregation is the trees in the fabric's form; nil if nothing reduces.
func (f *AggregationManager) aggregation() *fabric.Aggregation {
	if f == nil || len(f.trees) == 0 {
		return nil
	}
	return &fabric.Aggregation{Trees: f.trees, Latency: f.plan.Fabric.IB.SHARPLatency}
}
