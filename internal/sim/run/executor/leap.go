package executor

import (
	"math"

	"weft/internal/sim/collective"
)

// Leaps over a part of a collective: all members of a channel go on by the same number of steps, or of lanes. Their
// order stays as it is, so what is left is a state that the collective could be in. Messages under way keep their tags:
// a tag numbers what is simulated.

// step is a step of a member's lane, by its number among those that are simulated; false if there is none.
func (o *operation) step(member, lane, k int, s *collective.Step) bool {
	return o.plan.program.Step(member, o.laneOf(lane), k+o.skipped[lane], s)
}

// laneOf is the lane of the program that a lane stands for.
func (o *operation) laneOf(lane int) int {
	channels := o.plan.program.Channels()
	return lane + o.passedBy(lane%channels)*channels
}

// passedBy is the number of lanes that a channel has passed over.
func (o *operation) passedBy(channel int) int {
	if o.passed == nil {
		return 0
	}
	return o.passed[channel]
}

// stretch is what a channel can leap over: a number of units, which are steps or lanes, each with the same bytes to within a
// hundredth.
type stretch struct {
	lanes bool
	most  int
	bytes int64 // of a unit, received by all members together
	units int   // of a leap
}

// stretchOf is what a channel of an operation that all members are in can leap over.
func (o *operation) stretchOf(channel int) stretch {
	if w := o.bySteps(channel); w.most > 0 {
		return w
	}
	return o.byLanes(channel)
}

// bySteps is the number of steps that a channel can leap over, if all members are in the same lanes.
func (o *operation) bySteps(channel int) (w stretch) {
	w.most = math.MaxInt
	first := o.members[0].channels[channel].active
	s, t := &o.looks[0], &o.looks[1]
	for member := range o.comm.Members {
		active := o.members[member].channels[channel].active
		if len(active) != len(first) || len(active) == 0 {
			return stretch{}
		}
		for i := range active {
			l := &active[i]
			if l.lane != first[i].lane {
				return stretch{}
			}
			w.most = min(w.most, o.plan.steps(o.laneOf(l.lane))-lastSteps-l.step-o.skipped[l.lane])
		}
	}
	for member := range o.comm.Members {
		for i := range first {
			l := &o.members[member].channels[channel].active[i]
			next := l.step + 1
			if w.most < 1 || !o.step(member, l.lane, next, s) || !o.step(member, l.lane, next+w.most, t) || !sameStep(s, t, w.most, near) {
				return stretch{}
			}
			w.bytes += s.RecvBytes
		}
	}
	return w
}

// byLanes is the number of lanes that a channel can leap over.
func (o *operation) byLanes(channel int) (w stretch) {
	prog := o.plan.program
	ahead := 0
	for member := range o.comm.Members {
		ahead = max(ahead, o.members[member].channels[channel].next)
	}
	left := (prog.Lanes()-1-channel)/prog.Channels() + 1 - o.passedBy(channel)
	w.lanes, w.most = true, left-ahead/prog.Channels()-lastLanes
	for ; w.most > 0 && !o.alikeLanes(channel, w.most); w.most /= 2 {
	}
	if w.most > 0 {
		w.bytes = o.bytesOfLane(o.laneOf(o.members[0].channels[channel].next))
	}
	return w
}

// lastLanes is the number of lanes of a channel, beyond its window, that are always simulated.
const lastLanes = 2

// alikeLanes reports whether the lanes in which the members are have the same steps as those a number of lanes further.
func (o *operation) alikeLanes(channel, by int) bool {
	prog := o.plan.program
	s, t := &o.looks[0], &o.looks[1]
	for member := range o.comm.Members {
		active := o.members[member].channels[channel].active
		for i := range active {
			a := o.laneOf(active[i].lane)
			b := a + by*prog.Channels()
			for k := 0; ; k++ {
				more := prog.Step(member, a, k, s)
				if more != prog.Step(member, b, k, t) || more && !sameStep(s, t, 0, near) {
					return false
				}
				if !more {
					break
				}
			}
		}
	}
	return true
}

// bytesOfLane is what all members receive in a lane of the program.
func (o *operation) bytesOfLane(lane int) (bytes int64) {
	s := &o.looks[0]
	for member := range o.comm.Members {
		for k := 0; o.plan.program.Step(member, lane, k, s); k++ {
			bytes += s.RecvBytes
		}
	}
	return bytes
}

// leap makes a channel go on.
func (o *operation) leap(channel int, w stretch) {
	if w.lanes {
		if o.passed == nil {
			o.passed = make([]int, o.plan.program.Channels())
		}
		o.passed[channel] += w.units
		return
	}
	if o.skipped == nil {
		o.skipped = make(map[int]int)
	}
	for _, l := range o.members[0].channels[channel].active {
		o.skipped[l.lane] += w.units
	}
}
