package fabric

import (
	"math/bits"

	"weft/internal/sim/engine"
)

// lookAhead reads the data of a cell's events in a slot before the first of them is handled: the
// processor then overlaps the waits for memory that would otherwise follow one another.
func (p *Partition) lookAhead(bucket *engine.Bucket) {
	arrivals, sending := p.split(bucket)
	p.sink = p.readLanding(arrivals) + p.readSending(sending)
}

// split returns the sources of a bucket's arrivals, and of its ports' turns to send. Their order
// cannot be predicted, so it has no branch.
func (v *preview) split(bucket *engine.Bucket) (arrivals, sending []uint64) {
	left := bucket.Left()
	if len(v.arrivals) < left {
		v.arrivals, v.sending = make([]uint64, 2*left), make([]uint64, 2*left)
	}
	arrivals, sending = v.arrivals[:left], v.sending[:left]
	l, s := 0, 0
	for j := range left {
		class, source := bucket.Peek(j)
		arrivals[l], sending[s] = source, source
		if class == classArrive {
			l++
		}
		if class == classPort {
			s++
		}
	}
	return arrivals[:l], sending[:s]
}

// readLanding reads the arriving packets, and the state of their switch: their buffers, their
// output ports and their routes. A cell normally has one switch. On Ethernet a switch needs nothing else of
// the links.
func (p *Partition) readLanding(landing []uint64) (sum int32) {
	if len(landing) == 0 {
		return 0
	}
	n, hot := p.net, p.pool.hot
	link, _ := arriving(landing[0])
	nd := &n.nodes[n.inboxes[link].node]
	for _, source := range landing {
		link, i := arriving(source)
		if sum += int32(hot[i].size); nd.kind == kindInfiniBand {
			sum += n.inboxes[link].back
		}
	}
	if len(landing) > int(nd.ports)/2 {
		sum += n.touchPorts(nd)
	}
	ways := nd.ways
	for _, source := range landing {
		link, i := arriving(source)
		k := &hot[i]
		if index := int(link)*n.classes + int(k.class); nd.kind == kindInfiniBand {
			sum += n.accounts[index].Held
		} else {
			sum += n.ingress[index].Held()
		}
		if int(k.dst) < len(ways) { // boxes have none
			sum += int32(ways[k.dst])
		}
	}
	return sum
}

// touchPorts reads a switch's state of its ports and their lanes.
func (n *Network) touchPorts(nd *node) (sum int32) {
	ports := n.ports[nd.base:][:nd.ports]
	for j := range ports {
		sum += ports[j].num
	}
	if nd.kind == kindInfiniBand {
		lanes := n.lanes[int(nd.base)*n.classes:][:int(nd.ports)*n.classes]
		for j := 0; j < len(lanes); j += lanesInLine {
			sum += lanes[j].Granted
		}
	}
	return sum
}

// readSending reads the likely next packets of ports.
func (p *Partition) readSending(sending []uint64) (sum int32) {
	n := p.net
	heads := p.ahead[:0]
	for _, source := range sending {
		link := int32(source)
		head := n.headOf(link)
		if head < 0 {
			continue
		}
		heads = append(heads, head)
		if !n.credited {
			continue
		}
		index := link * int32(n.classes)
		if l := &n.lanes[index]; l.Available < fewBlocks && l.Granted > 0 { // else the link has no credits
			sum += int32(n.updatesOf(link, index).Total)
		}
	}
	for _, i := range heads {
		sum += int32(p.pool.hot[i].size)
	}
	p.ahead = heads
	return sum
}

const (
	lanesInLine = 4  // lanes in a cache line
	fewBlocks   = 65 // of credits: less than a packet of 4096 bytes takes
)

// headOf is the likely next packet of a switch's port, -1 if none waits.
func (n *Network) headOf(link int32) int32 {
	o := &n.ports[link]
	if o.single >= 0 || o.nonEmpty == 0 {
		return o.single
	}
	class := uint8(bits.TrailingZeros16(o.nonEmpty))
	nd := &n.nodes[o.node]
	if nd.kind == kindEthernet {
		return n.egress[int(link)*n.classes+int(class)].packets.head
	}
	input := nextSet(nd.infiniband.requestsOf(n, nd, link, class), int32(n.turns[int(link)*n.classes+int(class)])+1)
	if input < 0 {
		return -1
	}
	return nd.infiniband.voqAt(n, nd, link, input, class).head
}
