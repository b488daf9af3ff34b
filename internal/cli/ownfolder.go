package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// ownFolder is a folder of outcomes that a file of a certain name marks as the
// verb's own.
type ownFolder struct {
	name string // as --out gave it
	mark string
	what string // that it holds
	dir  string // set by open
}

// open makes the folder, or takes one that is empty or has the mark.
func (f *ownFolder) open(e *Env) error {
	f.dir = e.path(f.name)
	entries, err := os.ReadDir(f.dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		err = os.MkdirAll(f.dir, 0o777)
	case err == nil && len(entries) > 0:
		if _, err := os.Lstat(filepath.Join(f.dir, f.mark)); err != nil {
			return fmt.Errorf("--out %s: it holds %s and no %s (%s): name a new folder, or empty this one", f.name, entries[0].Name(), f.what, f.mark)
		}
	}
	if err != nil {
		return fmt.Errorf("--out %s: %w", f.name, reason(err))
	}
	return f.writable()
}

// writable sees, before anything is computed, that files can be made in it.
func (f *ownFolder) writable() error {
	probe, err := os.CreateTemp(f.dir, ".weft-probe-*")
	if err != nil {
		return fmt.Errorf("--out %s: %w", f.name, reason(err))
	}
	return errors.Join(probe.Close(), os.Remove(probe.Name()))
}
