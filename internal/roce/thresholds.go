package roce

import (
	"weft/units"
)

// Buffer is the buffer of a shared-buffer switch, with the parameters that decide when the sender
// of a lossless input queue is paused. Sizes are bytes.
type Buffer struct {
	Shared  units.Bytes // the pool that all queues share
	Reserve units.Bytes // of each queue, used before the pool
	// Xoff, if not 0, is a fixed threshold in the pool; otherwise the threshold is Alpha times the
	// free part of the pool.
	Xoff               units.Bytes
	AlphaNum, AlphaDen int64
}

// Threshold is the fill of an input queue when its sender is paused, including its reserve, while
// the given number of queues fill alike. With a dynamic threshold n queues settle at
// alpha·shared/(1+n·alpha) each (Choudhury and Hahne, IEEE/ACM ToN 6(2), 1998).
func (b *Buffer) Threshold(queues int) units.Bytes {
	n := int64(max(1, queues))
	if b.Xoff > 0 {
		return b.Reserve + min(b.Xoff, b.Shared/units.Bytes(n))
	}
	den := max(1, b.AlphaDen)
	return b.Reserve + units.Bytes(float64(b.Shared)*float64(b.AlphaNum)/float64(den+n*b.AlphaNum))
}

// Loop is the pause loop, from the packet that passes a threshold to the last packet that its
// sender sends. It sets the least headroom without loss.
type Loop struct {
	PerByte     units.PerByte
	Propagation units.Time  // of the cable, forward error correction included, one way
	Pipeline    units.Time  // from the input to the accounting of a packet
	Response    units.Time  // of the sender, from the frame's last bit to its stop
	Packet      units.Bytes // on the wire
	Frame       units.Bytes // a PFC frame on the wire
	// StoreAndForward says that a packet is counted at its tail, not at its head.
	StoreAndForward bool
}

// Time is the duration of the loop in its worst phase: the PFC frame waits behind a packet whose
// transmission has just begun.
func (l *Loop) Time() units.Time {
	t := l.serialised(l.Packet)
	loop := l.Pipeline + l.Propagation + t + l.serialised(l.Frame) + l.Propagation + l.Response
	if l.StoreAndForward {
		loop += t
	}
	return loop
}

// Bound is the least headroom: whole packets that arrive within the loop.
func (l *Loop) Bound() units.Bytes {
	t := l.serialised(l.Packet)
	if t <= 0 {
		return 0
	}
	return l.Packet * units.Bytes((l.Time()+t-1)/t)
}

func (l *Loop) serialised(bytes units.Bytes) units.Time {
	return units.Time(int64(bytes) * l.PerByte.Num / max(1, l.PerByte.Den))
}

// Finding is a pair of thresholds that do not fit together, and its JSON.
type Finding struct {
	Wrong  bool   `json:"wrong"` // a threshold does not serve its purpose; otherwise it works, but the user should know
	What   string `json:"what"`  // the numbers that disagree
	Remedy string `json:"remedy"`
}

// Marking is ECN's thresholds at an output queue.
type Marking struct{ Kmin, Kmax units.Bytes }

// CompareMarking checks that senders are marked before they are paused, at a switch with the given
// number of ports in use. An output queue filled by one input is as long as that input's queue. If
// Kmin lies above the threshold of a single queue, PFC always comes first (Zhu et al., SIGCOMM
// 2015, section 4, asks for the same with all ports congested).
func CompareMarking(b *Buffer, m Marking, ports int) (found []Finding) {
	one, all := b.Threshold(1), b.Threshold(ports)
	switch {
	case m.Kmin >= one:
		found = append(found, Finding{
			Wrong: true, What: "kmin " + m.Kmin.Exact() + " is no less than XOFF of a single input, " + one.Exact() + ": a sender is paused before its first packet is marked",
			Remedy: "lower ecn.kmin, or raise pfc.xoff or pfc.alpha",
		})
	case m.Kmax > one:
		found = append(found, Finding{
			What:   "kmax " + m.Kmax.Exact() + " is more than XOFF of a single input, " + one.Exact() + ": one sender is paused before all of its packets are marked",
			Remedy: "lower ecn.kmax, or raise pfc.xoff or pfc.alpha",
		})
	}
	if m.Kmin < one && m.Kmin >= all {
		found = append(found, Finding{
			What:   "with all ports congested XOFF falls to " + all.Exact() + ", and kmin is " + m.Kmin.Exact() + ": PFC may come before ECN",
			Remedy: "lower ecn.kmin",
		})
	}
	return found
}

// CompareHeadroom compares a headroom with weft's own bound, below which packets are lost, and with
// the vendor's formula, which allows for smaller packets and a longer response. vendor is 0 if it
// is not known.
func CompareHeadroom(headroom, bound, vendor units.Bytes) (found []Finding) {
	switch {
	case headroom < bound:
		found = append(found, Finding{
			Wrong: true, What: "headroom " + headroom.Exact() + " is less than the " + bound.Exact() + " that may still arrive after a pause: a lossless priority loses packets",
			Remedy: "raise pfc.headroom to " + max(bound, vendor).Exact(),
		})
	case headroom < vendor:
		found = append(found, Finding{
			What:   "headroom " + headroom.Exact() + " suffices for full packets (" + bound.Exact() + "), and the vendor's formula asks for " + vendor.Exact(),
			Remedy: "raise pfc.headroom for traffic of small packets",
		})
	}
	return found
}
