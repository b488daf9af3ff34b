package sim

import (
	"context"
	"fmt"
	"hash/fnv"
	"math"
	"slices"

	"weft/internal/base/canon"
	"weft/internal/base/stats"
	"weft/internal/sim/engine"
	"weft/internal/sim/known"
	"weft/results"
	"weft/scenario"
	"weft/units"
)

// AutoSeeds as Options.Seeds leaves the number of seeds to a rule, for each size. It depends on what a
// seed draws (drawn): of sizes with random paths, marks, losses or traffic on a fabric more are needed,
// because their times may have few values, than of sizes with jitter alone. There are as many as the
// rule's packet-hops allow, on all fabrics together, up to most. If that is fewer than least, there is
// one run. Packet-hops are results, so the rule does not depend on the machine.
const AutoSeeds = -1

// seedRule is a rule of AutoSeeds.
type seedRule struct {
	least, most int
	hops        int64 // of a size; ten million are a few seconds of a core
}

// The rules of AutoSeeds.
var (
	jitterAlone = seedRule{least: 3, most: 5, hops: 10_000_000}
	// drawnToo has as many seeds as show a value that one seed in six has, in nineteen cases of twenty.
	drawnToo = seedRule{least: 10, most: 16, hops: 20_000_000}
)

// seedsFor is the number of seeds of a size whose first run took the given number of packet-hops.
func seedsFor(asked int, hops int64, drawn bool) int {
	if asked != AutoSeeds {
		return max(1, asked)
	}
	rule := jitterAlone
	if drawn {
		rule = drawnToo
	}
	n := rule.hops / max(1, hops)
	if n < int64(rule.least) {
		return 1
	}
	return int(min(int64(rule.most), n))
}

// isTooLarge reports whether a size has more packet-hops, whatever a collective's algorithm, than
// AutoSeeds allows for several seeds. All nodes together receive the data as often as there are nodes but
// one, at least, in packets that pass the ports of two nodes.
func isTooLarge(r *scenario.Resolved, size units.Bytes) bool {
	switch r.Workload.Collective {
	case scenario.AllReduce, scenario.AllGather, scenario.ReduceScatter, scenario.Broadcast, scenario.Reduce, scenario.AllToAll:
	default:
		return false
	}
	hops := int64(0)
	for i := range r.Fabrics {
		hops += 2 * int64(size/r.Fabrics[i].MTU) * int64(r.Job().Nodes-1)
	}
	return seedsFor(AutoSeeds, hops, false) == 1 && seedsFor(AutoSeeds, hops, true) == 1
}

// withoutJitter makes the simulations of sizes that have one run in any case those without jitter:
// one draw of it says nothing, and without it their times may be estimated. It returns these
// simulations.
func withoutJitter(r *scenario.Resolved, jobs []job) (calm []*job) {
	if !r.Run.Jitter {
		return nil
	}
	for i := range jobs {
		if j := &jobs[i]; isTooLarge(r, j.Bytes) {
			j.runAs(j.part.WithoutJitter())
			calm = append(calm, j)
		}
	}
	return calm
}

// runAs gives a job the scenario of another part that differs in its seed or jitter.
func (j *job) runAs(part *known.Part) {
	plan := *j.Plan
	plan.Run = &part.Scenario.Run
	j.part, j.Plan, j.Scenario = part, &plan, part.Scenario
}

// drawn is what a seed has drawn in a run besides jitter; nil if nothing.
func drawn(r *scenario.Resolved, f *scenario.Fabric, counts *results.Counts) *results.Draws {
	w := &r.Workload
	d := &results.Draws{
		Traffic: w.Exchange != "" || w.Pattern == scenario.Permutation || w.Pattern == scenario.Incast || w.Pattern == scenario.Uniform,
		Hash:    counts.Hashed > 0, Marks: counts.Marks > 0, Losses: counts.DroppedCorrupt+counts.LinkRetries > 0,
	}
	switch {
	case *d == results.Draws{}:
		return nil
	case d.Traffic:
		d.Like = "the traffic"
	default:
		d.Like = fmt.Sprintf("%s %08x", f.Kind, likeness(f))
	}
	return d
}

// likeness is equal for fabrics whose switches draw the same paths with a seed.
func likeness(f *scenario.Fabric) uint32 {
	b, err := canon.Append(nil, struct {
		Topology scenario.Topology
		Routing  scenario.Routing
	}{f.Topology, f.Routing})
	if err != nil {
		panic(err) // a topology of plain values has bytes
	}
	h := fnv.New32a()
	h.Write(b)
	return h.Sum32()
}

// seedRuns are the further runs of simulations.
type seedRuns struct {
	r      *scenario.Resolved
	jobs   []job
	asked  int               // Options.Seeds
	points [][]results.Point // of each job, by seed after the first
	draws  []bool            // by size: a run has drawn more than jitter
}

