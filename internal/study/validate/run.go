package validate

import (
	"context"
	"errors"
	"runtime"
	"sync"

	"weft/internal/base/cores"
	"weft/internal/sim"
	"weft/internal/study/many"
)

// Options are the settings of a run of cases.
type Options struct {
	// Workers is the number of cores, at least 1: as many cases run at the same time, and as many parts
	// of a long case. Results do not depend on it.
	Workers int
	// Short shortens slow cases.
	Short bool
	// Exact says whether the simulations of scenarios skip what repeats itself, as in [sim.Options].
	Exact sim.Exact
	// Done, if not nil, is called with each result, in the order of the cases.
	Done func(*Result)
	// Sharing, if not nil, shares the cases with other processes.
	Sharing *many.Sharing
}

// Run runs cases and gives their results in their order. When ctx ends it
// returns the results before the first incomplete one, and the context's
// error.
func Run(ctx context.Context, cases []*Case, o Options) ([]Result, error) {
	results, complete := make([]Result, len(cases)), make([]bool, len(cases))
	var mu sync.Mutex
	told := 0 // cases, in their order
	cores.Each(len(cases), max(1, o.Workers), func(i int) {
		if ctx.Err() != nil {
			return
		}
		rows, err := many.Share(ctx, o.Sharing, "case "+cases[i].ID, func() ([]Row, error) {
			return cases[i].Run(&Env{Ctx: ctx, Workers: min(o.Workers, runtime.GOMAXPROCS(0)), Short: o.Short, Exact: o.Exact})
		})
		if err != nil && ctx.Err() != nil && errors.Is(err, ctx.Err()) {
			return
		}
		mu.Lock()
		defer mu.Unlock()
		results[i], complete[i] = Result{Case: cases[i], Rows: rows, Err: err}, true
		for ; told < len(cases) && complete[told]; told++ {
			if o.Done != nil {
				o.Done(&results[told])
			}
		}
	})
	if told < len(cases) {
		return results[:told], ctx.Err()
	}
	return results, nil
}

// Count is the number of rows with each verdict; a case that failed to run is one miss.
func Count(results []Result) (pass, miss, notScored int) {
	for i := range results {
		if results[i].Err != nil {
			miss++
		}
		for j := range results[i].Rows {
			switch results[i].Rows[j].Verdict() {
			case Pass:
				pass++
			case Miss:
				miss++
			default:
				notScored++
			}
		}
	}
	return pass, miss, notScored
}
