package fabric

import (
	"fmt"

	"weft/internal/sim/fabric/credit"
	"weft/internal/sim/fabric/reduction"
	"weft/internal/sim/transport"
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
// The receivers of results follow from the stream (package reduction): all members, one member, or all
// members for a copy of one's data.

// Aggregation is the reduction trees of a network's switches.
type Aggregation struct {
	Trees []reduction.Tree
	// Latency is the time that the aggregation unit of a switch adds to a packet: from the head of
	// the last contribution at the unit to the head of the sum.
	Latency units.Time
}

// aggregation is the state of all trees.
type aggregation struct {
	latency units.Time
	trees   []reduction.Switches
	streams []*reduction.Stream
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
	n.aggregation = &aggregation{latency: b.Aggregation.Latency}
	for _, t := range b.Aggregation.Trees {
		n.aggregation.trees = append(n.aggregation.trees, t.Switches())
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
		}
	}
}

// loop makes the link from a switch's aggregation unit into its queues. Its updates are no packets.
func (b *Builder) loop(nd *node, c *credit.Grant) {
	n, link := &b.n, nd.aggregator()
	in := &n.inboxes[link]
	in.node, in.back, in.kind, in.part = n.ports[link].node, link, nd.kind, nd.part
	n.back[link] = link
	n.ports[link].flags |= flagUncounted
	inside := credit.Grant{Period: c.Period, Latency: c.Latency}
	for class := range n.classes {
		inside.Blocks[class] = aggregatorRoom
	}
	b.grantLink(link, &inside)
}

// Stream begins a sequence of reductions on a tree, before or during the run.
func (n *Network) Stream(tree int, kind reduction.Kind) (stream int) {
	a := n.aggregation
	a.streams = append(a.streams, reduction.NewStream(a.trees[tree], kind))
	return len(a.streams) - 1
}

// Join makes a NIC a member of a stream and returns the queue pairs for sending and for results.
// All NICs below the tree must join before a result appears. Their P_Keys must be of one partition.
func (n *Network) Join(stream int, nic int32, c Connection) (send, receive units.QPN, err error) {
	s := n.aggregation.streams[stream]
	if s.HasMember(nic) {
		return 0, 0, fmt.Errorf("%s is in the stream already", n.names[nic])
	}
	up := n.nodes[nic].base + c.Port
	if leaf := n.inboxes[up].node; s.Switch(leaf) == nil {
		return 0, 0, fmt.Errorf("%s, to which %s is connected, is not in the tree", n.names[leaf], n.names[nic])
	}
	for up >= 0 { // to the root
		sw := n.inboxes[up].node
		s.SetPortDown(sw, nic, n.back[up]-n.nodes[sw].base)
		if up = s.Switch(sw).Parent; up >= 0 {
			up += n.nodes[sw].base
		}
	}
	c.Service, c.CC, c.Entropy = transport.UC, nil, uint32(stream)
	send, receive, err = n.Connect(nic, nic, c, c)
	if err != nil {
		return 0, 0, err
	}
	n.nicOf(nic).flows.flow(send).role = roleContribution
	s.AddMember(nic, receive)
	return send, receive, nil
}

// contribute moves a contribution into the aggregation unit; the last contribution of a packet
// completes the sum. A packet that is only copied is a sum with one contribution.
func (s *infinibandState) contribute(p *Partition, b *inbox, link, i int32) {
	n := p.net
	k, h := &p.pool.hot[i], &p.pool.cold[i]
	p.net.hold(p, link, k)
	p.net.free(p, link, k.class, k.size, p.now+n.ports[link].serialisation(k.size))
	stream := n.aggregation.streams[k.entropy]
	id := reduction.ID{Key: uint64(k.entropy)<<32 | uint64(h.PSN), Node: b.node}
	if stream.Kind != reduction.Copy && !p.sums.Add(id, int32(len(stream.Switch(b.node).Children))) {
		p.absorb(i)
		return
	}
	unit := n.nodes[b.node].aggregator()
	n.lanes[int(unit)*n.classes+int(k.class)].Available -= credit.Blocks(k.size)
	k.role = roleSum
	k.arrive = p.now + n.aggregation.latency
	if n.aggregation.latency == 0 { // no event is due in the instant that is being handled
		p.arrive(unit, i)
		return
	}
	p.fly(unit, i)
}

