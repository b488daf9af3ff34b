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

// preview is what looking ahead keeps between two buckets.
type preview struct {
	wide              bool // the partition has so many links that it looks ahead
	landings          []landing
	arrivals, sending []uint64 // of split
	ahead             []int32  // packets, or ports of NICs
	sink              int32    // keeps what was read
}

// landing is a packet that is about to land at a NIC, and the flow that it is for.
type landing struct {
	flow    *flow
	nic     *nicState
	packet  int32
	port    int32 // that the NIC will most likely send by
	answers bool  // it goes to the flow's requester
}

// lookAheadEnds reads what the ends' events of a bucket will touch before the first of
// them is handled: the packets that land at NICs, the flows that they are for or whose
// turn it is to send, and, where there are many, what the NICs have.
func (p *Partition) lookAheadEnds() {
	n := p.net
	p.landings = p.landings[:0]
	turns, sum := p.ahead[:0], int32(0)
	for i := range p.queue.Left() {
		switch class, source := p.queue.Peek(i); class {
		case classArrive:
			link, packet := arriving(source)
			b := &n.inboxes[link]
			if b.kind != kindNIC {
				continue
			}
			if nic := &n.nics[n.nodes[b.node].state]; nic.spec.Transport != nil {
				p.landings = append(p.landings, landing{packet: packet, nic: nic, port: b.back})
			}
		case classPort: // other nodes' ports have no flows
			if q := &n.nicQueues[int(source)*n.classes]; q.ring.n > 0 {
				sum += q.ring.first().readRequester()
				turns = append(turns, int32(source))
			}
		}
	}
	if p.wide {
		sum += p.readNICs(turns)
	}
	p.ahead, p.sink = turns, sum+p.readFlows()
}

// readFlows reads the flows that the packets which land are for.
func (p *Partition) readFlows() (sum int32) {
	for j := range p.landings {
		g := &p.landings[j]
		h := &p.pool.cold[g.packet]
		g.flow = g.nic.flows.at(h.DestQP)
		g.answers = p.pool.hot[g.packet].role == roleReply
		sum += int32(h.VA) // its last field: it may lie in another line
	}
	for j := range p.landings {
		if g := &p.landings[j]; g.answers {
			sum += g.flow.readRequester()
		} else {
			sum += g.flow.port + int32(g.flow.qp.Expected())
		}
	}
	return sum
}

// readNICs reads the state of the ports that packets will most likely go by: the ports
// that answer the packets which land, and the ports whose turn it is to send; and the
// records of these packets.
func (p *Partition) readNICs(turns []int32) (sum int32) {
	for j := range p.landings {
		sum += p.net.readNIC(p.landings[j].port)
	}
	for _, port := range turns {
		sum += p.net.readNIC(port)
	}
	for j := range p.landings {
		sum += p.net.nicQueues[int(p.landings[j].port)*p.net.classes].answers.readRecord(p)
	}
	for _, port := range turns {
		sum += p.net.nicQueues[int(port)*p.net.classes].data.readRecord(p)
	}
	return sum
}

func (n *Network) readNIC(port int32) (sum int32) {
	if n.credited {
		sum = n.accounts[int(n.back[port])*n.classes].held
	}
	return sum + n.ports[port].num + n.nicQueues[int(port)*n.classes].held
}

// readRecord reads the next record of a bunch.
func (b *bunch) readRecord(p *Partition) int32 {
	i := b.next
	if i >= b.end {
		return 0
	}
	h := &p.pool.cold[i]
	return int32(p.pool.hot[i].size) + int32(h.PSN) + int32(h.VA)
}

// readRequester reads the lines of a flow that its requester works on.
func (f *flow) readRequester() int32 {
	id, _ := f.qp.Oldest()
	return f.port + int32(f.qp.Flight()) + int32(id)
}
