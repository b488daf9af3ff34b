package executor

import (
	"math"
	"reflect"

	"weft/internal/sim/collective"
	"weft/internal/sim/run/network"
	"weft/results"
	"weft/units"
)

// The time of a large collective is estimated in two ways, alone or together.
//
// Rails that do the same are simulated once. Simultaneous bursts leave a scale-up switch in an order
// that is the same relative to each GPU, so that alike rails stay equal to the picosecond. A short part
// of the work is simulated on all rails and on one. If both take the same time, the time of one is that
// of all. If they differ, by the paths through spines, the difference goes into the error.
//
// Of many pieces of equal work a part is simulated: the part has the beginning and the end of the
// whole. Between them every piece takes the same time, so the whole takes the time of the part, and
// the pace of a piece for each piece that the part does not have.
//
// Both hold only in a steady state. The collective is simulated as a whole if a window of its pieces
// shows none: members or channels fall behind each other, packets are marked, lost or repeated, or
// periods repeat, which are skipped exactly.
const (
	// leastPieces and leastBlocks are the pieces of the first part; a further part has the pieces of
	// the one before twice.
	leastPieces, leastBlocks = 64, 8
	// firstShare and largestShare are the greatest shares of the work that the first part and a
	// further one may have: larger ones save little.
	firstShare, largestShare = 7, 3
	// mostDrift is the share of its pace by which the last member may fall behind for each piece.
	mostDrift = 0.03
	// checkedPieces is the part that is simulated on all rails and on one, and mostApart the relative
	// difference of their times. A smaller one goes into the error, for each piece, with a piece for the
	// paths that only later pieces take at the same time.
	checkedPieces, mostApart = 2, 0.01
)

// leastWork is the least data, the size times the ranks, for which an estimate is worth while: some ten
// seconds of a core. Tests have less.
var leastWork = 32 * units.GiB

// estimator estimates the point of a collective.
type estimator struct {
	task  *network.Task
	rails int     // alike rails of which one is simulated; 0: all are simulated
	apart float64 // the difference of one rail and of all for a piece of work, in picoseconds
	bound float64 // of the error
	work  collective.Extent
	first int // pieces of the first part
}

// newEstimator is the estimator of a simulation; nil if all of it is to be simulated.
func newEstimator(j *network.Task) (*estimator, error) {
	bound := j.Scenario.Run.Error.Fraction()
	if bound == 0 || j.Whole || !j.Exact || j.Plan.Series != nil || j.Plan.Faults != nil || len(j.Plan.Fabric.Beside) > 0 ||
		j.Bytes*units.Bytes(j.Scenario.Job().Ranks()) < leastWork {
		return nil, nil
	}
	run, err := newCollectiveRun(j.Scenario, j.Plan, j.Bytes)
	if err != nil {
		return nil, err
	}
	prog := run.plan.program
	e := &estimator{task: j, bound: bound, work: collective.ExtentOf(prog)}
	if e.work.Pieces == 0 {
		return nil, nil
	}
	e.first = max(leastPieces, leastBlocks*e.work.Block)
	if e.work.Of != "steps" { // the steady state begins when the window of lanes is full
		e.first = max(e.first, prog.Window()*prog.Channels()/e.work.Lanes)
	}
	if e.work.Pieces > 2*checkedPieces {
		e.rails = alikeRails(j, &run.plan.chosen)
	}
	if e.rails == 0 && e.first*firstShare > e.work.Pieces {
		return nil, nil
	}
	return e, nil
}

// run simulates parts until the error is within its bound. It returns false if all of the collective
// has to be simulated.
func (e *estimator) run(into *results.Point) (ok bool, err error) {
	if e.rails > 0 {
		alike, err := e.areRailsAlike(into)
		if err != nil {
			return false, err
		}
		if !alike {
			e.rails = 0
		}
	}
	for _, n := range e.parts() {
		run, pieces, err := e.simulate(into, e.rails > 0, n)
		if err != nil {
			return false, err
		}
		if !e.isSteady(&into.Counts, pieces) {
			return false, nil
		}
		if ok = e.fill(into, run.times, pieces); ok {
			return true, nil
		}
	}
	return false, nil
}

