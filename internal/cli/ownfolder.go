package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"weft/internal/runstore"
)

// ownFolder is a folder of outcomes that a file of a certain name marks as the
// verb's own.
type ownFolder struct {
	name string // as --out gave it
	mark string
	what string   // that it holds
	dir  string   // set by open
	old  []string // files of an earlier outcome, set by open
}

// open makes the folder, or takes one that is empty or has the mark. Files that the mark
// lists as its outcome's are those that a new outcome replaces; others stay.
func (f *ownFolder) open(e *Env) error {
	f.dir = e.path(f.name)
	entries, err := os.ReadDir(f.dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		err = os.MkdirAll(f.dir, 0o777)
	case err == nil && len(entries) > 0:
		text, err := os.ReadFile(filepath.Join(f.dir, f.mark))
		if err != nil {
			return fmt.Errorf("--out %s: it holds %s and no %s (%s): name a new folder, or empty this one", f.name, entries[0].Name(), f.what, f.mark)
		}
		f.old = listed(text)
	}
	if err != nil {
		return fmt.Errorf("--out %s: %w", f.name, reason(err))
	}
	return writable(f.dir, "--out "+f.name)
}

// listed are the files that an earlier outcome says are its own; none where it does not
// say. Names that lead out of the folder are no file of it.
func listed(text []byte) []string {
	var outcome struct {
		Files []string `json:"files"`
	}
	if json.Unmarshal(text, &outcome) != nil {
		return nil
	}
	return slices.DeleteFunc(outcome.Files, func(name string) bool { return name != filepath.Base(name) || !filepath.IsLocal(name) })
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

// store writes the outcome, removes what only an earlier one had, and says on standard
// error what it did, unless it is to be silent.
func (f *ownFolder) store(e *Env, files []runstore.File, silent bool) error {
	if err := runstore.Replace(f.dir, files); err != nil {
		return fail(Failed, "the outcome cannot be written to %s: %w", f.name, reason(err))
	}
	var names []string
	for _, file := range files {
		names = append(names, file.Name)
	}
	gone, err := f.remove(names)
	if err != nil {
		return fail(Failed, "a file of the earlier %s cannot be removed from %s: %w", f.what, f.name, reason(err))
	}
	if silent {
		return nil
	}
	fmt.Fprintf(e.Stderr, "wrote %s: %s\n", f.name, strings.Join(names, ", "))
	if len(gone) > 0 {
		fmt.Fprintf(e.Stderr, "removed from %s, of the %s before: %s\n", f.name, f.what, strings.Join(gone, ", "))
	}
	return nil
}

// remove removes the files of the earlier outcome that the new one has not.
func (f *ownFolder) remove(written []string) (gone []string, err error) {
	for _, name := range f.old {
		if slices.Contains(written, name) {
			continue
		}
		switch err := os.Remove(filepath.Join(f.dir, name)); {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			return gone, err
		default:
			gone = append(gone, name)
		}
	}
	return gone, nil
}
