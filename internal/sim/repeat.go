package sim

import (
	"context"
	"fmt"
	"math"

	"weft/internal/base/stats"
	"weft/internal/sim/engine"
	"weft/internal/sim/runstore"
	"weft/internal/sim/scenario"
	"weft/units"
)

// AutoSeeds as Options.Seeds leaves the number of seeds to the rule: as many seeds of a size as
// hopsPerSize packet-hops allow, on all fabrics together, at most mostSeeds. If that is fewer than
// leastSeeds, there is one run. Packet-hops are results, so the rule does not depend on the
// machine.
const AutoSeeds = -1

// The rule of AutoSeeds.
const (
	leastSeeds  = 3 // with the same spread, Student's interval of two runs is five times as wide as the interval of three
	mostSeeds   = 5
	hopsPerSize = 10_000_000 // a few seconds of a core
)

// seedsFor is the number of seeds of a size whose first run took the given number of packet-hops.
func seedsFor(asked int, hops int64) int {
	if asked != AutoSeeds {
		return max(1, asked)
	}
	n := hopsPerSize / max(1, hops)
	if n < leastSeeds {
		return 1
	}
	return int(min(mostSeeds, n))
}

// again repeats each simulation that has a result with further seeds, the same on all fabrics, and
// replaces the result by the mean over the seeds.
func again(ctx context.Context, r *scenario.Resolved, jobs []job, out *runstore.Results, o Options, w *watch, stop *engine.Stop) {
	hops := make([]int64, len(out.Fabrics[0].Points))
	for i := range out.Fabrics {
		for j := range out.Fabrics[i].Points {
			hops[j] += out.Fabrics[i].Points[j].Counts.PacketHops
		}
	}
	points := make([][]runstore.Point, len(jobs)) // of each job, by seed after the first
	var more []job
	for i := range jobs {
		base := &jobs[i]
		if !base.into.Measured() || base.into.Partial {
			continue
		}
		points[i] = make([]runstore.Point, seedsFor(o.Seeds, hops[base.point])-1)
		for k := range points[i] {
			j := *base
			j.part = base.part.WithSeed(r.Run.Seed + uint64(k) + 1)
			plan := *base.Plan
			plan.Run, plan.Series = &j.part.Scenario.Run, nil
			j.Plan, j.Scenario, j.into, j.again, j.ended = &plan, j.part.Scenario, &points[i][k], true, nil
			more = append(more, j)
		}
	}
	recall(&o, more)
	w.more(len(more) * o.Exact.ways())
	work(ctx, more, o, w, stop)
	for i := range jobs {
		if len(points[i]) > 0 {
			overSeeds(jobs[i].into, points[i], r.Run.Seed, r.Workload.Pattern == scenario.Uniform)
		}
	}
}

// overSeeds replaces a point by the mean of its runs. Only the times change; all other values stay
// from the first seed. If a run failed, the point has failed; if a run is missing, or has delivered
// another number of messages, the point stays as the first seed's. ownTimes is true if messages
// have times of their own: bandwidth is then the offered load, does not follow from the time, and
// is the mean as well.
func overSeeds(first *runstore.Point, more []runstore.Point, seed uint64, ownTimes bool) {
	times := []float64{float64(first.Time)}
	alg, bus := first.AlgBW, first.BusBW
	all := &runstore.Seeds{TimesPs: []int64{int64(first.Time)}}
	clean := cleanOf(first)
	for k := range more {
		p := &more[k]
		first.Counts.Events += p.Counts.Events
		first.Counts.Skipped.Add(p.Counts.Skipped)
		first.Estimate = first.Estimate.Or(p.Estimate)
		if p.Failure != "" {
			*first = *p
			first.Failure = fmt.Sprintf("with seed %d: %s", seed+uint64(k)+1, p.Failure)
			return
		}
		if p.Partial || !p.Measured() || p.Counts.MessagesLost != first.Counts.MessagesLost {
			return
		}
		times = append(times, float64(p.Time))
		alg, bus = alg+p.AlgBW, bus+p.BusBW
		all.TimesPs = append(all.TimesPs, int64(p.Time))
		clean += cleanOf(p)
	}
	i := stats.IntervalOf(times)
	mean := units.Time(math.Round(i.Mean))
	all.LowPs, all.HighPs = int64(math.Round(i.Low)), int64(math.Round(i.High))
	if ownTimes {
		first.AlgBW, first.BusBW = alg/float64(len(times)), bus/float64(len(times))
	} else {
		first.AlgBW *= float64(first.Time) / float64(mean)
		first.BusBW *= float64(first.Time) / float64(mean)
	}
	first.Time, first.Seeds = mean, all
	if first.Fault != nil {
		first.Fault.Clean = clean / units.Time(len(times))
	}
}

// cleanOf is the time without faults; 0 for a run without faults.
func cleanOf(p *runstore.Point) units.Time {
	if p.Fault == nil {
		return 0
	}
	return p.Fault.Clean
}
