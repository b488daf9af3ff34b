package fabric

import (
	"weft/internal/transport"
	"weft/internal/transport/cc"
	"weft/internal/transport/tcp"
	"weft/units"
)

// role says what a packet is, for the fabric.
type role uint8

const (
	roleData         role = iota // end to end, data
	roleReply                    // end to end, acknowledgement or other response
	roleTrain                    // scale-up: a train of link packets
	roleMulticast                // scale-up: a train for every GPU
	roleReduce                   // scale-up: a contribution to a reduction, or its sum
	roleContribution             // reduction in the network: on its way to the next switch; entropy is its stream
	roleSum                      // the same in the aggregation unit of a switch
	roleCopy                     // scale-up: a copy of a multicast train; entropy is its record
	roleResult                   // reduction in the network: a copy of the result; entropy is its record
)

// pkt is what every hop touches of a packet: half a cache line. What only the
// ends need is kept apart, at the same index.
type pkt struct {
	// arrive is when it arrived at the node where it waits. In flight it is
	// when the packet behind it will arrive: so nobody has to look at that one
	// before its time.
	arrive  units.Time
	next    int32  // the packet behind it on a link or in a queue
	dst     int32  // node that it is bound for
	in      int32  // link by which it came into the node where it waits
	entropy uint32 // what ECMP hashes: the flow's addresses and UDP source port
	size    uint16 // bytes on the wire
	out     uint16 // in flight: 1 + the port by which it will leave the next node, 0 if not known yet
	class   uint8  // priority or virtual lane
	role    role
	mark    markBits
	told    cc.Wants // what it reports of its way; 0 is nothing
}

// markBits are what a packet carries of congestion, and in the upper half its
// service level.
type markBits uint8

const (
	marked  markBits = 1 << iota // congestion experienced
	capable                      // a switch may mark it
	trimmed                      // its payload was cut off
	lastHop                      // by the switch before its receiver
)

// levelShift is where the service level begins.
const levelShift = 4

func (m markBits) level() uint8 { return uint8(m >> levelShift) }

// markable reports whether a switch may mark the packet and has not yet.
func (k *pkt) markable() bool { return k.mark&(marked|capable) == capable }

// pool holds the packets of one partition.
type pool struct {
	hot  []pkt
	cold []transport.Packet
	segs []tcp.Segment // of TCP, made when the first is asked for
	seen []seen        // of packets that report on their way, likewise
	free int32
	live int
}

func newPool() pool { return pool{free: -1} }

// get takes a record; the caller fills all of it.
func (p *pool) get() int32 {
	p.live++
	if i := p.free; i >= 0 {
		p.free = p.hot[i].next
		return i
	}
	if len(p.hot) >= MaxPacketsInFlight {
		panic(&Overload{"packets in flight in one partition", MaxPacketsInFlight})
	}
	if len(p.hot) == cap(p.hot) {
		p.grow()
	}
	i := len(p.hot)
	p.hot, p.cold = p.hot[:i+1], p.cold[:i+1]
	return int32(i)
}

func (p *pool) grow() {
	n := len(p.hot)
	hot, cold := makeHuge[pkt](n, max(256, 2*n)), makeHuge[transport.Packet](n, max(256, 2*n))
	copy(hot, p.hot)
	copy(cold, p.cold)
	p.hot, p.cold = hot, cold
}

// segment is the TCP header of packet i.
func (p *pool) segment(i int32) *tcp.Segment {
	for len(p.segs) < len(p.hot) {
		p.segs = append(p.segs, tcp.Segment{})
	}
	return &p.segs[i]
}

// report is what packet i has seen on its way.
func (p *pool) report(i int32) *seen {
	for len(p.seen) < len(p.hot) {
		p.seen = append(p.seen, seen{})
	}
	return &p.seen[i]
}

func (p *pool) put(i int32) {
	p.live--
	p.hot[i].next = p.free
	p.free = i
}

// list is a queue of packets, first in, first out. An empty one has head -1.
type list struct {
	head, tail int32
}

var emptyList = list{-1, -1}

func (p *pool) push(q *list, i int32) {
	p.hot[i].next = -1
	if q.head < 0 {
		q.head = i
	} else {
		p.hot[q.tail].next = i
	}
	q.tail = i
}

func (p *pool) pop(q *list) int32 {
	i := q.head
	q.head = p.hot[i].next
	return i
}