// parts lists the parts to simulate, in pieces. Of one rail all pieces are affordable.
func (e *estimator) parts() (list []int) {
	if e.first*firstShare <= e.work.Pieces {
		for n := e.first; n*largestShare <= e.work.Pieces; n *= 2 {
			list = append(list, n)
		}
	}
	if e.rails > 0 {
		list = append(list, e.work.Pieces)
	}
	return list
}

// areRailsAlike simulates the first pieces on all rails and on one.
func (e *estimator) areRailsAlike(into *results.Point) (bool, error) {
	if _, _, err := e.simulate(into, false, checkedPieces); err != nil {
		return false, err
	}
	all := *into
	if _, _, err := e.simulate(into, true, checkedPieces); err != nil {
		return false, err
	}
	apart := math.Abs(float64(into.Time - all.Time))
	e.apart = apart / checkedPieces
	return apart <= mostApart*float64(all.Time) && into.Counts.Packets*int64(e.rails) == all.Counts.Packets, nil
}

// simulate simulates about n pieces of the work, on one rail or on all.
func (e *estimator) simulate(into *results.Point, rail bool, n int) (run *collectiveRun, pieces int, err error) {
	*into = results.Point{Bytes: into.Bytes}
	run, err = newCollectiveRun(e.task.Scenario, e.task.Plan, e.task.Bytes)
	if err != nil {
		return nil, 0, err
	}
	if rail {
		run.onFirstRail(e.task)
	}
	run.plan.program, pieces = collective.Part(run.plan.program, n)
	run.times = newPieceTimes(len(run.all.Members), run.plan.program.Channels(), pieces, e.work)
	err = run.simulate(e.task, into)
	return run, pieces, err
}

// isSteady reports whether the counters of so many pieces allow to continue them. Which packets are
// marked is random, and differs between rails. So it is counted as a difference of the rails.
func (e *estimator) isSteady(c *results.Counts, pieces int) bool {
	marks := c.Marks + c.CNPs
	if pieces == e.work.Pieces {
		marks = 0
	}
	return marks+c.Skipped.Periods+c.Drops()+c.Timeouts+c.Retransmissions == 0
}

// fill makes the point of the whole from what was simulated, and reports whether its error is within
// the bound.
func (e *estimator) fill(p *results.Point, times *pieceTimes, pieces int) bool {
	time, unsure := float64(p.Time), 0.0
	if e.rails > 0 {
		unsure = e.errorOfRails(p, pieces)
	}
	if left := float64(e.work.Pieces - pieces); left > 0 {
		s, ok := times.paceOf(pieces)
		if !ok || math.Abs(s.drift) > mostDrift*s.mean {
			return false
		}
		time += left * s.mean
		unsure += left * s.error
	}
	if unsure > e.bound*time {
		return false
	}
	p.Time = units.Time(math.Round(time))
	half := units.Time(math.Ceil(unsure))
	p.Estimate = &results.Estimate{Pieces: pieces, Of: e.work.Pieces, What: e.work.Of, LowPs: int64(p.Time - half), HighPs: int64(p.Time + half)}
	factor := float64(e.work.Pieces) / float64(pieces)
	if e.rails > 0 {
		p.Estimate.Rails = e.rails
		p.Flows.N *= int64(e.rails)
		factor *= float64(e.rails)
	}
	setBandwidth(e.task, p)
	continueCounts(&p.Counts, factor)
	return true
}

// errorOfRails is the most by which the time of one rail is away from that of all.
func (e *estimator) errorOfRails(p *results.Point, pieces int) float64 {
	if e.apart == 0 && p.Counts.Marks+p.Counts.CNPs == 0 {
		return 0
	}
	return float64(p.Time)/float64(pieces) + e.apart*float64(e.work.Pieces)
}

// continueCounts continues the counters in proportion. Events is the engine's work.
func continueCounts(c *results.Counts, factor float64) {
	events, skipped := c.Events, c.Skipped
	v := reflect.ValueOf(c).Elem()
	for _, f := range v.Fields() {
		if f.CanInt() {
			f.SetInt(int64(math.Round(factor * float64(f.Int()))))
		}
	}
	c.Events, c.Skipped = events, skipped
}