// runFurtherSeeds repeats each simulation that has a result with further seeds, the same on all fabrics, and
// replaces the result by the mean over the seeds. A further seed may be the first that draws more than
// jitter: the rule of AutoSeeds then asks for more.
func runFurtherSeeds(ctx context.Context, r *scenario.Resolved, jobs []job, out *results.Results, o Options, w *watch, stop *engine.Stop) {
	all := &seedRuns{r, jobs, o.Seeds, make([][]results.Point, len(jobs)), make([]bool, len(out.Fabrics[0].Points))}
	for more := all.next(); len(more) > 0 && ctx.Err() == nil; more = all.next() {
		recall(&o, more)
		w.more(len(more) * o.Exact.ways())
		w.expect(more, o.Exact.ways())
		work(ctx, more, o, w, stop)
	}
	for i := range jobs {
		if len(all.points[i]) > 0 {
			overSeeds(jobs[i].into, all.points[i], r, &r.Fabrics[jobs[i].fabric])
		}
	}
}

// next are the runs that are missing, after what the others have drawn.
func (a *seedRuns) next() (more []job) {
	hops := make([]int64, len(a.draws))
	for i := range a.jobs {
		base := &a.jobs[i]
		f, at := &a.r.Fabrics[base.fabric], base.point
		hops[at] += base.into.Counts.PacketHops
		a.draws[at] = a.draws[at] || drawn(a.r, f, &base.into.Counts) != nil || slices.ContainsFunc(a.points[i], func(p results.Point) bool { return drawn(a.r, f, &p.Counts) != nil })
	}
	for i := range a.jobs {
		base := &a.jobs[i]
		if !base.into.Measured() || base.into.Partial || base.into.WithoutJitter {
			continue
		}
		had, n := len(a.points[i]), seedsFor(a.asked, hops[base.point], a.draws[base.point])-1
		if a.points[i] == nil {
			a.points[i] = make([]results.Point, 0, max(n, drawnToo.most))
		}
		a.points[i] = a.points[i][:n]
		for k := had; k < n; k++ {
			j := *base
			j.runAs(base.part.WithSeed(a.r.Run.Seed + uint64(k) + 1))
			j.Plan.Series = nil
			j.into, j.further, j.ended = &a.points[i][k], true, nil
			more = append(more, j)
		}
	}
	return more
}

// overSeeds replaces a point by the mean of its runs. Only the times change; all other values stay
// from the first seed. If a run failed, the point has failed; if a run is missing, or has delivered
// another number of messages, the point stays as the first seed's. Messages of uniform traffic
// have times of their own: bandwidth is then the offered load, does not follow from the time, and
// is the mean as well.
func overSeeds(first *results.Point, more []results.Point, r *scenario.Resolved, f *scenario.Fabric) {
	times := []float64{float64(first.Time)}
	alg, bus := first.AlgBW, first.BusBW
	all := &results.Seeds{TimesPs: []int64{int64(first.Time)}}
	clean, counts := cleanOf(first), first.Counts
	for k := range more {
		p := &more[k]
		first.Counts.Events += p.Counts.Events
		first.Counts.Skipped.Add(p.Counts.Skipped)
		if p.Failure != "" {
			*first = *p
			first.Failure = fmt.Sprintf("with seed %d: %s", r.Run.Seed+uint64(k)+1, p.Failure)
			return
		}
		if p.Partial || !p.Measured() || p.Counts.MessagesLost != first.Counts.MessagesLost {
			return
		}
		times = append(times, float64(p.Time))
		alg, bus = alg+p.AlgBW, bus+p.BusBW
		all.TimesPs = append(all.TimesPs, int64(p.Time))
		clean += cleanOf(p)
		counts.Add(&p.Counts)
	}
	all.Draws = drawn(r, f, &counts)
	i := stats.IntervalOf(times)
	mean := units.Time(math.Round(i.Mean))
	all.LowPs, all.HighPs = int64(math.Round(max(0, i.Low))), int64(math.Round(i.High))
	if r.Workload.Pattern == scenario.Uniform {
		first.AlgBW, first.BusBW = alg/float64(len(times)), bus/float64(len(times))
	} else {
		first.AlgBW *= float64(first.Time) / float64(mean)
		first.BusBW *= float64(first.Time) / float64(mean)
	}
	if e := first.Estimate; e != nil { // as wide around the mean
		moved := *e
		moved.LowPs += int64(mean - first.Time)
		moved.HighPs += int64(mean - first.Time)
		first.Estimate = &moved
	}
	first.Time, first.Seeds = mean, all
	if first.Fault != nil {
		first.Fault.Clean = clean / units.Time(len(times))
	}
}

// cleanOf is the time without faults; 0 for a run without faults.
func cleanOf(p *results.Point) units.Time {
	if p.Fault == nil {
		return 0
	}
	return p.Fault.Clean
}
