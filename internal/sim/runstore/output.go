package runstore

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// An output folder is written by one process at a time, and all at once. Files are
// made in a folder of their own first. Where the output folder is new, that one lies
// beside it and gets its name in one step. A folder that is there stays the same
// folder (a mount point, or where a shell stands): the files move into it one by one,
// the mark last. Whoever is killed between leaves the folder in which the files were
// made, and the next process knows by it that the output folder is its own.
const (
	lockName    = ".weft-lock" // in the folder; beside it the folder's name stands before
	stagingName = ".weft-new"
)

// Holding says whether a folder that holds something, of which one is named, may be
// taken for an outcome: nil, or the reason.
type Holding func(dir, stranger string) error

// Runs takes folders of earlier runs.
func Runs(dir, stranger string) error {
	if _, err := readMeta(dir); err != nil {
		return Stranger(stranger, "earlier run")
	}
	return nil
}

// Stranger is the reason not to take a folder which holds something and not what is
// wanted.
func Stranger(name, wanted string) error {
	return fmt.Errorf("it holds %s and no %s: name a new folder, or empty this one", name, wanted)
}

// ErrHeld is that of a file or folder that another process writes.
var ErrHeld = errors.New("another weft writes to it now: wait for it, or choose another name")

// Output is an output folder that this process holds until Close.
type Output struct {
	dir   string
	fresh bool // it was not there
	lock  *os.File
}

// FolderError says why a folder cannot take a run.
type FolderError struct {
	Dir    string
	Reason string
}

func (e *FolderError) Error() string {
	return fmt.Sprintf("the output folder %s cannot be used: %s", e.Dir, e.Reason)
}

// Claim takes a folder for an outcome, so that what is in the way is found before the
// work and not after it. A folder that holds anything but an earlier outcome is
// refused, as is one that another process holds. Errors are [FolderError].
func Claim(dir string, may Holding) (*Output, error) {
	o := &Output{dir: filepath.Clean(dir)}
	refuse := func(err error) (*Output, error) { return nil, &FolderError{Dir: dir, Reason: cause(err)} }
	info, err := os.Stat(o.dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		o.fresh, err = true, os.MkdirAll(filepath.Dir(o.dir), 0o777)
	case err == nil && !info.IsDir():
		err = errors.New("it is a file")
	case err == nil:
		err = errors.Join(strangers(o.dir, may), maker(o.dir))
	}
	if err != nil {
		return refuse(err)
	}
	if o.lock, err = Lock(o.beside(lockName)); err != nil {
		return refuse(err)
	}
	if o.fresh { // what a process that was killed has left
		_ = os.RemoveAll(o.beside(stagingName))
	}
	return o, nil
}

// Close lets go of the folder. None is let go of without a word.
func (o *Output) Close() error {
	if o == nil {
		return nil
	}
	return unlock(o.lock)
}

// beside is the path of something that is no part of the outcome: beside a folder
// that was not there, in one that was.
func (o *Output) beside(name string) string {
	if o.fresh {
		return hidden(o.dir, name)
	}
	return filepath.Join(o.dir, name)
}

// hidden is a path beside a folder.
func hidden(dir, name string) string {
	return filepath.Join(filepath.Dir(dir), "."+filepath.Base(dir)+name)
}

// maker is [ErrHeld] of a folder that another process was about to make. What one that
// was killed has left of its claim is removed.
func maker(dir string) error {
	path := hidden(dir, lockName)
	if _, err := os.Lstat(path); err != nil {
		return nil //nolint:nilerr // nobody makes it, or it cannot be seen from here
	}
	f, err := Lock(path)
	if err == nil {
		_ = unlock(f)
	}
	if errors.Is(err, ErrHeld) {
		return err
	}
	return nil // whether somebody makes it cannot be seen from here
}

// strangers says what shows that a folder is neither empty nor one with an earlier
// outcome, nor one that was left while an outcome was put into it.
func strangers(dir string, may Holding) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	stranger := ""
	for _, e := range entries {
		if e.Name() == stagingName {
			return nil
		}
		if stranger == "" && !strings.HasPrefix(e.Name(), temporary) {
			stranger = e.Name()
		}
	}
	if stranger == "" {
		return nil
	}
	return may(dir, stranger)
}

// rename is os.Rename, which a test makes fail half-way.
var rename = os.Rename

// Put writes an outcome into the folder. The last of the files is its mark: a folder
// that was left half-way does not read as an outcome. What fails for want of space
// fails before anything is lost.
func (o *Output) Put(files []File) error {
	staging := o.beside(stagingName)
	if err := stage(staging, files); err != nil {
		return err
	}
	if o.fresh {
		if err := rename(staging, o.dir); err != nil {
			return fmt.Errorf("%w; the files are in %s", err, staging)
		}
		o.fresh = false
		return nil
	}
	for _, f := range files {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(o.dir, f.Name)), 0o777); err != nil {
			return err
		}
		if err := rename(filepath.Join(staging, f.Name), filepath.Join(o.dir, f.Name)); err != nil {
			return err
		}
	}
	return os.RemoveAll(staging)
}

// stage makes a folder with files. One that a killed process has left is emptied and
// taken: while it is there, an output folder shows whose it is.
func stage(dir string, files []File) error {
	left, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		err = os.MkdirAll(dir, 0o777)
	}
	for _, e := range left {
		err = errors.Join(err, os.RemoveAll(filepath.Join(dir, e.Name())))
	}
	for _, f := range files {
		if err == nil {
			err = writeSynced(filepath.Join(dir, f.Name), f)
		}
	}
	if err != nil && left == nil {
		return errors.Join(err, os.RemoveAll(dir))
	}
	return err
}

// writeSynced writes a file that is on the disk when it returns.
func writeSynced(path string, f File) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	out, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, cmp.Or(f.Mode, 0o644))
	if err != nil {
		return err
	}
	_, err = out.Write(f.Text)
	return errors.Join(err, out.Sync(), out.Close())
}

// cause is the reason of a failed file operation, without its path.
func cause(err error) string {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err.Error()
	}
	return err.Error()
}
