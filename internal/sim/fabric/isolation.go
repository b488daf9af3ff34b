package fabric

import (
	"cmp"
	"slices"

	"weft/internal/sim/fabric/counts"
	"weft/internal/sim/fabric/isolation"
)

// dropTrespasser drops a packet at a NIC if its P_Key does not match its queue pair's, and reports whether
// it did.
func (nic *nicState) dropTrespasser(p *Partition, link, i int32) bool {
	n := p.net
	h := &p.pool.cold[i]
	to := nic.flows.flow(h.DestQP)
	if to.dst == n.inboxes[link].node { // the result of a reduction, which has many senders: its stream has one partition
		return false
	}
	from := n.nics[n.nodes[to.dst].state].flows.flow(h.SrcQP)
	if isolation.KeysMatch(from.pkey, to.pkey) {
		return false
	}
	p.logKey(isolation.TrapHCA, n.inboxes[link].back, true, i)
	p.dropFrom(link, i, counts.DropPKey)
	return true
}

// dropBarred drops a packet that a switch blocks for its P_Key, and reports whether it did. At the switch
// of its receiver the packet leaves by the static port: there is no other.
func (nd *node) dropBarred(p *Partition, link, i int32) bool {
	n, keys := p.net, p.net.pkeys
	if nd.local != byTables || !keys.Ingress && !keys.Egress {
		return false
	}
	out := nd.base + int32(n.tables.Port[int(nd.row)*n.tables.Endpoints+int(p.pool.hot[i].dst)])
	sender, receiver := n.nicBehind(n.ports[link].node), n.nicBehind(n.inboxes[out].node)
	key := p.sender(i).pkey
	switch {
	case keys.Ingress && sender >= 0 && !keys.MaySend(sender, key):
		p.logKey(isolation.TrapSwitch, n.inboxes[link].back, true, i)
	case keys.Egress && receiver >= 0 && !keys.MayReceive(receiver, key):
		p.logKey(isolation.TrapSwitch, out, false, i)
	default:
		return false
	}
	k := &p.pool.hot[i]
	p.net.free(p, link, k.class, k.size, p.now)
	p.dropFrom(link, i, counts.DropPKey)
	return true
}

// sender is the queue pair that has sent a packet. If it is in another simulation partition, only
// its constant fields may be read.
func (p *Partition) sender(i int32) *flow {
	n, h := p.net, &p.pool.cold[i]
	receiver := n.nics[n.nodes[p.pool.hot[i].dst].state].flows.flow(h.DestQP)
	return n.nics[n.nodes[receiver.dst].state].flows.flow(h.SrcQP)
}

// logKey counts a packet with a wrong key at the port that discards it.
func (p *Partition) logKey(trap int, port int32, in bool, i int32) {
	from, h := p.sender(i), &p.pool.cold[i]
	qkey := uint32(0)
	if trap == isolation.TrapQKey {
		qkey = h.RKey
	}
	p.net.offences[port].Count(isolation.Violation{
		Trap: trap, In: in, From: p.net.ports[from.port].node, To: from.dst,
		FromQP: h.SrcQP, ToQP: h.DestQP, PKey: from.pkey, QKey: qkey, SL: from.sl,
	}, p.now)
}

// dropUnrouted drops a packet from a NIC without a route in the sender's segment, and reports whether it
// did. The packet has not been admitted to a buffer yet.
func (nd *node) dropUnrouted(p *Partition, link, i int32) bool {
	n := p.net
	if nd.local != byTables {
		return false
	}
	from, to := n.nicBehind(n.ports[link].node), p.pool.hot[i].dst
	if from < 0 || n.segments.HasRoute(from, to) {
		return false
	}
	n.offences[n.inboxes[link].back].Count(isolation.Violation{From: from, To: to}, p.now)
	p.dropFrom(link, i, counts.DropSegment)
	return true
}

// Violations are the packets that were discarded for their keys or their segments, in the order of
// their first packets.
func (n *Network) Violations() (all []isolation.Violation) {
	type located struct {
		isolation.Violation
		port int
	}
	var found []located
	for port := range n.offences {
		for _, v := range n.offences[port] {
			v.Port, v.Node, v.NodePort = n.PortName(int32(port)), n.ports[port].node, n.LinkPort(int32(port))
			found = append(found, located{v, port})
		}
	}
	slices.SortFunc(found, func(a, b located) int {
		return cmp.Or(cmp.Compare(a.First, b.First), cmp.Compare(a.port, b.port),
			cmp.Compare(a.From, b.From), cmp.Compare(a.FromQP, b.FromQP))
	})
	for i := range found {
		all = append(all, found[i].Violation)
	}
	return all
}
