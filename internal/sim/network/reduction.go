package network

import (
	"fmt"
	"slices"

	"weft/internal/fabric"
	"weft/internal/routing"
	"weft/internal/topology"
	"weft/scenario"
)

// PlanReduction makes the trees along which the switches of a fabric with SHARP
// reduce: one for each rail, that of the same NIC of all nodes.
func (p *Plan) PlanReduction(r *scenario.Resolved) error {
	if !p.Fabric.IB.SHARP || r.Workload.Collective == "" {
		return nil
	}
	use := make(map[treePort]int)
	rails := r.Cluster.Node.NICs
	for rail := range rails {
		members := make([]topology.NodeID, r.Cluster.Nodes)
		for node := range members {
			members[node] = topology.NodeID(node*rails + rail)
		}
		nodes, err := routing.ReductionTree(p.Graph, members, 0, rail)
		if err != nil {
			return fmt.Errorf("fabric %s: %w", p.Fabric.Name, err)
		}
		tree := make(fabric.AggregationTree, len(nodes))
		for i, n := range nodes {
			tree[i] = fabric.TreeSwitch{Switch: int32(n.Switch), Parent: n.Parent, Children: n.Children}
			if err := p.claim(use, &n, rail); err != nil {
				return err
			}
		}
		p.trees = append(p.trees, tree)
	}
	return nil
}

// treePort is what a switch serves one tree of streaming aggregation by: itself, as
// port -1, or one of its ports.
type treePort struct {
	sw   topology.NodeID
	port int32
}

// claim takes what a rail's tree needs of a switch, within the switch's limit.
func (p *Plan) claim(use map[treePort]int, n *routing.ReductionNode, rail int) error {
	ports := []int32{-1}
	if p.Fabric.Switch.StreamingAggregation == scenario.AggregationPerPort {
		ports = slices.Concat(n.Children, []int32{n.Parent})
	}
	for _, port := range ports {
		at := treePort{n.Switch, port}
		if port < 0 && len(ports) > 1 {
			continue // the root has no parent
		}
		if other, taken := use[at]; taken {
			return fmt.Errorf("fabric %s: the reductions of rails %d and %d meet at %s, and the switch %s serves %s tree of streaming aggregation: cable the fabric by rails (topology.shape rail-optimised), or leave out ib.sharp",
				p.Fabric.Name, other, rail, p.Graph.Nodes[n.Switch].Name, p.Fabric.Switch.Model, p.Fabric.Switch.StreamingAggregation)
		}
		use[at] = rail
	}
	return nil
}

// aggregation is the trees as the fabric takes them; nil where nothing reduces.
func (p *Plan) aggregation() *fabric.Aggregation {
	if p.trees == nil {
		return nil
	}
	return &fabric.Aggregation{Trees: p.trees, Latency: p.Fabric.IB.SHARPLatency}
}
