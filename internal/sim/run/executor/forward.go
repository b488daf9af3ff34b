package executor

import (
	"weft/internal/sim/collective"
	"weft/internal/sim/workload"
	"weft/units"
)

// Forwarder fast-forwards the collectives of a phase: when a group's rate is steady, it skips steps
// of its lanes that equal the steps before, and adds their estimated time at the end. The beginning
// and the end of a lane are simulated. A nil forwarder does nothing.
//
// A ring's step equals the step before: each rank sends the same amount to the same neighbour. So
// after a number of steps the network is in the same state again, except for the step numbers.
type Forwarder struct {
	meters []*meter
}

// meter is the progress of a group: the bytes that its members have received and
// used.
type meter struct {
	run     *collectives
	of      *operation
	comm    *Communicator
	moved   int64 // simulated
	skipped int64
	since   int64        // value of moved at the begin of the windows
	times   []units.Time // by window since then: the time at which it was full
	ahead   units.Time   // estimated time of the skipped bytes
}

// Steadiness of a rate: over a number of windows, each a number of bytes for each member, the two
// halves differ by at most a given fraction. Sixteen windows of a mebibyte take longer than a queue
// needs to fill or empty, and longer than a reaction of congestion control that does not show in
// the rate itself.
const (
	windowBytes   = int64(units.MiB)
	steadyWindows = 16
	steadyPart    = 200
)

// leastSkip is the minimum number of steps to skip, and lastSteps the number of steps at the end of
// a lane that are always simulated.
const (
	leastSkip = 4
	lastSteps = 3
)

// watch meters the progress of a collective from its first member's beginning on.
func (f *Forwarder) watch(run *collectives, o *operation) {
	if f == nil || o.meter != nil {
		return
	}
	o.meter = &meter{run: run, of: o, comm: o.comm}
	f.meters = append(f.meters, o.meter)
}

// add counts bytes that a member has processed.
func (m *meter) add(now units.Time, bytes int64) {
	if m == nil || bytes == 0 {
		return
	}
	m.moved += bytes
	window := windowBytes * int64(len(m.comm.Members))
	for m.moved-m.since >= window*int64(len(m.times)+1) {
		m.times = append(m.times, now)
	}
	n := len(m.times)
	if n <= steadyWindows {
		return
	}
	early := m.times[n-1-steadyWindows/2] - m.times[n-1-steadyWindows]
	late := m.times[n-1] - m.times[n-1-steadyWindows/2]
	if diff := max(early-late, late-early); diff > late/steadyPart {
		return
	}
	if skipped := m.run.skip(m.of); skipped > 0 {
		m.skipped += skipped
		m.ahead += units.Time(float64(early+late) * float64(skipped) / float64(window*steadyWindows))
		m.since, m.times = m.moved, m.times[:0]
	}
}

// skip skips as many equal steps of a collective's lanes as possible, the same number in all, if
// all members are in the same lanes. It returns the skipped bytes.
func (r *collectives) skip(o *operation) (bytes int64) {
	steps, each := 1<<30, int64(0)
	for member := range o.comm.Members {
		for c := range o.members[member].channels {
			active := o.members[member].channels[c].active
			first := o.members[0].channels[c].active
			if len(active) != len(first) || len(active) == 0 {
				return 0
			}
			for i := range active {
				l := &active[i]
				if l.lane != first[i].lane {
					return 0
				}
				steps = min(steps, o.plan.steps(l.lane)-lastSteps-l.step-o.skipped[l.lane])
				each += l.moved
			}
		}
	}
	if steps < leastSkip || !r.alike(o, steps) {
		return 0
	}
	if o.skipped == nil {
		o.skipped = make(map[int]int)
	}
	for c := range o.members[0].channels {
		for _, l := range o.members[0].channels[c].active {
			o.skipped[l.lane] += steps
		}
	}
	return each * int64(steps)
}

// alike reports whether the next step of every active lane equals the step at a given distance: the
// same number of messages, to the same ranks, with the same sizes to a hundredth.
func (r *collectives) alike(o *operation, steps int) bool {
	var soon, later collective.Step
	for member := range o.comm.Members {
		for c := range o.members[member].channels {
			for _, l := range o.members[member].channels[c].active {
				next := l.step + o.skipped[l.lane] + 1
				if !o.plan.program.Step(member, l.lane, next, &soon) || !o.plan.program.Step(member, l.lane, next+steps, &later) {
					return false
				}
				if !sameStep(&soon, &later, steps, near) {
					return false
				}
			}
		}
	}
	return true
}

// sameStep compares a step with the step at a given distance. same compares two sizes.
func sameStep(a, b *collective.Step, steps int, same func(a, b int64) bool) bool {
	if len(a.Sends) != len(b.Sends) || a.Recvs != b.Recvs || !same(a.RecvBytes, b.RecvBytes) {
		return false
	}
	for i := range a.Sends {
		s, t := &a.Sends[i], &b.Sends[i]
		if s.Peer != t.Peer || s.Path != t.Path || s.Rail != t.Rail || int(s.PeerStep)+steps != int(t.PeerStep) || !same(s.Bytes, t.Bytes) {
			return false
		}
	}
	return true
}

// equal reports whether two sizes are the same.
func equal(a, b int64) bool { return a == b }

// near reports whether two sizes differ by less than a hundredth.
func near(a, b int64) bool { return max(a-b, b-a)*100 <= a }

// step is a step of a member's lane, by its number among those that are simulated; false if there is none.
func (o *operation) step(member, lane, k int, s *collective.Step) bool {
	return o.plan.program.Step(member, lane, k+o.skipped[lane], s)
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

// settle adds the skipped times to the timeline of a phase.
func (f *Forwarder) settle(r *graphRun) {
	if f == nil {
		return
	}
	for _, m := range f.meters {
		for _, rank := range m.comm.Members {
			for op := range r.graph.Ranks[rank] {
				if o := &r.graph.Ranks[rank][op]; o.Kind == workload.Collective && r.groups[o.Group] == m.comm {
					r.timeline.Over(int(rank), int32(op), r.timeline.Spans[rank][op].End+m.ahead)
				}
			}
		}
	}
}

// Bytes are the simulated bytes of the phase's collectives, and the skipped ones.
func (f *Forwarder) Bytes() (moved, skipped int64) {
	if f == nil {
		return 0, 0
	}
	for _, m := range f.meters {
		moved, skipped = moved+m.moved, skipped+m.skipped
	}
	return moved, skipped
}
