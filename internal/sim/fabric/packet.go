package fabric

import (
	"weft/internal/sim/transport"
	"weft/internal/sim/transport/cc"
	"weft/internal/sim/transport/tcp"
	"weft/units"
)

// role is the kind of a packet in the fabric.
type role uint8

const (
	roleData         role = iota // end to end, data
	roleReply                    // end to end, acknowledgement or other response
	roleForeign                  // end to end, of a queue pair outside of the simulation
	roleBurst                    // scale-up: a burst of link packets
	roleMulticast                // scale-up: a burst for every GPU
	roleReduce                   // scale-up: a contribution to a reduction, or its sum
	roleContribution             // reduction in the network: in transit to the next switch; entropy is its stream
	roleSum                      // reduction in the network: in the aggregation unit of a switch
	roleCopy                     // scale-up: a copy of a multicast burst; entropy is its record
	roleResult                   // reduction in the network: a copy of the result; entropy is its record
	roleNone                     // the record holds no packet
)

// pkt is the part of a packet that every hop touches: half a cache line. The part for the ends is
// separate, at the same index.
type pkt struct {
	arrive  units.Time // at the node where it waits or its next node
	next    int32      `state:"-"` // the packet behind it in a queue
	dst     int32      // destination node
	in      int32      // link by which it came to the node where it waits
	entropy uint32     // the input of ECMP's hash: the flow's addresses and UDP source port
	size    uint16     // bytes on the wire
	class   uint8      // priority or virtual lane
	role    role
	mark    markBits
	wants   cc.Wants // telemetry that it reports; 0 is none
	ordered bool     // switches that choose packet by packet keep it in order
}

// markBits are a packet's congestion marks, and in the upper half its service level.
type markBits uint8

const (
	marked  markBits = 1 << iota // congestion experienced
	capable                      // a switch may mark it
	trimmed                      // its payload was cut off
	lastHop                      // by the switch before its receiver
)

// levelShift is the position of the service level.
const levelShift = 4

func (m markBits) level() uint8 { return uint8(m >> levelShift) }

// has reports whether a set of classes, a bit each, has a class.
func has(classes uint16, class uint8) bool { return uint32(classes)>>(class&31)&1 != 0 }

// markable reports whether a switch may mark the packet and has not yet.
func (k *pkt) markable() bool { return k.mark&(marked|capable) == capable }

// pool holds the packets of one simulation partition. A maker of packets takes records by the
// block: consecutive packets are then adjacent in memory, and reading one brings the next into the
// processor's caches.
type pool struct {
	hot   []pkt
	cold  []transport.Packet
	segs  []tcp.Segment // TCP headers, allocated at the first use
	seen  []seen        // records of packets with telemetry, likewise
	taken []uint8       // by block of several records: number of records in use or with a maker
	free  []int32       // free blocks
	loose block         // block of makers without their own
	size  uint          // log2 of the records in a block
	live  int
}

// blockSize is log2 of the number of records in a block: eight cache lines of hot records.
const blockSize = 4

func newPool() pool { return pool{size: blockSize} }

// oneByOne makes blocks of one record each, unless there are packets already: with many flows,
// consecutive packets go different ways, and the most recently returned record is the best choice.
func (p *pool) oneByOne() {
	if len(p.hot) == 0 {
		p.size = 0
	}
}

// block is the rest of a maker's current block of records.
type block struct {
	next, end int32
}

// get takes a record from a block; the caller fills all of it.
func (p *pool) get(b *block) int32 {
	p.live++
	if b.next == b.end {
		p.refill(b)
	}
	b.next++
	return b.next - 1
}

// refill gives a maker another block: the most recently returned one.
func (p *pool) refill(b *block) {
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

// report is the telemetry of packet i.
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
