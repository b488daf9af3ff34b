package executor

import (
	"math"
	"slices"

	"weft/internal/sim/fabric"
	"weft/internal/sim/run/streams"
	"weft/internal/sim/state"
	"weft/internal/sim/workload"
)

// canSkipPeriods reports whether the run's state has all on which the run depends.
func (r *graphRun) canSkipPeriods(beside *streams.Streams) bool {
	return beside.None() && r.Jitter == nil && !r.Path.Inlines() &&
		r.graph.Sender != workload.GPU // how it posts is not compared
}

// Survey does nothing: a graph records no steps.
func (r *graphRun) Survey() {}

// leadingSteps is the least number of steps of an operation whose steps are beats. Shorter ones end before they repeat themselves.
const leadingSteps = 64

// lead makes the steps of an operation beats, if it is long and no other's are.
func (r *graphRun) lead(o *operation) {
	if r.leading == nil && o.plan.program.Lanes()/o.plan.channels*o.plan.steps(0) >= leadingSteps {
		r.leading, o.leads = o, true
	}
}

// leadNext makes another operation the leading one.
func (r *graphRun) leadNext() {
	ended := r.leading
	r.leading = nil
	for _, o := range r.register.all[:r.used] {
		if o != ended && !o.free {
			r.lead(o)
		}
	}
}

// FurtherPeriods is the number of further periods in which all ranks go on in their lists as in the period before,
// and all steps of operations are like those before.
func (r *graphRun) FurtherPeriods(w *state.Walk) uint64 {
	times := math.MaxInt
	for rank := range r.graph.Ranks {
		if by := int(w.MovedBy(opsOf(rank))); by < 0 {
			return 0
		} else if by > 0 {
			times = min(times, r.periodsOfOps(w, rank, by))
		}
		if times <= 0 {
			return 0
		}
	}
	for _, o := range r.register.all[:r.used] {
		if o.free {
			continue
		}
		if times = min(times, r.periodsOfSteps(w, o)); times <= 0 {
			return 0
		}
	}
	return uint64(times)
}

// periodsOfSteps is the number of periods for which an operation does the same. If the slot held another
// operation a period ago, that one was at the same steps.
func (r *graphRun) periodsOfSteps(w *state.Walk, o *operation) int {
	times := math.MaxInt
	for member, rank := range o.comm.Members {
		for channel := range o.members[member].channels {
			if w.MovedBy(tagGroup(o.number, channel)) == 0 {
				continue
			}
			if w.MovedBy(opsOf(int(rank))) != 0 {
				return 0
			}
			times = min(times, o.periods(w, member, channel))
		}
	}
	return times
}

// periodsOfOps is the number of further periods in which a rank moves on by a number of operations that are
// like those so many places before them.
func (r *graphRun) periodsOfOps(w *state.Walk, rank, by int) int {
	p := r.progress[rank]
	low, high := p.Window(r.timeline.Spans[rank])
	first, reach := low-by, high // what the period has touched
	for i := first; i < high; i++ {
		p.Dependents(int32(i), func(after int32) { reach = max(reach, int(after)+1) })
	}
	at := first
	for at+by < len(r.graph.Ranks[rank]) && r.isAlike(w, rank, int32(at), int32(by)) {
		at++
	}
	if at < reach {
		return 0
	}
	return (at-reach)/by + 1
}

// isAlike reports whether an operation of a rank is like the one so many places behind it.
func (r *graphRun) isAlike(w *state.Walk, rank int, op, by int32) bool {
	a, b := &r.graph.Ranks[rank][op], &r.graph.Ranks[rank][op+by]
	if a.Kind != b.Kind || a.Stream != b.Stream || a.Unit != b.Unit || a.Time != b.Time || a.Blocks != b.Blocks || a.Bytes != b.Bytes ||
		a.Peer != b.Peer || a.Group != b.Group || a.Root != b.Root || a.Do != b.Do {
		return false
	}
	if a.Kind == workload.Send || a.Kind == workload.Recv {
		x, y := &r.messages[r.numbers[rank][op]], &r.messages[r.numbers[rank][op+by]]
		other := int32(w.MovedBy(opsOf(int(a.Peer))))
		if a.Kind == workload.Send && y.to-x.to != other || a.Kind == workload.Recv && y.from-x.from != other {
			return false
		}
	}
	before, after := r.looks[0][:0], r.looks[1][:0]
	r.progress[rank].Dependents(op, func(to int32) { before = append(before, to+by) })
	r.progress[rank].Dependents(op+by, func(to int32) { after = append(after, to) })
	r.looks = [2][]int32{before, after}
	return slices.Equal(before, after)
}

// beat is called when a rank begins an operation. The first rank's is a beat. An operation in progress that
// spans beats is at other steps at each, so an earlier state returns only without one.
func (r *graphRun) beat(p *fabric.Partition, rank int) {
	if r.leading != nil {
		p.DropRecord()
	}
	if rank == 0 {
		p.Beat()
	}
}
