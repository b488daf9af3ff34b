package fabric

// manyLinks is from how many links in a partition on it pays to look ahead: what switches
// and NICs have of fewer stays in the processor's own caches.
const manyLinks = 1 << 11

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

// glance is a packet that is about to land at a NIC, or, with packet -1, a port's turn
// to send, and the flow that it is for or whose turn it is.
type glance struct {
	flow   *flow
	nic    *nicState
	packet int32
	port   int32 // that the NIC will most likely send by
	sends  bool  // the flow is needed as a requester
}

// lookAheadEnds reads what the ends' events of a bucket will touch before the first of
// them is handled: the packets that land at NICs, the flows that they are for or whose
// turn it is to send, and, where there are many, what the NICs have.
func (p *Partition) lookAheadEnds() {
	n := p.net
	p.glances = p.glances[:0]
	for i := range p.queue.Left() {
		switch class, source := p.queue.Peek(i); class {
		case classArrive:
			link, packet := arriving(source)
			b := &n.inboxes[link]
			if b.kind != kindNIC {
				continue
			}
			if nic := &n.nics[n.nodes[b.node].state]; nic.spec.Transport != nil {
				p.glances = append(p.glances, glance{packet: packet, nic: nic, port: b.back})
			}
		case classPort: // other nodes' ports have no flows
			if q := &n.nicQueues[int(source)*n.classes]; q.ring.n > 0 {
				p.glances = append(p.glances, glance{packet: -1, flow: q.ring.first(), port: int32(source), sends: true})
			}
		}
	}
	p.sink = 0
	if p.wide {
		p.sink = p.readNICs()
	}
	p.sink += p.readFlows()
}

// readFlows reads what the packets of the glances will touch of their flows.
func (p *Partition) readFlows() (sum int32) {
	for j := range p.glances {
		if g := &p.glances[j]; g.packet >= 0 {
			h := &p.pool.cold[g.packet]
			g.flow = g.nic.flows.at(h.DestQP)
			g.sends = p.pool.hot[g.packet].role == roleReply
			sum += int32(h.VA) // its last field: it may lie in another line
		}
	}
	for j := range p.glances {
		g := &p.glances[j]
		sum += g.flow.port
		if g.sends {
			id, _ := g.flow.qp.Oldest()
			sum += int32(g.flow.qp.Flight()) + int32(id)
		} else {
			sum += int32(g.flow.qp.Expected())
		}
	}
	return sum
}

// readNICs reads what the glances will touch of their NICs, and the records of the
// packets that these will send.
func (p *Partition) readNICs() (sum int32) {
	n := p.net
	for j := range p.glances {
		port := p.glances[j].port
		sum += n.ports[port].num + n.nicQueues[int(port)*n.classes].held
		if n.credited {
			sum += n.accounts[int(n.back[port])*n.classes].held
		}
	}
	for j := range p.glances {
		g := &p.glances[j]
		records := &n.nicQueues[int(g.port)*n.classes].answers
		if g.packet < 0 {
			records = &n.nicQueues[int(g.port)*n.classes].data
		}
		if i := records.next; i < records.end {
			sum += int32(p.pool.hot[i].size) + int32(p.pool.cold[i].PSN) + int32(p.pool.cold[i].VA)
		}
	}
	return sum
}
