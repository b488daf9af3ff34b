package cache

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"

	"weft/internal/sim"
	"weft/internal/sim/known"
	"weft/internal/study/serve"
	"weft/internal/study/training"
)

// Checked is a result that was simulated again.
type Checked struct {
	What  string `json:"what"`
	Bytes int    `json:"bytes"`           // of the kept value
	Wrong string `json:"wrong,omitempty"` // how it differs; empty if it does not
}

// Check simulates a sample of the program's results again, drawn at random, and compares their bytes. It removes what
// is wrong. Tell, if not nil, is called with each result.
func Check(ctx context.Context, dir string, p *Program, n, workers int, tell func(done, total int)) ([]Checked, error) {
	own := ownFolder(filepath.Join(dir, FolderName), p)
	keys, err := keysOf(own)
	if err != nil {
		return nil, plain(own, err)
	}
	rand.Shuffle(len(keys), func(i, j int) { keys[i], keys[j] = keys[j], keys[i] })
	keys = keys[:min(n, len(keys))]
	out := make([]Checked, 0, len(keys))
	for i, key := range keys {
		text, err := os.ReadFile(fileOf(own, key))
		if err != nil {
			continue // it has left
		}
		e, err := decode(key, text)
		var wrong string
		if err != nil {
			wrong = err.Error()
		} else {
			wrong = wrongOf(ctx, key, &e, workers)
		}
		if ctx.Err() != nil {
			return out, ctx.Err()
		}
		out = append(out, Checked{e.What, len(e.Value), wrong})
		if wrong != "" {
			if err := os.Remove(fileOf(own, key)); err != nil {
				return out, plain(own, err)
			}
		}
		if tell != nil {
			tell(i+1, len(keys))
		}
	}
	return out, nil
}

// keysOf are the keys of a program's results.
func keysOf(own string) (keys []known.Key, err error) {
	files, err := os.ReadDir(own)
	for _, f := range files {
		if key, is := keyFrom(f.Name()); is {
			keys = append(keys, key)
		}
	}
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return keys, err
}

// kinds simulate a result of a kind again, from its recipe.
var kinds = map[string]func(ctx context.Context, recipe []byte, workers int) (known.Key, []byte, error){
	sim.SizeKind: sim.Resimulate, training.IslandKind: training.Resimulate, serve.JobKind: serve.Resimulate,
}

// wrongOf simulates a result again, and says how it differs.
func wrongOf(ctx context.Context, key known.Key, e *known.Entry, workers int) string {
	simulate := kinds[e.Kind]
	if simulate == nil {
		return fmt.Sprintf("it is of a kind %q that this program does not know", e.Kind)
	}
	switch of, value, err := simulate(ctx, e.Recipe, workers); {
	case err != nil:
		return err.Error()
	case of != key:
		return "its recipe is of another simulation"
	case !bytes.Equal(value, e.Value):
		return "simulated again, it has another value"
	}
	return ""
}
