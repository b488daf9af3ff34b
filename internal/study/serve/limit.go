package serve

import (
	"cmp"
	"context"
	"errors"

	"weft/internal/study/many"
	"weft/results"
	"weft/scenario"
)

// GoodShare is the share of requests within the limits at which a rate still counts: DistServe (OSDI 2024)
// counts 90 %.
const GoodShare = 0.9

// limitSteps is the number of rates among which a limit is searched. They divide the rate at which the
// fullest pool has no time left.
const limitSteps = 20

// Limit is where a job stops to keep its limits on a fabric.
type Limit struct {
	// Rate and Alone are the highest of the searched rates, in requests a second, at which enough requests are within
	// the limits: on the fabric, and on a network that takes no time. 0: at none.
	Rate, Alone float64
	// Step is the distance of the searched rates.
	Step float64
	// Full is the pool that has no time left first, as the requests are.
	Full results.ServingLoad
	// At is the job at its own rate.
	At *results.ServingPoint
}

// Keeps reports whether a run has a steady state and enough requests within the limits.
func Keeps(run *results.ServingRun, unstable string) bool {
	return run != nil && unstable == "" && run.Good >= GoodShare
}

// packetsOfLimit is mostPackets of the run at the job's own rate in LimitOf, whose runs are many.
const packetsOfLimit = mostPackets / 4

// tokensOfLimit bounds the tokens of a GPU in an exchange that LimitOf simulates alone. The time of more
// tokens is on the line through two smaller numbers: on 32 GPUs 1.1 % off at 8,192 tokens.
const tokensOfLimit = 2048

// LimitOf searches the highest rate at which a scenario's job keeps its limits on its only fabric, up to
// the limit without a network. At the job's own rate exchanges with experts are simulated beside
// transfers; at other rates both take longer by the factors found there.
func LimitOf(ctx context.Context, r *scenario.Resolved, o Options) (*Limit, error) {
	o.packets, o.most = cmp.Or(o.packets, packetsOfLimit), tokensOfLimit
	s, own, err := begin(ctx, r, &o)
	if err != nil {
		return nil, err
	}
	full := s.loads(1, s.jobs[len(s.plans)])[0]
	l := &limitSearch{study: s, step: 1 / full.Share / limitSteps}
	alone := limitSteps // from above: a rate below one that keeps the limits counts as keeping them, and need not by its own run
	for alone > 0 && !l.alone(alone) {
		alone--
	}
	at := &study{}
	*at = *s
	at.out = &results.Serving{Job: s.out.Job}
	tasks := at.points([]float64{own})
	many.Each(ctx, len(tasks), o.Workers, func(i int) { tasks[i].run(ctx, func(float64) {}) })
	s.met = metOf(&at.out.Points[0].Fabrics[0])
	best, err := l.search(ctx, alone, int(o.Near/l.step+0.5), o.Workers)
	if err := errors.Join(ctx.Err(), err, at.failures()); err != nil {
		return nil, err
	}
	full.Share *= own
	return &Limit{Rate: float64(best) * l.step, Alone: float64(alone) * l.step, Step: l.step, Full: full, At: &at.out.Points[0]}, nil
}

// limitSearch is the search for the limit of a job on its first fabric. Rates are multiples of a step.
type limitSearch struct {
	*study
	step float64
}

// alone reports whether a rate keeps the limits on a network that takes no time.
func (l *limitSearch) alone(k int) bool {
	rate := float64(k) * l.step
	if l.loads(rate, l.jobs[len(l.plans)])[0].Share >= 1 {
		return false
	}
	run, unstable := l.onNothing(context.Background(), l.at(rate))
	return Keeps(run, unstable)
}

// keeps reports whether a rate keeps the limits on the fabric.
func (l *limitSearch) keeps(ctx context.Context, k int) (bool, error) {
	rate := float64(k) * l.step
	if l.loadsOn(rate, 0).Share >= 1 {
		return false, nil
	}
	f := l.fabric(0)
	l.remembered(ctx, 0, l.at(rate), &f, func(float64) {})
	if f.Failure != "" {
		return false, errors.New(f.Failure)
	}
	return Keeps(f.Run, f.Unstable), nil
}

// search is the highest step that keeps the limits on the fabric, of those up to most. It may lie near another one.
func (l *limitSearch) search(ctx context.Context, most, near, workers int) (best int, err error) {
	best = highest(most, near, func(probes []int) []bool {
		kept, errs := make([]bool, len(probes)), make([]error, len(probes))
		if err == nil {
			many.Each(ctx, len(probes), workers, func(i int) { kept[i], errs[i] = l.keeps(ctx, probes[i]) })
			err = errors.Join(errs...)
		}
		return kept
	})
	return best, err
}

// highest is the highest step up to most that holds; 0 always does. A step below one that holds is taken
// to hold. It tries most first, then steps around near, then steps below the lowest that does not hold,
// where the limits of most fabrics are; two at a time, however many cores there are.
func highest(most, near int, try func(probes []int) []bool) int {
	if most == 0 || try([]int{most})[0] {
		return most
	}
	low, high := 0, most
	narrow := func(probes []int) {
		for i, held := range try(probes) { // the higher one first
			if held {
				low = probes[i]
				break
			}
			high = probes[i]
		}
	}
	switch {
	case near > 0 && near+1 < most:
		narrow([]int{near + 1, near})
	case near > 0 && near < most:
		narrow([]int{near})
	}
	for reach := 1; high-low > 1; reach *= 2 {
		probes := []int{high - reach, high - 2*reach}
		if low > 0 || probes[1] <= low { // between one that holds and one that does not
			third := max(1, (high-low)/3)
			probes = []int{high - third, low + third}
		}
		if probes[0] <= probes[1] {
			probes = probes[:1]
		}
		narrow(probes)
	}
	return low
}
