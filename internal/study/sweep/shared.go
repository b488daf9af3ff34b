package sweep

import (
	"bytes"
	"cmp"
	"context"
	"encoding/gob"
	"errors"
	"fmt"
	"time"

	"weft/internal/sim"
	"weft/internal/sim/catalog"
	"weft/internal/sim/runstore"
	"weft/internal/sim/scenario"
	"weft/internal/study/ledger"
)

// outcome is the outcome of a simulation that processes share.
type outcome struct {
	Results []byte `json:"results,omitempty"` // in the form of gob, which keeps every bit
	Error   string `json:"error,omitempty"`
}

// Shared is a runner whose simulations are shared among the processes of a folder: each is run by one of them, and the
// others take its outcome. So processes that do the same study divide its work, if each asks for many simulations at
// a time; run is called for as many at a time as there are cores. Version is weft's.
func Shared(l *ledger.Ledger, run Runner, version string, cores int) Runner {
	slots := make(chan struct{}, max(1, cores))
	return func(ctx context.Context, r *scenario.Resolved, o sim.Options) (*runstore.Results, error) {
		if o.Series != nil || o.Live != nil || o.Finished != nil {
			return run(ctx, r, o) // the caller looks at the simulation itself
		}
		text, err := r.MarshalYAML()
		if err != nil {
			return nil, err
		}
		piece := digest(fmt.Appendf(nil, "%s\n%s\n%d %t\n%s", version, catalog.Digest(), o.Seeds, o.SwitchRange, text))
		for {
			var kept outcome
			if ok, err := l.Get(piece, &kept); ok || err != nil {
				return kept.decoded(err)
			}
			select {
			case slots <- struct{}{}:
			case <-ctx.Done():
				return nil, ctx.Err()
			}
			mine, err := attempt(ctx, l, piece, func() (*runstore.Results, error) { return run(ctx, r, o) })
			<-slots
			if err == nil && !mine {
				select {
				case <-time.After(lookAgain):
				case <-ctx.Done():
				}
			}
			if err := cmp.Or(err, ctx.Err()); err != nil {
				return nil, err
			}
		}
	}
}

// lookAgain is how often a process looks for an outcome that another one works on.
const lookAgain = waitFor / 5

// attempt runs a simulation and keeps its outcome, unless another process does.
func attempt(ctx context.Context, l *ledger.Ledger, piece string, run func() (*runstore.Results, error)) (mine bool, err error) {
	if mine, err = l.Claim(piece); err != nil {
		return false, err
	}
	if err := l.Refresh(); err != nil || !mine {
		return false, err
	}
	if l.Done(piece) { // by a process that has ended
		l.Finished(piece)
		return true, nil
	}
	results, failed := run()
	if ctx.Err() != nil {
		return true, ctx.Err()
	}
	var kept outcome
	if failed != nil {
		kept.Error = failed.Error()
	}
	if results != nil {
		var b bytes.Buffer
		if err := gob.NewEncoder(&b).Encode(results); err != nil {
			return true, err
		}
		kept.Results = b.Bytes()
	}
	if err := l.Add(piece, kept); err != nil {
		return true, err
	}
	l.Finished(piece)
	return true, nil
}

// decoded is the outcome as its runner gave it; err is the error of reading it.
func (o *outcome) decoded(err error) (*runstore.Results, error) {
	if err != nil {
		return nil, err
	}
	if o.Error != "" {
		err = errors.New(o.Error)
	}
	if o.Results == nil {
		return nil, err
	}
	results := new(runstore.Results)
	if bad := gob.NewDecoder(bytes.NewReader(o.Results)).Decode(results); bad != nil {
		return nil, bad
	}
	return results, err
}
