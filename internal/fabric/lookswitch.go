package fabric

import (
	"math/bits"

	"weft/internal/engine"
)

// lookAhead reads what the events of a cell in a slot will touch before the first of
// them is handled: the processor then overlaps the waits for memory that would otherwise
// follow one another.
func (p *Partition) lookAhead(bucket *engine.Bucket) {
	landing, sending := p.split(bucket)
	sum := int32(0)
	for _, source := range landing {
		link, i := arriving(source)
		sum += int32(p.pool.hot[i].size) + p.net.inboxes[link].node
	}
	if len(landing) > 0 {
		link, _ := arriving(landing[0])
		sum += p.net.readPortsOf(p.net.inboxes[link].node, len(landing))
	}
	sum += p.readWays(landing)
	heads := p.heads[:0]
	for _, link := range sending {
		if head := p.net.headOf(int32(link)); head >= 0 {
			heads = append(heads, head)
			if n := p.net; n.credited {
				if index := int(link) * n.classes; n.lanes[index].available < 65 {
					sum += n.accounts[index].held
				}
			}
		}
	}
	for _, i := range heads {
		sum += int32(p.pool.hot[i].size)
	}
	p.heads, p.sink = heads, sum
}

// split gives the sources of a bucket's arrivals, and of its ports' turns to send.
// Which comes next cannot be predicted, so it takes no branch.
func (p *Partition) split(bucket *engine.Bucket) (landing, sending []uint64) {
	left := bucket.Left()
	if len(p.landing) < left {
		p.landing, p.sending = make([]uint64, 2*left), make([]uint64, 2*left)
	}
	landing, sending = p.landing[:left], p.sending[:left]
	l, s := 0, 0
	for j := range left {
		class, source := bucket.Peek(j)
		landing[l], sending[s] = source, source
		if class == classArrive {
			l++
		}
		if class == classPort {
			s++
		}
	}
	return landing[:l], sending[:s]
}

// readPortsOf reads the ports of a node, if so many packets land there that most are
// needed.
func (n *Network) readPortsOf(at int32, packets int) (sum int32) {
	nd := &n.nodes[at]
	if packets < int(nd.ports)/2 {
		return 0
	}
	for port := nd.base; port < nd.base+nd.ports; port++ {
		sum += n.ports[port].num
		if nd.kind == kindInfiniBand {
			sum += n.lanes[int(port)*n.classes].granted
		}
	}
	return sum
}

// readWays reads what the switch has of the buffers that packets come to, and the ports
// by which they leave.
func (p *Partition) readWays(landing []uint64) (sum int32) {
	n := p.net
	for _, source := range landing {
		link, i := arriving(source)
		k := &p.pool.hot[i]
		nd := &n.nodes[n.inboxes[link].node]
		if index := int(link)*n.classes + int(k.class); nd.kind == kindInfiniBand {
			sum += n.accounts[index].held
		} else {
			sum += n.ingress[index].held
		}
		if int(k.dst) < len(nd.ways) { // boxes have none
			sum += int32(nd.ways[k.dst])
		}
	}
	return sum
}

// headOf is the packet that a port of a switch will most likely send next, -1 if none
// waits.
func (n *Network) headOf(link int32) int32 {
	o := &n.ports[link]
	if o.sole >= 0 || o.nonEmpty == 0 {
		return o.sole
	}
	class := bits.TrailingZeros16(o.nonEmpty)
	nd := &n.nodes[o.node]
	if nd.kind == kindEthernet {
		return n.egress[int(link)*n.classes+class].packets.head
	}
	input := nextSet(n.wants(nd.infiniband, nd, link, uint8(class)), int32(n.turns[int(link)*n.classes+class])+1)
	if input < 0 {
		return -1
	}
	return n.voqAt(nd.infiniband, nd, link, input, uint8(class)).head
}
