package fabric

import (
	"weft/internal/sim/transport"
	"weft/internal/sim/transport/cc"
	"weft/internal/sim/transport/tcp"
	"weft/units"
)

// role says what a packet is, for the fabric.
type role uint8

const (
	roleData         role = iota // end to end, data
	roleReply                    // end to end, acknowledgement or other response
	roleBurst                    // scale-up: a train of link packets
	roleMulticast                // scale-up: a train for every GPU
	roleReduce                   // scale-up: a contribution to a reduction, or its sum
	roleContribution             // reduction in the network: on its way to the next switch; entropy is its stream
	roleSum                      // the same in the aggregation unit of a switch
	roleCopy                     // scale-up: a copy of a multicast train; entropy is its record
	roleResult                   // reduction in the network: a copy of the result; entropy is its record
	roleNone                     // the record holds no packet
)

// pkt is what every hop touches of a packet: half a cache line. What only the
// ends need is kept apart, at the same index.
type pkt struct {
	arrive  units.Time // at the node where it waits or is bound for
	next    int32      // the packet behind it in a queue
	dst     int32      // node that it is bound for
	in      int32      // link by which it came into the node where it waits
	entropy uint32     // what ECMP hashes: the flow's addresses and UDP source port
	size    uint16     // bytes on the wire
	class   uint8      // priority or virtual lane
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

// pool holds the packets of one partition. Who makes packets takes records by the
// bunch: packets that follow each other then lie in a row, and who has touched one
// has the next in the processor's caches.
type pool struct {
	hot   []pkt
	cold  []transport.Packet
	segs  []tcp.Segment // of TCP, made when the first is asked for
	seen  []seen        // of packets that report on their way, likewise
	taken []uint8       // by bunch, where that is more than a record: those in use or in a maker's hands
	free  []int32       // bunches of which none is
	loose bunch         // of makers that have none of their own
	size  uint          // log2 of the records in a bunch
	live  int
}

// bunchSize is log2 of how many records a bunch has: eight cache lines of what is
// hot.
const bunchSize = 4

func newPool() pool { return pool{size: bunchSize} }

// oneByOne makes bunches of one record each, unless packets are about: where flows
// are many, those that follow each other go different ways, and the record that
// was put back last is the one to take.
func (p *pool) oneByOne() {
	if len(p.hot) == 0 {
		p.size = 0
	}
}

// bunch is what a maker of packets has left of one.
type bunch struct {
	next, end int32
}

// get takes a record out of a bunch; the caller fills all of it.
func (p *pool) get(b *bunch) int32 {
	p.live++
	if b.next == b.end {
		p.refill(b)
	}
	b.next++
	return b.next - 1
}

// refill gets a maker another bunch: the one that was given back last.
func (p *pool) refill(b *bunch) {
	records := 1 << p.size
	if last := len(p.free) - 1; last >= 0 {
		of := p.free[last]
		p.free = p.free[:last]
		if p.size > 0 {
			p.taken[of] = uint8(records)
		}
		b.next = of << p.size
		b.end = b.next + int32(records)
		return
	}
	n := len(p.hot)
	if n+records > MaxPacketsInFlight {
		panic(&Overload{"packets in flight in one partition", MaxPacketsInFlight})
	}
	if n+records > cap(p.hot) {
		p.grow()
	}
	p.hot, p.cold = p.hot[:n+records], p.cold[:n+records]
	for i := n; i < len(p.hot); i++ {
		p.hot[i].role = roleNone
	}
	b.next, b.end = int32(n), int32(n+records)
	p.taken = append(p.taken, uint8(records))
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
	p.hot[i].role = roleNone
	of := i >> p.size
	if p.size > 0 {
		p.taken[of]--
		if p.taken[of] > 0 {
			return
		}
	}
	p.free = append(p.free, of)
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
