package marking

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

// Lane is the marking state of an output lane.
type Lane struct {
	Waiting  int32  // bytes, over all inputs
	unmarked uint16 // packets since the last marked one
}

// Leave subtracts a packet that leaves by a lane from the lane's queue. It reports whether the lane
// was congested before and the packet is long enough to be marked.
func (f *FECN) Leave(l *Lane, size uint16) (congested bool) {
	waited := l.Waiting
	l.Waiting -= int32(size)
	return waited > f.Threshold && size >= f.PacketSize
}

// MarksNext counts a packet that may be marked, and reports whether it is marked by the marking rate.
func (f *FECN) MarksNext(l *Lane) bool {
	if l.unmarked < f.MarkingRate {
		l.unmarked++
		return false
	}
	l.unmarked = 0
	return true
}
