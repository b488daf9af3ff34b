package fabric

import (
	"fmt"

	"weft/internal/transport"
	"weft/units"
)

// Reduction in the network, as SHARP does it in InfiniBand switches: NICs send
// their contributions up a tree of switches; each switch forwards one sum for
// the contributions of all its children; the root sends the result down again,
// and switches copy it to their children.
//
// Switches work packet by packet (SHARP's streaming aggregation). A contribution
// leaves the input buffer for the aggregation unit as it comes in. The unit keeps
// what is not complete, and a sum that waits for its output; how much room it
// has for that is left out. A sum enters the switch's queues by an input of its
// own, so that sums keep their order. Copies of a result leave the input buffer
// together and take none of its read ports.

// Aggregation is what a network's switches reduce by.
type Aggregation struct {
	Trees []AggregationTree
	// Latency is what the aggregation unit of a switch adds to the way of a packet:
	// from the last contribution's head at the unit to the sum's.
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

// stream is an ordered sequence of reductions on a tree: its members send the
// same packets in the same order.
type stream struct {
	tree int
	ends map[int32]units.QPN // by NIC: where results go
}

// aggregatorRoom is the credit of the aggregation unit's input, which nobody can
// exhaust: the unit's room is not modelled.
const aggregatorRoom = 1 << 30

// aggregators is how many ports a switch has for its aggregation unit.
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
				n.loop(nd, &n.infiniband[nd.state].spec.Credits)
			}
			at[s.Switch] = s
		}
		a.trees = append(a.trees, at)
	}
	n.aggregation = a
}

// loop makes the link from a switch's aggregation unit into its queues.
func (n *Network) loop(nd *node, c *Credits) {
	link := nd.aggregator()
	in := &n.inboxes[link]
	in.node, in.back, in.kind, in.part = n.ports[link].node, link, nd.kind, nd.part
	n.back[link] = link
	n.ports[link].flags |= flagUncounted
	n.creditLinks[link] = creditLink{period: c.Period, latency: c.Latency}
	for class := range n.classes {
		index := int(link)*n.classes + class
		n.accounts[index] = account{granted: aggregatorRoom, period: int32(c.Period), back: link}
		n.lanes[index] = newLane(aggregatorRoom, c.Period, c.Latency)
	}
}

// Stream begins a sequence of reductions on a tree, before the run or in it.
func (n *Network) Stream(tree int) (stream int) {
	n.aggregation.streams = append(n.aggregation.streams, newStream(tree))
	return len(n.aggregation.streams) - 1
}

func newStream(tree int) stream { return stream{tree: tree, ends: make(map[int32]units.QPN)} }

// Join makes a NIC a member of a stream and gives the queue pairs by which it
// sends contributions and gets results. All NICs below the tree must join before
// a result comes out.
func (n *Network) Join(stream int, nic int32, c Connection) (send, receive units.QPN, err error) {
	s := &n.aggregation.streams[stream]
	if _, twice := s.ends[nic]; twice {
		return 0, 0, fmt.Errorf("%s is in the stream already", n.names[nic])
	}
	leaf := n.inboxes[n.nodes[nic].base+c.Port].node
	if n.aggregation.trees[s.tree][leaf] == nil {
		return 0, 0, fmt.Errorf("%s, to which %s is connected, is not in the tree", n.names[leaf], n.names[nic])
	}
	c.Service, c.CC, c.Entropy = transport.UC, nil, uint32(stream)
	send, receive, err = n.Connect(nic, nic, c, c)
	if err != nil {
		return 0, 0, err
	}
	n.nics[n.nodes[nic].state].flows[send].role = roleContribution
	s.ends[nic] = receive
	return send, receive, nil
}

// contribute takes a contribution into the aggregation unit; the last one of a
// packet becomes the sum.
func (p *Partition) contribute(b *inbox, link, i int32) {
	n := p.net
	k, h := &p.pool.hot[i], &p.pool.cold[i]
	p.hold(link, k)
	p.free(link, k.class, k.size, p.now+n.ports[link].serialisation(k.size))
	id := reduction{key: uint64(k.entropy)<<32 | uint64(h.PSN), node: b.node}
	if p.sums == nil {
		p.sums = make(map[reduction]int32)
	}
	p.sums[id]++
	if int(p.sums[id]) < len(n.treeSwitch(k.entropy, b.node).Children) {
		p.stats.Delivered++
		p.stats.OutBytes += int64(k.size)
		p.pool.put(i)
		return
	}
	delete(p.sums, id)
	unit := n.nodes[b.node].aggregator()
	n.lanes[int(unit)*n.classes+int(k.class)].available -= blocks(k.size)
	k.role = roleSum
	k.arrive = p.now + n.aggregation.latency
	p.fly(unit, i)
}

// treeSwitch is a switch's place in the tree of a stream.
func (n *Network) treeSwitch(stream uint32, node int32) *TreeSwitch {
	return n.aggregation.trees[n.aggregation.streams[stream].tree][node]
}

// passSum sends a sum on towards the root; at the root it is the result.
func (p *Partition) passSum(b *inbox, link, i int32) {
	n := p.net
	k := &p.pool.hot[i]
	nd := &n.nodes[b.node]
	p.hold(link, k)
	t := n.treeSwitch(k.entropy, b.node)
	if t.Parent < 0 {
		p.spread(nd, t, link, i, k.entropy)
		return
	}
	k.role = roleContribution
	p.enqueue(&n.infiniband[nd.state], nd, nd.base+t.Parent, i)
}

// passResult copies a result that has come from the parent.
func (p *Partition) passResult(b *inbox, link, i int32) {
	p.hold(link, &p.pool.hot[i])
	stream := p.pool.cold[i].RKey
	p.spread(&p.net.nodes[b.node], p.net.treeSwitch(stream, b.node), link, i, stream)
}

// spread queues a copy of a result for each child. On the way down the header's
// R_Key, which the members do not use, names the stream.
func (p *Partition) spread(nd *node, t *TreeSwitch, link, i int32, stream uint32) {
	p.pool.cold[i].RKey = stream
	c := p.beginCopies(link, i)
	for _, child := range t.Children {
		out := nd.base + child
		if to := p.net.inboxes[out].node; p.net.nodes[to].kind == kindNIC {
			c.cold.DestQP = p.net.aggregation.streams[stream].ends[to]
		}
		p.queueCopy(&c, nd, out, roleResult)
	}
}
