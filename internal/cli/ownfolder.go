package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"weft/internal/runstore"
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
	return writable(f.dir, "--out "+f.name)
}

// writable sees, before anything is computed, that files can be made in a folder.
// flag is how the user named it.
func writable(dir, flag string) error {
	probe, err := os.CreateTemp(dir, ".weft-probe-*")
	if err != nil {
		return fmt.Errorf("%s: %w", flag, reason(err))
	}
	return errors.Join(probe.Close(), os.Remove(probe.Name()))
}

// writableFile sees, before anything is computed, that a file can be written by
// writeWhole. An empty path is none.
func writableFile(e *Env, flag, path string) error {
	if path == "" {
		return nil
	}
	flag += " " + path
	if info, err := os.Stat(e.path(path)); err == nil && info.IsDir() {
		return fmt.Errorf("%s: it is a folder: want a file", flag)
	}
	return writable(filepath.Dir(e.path(path)), flag)
}

// store writes the outcome, and says on standard error what it wrote, unless it is
// to be silent.
func (f *ownFolder) store(e *Env, files []runstore.File, silent bool) error {
	if err := runstore.Replace(f.dir, files); err != nil {
		return fail(Failed, "the outcome cannot be written to %s: %w", f.name, reason(err))
	}
	if silent {
		return nil
	}
	var names []string
	for _, file := range files {
		names = append(names, file.Name)
	}
	fmt.Fprintf(e.Stderr, "wrote %s: %s\n", f.name, strings.Join(names, ", "))
	return nil
}
