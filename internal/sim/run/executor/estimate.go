package executor

import (
	"math"
	"reflect"
	"slices"

	"weft/internal/sim/collective"
	"weft/internal/sim/run/network"
	"weft/results"
	"weft/scenario"
	"weft/units"
)

// The time of a large collective is estimated in two ways, alone or together.
//
// Rails that do the same are simulated once. Simultaneous bursts leave a scale-up switch in an order
// that is the same relative to each GPU, so that alike rails stay equal to the picosecond. A short part
// of the work is simulated on all rails and on one. If every GPU takes every step of it at the same time
// as the others of its node, and as on the one rail, the time of one is that of all. If they differ, by
// the paths through spines, the slowest rail is taken, and the difference goes into the error.
//
// Of many pieces of equal work a part is simulated: the part has the beginning and the end of the
// whole. Between them every piece takes the same time, so the whole takes the time of the part, and
// the pace of a piece for each piece that the part does not have.
//
// Both hold only in a steady state. The collective is simulated as a whole if a window of its pieces
// shows none: members or channels fall behind each other, packets are marked, lost or repeated, or
// periods repeat, which are skipped exactly.
const (
	// leastPieces are the pieces of the first part; a further part has the pieces of the one before twice.
	leastPieces = 64
	// firstShare and largestShare are the greatest shares of the work that the first part and a
	// further one may have: larger ones save little.
	firstShare, largestShare = 7, 3
	// mostDrift is the share of its pace by which the last member may fall behind for each piece.
	mostDrift = 0.03
	// equalPieces is the part that is simulated on all rails and on one to see whether they are equal, and
	// unequalPieces if they are not: a larger one, because their difference is continued to all pieces,
	// of which there are leastTimes as many. mostApart is the greatest relative difference.
	equalPieces, unequalPieces, leastTimes = 2, 8, 4
	mostApart                              = 0.01
)

// leastWork is the least data, the size times the ranks, for which an estimate is worth while: some ten
// seconds of a core. Tests have less.
var leastWork = 32 * units.GiB

// WorkOf is the work of a task, in bytes of a collective with little else to do, before anything of it is
// known. What is likely estimated from one of the rails is less work.
func WorkOf(j *network.Task) float64 {
	bytes, ranks, gpus := j.Bytes, units.Bytes(max(1, j.Scenario.Cluster.Ranks())), units.Bytes(max(1, j.Scenario.Cluster.Node.GPUs))
	floor := 4 * units.KiB * ranks // the steps of any size
	op, t := j.Scenario.Workload.Collective, &j.Plan.Fabric.Topology
	likely := op == scenario.AllReduce || op == scenario.AllToAll && oneLeaf(j.Plan.Graph, j.Scenario.Cluster.Node.NICs)
	if likely && j.Scenario.Run.Error.Fraction() > 0 && bytes*ranks >= leastWork && t.Shape == scenario.RailOptimised && !j.Scenario.Run.Jitter {
		bytes /= gpus
	}
	return float64(floor + bytes)
}

// estimator estimates the point of a collective.
type estimator struct {
	task  *network.Task
	rails int  // number of alike rails, of which weft simulates one; 0: weft simulates all
	rail  int  // that one
	equal bool // all rails do the same at the same times
	// unshared says that the rails share no switch. If they do, the error is a piece at least.
	unshared bool
	// apart is the difference of one rail and of all for a piece of work, and spread that of the slowest
	// and the fastest rail, for the root of the pieces, in picoseconds.
	apart, spread float64
	bound         float64 // of the error
	work          collective.Extent
	first         int // pieces of the first part
	iterations    int // of the collective, warm-up included
	compared      int // pieces that are simulated on all rails and on one to see whether they are equal
}

