package executor

import (
	"math"

	"weft/internal/sim/collective"
	"weft/internal/sim/run/streams"
	"weft/internal/sim/state"
)

// canSkipPeriods reports whether the run's state has all on which the run depends.
func (r *collectiveRun) canSkipPeriods(beside *streams.Streams) bool {
	return beside.None() && r.Jitter == nil && !r.Path.Inlines()
}

// Survey notes the steps of the period that begins.
func (r *collectiveRun) Survey() { r.steps.survey() }

// beats is the number of beats of the run: the steps of the first rank's first channel.
func (r *collectiveRun) beats() int64 {
	prog := r.plan.program
	return int64(r.total) * int64(prog.Lanes()/prog.Channels()) * int64(r.plan.steps(0))
}

// FurtherPeriods is the number of further periods in which all steps are like those of the period before.
func (r *collectiveRun) FurtherPeriods(w *state.Walk) uint64 {
	times := r.periodsOfIterations(w)
	for _, o := range r.register.all[:r.used] {
		if o.free {
			continue
		}
		for member := range o.comm.Members {
			for channel := range o.members[member].channels {
				times = min(times, o.periods(w, member, channel))
				if times <= 0 {
					return 0
				}
			}
		}
	}
	if times == math.MaxInt {
		return 0 // nothing moves
	}
	return uint64(times)
}

// periodsOfIterations is the number of periods of whole iterations before the run begins to measure, or
// ends.
func (r *collectiveRun) periodsOfIterations(w *state.Walk) int {
	by := int(w.MovedBy(groupIterations))
	if by == 0 {
		return math.MaxInt
	}
	times := math.MaxInt
	for _, done := range r.done {
		last := r.total
		if done < r.warmup {
			last = r.warmup
		}
		times = min(times, (last-done-1)/by)
	}
	return times
}

// periods is the number of further periods for which a member's channel does the same.
func (o *operation) periods(w *state.Walk, member, channel int) int {
	ch := &o.members[member].channels[channel]
	if len(ch.active) == 0 {
		return math.MaxInt
	}
	lanes, steps := progressOf(w, tagGroup(o.number, channel))
	if iterations := w.MovedBy(groupIterations) != 0; iterations != (lanes == 0 && steps == 0) {
		return 0 // neither whole iterations nor steps of one
	}
	switch {
	case lanes > 0:
		return o.periodsOfLanes(member, ch, lanes)
	case steps > 0:
		times := math.MaxInt
		for i := range ch.active {
			times = min(times, o.periodsOfSteps(member, &ch.active[i], steps))
		}
		return times
	case lanes == 0 && steps == 0:
		return math.MaxInt
	}
	return 0
}

// aheadSteps is one more than the number of steps that a lane looks ahead.
const aheadSteps = 2

// periodsOfSteps is the number of periods, each of by steps, for which a lane does the same. Its steps
// from the beginning of the last period on are like those of the period after them.
func (o *operation) periodsOfSteps(member int, l *laneRun, by int) int {
	regular, _ := o.plan.program.(collective.Regular)
	first := max(0, l.step-by)
	at := first
	for {
		if regular != nil {
			at = max(at, regular.Alike(l.lane, at)-by)
		}
		if !o.isSameStep(member, l.lane, l.lane, at, by) {
			return (at - first - aheadSteps) / by
		}
		at++
	}
}

// periodsOfLanes is the number of periods of a number of lanes for which a channel does the same.
func (o *operation) periodsOfLanes(member int, ch *channelRun, by int) int {
	prog := o.plan.program
	if by%o.plan.kernel.blocks != 0 {
		return 0
	}
	lane := max(ch.active[0].lane-by, ch.active[0].lane%prog.Channels())
	for lane+by < prog.Lanes() && o.isSameLane(member, lane, lane+by) {
		lane += prog.Channels()
	}
	return (lane - ch.next) / by
}

// isSameLane reports whether two lanes have the same steps.
func (o *operation) isSameLane(member, a, b int) bool {
	for k := 0; ; k++ {
		if o.isSameStep(member, a, b, k, 0) {
			continue
		}
		s := collective.Step{}
		return !o.plan.program.Step(member, a, k, &s) && !o.plan.program.Step(member, b, k, &s)
	}
}

// isSameStep reports whether a step of a lane is the same as a later step of a lane but for its number.
func (o *operation) isSameStep(member, lane, later, k, by int) bool {
	prog, a, b := o.plan.program, &o.looks[0], &o.looks[1]
	if !prog.Step(member, lane, k, a) || !prog.Step(member, later, k+by, b) {
		return false
	}
	if !sameStep(a, b, by) || a.Reduce != b.Reduce && a.Recvs > 1 { // one input is reduced as it is copied
		return false
	}
	return o.plan.kernel.server(lane, k) == o.plan.kernel.server(later, k+by)
}

// sameStep compares a step with the step at a given distance.
func sameStep(a, b *collective.Step, steps int) bool {
	if len(a.Sends) != len(b.Sends) || a.Recvs != b.Recvs || a.RecvBytes != b.RecvBytes {
		return false
	}
	for i := range a.Sends {
		s, t := &a.Sends[i], &b.Sends[i]
		if s.Peer != t.Peer || s.Path != t.Path || s.Rail != t.Rail || s.Bytes != t.Bytes ||
			int(s.PeerStep)+steps != int(t.PeerStep) || s.More != t.More {
			return false
		}
	}
	return true
}

// steps is the number of steps of a lane.
func (c *CollectivePlan) steps(lane int) int {
	if n, known := c.length[lane]; known {
		return n
	}
	var s collective.Step
	n := 0
	for c.program.Step(0, lane, n, &s) {
		n++
	}
	if c.length == nil {
		c.length = make(map[int]int)
	}
	c.length[lane] = n
	return n
}
