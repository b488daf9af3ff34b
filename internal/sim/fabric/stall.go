package fabric

import (
	"math/bits"

	"weft/units"
)

// stallFactor is how many head-of-queue lifetimes a stalled lane discards for
// (OpenSM's osm_base.h, after IBA vol. 1).
const stallFactor = 8

// justDiscarded is the state of a lane's clock after a discard: it does not run,
// and the next discard follows this one unless a packet is sent before.
const justDiscarded = units.Forever - 1

// stall is what a lane of an output remembers of its discards.
type stall struct {
	discards int // in a row
	until    units.Time
}

// stallCount is how many discards in a row stall a lane of a port; 0 is none.
func (s *InfiniBandSwitch) stallCount(o *port) int {
	if o.flags&flagTail != 0 {
		return s.LeafStallCount
	}
	return s.StallCount
}

// discarded counts a packet that was discarded at the head of a lane, and stalls
// the lane when there have been as many in a row as the port allows: it discards
// all that it gets for a time.
func (p *Partition) discarded(s *InfiniBandSwitch, index int32) {
	n := p.net
	out, class := index/int32(n.classes), uint8(int(index)%n.classes)
	o, st := &n.ports[out], &n.stalls[index]
	n.starved[index] = justDiscarded
	st.discards++
	if most := s.stallCount(o); most == 0 || st.discards < most {
		return
	}
	st.until = p.now + stallFactor*s.lifetime(o)
	n.starved[index] = units.Forever
	o.blocked |= 1 << class
	p.queue.Push(st.until, classExpire, uint64(index))
}

// resume ends the stall of a lane when its time is over.
func (p *Partition) resume(o *port, index int32) {
	if p.now >= p.net.stalls[index].until {
		o.blocked &^= 1 << (int(index) % p.net.classes)
	}
}

// discardStalled empties the stalled lanes of an output.
func (p *Partition) discardStalled(s *infinibandState, nd *node, o *port, out int32) {
	n := p.net
	p.queueSole(s, nd, o, out)
	for o.blocked&o.nonEmpty != 0 {
		class := uint8(bits.TrailingZeros16(o.blocked & o.nonEmpty))
		input := nextSet(n.wants(s, nd, out, class), int32(n.turns[int(out)*n.classes+int(class)])+1)
		p.discardHead(s, nd, o, out, input, class, DropStall)
	}
}

// discardHead drops the head of the queue of an input at an output.
func (p *Partition) discardHead(s *infinibandState, nd *node, o *port, out, input int32, class uint8, why Drop) {
	i := p.dequeue(s, nd, o, p.net.voqAt(s, nd, out, input, class), out, input, class)
	k := &p.pool.hot[i]
	if s.spec.FECN.Threshold > 0 {
		p.net.fecn[int(out)*p.net.classes+int(class)].waiting -= int32(k.size)
	}
	p.free(k.in, k.class, k.size, p.now)
	p.drop(i, why)
}
