package cli

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"weft/internal/sim/runstore"
)

// writeFile writes a file that gets its name only when it is complete. It is made in the same
// folder, under a temporary name that the next process reuses if this one is killed: tables of
// large fabrics do not fit into memory twice. - is standard output.
func (e *Env) writeFile(name string, write func(io.Writer) error) error {
	if name == "-" { // the requested output, and nothing else
		err := write(e.Stdout)
		e.Stdout = io.Discard
		return err
	}
	path := e.path(name)
	switch {
	case special(path):
		return e.writeThrough(name, write)
	case isFolder(path):
		return unwritable(name, errFolder)
	}
	f, err := runstore.Lock(temporary(path))
	if err != nil {
		return unwritable(name, err)
	}
	if err := write(f); err != nil {
		return errors.Join(err, os.Remove(f.Name()), f.Close())
	}
	if err := errors.Join(f.Sync(), os.Rename(f.Name(), path), f.Close()); err != nil {
		return errors.Join(fail(Failed, "%w", unwritable(name, err)), os.Remove(f.Name()))
	}
	return nil
}

// errFolder is the error for the name of a folder, where a verb writes a file.
var errFolder = errors.New("it is a folder: name a file")

// isFolder reports whether a path is an existing folder.
func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// unwritable is a file error with the name as the user wrote it.
func unwritable(name string, err error) error {
	return fmt.Errorf("%s cannot be written: %w", filepath.ToSlash(name), reason(err))
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
		return unwritable(name, err)
	}
	return errors.Join(write(f), f.Close())
}

// writeText writes a file whose content is complete.
func (e *Env) writeText(name string, text []byte) error {
	return e.writeFile(name, func(w io.Writer) error {
		_, err := w.Write(text)
		return err
	})
}

// writableFile checks, before the computation, that a file can be written. An empty path is no
// file.
func writableFile(e *Env, flag, path string) error {
	if path == "" || path == "-" || special(e.path(path)) {
		return nil
	}
	flag += " " + path
	if isFolder(e.path(path)) {
		return fmt.Errorf("%s: %w", flag, errFolder)
	}
	f, err := runstore.Lock(temporary(e.path(path)))
	if err != nil {
		return fmt.Errorf("%s: %w", flag, reason(err))
	}
	return errors.Join(os.Remove(f.Name()), f.Close())
}

// outFlag registers the flag for a verb's only output file. -o or --out always names the output,
// and - is standard output.
func outFlag(cmd *cobra.Command, to *string, what, byDefault string, extensions ...string) {
	cmd.Flags().StringVarP(to, "out", "o", "", "file for "+what+"; - is standard output (default: "+byDefault+")")
	_ = cmd.MarkFlagFilename("out", extensions...)
}

// svgFlag registers the flag for a drawing in addition to a verb's output.
func svgFlag(cmd *cobra.Command, to *string, what string) {
	cmd.Flags().StringVar(to, "svg", "", "draw "+what+" into this file; - is standard output, without other output")
	_ = cmd.MarkFlagFilename("svg", "svg")
}

// outFolder registers the flag for the folder of a verb that writes several files. It has no letter
// if the verb uses the letter otherwise.
func outFolder(cmd *cobra.Command, to *string, what string) {
	letter := "o"
	if cmd.Flags().ShorthandLookup(letter) != nil {
		letter = ""
	}
	cmd.Flags().StringVarP(to, "out", letter, "", "folder for "+what)
	_ = cmd.MarkFlagDirname("out")
}

// deliver writes a verb's only output file to the path of -o, or to standard output. With --json
// the answer describes the file, and contains its text if it has no name.
func (e *Env) deliver(out string, asJSON bool, about map[string]any, write func(io.Writer) error) error {
	named := out != "" && out != "-"
	switch {
	case !asJSON && !named:
		w := bufio.NewWriter(e.Stdout)
		return cmp.Or(write(w), w.Flush())
	case !asJSON:
		return e.writeFile(out, write)
	case named:
		about["file"] = out
		if err := e.writeFile(out, write); err != nil {
			return err
		}
	default:
		var text bytes.Buffer
		if err := write(&text); err != nil {
			return err
		}
		about["text"] = text.String()
	}
	return printJSON(e, about)
}
