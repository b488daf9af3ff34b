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

	"weft/internal/base/regular"
	"weft/internal/sim/runstore"
)

// claim reserves the folder of --out while the verb works; nil if none is given.
func (e *Env) claim(name string, may runstore.Holding) (*runstore.Output, error) {
	if name == "" {
		return nil, nil
	}
	return runstore.Claim(e.path(name), may)
}

// mostMark bounds the file that marks a folder: the list of its files, and the settings of a verb.
const mostMark = 64 << 20

// ownFolder is an output folder that a file of a certain name marks as the verb's own.
type ownFolder struct {
	*runstore.Output
	name string // as in --out
	mark string
	what string   // that it holds
	old  []string // files of an earlier outcome, set by open
}

// open reserves the folder, which is new, empty, or has the mark. A new outcome replaces the files
// that the mark lists; others stay. Without a name it does nothing. Close releases it.
func (f *ownFolder) open(e *Env) (err error) {
	f.Output, err = e.claim(f.name, func(dir, stranger string) error {
		text, err := regular.Read(filepath.Join(dir, f.mark), mostMark)
		if err != nil {
			return runstore.Stranger(stranger, f.what+" ("+f.mark+")")
		}
		f.old = listed(text)
		return nil
	})
	return err
}

// listed are the files in the list of an earlier outcome; none without a list. Names that lead out
// of the folder are ignored.
func listed(text []byte) []string {
	var outcome struct {
		Files []string `json:"files"`
	}
	if json.Unmarshal(text, &outcome) != nil {
		return nil
	}
	return slices.DeleteFunc(outcome.Files, func(name string) bool { return name != filepath.Base(name) || !filepath.IsLocal(name) })
}

// writable checks, before the computation, that files can be made in a folder. flag is the user's
// flag.
func writable(dir, flag string) error {
	probe, err := os.CreateTemp(dir, ".weft-probe-*")
	if err != nil {
		return fmt.Errorf("%s: %w", flag, reason(err))
	}
	return errors.Join(probe.Close(), os.Remove(probe.Name()))
}

// store writes the outcome, removes files that only an earlier outcome had, and reports it on
// standard error, unless silent. The mark is last.
func (f *ownFolder) store(e *Env, files []runstore.File, silent bool) error {
	var names []string
	var ordered, mark []runstore.File
	for _, file := range files {
		names = append(names, file.Name)
		if file.Name == f.mark {
			mark = append(mark, file)
		} else {
			ordered = append(ordered, file)
		}
	}
	if err := f.Put(append(ordered, mark...)); err != nil {
		return fail(Failed, "the outcome cannot be written to %s: %w", f.name, reason(err))
	}
	gone, err := f.remove(e, names)
	if err != nil {
		return fail(Failed, "a file of the earlier %s cannot be removed from %s: %w", f.what, f.name, reason(err))
	}
	if silent {
		return nil
	}
	e.note("wrote %s: %s\n", f.name, strings.Join(names, ", "))
	if len(gone) > 0 {
		e.note("removed from %s, of the earlier %s: %s\n", f.name, f.what, strings.Join(gone, ", "))
	}
	return nil
}

// remove removes the files of the earlier outcome that the new one does not have.
func (f *ownFolder) remove(e *Env, written []string) (gone []string, err error) {
	for _, name := range f.old {
		if slices.Contains(written, name) {
			continue
		}
		switch err := os.Remove(filepath.Join(e.path(f.name), name)); {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			return gone, err
		default:
			gone = append(gone, name)
		}
	}
	return gone, nil
}
