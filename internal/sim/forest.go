package sim

import (
	"cmp"
	"fmt"
	"slices"

	"weft/internal/collective"
	"weft/internal/fabric"
	"weft/internal/routing"
	"weft/internal/runstore"
	"weft/internal/topology"
	"weft/internal/workload"
	"weft/scenario"
)

// forest is the trees along which the switches of a fabric with SHARP reduce for groups
// of ranks: for each group one for each rail, and with several planes one for each port
// of a NIC. It does what NVIDIA's Aggregation Manager does since SHARP 3.4, which makes
// trees when a job asks for them, as long as the switches' limits allow.
//
// A group asks for its trees when NCCL makes its communicator, and has them until the
// end. One that gets none goes without: NCCL then sends point to point ("Cannot
// initialize CollNet, using point-to-point network instead", src/transport/generic.cc).
type forest struct {
	plan    *plan
	cluster collective.Layout
	use     map[topology.End]int // by port, or by switch as port -1: the tree
	trees   []fabric.AggregationTree
	groves  map[string]*grove // by members
	without int               // groups that got none
	refusal error             // why the first of them did not
}

// grove is the trees of a group.
type grove struct {
	trees  []int32 // by rail and port of a NIC; none where the group goes without
	ports  int     // of a NIC
	reason error   // why there are none
}

// newForest is a fabric's trees before any group has some; nil where switches do not reduce.
func newForest(r *scenario.Resolved, p *plan) *forest {
	if !p.fabric.IB.SHARP {
		return nil
	}
	return &forest{plan: p, cluster: layoutOf(&r.Cluster), use: make(map[topology.End]int), groves: make(map[string]*grove)}
}

// maxTrees is how many trees of streaming aggregation a subnet can have, V
// (docs.nvidia.com, SHARP 3.13.0, general information: 63 with Quantum, 511 with
// Quantum-2).
var maxTrees = map[scenario.Aggregation]int{scenario.AggregationPerSwitch: 63, scenario.AggregationPerPort: 511}

// groveKey is what a group's trees are found by, in whatever order its ranks are.
func groveKey(members []int32) string { return fmt.Sprint(slices.Sorted(slices.Values(members))) }

// plant makes the trees of a group, unless it has asked before. A group inside a node
// asks for none.
func (f *forest) plant(members []int32) *grove {
	if f == nil {
		return nil
	}
	c := newCommunicator(0, f.cluster, members)
	if c.layout.Nodes < 2 {
		return nil
	}
	key := groveKey(members)
	g := f.groves[key]
	if g == nil {
		g = &grove{}
		if g.reason = f.grow(c, g); g.reason != nil {
			f.without++
			f.refusal = cmp.Or(f.refusal, g.reason)
		}
		f.groves[key] = g
	}
	return g
}

// of is the trees of a group that was planted; nil where it goes without.
func (f *forest) of(members []int32) *grove {
	if f == nil {
		return nil
	}
	if g := f.groves[groveKey(members)]; g != nil && g.reason == nil {
		return g
	}
	return nil
}

// plantForAll makes the trees of all ranks, for a workload that is one collective. An
// algorithm that needs them is an error where there are none.
func (p *plan) plantForAll(r *scenario.Resolved) error {
	op, known := operations[r.Workload.Collective]
	if !known || !reducible(op) || r.Cluster.Nodes < 2 {
		return nil
	}
	g, forced := p.forest.plant(everybody(r.Cluster.Ranks())), r.Workload.Algorithm
	switch {
	case !forced.BetweenNodes():
		return nil
	case g == nil:
		return fmt.Errorf("fabric %s: %s between nodes needs switches that reduce (ib.sharp): leave the fabric out, or take another algorithm", p.fabric.Name, forced)
	case g.reason != nil:
		return fmt.Errorf("fabric %s: %s needs trees in the switches, and there are none: %w; cable the fabric by rails (topology.shape rail-optimised), or leave the algorithm to NCCL", p.fabric.Name, forced, g.reason)
	}
	return nil
}

// reducible reports whether a network that reduces can help an operation (src/graph/tuning.cc
// of NCCL has CollNet for these).
func reducible(op collective.Op) bool {
	return op == collective.AllReduce || op == collective.AllGather || op == collective.ReduceScatter
}

