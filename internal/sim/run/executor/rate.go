package executor

import (
	"math"
	"slices"

	"weft/internal/sim/fabric"
	"weft/internal/sim/run/network"
	"weft/results"
	"weft/units"
)

// pacer leaps over parts of a collective whose pace is steady.
//
// The pace of a channel is the bytes that all of its ranks receive and use in a time. It is measured in three windows. The
// largest difference between two of them, of a channel or of all together, is what a pace may change by in the time between
// them. A leap is so short that a pace that went on to change as fast would be off by no more than the bound over the leap.
// Then every channel goes on by steps or lanes as its own pace has it, and the run's time by what the leap would take. A window
// is at first as long as a ring takes to pass a node, or a tree a few chunks, and doubles while no leap is possible.
//
// There is no leap over an operation in which packets were marked, lost, cut or repeated: chance decides which, congestion
// controls answer for longer than a window, and after a leap the run would go another way.
//
// A leap is also bounded by the end of the first channel, and by three times the way so far: a pace that changes slowly is
// measured again. The network stands still meanwhile: packets, queues, rates and timers go on from where they stand, and so do
// the random streams.
type pacer struct {
	run    *collectiveRun
	bound  float64
	until  units.Time // end of the time that may be simulated and leapt over
	least  int        // beats of the shortest window
	beats  int        // of the present window
	serial uint64     // of the operation
	begun  mark       // the first look at it
	marks  []mark     // the last looks at it, at most four
	rest   []rest     // by channel
	leaps  []jump
	most   float64 // error of the paces before a leap, at most
}

// mark is the progress of an operation at a look.
type mark struct {
	at      units.Time
	moved   []int64 // by channel: bytes in the simulated part
	reading *fabric.Reading
}

// rest is what the leaps of a channel were, in bytes: their sum, and by how much they were too short, because they are
// whole steps.
type rest struct{ gone, owed float64 }

// jump is a leap.
type jump struct {
	at, by units.Time
	op     uint64
}

const (
	// windows are compared.
	windows = 3
	// leapOverWay is a leap over the way so far, at most.
	leapOverWay = 3
	// windowsOfWay is the way so far over a window that may become longer.
	windowsOfWay = 16
	// fewSteps are the steps of a lane of a tree, not of a ring, and treeWindow the lanes of its first window.
	fewSteps, treeWindow = 16, 8
)

// pacer is the pacer of a run; nil if it may not leap.
func (r *collectiveRun) pacer(j *network.Task, beside *streamRun) *pacer {
	if j.Skip == 0 || !r.canLeap(j, beside) {
		return nil
	}
	least := r.cluster.PerNode * r.plan.program.Window()
	if n := r.plan.steps(0); n < fewSteps {
		least = treeWindow * (n + 1)
	}
	return &pacer{run: r, bound: j.Skip, until: j.Scenario.Run.Limit.SimulatedTime, least: least, beats: least}
}

// canLeap reports whether nothing in a run happens at a given time, or is recorded over time. Errors of links are too
// rare to be seen in windows. Switches that reduce number their sums by lanes.
func (r *collectiveRun) canLeap(j *network.Task, beside *streamRun) bool {
	p := j.Plan
	return len(beside.streams) == 0 && r.steps == nil && p.Series == nil && p.Faults == nil && len(p.Slow) == 0 && p.Aggregation == nil &&
		!p.Fabric.Link.HasErrors() && !j.Scenario.Run.Pauses
}

// under is the operation that all ranks are in; nil if there is none.
func (r *collectiveRun) under() (in *operation) {
	for _, o := range r.register.all[:r.used] {
		switch {
		case o.free:
		case in != nil, o.absent > 0, o.unfinished < len(o.comm.Members):
			return nil
		default:
			in = o
		}
	}
	return in
}

// Look leaps if the pace is steady. What was skipped exactly since the last look makes it begin anew.
func (c *pacer) Look(at units.Time, moved bool) (leap fabric.Leap, beats int) {
	o := c.run.under()
	if o == nil || o.serial != c.serial || moved {
		c.marks, c.beats = nil, c.least
		if o == nil {
			return leap, c.beats
		}
		c.serial, c.begun, c.rest = o.serial, c.mark(o, at), make([]rest, o.plan.channels)
	}
	if c.marks = append(c.marks, c.mark(o, at)); len(c.marks) > windows+1 {
		c.marks = c.marks[1:]
	}
	if len(c.marks) <= windows {
		return leap, c.beats
	}
	off := c.off()
	if leap = c.leap(o, off); leap.Time > 0 {
		c.most = max(c.most, off)
		c.leaps = append(c.leaps, jump{at, leap.Time, c.serial})
	} else if c.window() < c.way()/windowsOfWay {
		c.beats *= 2
	}
	return leap, c.beats
}

// way is the time of an operation so far, with the leaps over it.
func (c *pacer) way() units.Time { return c.marks[len(c.marks)-1].at - c.begun.at + c.passed(c.serial) }

// window is the mean length of the last windows.
func (c *pacer) window() units.Time { return (c.marks[windows].at - c.marks[0].at) / windows }

