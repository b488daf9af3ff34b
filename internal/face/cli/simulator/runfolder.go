package simulator

import (
	"context"
	"sync"
	"time"

	"weft"
	"weft/internal/base/regular"
	"weft/internal/face/cli/exit"
	"weft/internal/face/cli/process"
	"weft/internal/sim/runstore"
	"weft/internal/sim/runstore/seriesfile"
	"weft/results"
	"weft/scenario"
)

// RunFolder is the folder of a run that goes on. It shows the progress, and takes requests of viewers.
type RunFolder struct {
	*runstore.Output
	staging string // with the files until the run ends
	live    *weft.Live
	about   seriesfile.About
	views   int       // the number of the latest series so far
	rest    time.Time // no series so far before it
}

// ClaimRun reserves the run folder of --out and begins it; nil if none is given. Close releases it.
func (e *Simulator) ClaimRun(name string, r *scenario.Resolved) (*RunFolder, error) {
	out, err := e.Claim(name, runstore.Runs)
	if out == nil || err != nil {
		return nil, err
	}
	dir, err := out.Begin(e.identity(r.Run.Seed))
	if err != nil {
		_ = out.Close()
		return nil, exit.Errorf(exit.Failed, "the run cannot be begun in %s: %w", name, regular.Reason(err))
	}
	return &RunFolder{Output: out, staging: dir, about: seriesfile.About{Weft: e.Version.Weft, Scenario: r.Name, Seed: r.Run.Seed}}, nil
}

// Close releases the folder. A nil folder does nothing.
func (f *RunFolder) Close() error {
	if f == nil {
		return nil
	}
	return f.Output.Close()
}

// Follow writes the progress of a run into its folder, and does what viewers of the folder ask for, until end is
// called. The run takes the context.
func (f *RunFolder) Follow(ctx context.Context, s *process.Status) (run context.Context, end func()) {
	if f == nil {
		return ctx, func() {}
	}
	run, hold := weft.Pausable(ctx)
	run, cancel := context.WithCancel(run)
	quit := make(chan struct{})
	var following sync.WaitGroup
	following.Go(func() {
		tick := time.NewTicker(process.Refresh)
		defer tick.Stop()
		for {
			state := runstore.Running
			switch asked := f.Requested(); {
			case asked == runstore.Cancel || run.Err() != nil:
				state = runstore.Stopping
				cancel()
			case asked == runstore.Pause:
				state = runstore.Paused
			}
			hold(state == runstore.Paused)
			if f.live != nil && f.Watched() {
				f.showSoFar(f.live.Series())
			}
			p := s.Enter(state)
			p.Views = f.views
			_ = f.Show(p) // a full disk is reported with the results
			select {
			case <-quit:
				return
			case <-tick.C:
			}
		}
	})
	return run, sync.OnceFunc(func() {
		close(quit)
		following.Wait()
		cancel()
	})
}

// showSoFar writes the series of running simulations for viewers. It takes a tenth of the time at most.
func (f *RunFolder) showSoFar(series []*results.Series) {
	begun := time.Now()
	if len(series) == 0 || begun.Before(f.rest) {
		return
	}
	err := f.ShowSoFar(f.views+1, func(dir string) error {
		w, err := seriesfile.Create(dir, f.about)
		if err != nil {
			return err
		}
		for _, s := range series {
			w.Add(s)
		}
		return w.Close()
	})
	if err == nil {
		f.views++
	}
	f.rest = time.Now().Add(9 * time.Since(begun))
}
