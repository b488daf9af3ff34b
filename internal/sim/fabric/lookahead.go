package fabric

// manyLinks is the number of links in a partition from which on prefetching is worthwhile: with
// fewer links, the state of switches and NICs stays in the processor's caches.
const manyLinks = 1 << 11

// manyFlows is the corresponding number of connection ends in a partition, for the state of NICs.
const manyFlows = 1 << 12

// addFlow counts an end of a connection.
func (p *Partition) addFlow() {
	p.flows++
	if p.flows >= manyFlows {
		p.pool.oneByOne()
	}
}

// preview is the scratch data of prefetching.
type preview struct {
	wide              bool // the partition has enough links for prefetching
	landings          []landing
	arrivals, sending []uint64 // of split
	ahead             []int32  // packets, or ports of NICs
	sink              int32    // keeps the values that were read
}

// landing is a packet that is about to arrive at a NIC, with its flow.
type landing struct {
	flow    *flow
	nic     *nicState
	packet  int32
	port    int32 // the NIC's likely sending port
	answers bool  // it goes to the flow's requester
}

// lookAheadEnds reads the data of the ends' events in a bucket before the first of them is handled:
// the arriving packets, their flows, the flows whose turn it is to send, and, with many flows, the
// state of the NICs.
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

// readFlows reads the flows of the arriving packets.
func (p *Partition) readFlows() (sum int32) {
	for j := range p.landings {
		g := &p.landings[j]
		h := &p.pool.cold[g.packet]
		g.flow = g.nic.flows.flow(h.DestQP)
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

// readNICs reads the state of the likely sending ports: the ports that answer the arriving packets,
// and the ports whose turn it is to send; and the records of their packets.
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
		sum = n.accounts[int(n.back[port])*n.classes].Held
	}
	return sum + n.ports[port].num + n.nicQueues[int(port)*n.classes].held
}

// readRecord reads the next record of a block.
func (b *block) readRecord(p *Partition) int32 {
	i := b.next
	if i >= b.end {
		return 0
	}
	h := &p.pool.cold[i]
	return int32(p.pool.hot[i].size) + int32(h.PSN) + int32(h.VA)
}

// readRequester reads the cache lines of a flow's requester.
func (f *flow) readRequester() int32 {
	id, _ := f.qp.Oldest()
	return f.port + int32(f.qp.Flight()) + int32(id)
}
