package fabric

import "weft/internal/engine"

// worthALook is from how many packets on it pays to look ahead: those of fewer
// are in the processor's caches.
const worthALook = 1 << 14

// manyFlows is the same of the ends of connections in a partition, for what the
// NICs work on.
const manyFlows = 1 << 12

// addFlow counts an end of a connection.
func (p *Partition) addFlow() {
	p.flows++
	if p.flows >= manyFlows {
		p.pool.oneByOne()
	}
}

// glance is a packet that is about to land at a NIC, -1 for a port's turn to send, the
// link that it is on, and the flow that it is for or whose turn it is.
type glance struct {
	packet, link int32
	flow         *flow
	sends        bool // the flow is needed as a requester
}

// lookAhead reads the packets that land in a cell in a slot before the first is
// handled: the processor overlaps the waits for memory that would otherwise follow
// one another.
func (p *Partition) lookAhead(bucket *engine.Bucket) {
	hot := p.pool.hot
	sum := int32(0)
	for j := range bucket.Left() {
		if class, source := bucket.Peek(j); class == classArrive {
			_, i := arriving(source)
			sum += int32(hot[i].size)
		}
	}
	p.sink = sum
}

// lookAheadEnds does the same for the ends' events of a bucket: the packets that
// land at NICs, and the flows that they are for or whose turn it is to send.
func (p *Partition) lookAheadEnds() {
	n := p.net
	p.glances = p.glances[:0]
	for i := range p.queue.Left() {
		class, source := p.queue.Peek(i)
		if class < classArrive || class > classPort {
			continue
		}
		packet, link := int32(-1), int32(source)
		if class == classArrive {
			link, packet = arriving(source)
		}
		node := n.ports[link].node
		if packet >= 0 {
			node = n.inboxes[link].node
		}
		if n.nodes[node].kind != kindNIC || n.nics[n.nodes[node].state].spec.Transport == nil {
			continue
		}
		switch class {
		case classArrive:
			p.glances = append(p.glances, glance{packet: packet, link: link})
		case classPort:
			if q := &n.nicQueues[int(link)*n.classes]; q.ring.n > 0 {
				p.glances = append(p.glances, glance{packet: -1, flow: q.ring.first(), sends: true})
			}
		}
	}
	p.sink = p.readFlows()
}

// readFlows reads what the packets of the glances will touch of their flows.
func (p *Partition) readFlows() (sum int32) {
	n := p.net
	for j := range p.glances {
		if g := &p.glances[j]; g.packet >= 0 {
			nic := &n.nics[n.nodes[n.inboxes[g.link].node].state]
			h := &p.pool.cold[g.packet]
			g.flow = nic.flows[h.DestQP]
			sum += int32(h.VA) // its last field: it may lie in another line
			g.sends = p.pool.hot[g.packet].role == roleReply
		}
	}
	for _, g := range p.glances {
		sum += g.flow.port
		if g.sends {
			sum += int32(g.flow.qp.Pending()) + int32(g.flow.qp.Flight())
		} else {
			sum += int32(g.flow.qp.Expected())
		}
	}
	for _, g := range p.glances {
		if g.sends {
			id, first := g.flow.qp.Oldest()
			sum += int32(id) + int32(first)
		}
	}
	return sum
}
