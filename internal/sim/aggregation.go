package sim

import (
	"fmt"
	"slices"

	"weft/internal/collective"
	"weft/internal/fabric"
	"weft/internal/routing"
	"weft/internal/topology"
	"weft/scenario"
	"weft/units"
)

// planReduction makes the trees along which the switches of a fabric with SHARP
// reduce: one for each rail, that of the same NIC of all nodes.
func (p *plan) planReduction(r *scenario.Resolved) error {
	if !p.fabric.IB.SHARP || r.Workload.Collective == "" {
		return nil
	}
	use := make(map[treePort]int)
	rails := r.Cluster.Node.NICs
	for rail := range rails {
		members := make([]topology.NodeID, r.Cluster.Nodes)
		for node := range members {
			members[node] = topology.NodeID(node*rails + rail)
		}
		nodes, err := routing.ReductionTree(p.graph, members, 0, rail)
		if err != nil {
			return fmt.Errorf("fabric %s: %w", p.fabric.Name, err)
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
func (p *plan) claim(use map[treePort]int, n *routing.ReductionNode, rail int) error {
	ports := []int32{-1}
	if p.fabric.Switch.StreamingAggregation == scenario.AggregationPerPort {
		ports = slices.Concat(n.Children, []int32{n.Parent})
	}
	for _, port := range ports {
		at := treePort{n.Switch, port}
		if port < 0 && len(ports) > 1 {
			continue // the root has no parent
		}
		if other, taken := use[at]; taken {
			return fmt.Errorf("fabric %s: the reductions of rails %d and %d meet at %s, and the switch %s serves %s tree of streaming aggregation: cable the fabric by rails (topology.shape rail-optimised), or leave out ib.sharp",
				p.fabric.Name, other, rail, p.graph.Nodes[n.Switch].Name, p.fabric.Switch.Model, p.fabric.Switch.StreamingAggregation)
		}
		use[at] = rail
	}
	return nil
}

// aggregation is the trees as the fabric takes them; nil where nothing reduces.
func (p *plan) aggregation() *fabric.Aggregation {
	if p.trees == nil {
		return nil
	}
	return &fabric.Aggregation{Trees: p.trees, Latency: p.fabric.IB.SHARPLatency}
}

// reduces reports whether a pair is a NIC's membership in a reduction of the network
// and no pair of ranks.
func (k pair) reduces() bool { return k.from == k.to }

// reductions are the streams of a collective, by rail and channel. The NICs of one
// stream send the same messages in the same order; that order is the lanes'.
type reductions struct {
	streams map[[2]int32]int
	step    collective.Step // scratch of lane
}

// join makes a NIC a member of its stream.
func (r *collectiveRun) join(k pair) (*connections, error) {
	rails := int32(r.layout.Rails())
	id := [2]int32{k.a % rails, k.channel}
	if r.reductions.streams == nil {
		r.reductions.streams = make(map[[2]int32]int)
	}
	stream, known := r.reductions.streams[id]
	if !known {
		stream = r.net.Stream(int(id[0]))
		r.reductions.streams[id] = stream
	}
	other := (k.a + rails) % (rails * int32(r.layout.Nodes))
	key, _ := r.net.plan.keys.pair(k.a, other)
	end := r.net.plan.connection(k.a, uint32(stream), uint32(stream), r.net.plan.level(k.a, other, key, 0))
	end.PKey = key
	send, receive, err := r.net.Join(stream, k.a, end)
	if err == nil {
		err = r.net.refuse(k.a, other)
	}
	if err != nil {
		return nil, err
	}
	c := &connections{slots: collective.Slots, ends: []units.QPN{send}, early: make(map[int]message), lane: int(k.channel)}
	r.bind(k.a, send, endpoint{rank: k.from, peer: receive, nic: k.a, of: c, pair: k})
	r.bind(k.a, receive, endpoint{rank: k.from, peer: send, nic: k.a})
	return c, nil
}

// contribute hands a rank's part of a reduction to its NIC: when it is the turn of
// its lane.
func (r *collectiveRun) contribute(p *fabric.Partition, rank, lane int, t *collective.Transfer, tag uint32) {
	nic := r.nic(rank, int(t.Rail)-1)
	k := pair{int32(rank), int32(rank), nic, nic, int32(lane % r.prog.Channels())}
	c, err := r.connect(k)
	if err != nil {
		r.fail(err)
		return
	}
	c.early[lane] = message{rank: rank, tag: tag, bytes: r.choice.Proto.WireBytes(t.Bytes)}
	for {
		c.lane = r.contributing(rank, c.lane)
		m, here := c.early[c.lane]
		if !here {
			break
		}
		delete(c.early, c.lane)
		c.lane += r.prog.Channels()
		c.waiting = append(c.waiting, m)
	}
	r.release(p, k, c)
}

// contributing is the first lane, from one on and then from the channel's first in
// the next iteration, in which a rank takes part in a reduction; there is one.
func (r *collectiveRun) contributing(rank, lane int) int {
	step := &r.reductions.step
	for {
		if lane >= r.prog.Lanes() {
			lane %= r.prog.Channels()
		}
		for k := 0; r.prog.Step(rank, lane, k, step); k++ {
			for i := range step.Sends {
				if step.Sends[i].Path == collective.PathNetReduce {
					return lane
				}
			}
		}
		lane += r.prog.Channels()
	}
}

// reduced frees the slot of a contribution whose result has come.
func (r *collectiveRun) reduced(p *fabric.Partition, from *endpoint) {
	from.of.slots++
	r.release(p, from.pair, from.of)
}