// newEstimator is the estimator of a simulation; nil if all of it is to be simulated.
func newEstimator(j *network.Task) (*estimator, error) {
	bound := j.Scenario.Run.Error.Fraction()
	if bound == 0 || j.Whole || !j.Exact || j.Plan.Series != nil || hasSurprises(j.Plan) ||
		j.Bytes*units.Bytes(j.Scenario.Job().Ranks()) < leastWork {
		return nil, nil
	}
	run, err := newCollectiveRun(j.Scenario, j.Plan, j.Bytes)
	if err != nil {
		return nil, err
	}
	prog := run.plan.program
	e := &estimator{task: j, bound: bound, work: collective.ExtentOf(prog), iterations: run.total}
	if e.work.Pieces == 0 {
		return nil, nil
	}
	e.first, e.compared = leastPieces, equalPieces
	if e.work.Of == "rounds" { // as many as compete
		e.compared = prog.Window()
	}
	if e.work.Of != "steps" { // the steady state begins when the window of lanes is full
		e.first = max(e.first, prog.Window()*prog.Channels()/e.work.Lanes)
	}
	e.unshared = oneLeaf(j.Plan.Graph, j.Scenario.Cluster.Node.NICs)
	if e.work.Pieces > leastTimes*e.compared && (e.unshared || bound*float64(e.work.Pieces) >= 1) {
		e.rails = alikeRails(j, &run.plan.chosen)
	}
	if e.rails == 0 && !e.hasParts() {
		return nil, nil
	}
	return e, nil
}

// hasSurprises reports whether something may happen later, or at a single NIC or link, that a part of the work
// does not show: faults, streams, errors of links, slow receivers, partitions.
func hasSurprises(p *network.Plan) bool {
	f := p.Fabric
	return p.Faults != nil || len(f.Beside) > 0 || f.Link.HasErrors() || len(f.Ethernet.PFC.Receivers) > 0 || f.Inspection.On() ||
		p.Keys.Tables != nil || p.Segments != nil || p.Lanes != nil || p.Paths != nil || p.OwnLevels
}

// run simulates parts until the error is within its bound. It returns false if all of the collective
// has to be simulated.
func (e *estimator) run(into *results.Point) (ok bool, err error) {
	if e.rails > 0 {
		e.expect(e.work.Pieces)
		alike, err := e.compareRails(into)
		if err != nil {
			return false, err
		}
		if !alike || !e.isExact() && e.bound*float64(e.work.Pieces) < 1 {
			e.rails = 0
		}
	}
	for _, n := range e.parts() {
		if e.rails == 0 {
			e.expect(n)
		}
		of, err := e.simulate(into, e.rails > 0, n)
		if err != nil {
			return false, err
		}
		if !e.isSteady(&into.Counts, of.pieces) {
			return false, nil
		}
		if ok = e.fill(into, of.times, of.pieces); ok {
			return true, nil
		}
	}
	return false, nil
}

// expect adds the work of pieces on one rail; on all if they are not alike.
func (e *estimator) expect(pieces int) {
	members := e.task.Scenario.Job().Ranks() / max(1, e.rails)
	if e.work.Of == "steps" {
		pieces = 1 // its lanes end once
	}
	e.task.Work.Expect(int64(pieces) * int64(e.work.Lanes) * int64(members) * int64(e.iterations))
}

// hasParts reports whether a part of the pieces may tell the time of all, and is worth while.
func (e *estimator) hasParts() bool {
	return e.work.Stretches > 0 && e.first*firstShare <= e.work.Pieces
}

// parts lists the parts to simulate, in pieces. Of one rail all pieces are affordable.
func (e *estimator) parts() (list []int) {
	if e.hasParts() {
		for n := e.first; n*largestShare <= e.work.Pieces; n *= 2 {
			list = append(list, n)
		}
	}
	if e.rails > 0 {
		list = append(list, e.work.Pieces)
	}
	return list
}

// compareRails simulates some pieces, spread over all, on all rails and on the slowest one. It reports whether one
// rail tells the time of all. If the rails are not equal, it compares the slowest over more pieces.
func (e *estimator) compareRails(into *results.Point) (bool, error) {
	e.expect((e.rails + 1) * e.compared)
	all, err := e.simulate(into, false, e.compared)
	if err != nil {
		return false, err
	}
	slowest, _, equal := compareSums(all.times, e.rails)
	if alike, err := e.compareRail(into, all, slowest); err != nil || equal && e.equal || !alike {
		return alike, err
	}
	more := max(unequalPieces, e.compared)
	if e.work.Pieces < leastTimes*more {
		return false, nil
	}
	if more > e.compared {
		e.expect((e.rails + 1) * more)
		if all, err = e.simulate(into, false, more); err != nil {
			return false, err
		}
	}
	slowest, apart, _ := compareSums(all.times, e.rails)
	alike, err := e.compareRail(into, all, slowest)
	e.equal = false
	e.spread = apart / math.Sqrt(float64(all.pieces))
	return alike, err
}

