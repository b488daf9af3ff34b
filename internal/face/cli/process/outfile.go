package process

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"weft/internal/base/regular"
	"weft/internal/face/cli/exit"
	"weft/internal/sim/runstore"
)

// WriteFile writes a file that gets its name only when it is complete. It is made in the same
// folder, under a temporary name that the next process reuses if this one is killed: tables of
// large fabrics do not fit into memory twice. - is standard output.
func (e *Env) WriteFile(name string, write func(io.Writer) error) error {
	if name == "-" { // the requested output, and nothing else
		err := write(e.Stdout)
		e.Stdout = io.Discard
		return err
	}
	path := e.Path(name)
	switch {
	case special(path):
		return e.writeThrough(name, write)
	case IsFolder(path):
		return Unwritable(name, errFolder)
	}
	f, err := runstore.Lock(temporary(path))
	if err != nil {
		return Unwritable(name, err)
	}
	if err := write(f); err != nil {
		return errors.Join(err, os.Remove(f.Name()), f.Close())
	}
	if err := errors.Join(f.Sync(), os.Rename(f.Name(), path), f.Close()); err != nil {
		return errors.Join(exit.Errorf(exit.Failed, "%w", Unwritable(name, err)), os.Remove(f.Name()))
	}
	return nil
}

// errFolder is the error for the name of a folder, where a verb reads or writes a file.
var errFolder = errors.New("it is a folder: name a file")

// IsFolder reports whether a path is an existing folder.
func IsFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// Unwritable is a file error with the name as the user wrote it.
func Unwritable(name string, err error) error {
	return fmt.Errorf("%s cannot be written: %w", filepath.ToSlash(name), reason(name, err))
}

// reason is why a file cannot be written: mostly because its folder is not there.
func reason(name string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("the folder %s does not exist", filepath.ToSlash(filepath.Dir(name)))
	}
	return regular.Reason(err)
}

// temporary is the temporary path of a file.
func temporary(path string) string {
	return filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+".weft-new")
}

// special reports whether a path is a device or a pipe, which cannot be replaced: /dev/null,
// /dev/stdout.
func special(path string) bool {
	info, err := os.Stat(path)
	return err == nil && !info.Mode().IsRegular() && !info.IsDir()
}

// writeThrough writes to a device or a pipe.
func (e *Env) writeThrough(name string, write func(io.Writer) error) error {
	f, err := e.openAs(name, os.O_WRONLY)
	if err != nil {
		return Unwritable(name, err)
	}
	return errors.Join(write(f), f.Close())
}

// WriteText writes a file whose content is complete.
func (e *Env) WriteText(name string, text []byte) error {
	return e.WriteFile(name, func(w io.Writer) error {
		_, err := w.Write(text)
		return err
	})
}

// WritableFile checks, before the computation, that a file can be written. An empty path is no
// file.
func WritableFile(e *Env, flag, path string) error {
	if path == "" || path == "-" || special(e.Path(path)) {
		return nil
	}
	flag += " " + path
	if IsFolder(e.Path(path)) {
		return fmt.Errorf("%s: %w", flag, errFolder)
	}
	f, err := runstore.Lock(temporary(e.Path(path)))
	if err != nil {
		return fmt.Errorf("%s: %w", flag, reason(path, err))
	}
	return errors.Join(os.Remove(f.Name()), f.Close())
}

// Deliver writes a verb's only output file to the path of -o, or to standard output. With --json
// the answer describes the file, and contains its text if it has no name.
func (e *Env) Deliver(out string, asJSON bool, about map[string]any, write func(io.Writer) error) error {
	named := out != "" && out != "-"
	switch {
	case !asJSON && !named:
		w := bufio.NewWriter(e.Stdout)
		return cmp.Or(write(w), w.Flush())
	case !asJSON:
		return e.WriteFile(out, write)
	case named:
		about["file"] = out
		if err := e.WriteFile(out, write); err != nil {
			return err
		}
	default:
		var text bytes.Buffer
		if err := write(&text); err != nil {
			return err
		}
		about["text"] = text.String()
	}
	return PrintJSON(e, about)
}
