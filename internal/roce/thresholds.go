package roce

import (
	"weft/units"
)

// Buffer is how a shared-buffer switch decides to pause the sender of a lossless
// input queue. Sizes are bytes.
type Buffer struct {
	Shared  units.Bytes // the pool that all queues share
	Reserve units.Bytes // of each queue, before it takes from the pool
	// Xoff, if not 0, is a fixed threshold in the pool; else the threshold is
	// Alpha over what is free there.
	Xoff               units.Bytes
	AlphaNum, AlphaDen int64
}

// Threshold is how much an input queue holds when its sender is paused, its reserve
// included, while so many queues fill alike. With a dynamic threshold n queues rest at
// alpha·shared/(1+n·alpha) each (Choudhury and Hahne, IEEE/ACM ToN 6(2), 1998).
func (b *Buffer) Threshold(queues int) units.Bytes {
	n := int64(max(1, queues))
	if b.Xoff > 0 {
		return b.Reserve + min(b.Xoff, b.Shared/units.Bytes(n))
	}
	den := max(1, b.AlphaDen)
	return b.Reserve + units.Bytes(float64(b.Shared)*float64(b.AlphaNum)/float64(den+n*b.AlphaNum))
}

// Loop is the way from the packet that passes a threshold to the last one that its
// sender sends: what sets the least headroom in which nothing is lost.
type Loop struct {
	PerByte     units.PerByte
	Propagation units.Time  // of the cable, forward error correction included, one way
	Pipeline    units.Time  // from the input to the accounting of a packet
	Response    units.Time  // of the sender, from the frame's last bit to its stop
	Packet      units.Bytes // on the wire
	Frame       units.Bytes // a PFC frame on the wire
	// StoreAndForward says that a packet is accounted for at its tail, not at its
	// head.
	StoreAndForward bool
}

// Time is how long the loop takes in its worst phase: the PFC frame finds a packet on
// the wire that has just begun, and takes its turn behind it.
func (l *Loop) Time() units.Time {
	t := l.serialised(l.Packet)
	loop := l.Pipeline + l.Propagation + t + l.serialised(l.Frame) + l.Propagation + l.Response
	if l.StoreAndForward {
		loop += t
	}
	return loop
}

// Bound is the least headroom: whole packets that come within the loop.
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

// Verdict is how much a finding weighs.
type Verdict int

// The verdicts.
const (
	Note  Verdict = iota // it works, and somebody should know
	Wrong                // it does not do what it is there for
)

// Finding is something about thresholds that do not fit one another.
type Finding struct {
	Verdict Verdict
	What    string // the numbers that disagree
	Remedy  string
}

// Marking is ECN's thresholds at an output queue.
type Marking struct{ Kmin, Kmax units.Bytes }

// CompareMarking sees whether senders are marked before they are paused: at a
// switch of so many ports in use. An output queue that one input fills is as long as
// that input's queue: where Kmin lies above the threshold of a single queue, PFC comes
// first whatever happens (Zhu et al., SIGCOMM 2015, section 4, asks for the same with
// all ports congested).
func CompareMarking(b *Buffer, m Marking, ports int) (found []Finding) {
	one, all := b.Threshold(1), b.Threshold(ports)
	switch {
	case m.Kmin >= one:
		found = append(found, Finding{
			Wrong, "kmin " + m.Kmin.Exact() + " is no less than XOFF of a single input, " + one.Exact() + ": a sender is paused before its first packet is marked",
			"lower ecn.kmin, or raise pfc.xoff or pfc.alpha",
		})
	case m.Kmax > one:
		found = append(found, Finding{
			Note, "kmax " + m.Kmax.Exact() + " is more than XOFF of a single input, " + one.Exact() + ": one sender is paused before all of its packets are marked",
			"lower ecn.kmax, or raise pfc.xoff or pfc.alpha",
		})
	}
	if m.Kmin < one && m.Kmin >= all {
		found = append(found, Finding{
			Note, "with all ports congested XOFF falls to " + all.Exact() + ", and kmin is " + m.Kmin.Exact() + ": PFC may come before ECN",
			"lower ecn.kmin",
		})
	}
	return found
}

// CompareHeadroom holds a headroom against weft's own bound, below which packets are
// lost, and against what the vendor's formula asks for, which has room for smaller
// packets and a longer response; vendor is 0 where it is not known.
func CompareHeadroom(headroom, bound, vendor units.Bytes) (found []Finding) {
	switch {
	case headroom < bound:
		found = append(found, Finding{
			Wrong, "headroom " + headroom.Exact() + " is less than the " + bound.Exact() + " that may still come after a pause: a lossless priority loses packets",
			"raise pfc.headroom to " + max(bound, vendor).Exact(),
		})
	case headroom < vendor:
		found = append(found, Finding{
			Note, "headroom " + headroom.Exact() + " holds what comes in full packets (" + bound.Exact() + "), and the vendor's formula asks for " + vendor.Exact(),
			"raise pfc.headroom for traffic of small packets",
		})
	}
	return found
}
