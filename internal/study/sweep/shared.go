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
	"weft/internal/sim/run/phases"
	"weft/internal/study/ledger"
	"weft/results"
	"weft/scenario"
)

// Sharing is the simulations that processes share through a folder: each is run by one of them, and the others take its
// outcome. So processes that do the same study divide its work, if each asks for many simulations at a time.
type Sharing struct {
	ledger  *ledger.Ledger
	version string        // of weft
	slots   chan struct{} // one for each simulation that this process runs at the same time
}

// NewSharing shares through a ledger. This process runs as many simulations at a time as it has cores.
func NewSharing(l *ledger.Ledger, version string, cores int) *Sharing {
	return &Sharing{l, version, make(chan struct{}, max(1, cores))}
}

// outcome is the outcome of a simulation.
type outcome struct {
	Value []byte `json:"value,omitempty"` // in the form of gob, which keeps every bit
	Error string `json:"error,omitempty"`
}

// Runner is a runner whose simulations are shared.
func (s *Sharing) Runner(run Runner) Runner {
	return func(ctx context.Context, r *scenario.Resolved, o sim.Options) (*results.Results, error) {
		if o.Series != nil || o.Live != nil || o.Finished != nil {
			return run(ctx, r, o) // the caller looks at the simulation itself
		}
		text, err := r.MarshalYAML()
		if err != nil {
			return nil, err
		}
		piece := fmt.Sprintf("run %d\n%s", o.Seeds, text)
		return shared(ctx, s, piece, func() (*results.Results, error) { return run(ctx, r, o) })
	}
}

// Island is a simulated part of a training step, shared. Piece says everything that it depends on.
func (s *Sharing) Island(ctx context.Context, piece string, run func() (*phases.IslandRun, error)) (*phases.IslandRun, error) {
	return shared(ctx, s, "island "+piece, run)
}

// Rows are the rows of a case or a table, shared. Piece says everything that they depend on.
func Rows[T any](ctx context.Context, s *Sharing, piece string, run func() ([]T, error)) ([]T, error) {
	rows, err := shared(ctx, s, "rows "+piece, func() (*[]T, error) {
		rows, err := run()
		return &rows, err
	})
	if rows == nil {
		return nil, err
	}
	return *rows, err
}

// shared is the outcome of a simulation, which this process or another one runs.
func shared[T any](ctx context.Context, s *Sharing, text string, run func() (*T, error)) (*T, error) {
	piece := digest([]byte(s.version + "\n" + catalog.Digest() + "\n" + text))
	for {
		var kept outcome
		if ok, err := s.ledger.Get(piece, &kept); ok || err != nil {
			return decoded[T](&kept, err)
		}
		select {
		case s.slots <- struct{}{}:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		mine, err := attempt(ctx, s.ledger, piece, run)
		<-s.slots
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

// lookAgain is how often a process looks for an outcome that another one works on.
const lookAgain = waitFor / 5

// attempt runs a simulation and keeps its outcome, unless another process does.
func attempt[T any](ctx context.Context, l *ledger.Ledger, piece string, run func() (*T, error)) (mine bool, err error) {
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
	value, failed := run()
	if ctx.Err() != nil {
		return true, ctx.Err()
	}
	var kept outcome
	if failed != nil {
		kept.Error = failed.Error()
	}
	if value != nil {
		var b bytes.Buffer
		if err := gob.NewEncoder(&b).Encode(value); err != nil {
			return true, err
		}
		kept.Value = b.Bytes()
	}
	if err := l.Add(piece, kept); err != nil {
		return true, err
	}
	l.Finished(piece)
	return true, nil
}

// decoded is the outcome as its simulation gave it; err is the error of reading it.
func decoded[T any](o *outcome, err error) (*T, error) {
	if err != nil {
		return nil, err
	}
	if o.Error != "" {
		err = errors.New(o.Error)
	}
	if o.Value == nil {
		return nil, err
	}
	value := new(T)
	if bad := gob.NewDecoder(bytes.NewReader(o.Value)).Decode(value); bad != nil {
		return nil, bad
	}
	return value, err
}
