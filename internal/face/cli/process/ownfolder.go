package process

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
	"weft/internal/face/cli/exit"
	"weft/internal/sim/runstore"
)

// Claim reserves the folder of --out while the verb works; nil if none is given.
func (e *Env) Claim(name string, may runstore.Holding) (*runstore.Output, error) {
	if name == "" {
		return nil, nil
	}
	return runstore.Claim(e.Path(name), may)
}

// mostMark bounds the file that marks a folder: the list of its files, and the settings of a verb.
const mostMark = 64 << 20

// OwnFolder is an output folder that a file of a certain name marks as the verb's own.
type OwnFolder struct {
	*runstore.Output
	Name string // as in --out
	Mark string
	What string   // that it holds
	old  []string // files of an earlier outcome, set by open
}

// Open reserves the folder, which is new, empty, or has the mark. A new outcome replaces the files
// that the mark lists; others stay. Without a name it does nothing. Close releases it.
func (f *OwnFolder) Open(e *Env) (err error) {
	f.Output, err = e.Claim(f.Name, func(dir, stranger string) error {
		text, err := regular.Read(filepath.Join(dir, f.Mark), mostMark)
		if err != nil {
			return runstore.Stranger(stranger, f.What+" ("+f.Mark+")")
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

// Writable checks, before the computation, that files can be made in a folder. flag is the user's
// flag.
func Writable(dir, flag string) error {
	probe, err := os.CreateTemp(dir, ".weft-probe-*")
	if err != nil {
		return fmt.Errorf("%s: %w", flag, regular.Reason(err))
	}
	return errors.Join(probe.Close(), os.Remove(probe.Name()))
}

// Store writes the outcome, removes files that only an earlier outcome had, and reports it on
// standard error, unless silent. The mark is last.
func (f *OwnFolder) Store(e *Env, files []runstore.File, silent bool) error {
	var names []string
	var ordered, mark []runstore.File
	for _, file := range files {
		names = append(names, file.Name)
		if file.Name == f.Mark {
			mark = append(mark, file)
		} else {
			ordered = append(ordered, file)
		}
	}
	if err := f.Put(append(ordered, mark...)); err != nil {
		return exit.Errorf(exit.Failed, "the outcome cannot be written to %s: %w", f.Name, regular.Reason(err))
	}
	gone, err := f.remove(e, names)
	if err != nil {
		return exit.Errorf(exit.Failed, "a file of the earlier %s cannot be removed from %s: %w", f.What, f.Name, regular.Reason(err))
	}
	if silent {
		return nil
	}
	e.Note("wrote %s: %s\n", f.Name, strings.Join(names, ", "))
	if len(gone) > 0 {
		e.Note("removed from %s, of the earlier %s: %s\n", f.Name, f.What, strings.Join(gone, ", "))
	}
	return nil
}

// remove removes the files of the earlier outcome that the new one does not have.
func (f *OwnFolder) remove(e *Env, written []string) (gone []string, err error) {
	for _, name := range f.old {
		if slices.Contains(written, name) {
			continue
		}
		switch err := os.Remove(filepath.Join(e.Path(f.Name), name)); {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			return gone, err
		default:
			gone = append(gone, name)
		}
	}
	return gone, nil
}

// ModeOf is the mode of a device file: a script is executable.
func ModeOf(name string) fs.FileMode {
	if strings.HasSuffix(name, ".sh") {
		return 0o755
	}
	return 0o644
}
