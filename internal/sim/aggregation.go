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

// joinStream makes a NIC a member of the reductions of its rail and a channel. The NICs
// of one stream send the same messages in the same order, which is that of the lanes.
func (c *carrier) joinStream(k pair) (*connections, error) {
	rails := int32(c.net.plan.node.NICs)
	id := [2]int32{k.a % rails, k.channel}
	stream, known := c.streams[id]
	if !known {
		if c.streams == nil {
			c.streams = make(map[[2]int32]int)
		}
		stream = c.net.Stream(int(id[0]))
		c.streams[id] = stream
	}
	other := (k.a + rails) % int32(len(c.ends))
	key, _ := c.net.plan.keys.pair(k.a, other)
	end := c.net.plan.connection(k.a, uint32(stream), uint32(stream), c.net.plan.level(k.a, other, key, 0))
	end.PKey = key
	send, receive, err := c.net.Join(stream, k.a, end)
	if err == nil {
		err = c.net.refuse(k.a, other)
	}
	if err != nil {
		return nil, err
	}
	under := newUnderWay(c.room())
	l := &connections{slots: collective.Slots, ends: []units.QPN{send}, early: make(map[int]message), lane: int(k.channel)}
	c.bind(k.a, send, endpoint{rank: k.from, under: under, of: l, pair: k})
	c.bind(k.a, receive, endpoint{rank: k.from, under: under, of: l, from: new(partsLeft), pair: k})
	return l, nil
}

// reduced frees the slot of a contribution whose result has come.
func (c *carrier) reduced(p *fabric.Partition, e *endpoint) {
	e.under.end()
	e.of.slots++
	c.release(p, e.pair, e.of)
}

// contribute hands a member's part of a reduction to its NIC, when it is the turn of
// its lane.
func (r *collectives) contribute(p *fabric.Partition, o *operation, member, lane int, t *collective.Transfer, m fabric.LocalMessage) {
	c, prog := o.comm, o.plan.program
	rank, nic := c.members[member], c.nic(member, int(t.Rail)-1)
	k := pair{from: rank, to: rank, a: nic, b: nic, channel: int32(lane % prog.Channels()), group: c.id}
	l, err := r.connect(k)
	if err != nil {
		r.fail(p, nic, err)
		return
	}
	l.early[lane] = message{rank: int(rank), pace: &o.plan.pace, tag: m.Tag, bytes: m.Bytes}
	for {
		l.lane = r.contributing(p, prog, member, l.lane)
		next, here := l.early[l.lane]
		if !here {
			break
		}
		delete(l.early, l.lane)
		l.lane += prog.Channels()
		next.number = l.sent
		l.sent++
		l.waiting = append(l.waiting, next)
	}
	r.release(p, k, l)
}

// contributing is the first lane, from one on and then from the channel's first in
// the next operation, in which a member takes part in a reduction; there is one.
func (r *collectives) contributing(p *fabric.Partition, prog collective.Program, member, lane int) int {
	s := &r.share(p).peeked
	for {
		if lane >= prog.Lanes() {
			lane %= prog.Channels()
		}
		for k := 0; prog.Step(member, lane, k, s); k++ {
			for i := range s.Sends {
				if s.Sends[i].Path == collective.PathNetReduce {
					return lane
				}
			}
		}
		lane += prog.Channels()
	}
}
