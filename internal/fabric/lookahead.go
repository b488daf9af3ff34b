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

// glance is a packet that is about to land at a NIC, and the flow that it is for.
type glance struct {
	flow    *flow
	nic     *nicState
	packet  int32
	answers bool // it goes to the flow's requester
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
	sum := int32(0)
	for i := range p.queue.Left() {
		switch class, source := p.queue.Peek(i); class {
		case classArrive:
			link, packet := arriving(source)
			b := &n.inboxes[link]
			if b.kind != kindNIC {
				continue
			}
			if nic := &n.nics[n.nodes[b.node].state]; nic.spec.Transport != nil {
				p.glances = append(p.glances, glance{packet: packet, nic: nic})
			}
		case classPort: // other nodes' ports have no flows
			if q := &n.nicQueues[int(source)*n.classes]; q.ring.n > 0 {
				sum += q.ring.first().readRequester()
			}
		}
	}
	p.sink = sum + p.readFlows()
}

// readFlows reads what the packets of the glances will touch of their flows.
func (p *Partition) readFlows() (sum int32) {
	for j := range p.glances {
		g := &p.glances[j]
		h := &p.pool.cold[g.packet]
		g.flow = g.nic.flows.at(h.DestQP)
		g.answers = p.pool.hot[g.packet].role == roleReply
		sum += int32(h.VA) // its last field: it may lie in another line
	}
	for j := range p.glances {
		if g := &p.glances[j]; g.answers {
			sum += g.flow.readRequester()
		} else {
			sum += g.flow.port + int32(g.flow.qp.Expected())
		}
	}
	return sum
}

// readRequester reads the lines of a flow that its requester works on.
func (f *flow) readRequester() int32 {
	id, _ := f.qp.Oldest()
	return f.port + int32(f.qp.Flight()) + int32(id)
}
