package many

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/gob"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"weft/internal/sim"
	"weft/internal/sim/catalog"
	"weft/internal/study/ledger"
	"weft/results"
	"weft/scenario"
)

// Sharing is the simulations that processes share through a folder: each is run by one of them, and
// the others take its outcome. So processes that do the same study divide its work, if each asks for
// many simulations at a time, and a study that was stopped goes on where it was.
type Sharing struct {
	ledger  *ledger.Ledger
	version string        // of weft
	slots   chan struct{} // one for each simulation that this process runs at the same time
}

// NewSharing shares through a ledger. This process runs as many simulations at a time as it has
// cores.
func NewSharing(l *ledger.Ledger, version string, cores int) *Sharing {
	return &Sharing{l, version, make(chan struct{}, max(1, cores))}
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
		return Share(ctx, s, piece, func() (*results.Results, error) { return run(ctx, r, o) })
	}
}

// FolderError says that the folder of a ledger cannot be read or written.
type FolderError struct{ Err error }

func (e *FolderError) Error() string { return e.Err.Error() }

func (e *FolderError) Unwrap() error { return e.Err }

// entry is the outcome of a piece in the ledger.
type entry struct {
	Value []byte `json:"value,omitempty"` // in the form of gob, which keeps every bit
	Error string `json:"error,omitempty"`
}

// boxed lets gob keep a nil pointer.
type boxed[T any] struct{ Value T }

// Share is what run returns, in this process or in another one that shares the piece. piece says
// everything that the value depends on, apart from weft and its catalog. If s is nil nothing is
// shared.
func Share[T any](ctx context.Context, s *Sharing, piece string, run func() (T, error)) (value T, err error) {
	if s == nil {
		return run()
	}
	sum := sha256.Sum256([]byte(s.version + "\n" + catalog.Digest() + "\n" + piece))
	name := hex.EncodeToString(sum[:])
	for {
		var kept entry
		ok, err := s.ledger.Get(name, &kept)
		switch {
		case err != nil:
			return value, &FolderError{err}
		case ok:
			return decoded[T](&kept)
		}
		select {
		case s.slots <- struct{}{}:
		case <-ctx.Done():
			return value, ctx.Err()
		}
		mine, err := attempt(ctx, s.ledger, name, run)
		<-s.slots
		if err == nil && !mine {
			select {
			case <-time.After(lookAgain):
			case <-ctx.Done():
			}
		}
		switch {
		case ctx.Err() != nil:
			return value, ctx.Err()
		case err != nil:
			return value, &FolderError{err}
		}
	}
}

// lookAgain is how often a process looks for an outcome that another one works on.
const lookAgain = 200 * time.Millisecond

// attempt runs a piece and keeps its outcome, unless another process does.
func attempt[T any](ctx context.Context, l *ledger.Ledger, name string, run func() (T, error)) (mine bool, err error) {
	if mine, err = l.Claim(name); err != nil {
		return false, err
	}
	if err := l.Refresh(); err != nil || !mine {
		return false, err
	}
	if l.Done(name) { // by a process that has ended
		l.Finished(name)
		return true, nil
	}
	value, failed := run()
	if ctx.Err() != nil {
		return true, nil //nolint:nilerr // the work stays undone; the caller has the error of ctx
	}
	var kept entry
	if failed != nil {
		kept.Error = failed.Error()
	}
	var b bytes.Buffer
	if err := gob.NewEncoder(&b).Encode(boxed[T]{value}); err != nil {
		return true, err
	}
	kept.Value = b.Bytes()
	if err := l.Add(name, kept); err != nil {
		return true, err
	}
	l.Finished(name)
	return true, nil
}

// decoded is an outcome as its piece gave it.
func decoded[T any](o *entry) (T, error) {
	var box boxed[T]
	if err := gob.NewDecoder(bytes.NewReader(o.Value)).Decode(&box); err != nil {
		return box.Value, err
	}
	if o.Error != "" {
		return box.Value, errors.New(o.Error)
	}
	return box.Value, nil
}