// affords is the longest leap. A pace that has changed by a share of itself between the first window and the third changes
// by half of it in a window, and may go on to change twice as fast; so it is off the mean of the three by the share times
// (leap / 2 windows + 3/2) in the mean of a leap, which is to be the bound. No leap ages the network, so one counts for all
// over the operation.
func (c *pacer) affords(off float64) float64 {
	if c.marks[windows].reading.Disturbed() > c.begun.reading.Disturbed() {
		return 0
	}
	all := float64(c.window()) * (2*c.bound/max(off, math.SmallestNonzeroFloat64) - 3)
	return min(leapOverWay*float64(c.way()), all-float64(c.passed(c.serial)))
}

// mark is the progress of an operation.
func (c *pacer) mark(o *operation, at units.Time) mark {
	m := mark{at, make([]int64, o.plan.channels), c.run.net.Reading()}
	for member := range o.comm.Members {
		for channel := range o.members[member].channels {
			m.moved[channel] += o.members[member].channels[channel].moved
		}
	}
	return m
}

// pace is the bytes of a channel in a picosecond between two marks.
func pace(from, to *mark, channel int) float64 {
	return float64(to.moved[channel]-from.moved[channel]) / float64(to.at-from.at)
}

// off is the largest difference between the paces of two windows, of a channel or of all together, as a share of the larger.
func (c *pacer) off() (most float64) {
	sums := make([]float64, windows)
	paces := make([]float64, windows)
	spread := func() float64 {
		return (slices.Max(paces) - slices.Min(paces)) / max(slices.Max(paces), math.SmallestNonzeroFloat64)
	}
	for channel := range c.marks[0].moved {
		for i := range windows {
			paces[i] = pace(&c.marks[i], &c.marks[i+1], channel)
			sums[i] += paces[i]
		}
		most = max(most, spread())
	}
	paces = sums
	return max(most, spread())
}

// leap leaps over as much of an operation as it can; over nothing if that is shorter than a window.
func (c *pacer) leap(o *operation, off float64) (leap fabric.Leap) {
	first, last := &c.marks[0], &c.marks[windows]
	over := last.at - first.at
	most := min(c.affords(off), float64(c.until-last.at-c.before(last.at)-1))
	ways := make([]stretch, o.plan.channels)
	sum := 0.0
	for channel := range ways {
		each := pace(first, last, channel)
		if each == 0 {
			continue // it has no data, or none any more
		}
		w := o.stretchOf(channel)
		if w.most == 0 || w.bytes == 0 {
			return leap
		}
		ways[channel] = w
		sum += each
		most = min(most, (float64(w.most)*float64(w.bytes)-c.rest[channel].owed)/each)
	}
	if most < float64(over)/windows {
		return leap
	}
	by := c.round(ways, most, sum)
	if by == 0 {
		return leap
	}
	for channel, w := range ways {
		if w.units > 0 {
			o.leap(channel, w)
		}
	}
	return fabric.Leap{Time: by, Since: first.reading, Over: over}
}

// round makes of a leap for a time whole steps of each channel, and returns the time that they take all together. It is 0
// if a channel would then be further from its place than the bound of its way.
func (c *pacer) round(ways []stretch, most, sum float64) units.Time {
	first, last := &c.marks[0], &c.marks[windows]
	bytes := 0.0
	for channel := range ways {
		w, r := &ways[channel], &c.rest[channel]
		if w.most > 0 {
			w.units = max(0, min(w.most, int(math.Round((most*pace(first, last, channel)+r.owed)/float64(w.bytes)))))
			bytes += float64(w.units)*float64(w.bytes) - r.owed
		}
	}
	by := bytes / sum
	rests := make([]rest, len(ways))
	for channel, w := range ways {
		r := c.rest[channel]
		gone := float64(w.units) * float64(w.bytes)
		rests[channel] = rest{r.gone + gone, r.owed + by*pace(first, last, channel) - gone}
		if way := float64(last.moved[channel]) + rests[channel].gone; math.Abs(rests[channel].owed) > c.bound*way {
			return 0
		}
	}
	c.rest = rests
	return units.Time(math.Round(max(0, by)))
}

// passed is the time of the leaps over an operation.
func (c *pacer) passed(serial uint64) (sum units.Time) {
	for _, l := range c.leaps {
		if l.op == serial {
			sum += l.by
		}
	}
	return sum
}

// before is the time of the leaps up to a time of the simulated part.
func (c *pacer) before(t units.Time) (sum units.Time) {
	if c == nil {
		return 0
	}
	for _, l := range c.leaps {
		if l.at <= t {
			sum += l.by
		}
	}
	return sum
}

// estimate says which part of a run of a length was leapt over.
func (c *pacer) estimate(of units.Time) *results.Estimate {
	if c == nil {
		return nil
	}
	by := c.before(units.Forever)
	return &results.Estimate{Bound: c.bound, Differ: c.most, TimePs: int64(by), Share: float64(by) / float64(max(1, of)), Leaps: len(c.leaps)}
}
