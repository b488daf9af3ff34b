package cli

import (
	"context"
	"sync"
	"time"

	"weft"
	"weft/internal/sim/catalog"
	"weft/internal/sim/runstore"
	"weft/internal/sim/scenario"
)

// runFolder is the folder of a run that goes on. It shows the progress, and takes requests of viewers.
type runFolder struct {
	*runstore.Output
	staging string // with the files until the run ends
}

// claimRun reserves the run folder of --out and begins it; nil if none is given. Close releases it.
func (e *Env) claimRun(name string, r *scenario.Resolved) (*runFolder, error) {
	out, err := e.claim(name, runstore.Runs)
	if out == nil || err != nil {
		return nil, err
	}
	dir, err := out.Begin(runstore.Meta{
		Weft: e.Version.Weft, Go: e.Version.Go, Platform: e.Version.Platform, CatalogDigest: catalog.Digest(),
		Command: append([]string{"weft"}, e.Args...), Seed: r.Run.Seed,
	})
	if err != nil {
		_ = out.Close()
		return nil, fail(Failed, "the run cannot be begun in %s: %w", name, reason(err))
	}
	return &runFolder{out, dir}, nil
}

// Close releases the folder. A nil folder does nothing.
func (f *runFolder) Close() error {
	if f == nil {
		return nil
	}
	return f.Output.Close()
}

// follow writes the progress of a run into its folder, and does what viewers of the folder ask for, until end is
// called. The run takes the context.
func (f *runFolder) follow(ctx context.Context, s *status) (run context.Context, end func()) {
	if f == nil {
		return ctx, func() {}
	}
	run, hold := weft.Pausable(ctx)
	run, cancel := context.WithCancel(run)
	quit := make(chan struct{})
	var following sync.WaitGroup
	following.Go(func() {
		tick := time.NewTicker(refresh)
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
			_ = f.Show(s.enter(state)) // a full disk is reported with the results
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