// compareRail simulates a part on one rail that was simulated on all.
func (e *estimator) compareRail(into *results.Point, all *share, rail int) (bool, error) {
	e.rail = rail
	one, err := e.simulate(into, true, all.pieces)
	if err != nil {
		return false, err
	}
	e.equal = true
	for node, sum := range one.times.sums {
		e.equal = e.equal && sum == all.times.sums[node*e.rails+rail]
	}
	apart := math.Abs(float64(one.time - all.time))
	e.apart = apart / float64(all.pieces)
	return apart <= mostApart*float64(all.time) && one.packets*int64(e.rails) == all.packets, nil
}

// compareSums returns the rail whose GPUs take their steps the latest on average, and its mean delay
// against the fastest rail, in picoseconds. equal reports whether the GPUs of each node take all steps at
// the same times.
func compareSums(t *pieceTimes, rails int) (slowest int, apart float64, equal bool) {
	of, steps := make([]float64, rails), 0
	equal = true
	for member, sum := range t.sums {
		of[member%rails] += float64(sum)
		equal = equal && sum == t.sums[member/rails*rails]
		steps += t.steps[member]
	}
	for rail := range of {
		if of[rail] > of[slowest] {
			slowest = rail
		}
	}
	return slowest, (of[slowest] - slices.Min(of)) * float64(rails) / float64(max(1, steps)), equal
}

// share is a simulated share of the work.
type share struct {
	pieces  int
	time    units.Time
	packets int64
	times   *pieceTimes
}

// simulate simulates about n pieces of the work, on one rail or on all.
func (e *estimator) simulate(into *results.Point, rail bool, n int) (*share, error) {
	*into = results.Point{Bytes: into.Bytes}
	run, err := newCollectiveRun(e.task.Scenario, e.task.Plan, e.task.Bytes)
	if err != nil {
		return nil, err
	}
	if rail {
		run.onRail(e.task, e.rail)
	}
	program, pieces := collective.Part(run.plan.program, n)
	run.plan.program = program
	run.times = newPieceTimes(len(run.all.Members), program.Channels(), pieces, e.work)
	if err := run.simulate(e.task, into); err != nil {
		return nil, err
	}
	return &share{pieces, into.Time, into.Counts.Packets, run.times}, nil
}

// isSteady reports whether the counters of so many pieces allow to continue them. Marks are random, and
// rates follow them. All loops of one rail may have some: the rails differ by them, and the error is a
// loop at least.
func (e *estimator) isSteady(c *results.Counts, pieces int) bool {
	marks := c.Marks + c.CNPs
	if pieces == e.work.Pieces && e.work.Of == "loops" {
		marks = 0
	}
	return marks+c.Skipped.Periods+c.Drops()+c.Timeouts+c.Retransmissions+c.LinkRetries+c.Trimmed+c.PFCStorms+c.RNRNAKs == 0
}

// isExact reports whether one rail is equal to all: they were equal in the compared part, and share no switch.
func (e *estimator) isExact() bool { return e.equal && e.unshared }

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

// errorOfRails is how far the time of one rail may be from that of all: nothing if one is exact and no packet
// is marked, which is random. Else it is a piece at least. It is more if the difference in the compared
// part, for each piece, and the spread of the rails are more. The spread says how far another rail may
// become the slowest later: that is chance, and grows with the root of the pieces.
func (e *estimator) errorOfRails(p *results.Point, pieces int) float64 {
	if e.isExact() && p.Counts.Marks+p.Counts.CNPs == 0 {
		return 0
	}
	all := float64(e.work.Pieces)
	return max(float64(p.Time)/float64(pieces), e.apart*all+e.spread*math.Sqrt(all))
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
