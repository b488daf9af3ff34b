package process

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"weft/examples"
	"weft/internal/base/regular"
	"weft/internal/face/cli/exit"
)

// Open opens a file for reading. Opening and reading end with the command: a pipe without a writer,
// or a device without an end, can be interrupted. A folder is an error.
//
// A path that begins with example: is an example of the program.
func (e *Env) Open(path string) (fs.File, error) {
	if name, ok := strings.CutPrefix(path, examples.Prefix); ok {
		return examples.Open(name)
	}
	return e.openAs(path, os.O_RDONLY)
}

// openAs is open in a mode of [os.OpenFile].
func (e *Env) openAs(path string, mode int) (*interruptible, error) {
	type opened struct {
		file *os.File
		err  error
	}
	out := make(chan opened, 1)
	go func() {
		f, err := os.OpenFile(e.Path(path), mode, 0)
		if err == nil && IsFolder(e.Path(path)) {
			_ = f.Close()
			err = &os.PathError{Op: "read", Path: path, Err: errFolder}
		}
		out <- opened{f, err}
	}()
	select {
	case <-e.done:
		return nil, ErrInterrupted
	case o := <-out:
		if o.err != nil {
			return nil, o.err
		}
		return &interruptible{patient: patient{in: o.file, done: e.done}, File: o.file}, nil
	}
}

// ErrInterrupted is the error for input that the command did not wait for.
var ErrInterrupted = exit.Errorf(exit.Partial, "interrupted while it waited for input")

// interruptible is a file whose reader the command can abandon.
type interruptible struct {
	patient
	*os.File
}

func (f *interruptible) Read(b []byte) (int, error) { return f.patient.Read(b) }

// patient reads in its own goroutine, into its own memory: when the command is interrupted, both
// are abandoned.
type patient struct {
	in   io.Reader
	done <-chan struct{}
	buf  []byte
	left []byte // part of buf that is not read yet
	err  error
}

// chunk is the number of bytes read at a time.
const chunk = 64 << 10

func (r *patient) Read(b []byte) (int, error) {
	if len(r.left) == 0 && r.err == nil {
		r.fill()
	}
	select {
	case <-r.done:
		return 0, ErrInterrupted
	default:
	}
	n := copy(b, r.left)
	r.left = r.left[n:]
	if n == 0 && len(b) > 0 {
		return 0, r.err
	}
	return n, nil
}

// fill waits for input or for the end of the command.
func (r *patient) fill() {
	type got struct {
		n   int
		err error
	}
	if r.buf == nil {
		r.buf = make([]byte, chunk)
	}
	out, buf := make(chan got, 1), r.buf
	go func() {
		n, err := r.in.Read(buf)
		out <- got{n, err}
	}()
	select {
	case <-r.done:
		r.err = ErrInterrupted
	case g := <-out:
		r.left, r.err = buf[:g.n], g.err
	}
}

// Folder is a folder whose files are opened by Open.
func (e *Env) Folder(dir string) fs.FS { return folder{e, dir} }

type folder struct {
	e   *Env
	dir string
}

func (f folder) Open(name string) (fs.File, error) {
	if !fs.ValidPath(name) {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrInvalid}
	}
	return f.e.Open(filepath.Join(f.dir, filepath.FromSlash(name)))
}

// CannotRead is the reason why a file was not read, without its path in the process.
func CannotRead(path string, err error) error {
	return fmt.Errorf("%s cannot be read: %w", path, regular.Reason(err))
}
