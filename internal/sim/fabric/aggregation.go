package fabric

import (
	"weft/units"
)

// Reduction in the network, as SHARP does it in InfiniBand switches: NICs send their contributions
// up a tree of switches; each switch forwards one sum for the contributions of all its children;
// the root sends the result down again, and switches copy it to their children.
//
// Switches work packet by packet (SHARP's streaming aggregation). A contribution moves from the
// input buffer to the aggregation unit as it arrives. The unit keeps incomplete sums, and a sum
// that waits for its output; its memory is not limited in the model. A sum enters the switch's
// queues by an input of its own, so that sums keep their order. Copies of a result leave the input
// buffer together and use none of its read ports.
//
// The receivers of results are in streams.go: all members, one member, or all members for a copy of
// one's data.

// Aggregation is the reduction trees of a network's switches.
type Aggregation struct {
	Trees []AggregationTree
	// Latency is the time that the aggregation unit of a switch adds to a packet: from the head of
	// the last contribution at the unit to the head of the sum.
	Latency units.Time
}

// AggregationTree is the switches of one tree, in any order.
type AggregationTree []TreeSwitch

// TreeSwitch is one switch of a tree.
type TreeSwitch struct {
	Switch   int32   // node
	Parent   int32   // its port towards the root, from 0; -1 at the root
	Children []int32 // its ports towards NICs and switches below
}

// aggregation is the state of all trees.
type aggregation struct {
	latency units.Time
	trees   []map[int32]*TreeSwitch // by tree: by switch
	streams []stream
}

// aggregatorRoom is the credit of the aggregation unit's input, which cannot be exhausted: the
// unit's memory is not modelled.
const aggregatorRoom = 1 << 30

// aggregators is the number of ports of a switch for its aggregation unit.
func (b *Builder) aggregators() int {
	if b.Aggregation == nil {
		return 0
	}
	return 1
}

// aggregator is the link from the aggregation unit of a switch into its queues: a
// loop at its last port.
func (nd *node) aggregator() int32 { return nd.base + nd.ports - 1 }

// aggregate sets up the trees.
func (b *Builder) aggregate() {
	n := &b.n
	if b.Aggregation == nil {
		return
	}
	if b.Faults != nil {
		b.fail("reduction in the network and faults exclude each other")
		return
	}
	a := &aggregation{latency: b.Aggregation.Latency}
	for _, t := range b.Aggregation.Trees {
		at := make(map[int32]*TreeSwitch, len(t))
		for i := range t {
			s := &t[i]
			nd := &n.nodes[s.Switch]
			switch {
			case nd.kind != kindInfiniBand || nd.local != byTables:
				b.fail("%s cannot reduce: it is no InfiniBand switch", n.names[s.Switch])
			case n.infiniband[nd.state].spec.FIFO:
				b.fail("%s has FIFO inputs and cannot reduce", n.names[s.Switch])
			case len(s.Children) == 0:
				b.fail("%s has no children in its tree", n.names[s.Switch])
			default:
				b.loop(nd, &n.infiniband[nd.state].spec.Credits)
			}
			at[s.Switch] = s
		}
		a.trees = append(a.trees, at)
	}
	n.aggregation = a
}

// loop makes the link from a switch's aggregation unit into its queues. Its updates are no packets.
func (b *Builder) loop(nd *node, c *Credits) {
	n, link := &b.n, nd.aggregator()
	in := &n.inboxes[link]
	in.node, in.back, in.kind, in.part = n.ports[link].node, link, nd.kind, nd.part
	n.back[link] = link
	n.ports[link].flags |= flagUncounted
	inside := Credits{Period: c.Period, Latency: c.Latency}
	for class := range n.classes {
		inside.Blocks[class] = aggregatorRoom
	}
	b.grantLink(link, &inside)
}

// contribute moves a contribution into the aggregation unit; the last contribution of a packet
// completes the sum. A packet that is only copied is a sum with one contribution.
func (p *Partition) contribute(b *inbox, link, i int32) {
	n := p.net
	k, h := &p.pool.hot[i], &p.pool.cold[i]
	p.hold(link, k)
	p.free(link, k.class, k.size, p.now+n.ports[link].serialisation(k.size))
	s := &n.aggregation.streams[k.entropy]
	id := reduction{key: uint64(k.entropy)<<32 | uint64(h.PSN), node: b.node}
	if s.kind != StreamCopy && !p.sums.add(id, int32(len(s.at(n, b.node).Children))) {
		p.stats.Delivered++
		p.stats.OutBytes += int64(k.size)
		p.pool.put(i)
		return
	}
	unit := n.nodes[b.node].aggregator()
	n.lanes[int(unit)*n.classes+int(k.class)].available -= blocks(k.size)
	k.role = roleSum
	k.arrive = p.now + n.aggregation.latency
	if n.aggregation.latency == 0 { // no event is due in the instant that is being handled
		p.arrive(unit, i)
		return
	}
	p.fly(unit, i)
}

// passSum forwards a sum that has left the unit.
func (p *Partition) passSum(b *inbox, link, i int32) {
	n := p.net
	k := &p.pool.hot[i]
	p.hold(link, k)
	s := &n.aggregation.streams[k.entropy]
	at := inUnit{&n.nodes[b.node], s.at(n, b.node), link, k.entropy}
	if s.kind == StreamCopy {
		s.inTurn(p, &at, i)
		return
	}
	p.onward(&at, i)
}

// onward sends a sum on towards the root. At the root it becomes the result: it gets its number at
// its receivers, and goes down. On the way down the header's R_Key, which the members do not use,
// identifies the stream.
func (p *Partition) onward(at *inUnit, i int32) {
	if at.tree.Parent >= 0 {
		p.pool.hot[i].role = roleContribution
		p.net.infiniband[at.node.state].enqueue(p, at.node, at.node.base+at.tree.Parent, i)
		return
	}
	h := &p.pool.cold[i]
	p.net.aggregation.streams[at.id].number(h)
	h.RKey = at.id
	p.spread(at.node, at.tree, at.link, i, at.id)
}

// passResult copies a result from the parent.
func (p *Partition) passResult(b *inbox, link, i int32) {
	p.hold(link, &p.pool.hot[i])
	stream := p.pool.cold[i].RKey
	p.spread(&p.net.nodes[b.node], p.net.aggregation.streams[stream].at(p.net, b.node), link, i, stream)
}

// spread queues a copy of a result for each child on the way to a receiver.
func (p *Partition) spread(nd *node, t *TreeSwitch, link, i int32, stream uint32) {
	s := &p.net.aggregation.streams[stream]
	c := p.beginCopies(link, i)
	if s.kind == StreamOne {
		c.copyDown(p, nd, s.towards(p.net, t.Switch, int32(c.cold.VA)), s)
		return
	}
	for _, child := range t.Children {
		c.copyDown(p, nd, child, s)
	}
}

// copyDown queues a copy at a port; at a leaf it is addressed to the NIC's queue pair.
func (c *copying) copyDown(p *Partition, nd *node, child int32, s *stream) {
	out := nd.base + child
	if to := p.net.inboxes[out].node; p.net.nodes[to].kind == kindNIC {
		c.cold.DestQP = s.ends[to]
	}
	c.queueCopy(p, nd, out, roleResult)
}
