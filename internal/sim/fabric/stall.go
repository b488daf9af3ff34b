package fabric

import (
	"math/bits"

	"weft/internal/sim/fabric/counts"
	"weft/units"
)

// stallFactor is the number of head-of-queue lifetimes for which a stalled lane discards (OpenSM's
// osm_base.h, after IBA vol. 1).
const stallFactor = 8

// justDiscarded is the state of a lane's clock after a discard: the clock is stopped, and the next
// discard counts as consecutive unless a packet is sent before.
const justDiscarded = units.Forever - 1

// stall is the discard state of an output lane.
type stall struct {
	discards int        // in a row
	until    units.Time `state:"until"`
}

// stallCount is the number of consecutive discards that stall a lane of a port; 0 is none.
func (s *InfiniBandSwitch) stallCount(o *port) int {
	if o.flags&flagTail != 0 {
		return s.LeafStallCount
	}
	return s.StallCount
}

// discarded counts a packet that was discarded at the head of a lane. It stalls the lane after the
// port's number of consecutive discards: the lane then discards all packets for a time.
func (s *InfiniBandSwitch) discarded(p *Partition, index int32) {
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
	p.expireAt(st.until, index)
}

// resume ends the stall of a lane when its time is over.
func (o *port) resume(p *Partition, index int32) {
	if p.now >= p.net.stalls[index].until {
		o.blocked &^= 1 << (int(index) % p.net.classes)
	}
}

// discardStalled empties the stalled lanes of an output.
func (s *infinibandState) discardStalled(p *Partition, nd *node, o *port, out int32) {
	n := p.net
	s.queueSingle(p, nd, o, out)
	for o.blocked&o.nonEmpty != 0 {
		class := uint8(bits.TrailingZeros16(o.blocked & o.nonEmpty))
		input := nextSet(s.requestsOf(n, nd, out, class), int32(n.turns[int(out)*n.classes+int(class)])+1)
		s.discardHead(p, nd, o, out, input, class, counts.DropStall)
	}
}

// discardHead drops the head of the queue of an input at an output.
func (s *infinibandState) discardHead(p *Partition, nd *node, o *port, out, input int32, class uint8, why counts.Drop) {
	i := s.dequeue(p, nd, o, s.voqAt(p.net, nd, out, input, class), out, input, class)
	k := &p.pool.hot[i]
	if s.spec.FECN.Threshold > 0 {
		p.net.fecn[int(out)*p.net.classes+int(class)].Waiting -= int32(k.size)
	}
	p.net.free(p, k.in, k.class, k.size, p.now)
	k.class = class
	p.dropAt(out, i, why)
}