// absorb ends a packet that is a part of a sum.
func (p *Partition) absorb(i int32) {
	p.stats.Delivered++
	p.stats.OutBytes += int64(p.pool.hot[i].size)
	p.pool.put(i)
}

// forwardSum forwards a sum that has left the unit. Messages for copying take turns.
func (s *infinibandState) forwardSum(p *Partition, b *inbox, link, i int32) {
	k := &p.pool.hot[i]
	p.net.hold(p, link, k)
	nd, stream := &p.net.nodes[b.node], k.entropy
	own := p.net.aggregation.streams[stream]
	if own.Kind != reduction.Copy {
		s.sendUp(p, nd, link, stream, i)
		return
	}
	turns := own.Turns(b.node)
	if !turns.Admit(int32(p.pool.cold[i].VA), i) {
		return
	}
	for ; i >= 0; i = turns.Next() {
		h := &p.pool.cold[i]
		turns.Forward(int32(h.VA), h.Offset+h.Length == h.DMALen)
		s.sendUp(p, nd, link, stream, i)
	}
}

// sendUp sends a sum on towards the root. At the root it becomes the result: it gets its number at
// its receivers, and goes down. On the way down the header's R_Key, which the members do not use,
// identifies the stream.
func (s *infinibandState) sendUp(p *Partition, nd *node, link int32, stream uint32, i int32) {
	own := p.net.aggregation.streams[stream]
	if parent := own.Switch(p.net.ports[nd.base].node).Parent; parent >= 0 {
		p.pool.hot[i].role = roleContribution
		s.enqueue(p, nd, nd.base+parent, i)
		return
	}
	h := &p.pool.cold[i]
	if psn, has := own.ResultNumber(int32(h.VA)); has {
		h.PSN = psn
	}
	h.RKey = stream
	s.spread(p, nd, link, i, own)
}

// forwardResult copies a result from the parent.
func (s *infinibandState) forwardResult(p *Partition, b *inbox, link, i int32) {
	p.net.hold(p, link, &p.pool.hot[i])
	s.spread(p, &p.net.nodes[b.node], link, i, p.net.aggregation.streams[p.pool.cold[i].RKey])
}

// spread queues a copy of a result for each child on the way to a receiver.
func (s *infinibandState) spread(p *Partition, nd *node, link, i int32, stream *reduction.Stream) {
	sw := p.net.ports[nd.base].node
	if stream.Kind != reduction.One {
		children := stream.Switch(sw).Children
		c := p.beginCopies(link, i, int32(len(children)))
		for _, child := range children {
			s.copyDown(p, nd, &c, child, stream)
		}
		return
	}
	c := p.beginCopies(link, i, 1)
	nic := int32(c.cold.VA)
	port, known := stream.PortDown(sw, nic)
	if !known {
		panic(fmt.Sprintf("fabric: a result for %s, which is not in the stream", p.net.names[nic]))
	}
	s.copyDown(p, nd, &c, port, stream)
}

// copyDown queues a copy at a port; at a leaf it is addressed to the NIC's queue pair.
func (s *infinibandState) copyDown(p *Partition, nd *node, c *copying, child int32, stream *reduction.Stream) {
	out := nd.base + child
	if to := p.net.inboxes[out].node; p.net.nodes[to].kind == kindNIC {
		c.cold.DestQP = stream.ResultQueue(to)
	}
	s.enqueue(p, nd, out, p.newCopy(c, out, roleResult))
}
