package cache

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
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
	file := filepath.Join(dir, FileName)
	sample, err := draw(dir, p, n)
	if err != nil {
		return nil, plain(file, err)
	}
	out := make([]Checked, 0, len(sample))
	for i := range sample {
		s := &sample[i]
		wrong := s.wrong(ctx, p, workers)
		if ctx.Err() != nil {
			return out, ctx.Err()
		}
		out = append(out, Checked{s.what, len(s.value), wrong})
		if wrong != "" {
			if err := forget(dir, s.key); err != nil {
				return out, plain(file, err)
			}
		}
		if tell != nil {
			tell(i+1, len(sample))
		}
	}
	return out, nil
}

// row is a row of the file.
type row struct {
	key, value, sum, recipe []byte
	kind, what              string
}

// draw draws results of a program.
func draw(dir string, p *Program, n int) (sample []row, err error) {
	db, err := open(dir, false)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer db.Close()
	rows, err := db.Query(`SELECT key, value, sum, recipe, kind, what FROM results WHERE rowid IN (
		SELECT rowid FROM results WHERE program = (SELECT id FROM programs WHERE digest = ?) ORDER BY random() LIMIT ?)`, p.Digest, n)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var r row
		if err := rows.Scan(&r.key, &r.value, &r.sum, &r.recipe, &r.kind, &r.what); err != nil {
			return nil, err
		}
		sample = append(sample, r)
	}
	return sample, rows.Err()
}

// forget removes a result.
func forget(dir string, key []byte) error {
	db, err := open(dir, false)
	if err != nil {
		return err
	}
	defer db.Close()
	_, err = db.Exec("DELETE FROM results WHERE key = ?", key)
	return err
}

// kinds simulate a result of a kind again, from its recipe.
var kinds = map[string]func(ctx context.Context, recipe []byte, workers int) (known.Key, []byte, error){
	sim.SizeKind: sim.Resimulate, training.IslandKind: training.Resimulate, serve.JobKind: serve.Resimulate,
}

// wrong simulates a result again, and says how it differs.
func (r *row) wrong(ctx context.Context, p *Program, workers int) string {
	if want := sumOf(known.Key(r.key), r.value); !bytes.Equal(r.sum, want[:]) {
		return errSum.Error()
	}
	simulate := kinds[r.kind]
	if simulate == nil {
		return fmt.Sprintf("it is of a kind %q that this program does not know", r.kind)
	}
	of, value, err := simulate(ctx, r.recipe, workers)
	if err != nil {
		return err.Error()
	}
	if key := sha256.Sum256(append(bytes.Clone(p.Digest), of[:]...)); !bytes.Equal(key[:], r.key) {
		return "its recipe is of another simulation"
	}
	if !bytes.Equal(value, r.value) {
		return "simulated again, it has another value"
	}
	return ""
}
