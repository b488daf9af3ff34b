package many

import (
	"context"
	"errors"
	"reflect"
	"sync"
	"sync/atomic"
	"testing"

	"weft/internal/base/cores"
	"weft/internal/sim"
	"weft/internal/study/ledger"
	"weft/results"
	"weft/scenario"
)

// Processes that ask for the same simulations run each once, and get what one process gets.
func TestProcessesOfAStudyDivideItsSimulations(t *testing.T) {
	wanted := variants(t, 7)
	var alone []*results.Results
	for _, r := range wanted {
		results, err := sim.Run(t.Context(), r, sim.Options{Workers: 1})
		if err != nil {
			t.Fatal(err)
		}
		alone = append(alone, results)
	}
	var ran atomic.Int32
	count := func(ctx context.Context, r *scenario.Resolved, o sim.Options) (*results.Results, error) {
		ran.Add(1)
		return sim.Run(ctx, r, o)
	}
	dir := t.TempDir()
	var wait sync.WaitGroup
	for _, worker := range []string{"a", "b", "c"} {
		l, err := ledger.Open(dir, worker)
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		run := NewSharing(l, "v1", 1).Runner(count)
		wait.Go(func() {
			cores.Each(len(wanted), 100, func(i int) {
				got, err := run(t.Context(), wanted[i], sim.Options{Workers: 1})
				if err != nil {
					t.Errorf("process %s, variant %d: %v", worker, i, err)
					return
				}
				want, _ := alone[i].Encode()
				if text, err := got.Encode(); err != nil || string(text) != string(want) {
					t.Errorf("process %s, variant %d has other results (%v)", worker, i, err)
				}
				if a, b := got.Fabrics[0].Points[0].BusBW, alone[i].Fabrics[0].Points[0].BusBW; a != b {
					t.Errorf("process %s, variant %d: %v is not %v to the last bit", worker, i, a, b)
				}
			})
		})
	}
	wait.Wait()
	if n := int(ran.Load()); n != len(wanted) {
		t.Errorf("%d simulations ran, want each of %d once", n, len(wanted))
	}
}

func TestAFailureIsSharedToo(t *testing.T) {
	l, err := ledger.Open(t.TempDir(), "a")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	partial := &results.Results{Scenario: "x"}
	run := NewSharing(l, "v1", 1).Runner(func(context.Context, *scenario.Resolved, sim.Options) (*results.Results, error) {
		return partial, errors.New("deadlock")
	})
	for range 2 {
		got, err := run(t.Context(), variants(t, 1)[0], sim.Options{})
		if err == nil || err.Error() != "deadlock" || !reflect.DeepEqual(got, partial) {
			t.Errorf("%+v, %v, want the results and the reason of the runner", got, err)
		}
	}
}
