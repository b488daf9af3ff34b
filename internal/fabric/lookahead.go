package fabric

// inCaches is how many bytes of a partition's state lie in the processor's own caches
// without any doing, and so need no looking ahead: about a second-level cache. What is
// counted is what its switches' ports and its packets have that every hop touches.
const (
	inCaches    = 1 << 20
	bytesAPort  = 192
	bytesPacket = 64
)

// looksFrom is from how many packets in a partition on it pays to look ahead.
func looksFrom(ports int) int {
	return max(0, inCaches-ports*bytesAPort) / bytesPacket
}

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
	takes  int32 // the record of the packet that it will most likely send
	sends  bool  // the flow is needed as a requester
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
				q := &n.nicQueues[int(b.back)*n.classes]
				p.glances = append(p.glances, glance{packet: packet, nic: nic, takes: q.answers.next})
				sum += n.ports[b.back].num
				if n.credited {
					sum += n.accounts[int(link)*n.classes].held
				}
			}
		case classPort: // other nodes' ports have no flows
			sum += n.ports[source].num
			if q := &n.nicQueues[int(source)*n.classes]; q.ring.n > 0 {
				p.glances = append(p.glances, glance{packet: -1, flow: q.ring.first(), sends: true, takes: q.data.next})
			}
		}
	}
	p.sink = sum + p.readFlows()
}

// readFlows reads what the packets of the glances will touch of their flows.
func (p *Partition) readFlows() (sum int32) {
	last := int32(len(p.pool.hot)) - 1
	for j := range p.glances {
		g := &p.glances[j]
		if i := min(g.takes, last); i >= 0 {
			sum += int32(p.pool.hot[i].size) + int32(p.pool.cold[i].PSN) + int32(p.pool.cold[i].VA)
		}
		if g.packet >= 0 {
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
