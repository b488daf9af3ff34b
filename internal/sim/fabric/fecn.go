package fabric

// FECN is the marking of packets in a credit-based switch (IBA vol. 1, annex A10.2.1): an output
// lane with a queue above the threshold is congested, and the packets on it carry forward explicit
// congestion notification. It is the root of the congestion if it has credits, and a victim of
// congestion further on if it has not; only the root marks, unless the victim mask says otherwise.
// The zero value marks nothing.
//
// The specification leaves some choices to the maker of the switch. In the model, the threshold
// counts the bytes that wait at the output in one lane, over all inputs. A lane has credits if,
// after the packet, it has enough for another of the same size. The marking rate is exact and not a
// mean.
type FECN struct {
	// Threshold is the queue in bytes above which a lane is congested; 0 marks nothing.
	Threshold int32
	// MarkingRate is the number of eligible packets between two marked ones; 0 marks each.
	MarkingRate uint16
	// PacketSize is the length of the shortest packet that is marked, in bytes on the wire.
	PacketSize uint16
	// Victims marks at lanes that wait for credits, too (Victim_Mask).
	Victims bool
}

// fecnLane is the marking state of an output lane.
type fecnLane struct {
	waiting  int32  // bytes, over all inputs
	unmarked uint16 // packets since the last marked one
}

// markForward subtracts a packet that leaves by an output lane from the lane's queue, and marks it
// if the lane is congested. The packet's credits are already spent.
func (f *FECN) markForward(p *Partition, index int32, k *pkt) {
	l := &p.net.fecn[index]
	waited := l.waiting
	l.waiting -= int32(k.size)
	if waited <= f.Threshold || k.size < f.PacketSize || !k.markable() {
		return
	}
	if !f.Victims && !p.hasMore(index, k.size) {
		return
	}
	if l.unmarked < f.MarkingRate {
		l.unmarked++
		return
	}
	l.unmarked = 0
	k.mark |= marked
	p.stats.Marked++
	p.tallyMark(index)
}

// hasMore reports whether a lane has credits for one more packet of a size.
func (p *Partition) hasMore(index int32, size uint16) bool {
	l := &p.net.lanes[index]
	if l.available < blocks(size) {
		return l.takeIn(p, index/int32(p.net.classes), index, blocks(size)) <= p.now
	}
	return true
}
