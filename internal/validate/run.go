package validate

import (
	"context"
	"errors"
	"sync"
)

// Options are how cases are run.
type Options struct {
	// Workers is how many cases run at the same time, at least 1. Results do
	// not depend on it.
	Workers int
	// Short shortens slow cases.
	Short bool
	// Collective runs collectives for the measured tables; nil shows the
	// references alone.
	Collective Collective
	// Done, if not nil, is called with each result, in the order of the cases.
	Done func(*Result)
}

// Run runs cases and gives their results in their order. When ctx ends it
// returns those that are complete, up to the first that is not, and the
// context's error.
func Run(ctx context.Context, cases []*Case, o Options) ([]Result, error) {
	results := make([]Result, len(cases))
	finished := make([]chan struct{}, len(cases))
	for i := range finished {
		finished[i] = make(chan struct{})
	}
	work := make(chan int)
	var wg sync.WaitGroup
	for range max(1, o.Workers) {
		wg.Go(func() {
			for i := range work {
				rows, err := cases[i].Run(&Env{Ctx: ctx, Short: o.Short, Collective: o.Collective})
				results[i] = Result{Case: cases[i], Rows: rows, Err: err}
				close(finished[i])
			}
		})
	}
	go func() {
		defer close(work)
		for i := range cases {
			select {
			case work <- i:
			case <-ctx.Done():
				return
			}
		}
	}()
	defer wg.Wait()
	for i := range cases {
		select {
		case <-finished[i]:
		case <-ctx.Done():
			return results[:i], ctx.Err()
		}
		if err := results[i].Err; err != nil && ctx.Err() != nil && errors.Is(err, ctx.Err()) {
			return results[:i], ctx.Err()
		}
		if o.Done != nil {
			o.Done(&results[i])
		}
	}
	return results, nil
}

// Count is how many rows of results have each verdict; a case that failed to
// run is one miss.
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