// plantPhases makes the trees of the groups of a workload's phases. Those that reduce
// gradients come first, as Megatron-LM has them (--use-sharp gives SHARP to the
// data-parallel groups alone): NICs that are in several groups serve only one.
func (f *forest) plantPhases(phases []workload.Phase) {
	for _, data := range []bool{true, false} {
		for i := range phases {
			p := &phases[i]
			if p.Kind != workload.Collective || !reducible(p.Do) || (p.Purpose == workload.Data) != data {
				continue
			}
			for _, members := range p.Groups {
				f.plant(members)
			}
		}
	}
}

// plantGraph makes the trees of the groups of a graph, in the order of their numbers.
func (f *forest) plantGraph(g *workload.Graph) {
	asks := make([]bool, len(g.Groups))
	for _, ops := range g.Ranks {
		for i := range ops {
			if o := &ops[i]; o.Kind == workload.Collective && reducible(o.Do) {
				asks[o.Group] = true
			}
		}
	}
	for i := range g.Groups {
		if asks[i] {
			f.plant(g.Groups[i].Ranks)
		}
	}
}

// result is what became of the groups that asked; nil where switches do not reduce.
func (f *forest) result() *runstore.Reduction {
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
func (f *forest) grow(c *communicator, g *grove) error {
	l := &c.layout
	g.ports = max(1, cabled(&f.plan.graph.Nodes[c.nics[0]]))
	if limit, need := maxTrees[f.plan.fabric.Switch.StreamingAggregation], l.Rails()*g.ports; len(f.trees)+need > limit {
		return fmt.Errorf("its %d trees would be more than the %d of streaming aggregation that a subnet of %s switches can have", need, limit, f.plan.fabric.Switch.Model)
	}
	first, claimed := len(f.trees), []topology.End(nil)
	for rail := range l.Rails() {
		for port := range g.ports {
			tree, err := f.tree(c, rail, port)
			if err != nil {
				f.trees = f.trees[:first]
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
	for i := first; i < len(f.trees); i++ {
		g.trees = append(g.trees, int32(i))
	}
	return nil
}

// refused is why a rail has no tree, with the limit that stands in its way.
func (f *forest) refused(rail int, err error) error {
	s := &f.plan.fabric.Switch
	where := "at each port"
	if s.StreamingAggregation == scenario.AggregationPerSwitch {
		where = "at a time"
	}
	return fmt.Errorf("rail %d: %w (a %s serves one tree of streaming aggregation %s)", rail, err, s.Model, where)
}

// tree is the tree of a rail that joins a port of its NICs. Rails begin at roots of their
// own.
func (f *forest) tree(c *communicator, rail, port int) ([]routing.ReductionNode, error) {
	members := make([]topology.End, c.layout.Nodes)
	for node := range members {
		members[node] = topology.End{Node: topology.NodeID(c.nics[node*c.layout.Rails()+rail]), Port: int32(port)}
	}
	number := int(members[0].Node) % f.cluster.Rails()
	return routing.ReductionTree(f.plan.graph, members, number, f.free)
}

// unit is what serves one tree: a port of a switch, or all of it.
func (f *forest) unit(port topology.End) topology.End {
	if f.plan.fabric.Switch.StreamingAggregation == scenario.AggregationPerSwitch {
		port.Port = -1
	}
	return port
}

func (f *forest) free(port topology.End) bool {
	_, taken := f.use[f.unit(port)]
	return !taken
}

// claim takes what a tree needs of a switch.
func (f *forest) claim(n *routing.ReductionNode) (claimed []topology.End) {
	for _, port := range slices.Concat(n.Children, []int32{n.Parent}) {
		if port >= 0 {
			at := f.unit(topology.End{Node: n.Switch, Port: port})
			f.use[at] = len(f.trees)
			claimed = append(claimed, at)
		}
	}
	return claimed
}

// add takes in a tree as the fabric has it.
func (f *forest) add(nodes []routing.ReductionNode) {
	tree := make(fabric.AggregationTree, len(nodes))
	for i, n := range nodes {
		tree[i] = fabric.TreeSwitch{Switch: int32(n.Switch), Parent: n.Parent, Children: n.Children}
	}
	f.trees = append(f.trees, tree)
}

// aggregation is the trees as the fabric takes them; nil where nothing reduces.
func (f *forest) aggregation() *fabric.Aggregation {
	if f == nil || len(f.trees) == 0 {
		return nil
	}
	return &fabric.Aggregation{Trees: f.trees, Latency: f.plan.fabric.IB.SHARPLatency}
}
