package runstore

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"weft/internal/base/jsontext"
	"weft/internal/base/regular"
)

// One process at a time writes an output folder, and writes all files at once. Files are first made
// in a staging folder. If the output folder is new, the staging folder lies next to it and is
// renamed in one step. An existing folder stays the same folder (it may be a mount point or a
// shell's working directory): the files move into it one by one, the mark last. A process that is
// killed meanwhile leaves the staging folder, which shows the next process that the output folder
// is weft's.
const (
	lockName    = ".weft-lock" // in the folder; next to it the folder's name is put in front
	stagingName = ".weft-new"
)

// Holding decides whether a non-empty folder may be taken as an outcome, given the name of one of
// its files: nil, or the reason against.
type Holding func(dir, stranger string) error

// Runs accepts folders of earlier runs.
func Runs(dir, stranger string) error {
	if _, err := ReadMeta(dir); err != nil {
		return Stranger(stranger, "earlier run")
	}
	return nil
}

// Stranger is the reason against a folder that has other content.
func Stranger(name, wanted string) error {
	return fmt.Errorf("it holds %s and no %s: name a new folder, or empty this one", name, wanted)
}

// ErrHeld is the error for a file or folder that another process is writing.
var ErrHeld = errors.New("another weft writes to it now: wait for it, or choose another name")

// Output is an output folder that this process holds until Close.
type Output struct {
	dir   string
	fresh bool // the folder did not exist before
	// begun is true while the staging folder has files of a run that goes on.
	begun bool
	lock  *os.File
	// request and watched are the files of viewers, and sofar is a folder for them.
	request, watched, sofar string
}

// FolderError is the reason why a folder cannot take a run.
type FolderError struct {
	Dir    string
	Reason string
}

func (e *FolderError) Error() string {
	return fmt.Sprintf("the output folder %s cannot be used: %s", e.Dir, e.Reason)
}

// Claim reserves a folder for an outcome, so that an obstacle is found before the work and not
// after it. It refuses a folder with content other than an earlier outcome, and a folder that
// another process holds. Errors are [FolderError].
func Claim(dir string, may Holding) (*Output, error) {
	o := &Output{dir: filepath.Clean(dir)}
	refuse := func(err error) (*Output, error) {
		return nil, &FolderError{Dir: dir, Reason: regular.Reason(err).Error()}
	}
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
	if o.lock, err = Lock(o.auxiliary(lockName)); err != nil {
		return refuse(err)
	}
	if o.fresh { // the remains of a killed process
		_ = os.RemoveAll(o.auxiliary(stagingName))
	}
	return o, nil
}

// Close releases the folder. A nil Output does nothing.
func (o *Output) Close() error {
	if o == nil {
		return nil
	}
	var err error
	if o.begun { // nothing came of the run
		err = os.RemoveAll(o.auxiliary(stagingName))
	}
	o.unask()
	return errors.Join(err, unlock(o.lock))
}

// unask removes what viewers wrote and read.
func (o *Output) unask() {
	for _, path := range []string{o.request, o.watched, o.sofar} {
		_ = os.RemoveAll(path)
	}
}

// auxiliary is the path of an auxiliary file: next to a new folder, inside an existing one.
func (o *Output) auxiliary(name string) string {
	if o.fresh {
		return hidden(o.dir, name)
	}
	return filepath.Join(o.dir, name)
}

// hidden is a path next to a folder.
func hidden(dir, name string) string {
	return filepath.Join(filepath.Dir(dir), "."+filepath.Base(dir)+name)
}

// maker is [ErrHeld] if another process is about to make the folder. It removes the claim of a
// killed process.
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
	return nil // another maker cannot be detected here
}

// strangers reports the content that shows that a folder is neither empty, nor an earlier outcome,
// nor left by an interrupted Put.
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

// rename is os.Rename; a test replaces it to fail half-way.
var rename = os.Rename

// notEnded is the error in the meta.json of Begin.
const notEnded = "the run has not ended: its process works, or was killed"

// Begin makes the staging folder, for files that are written while the run goes on; Put moves those with
// Staged. Its meta.json says until then that the run is partial.
func (o *Output) Begin(meta Meta) (dir string, err error) {
	meta.Version, meta.Partial, meta.Error = MetaVersion, true, notEnded
	text, err := jsontext.Encode(meta)
	if err != nil {
		return "", err
	}
	o.request, o.watched, o.sofar = o.auxiliary(requestName), o.auxiliary(watchedName), o.auxiliary(soFarName)
	o.unask() // what a viewer wrote to a killed process
	dir, o.begun = o.auxiliary(stagingName), true
	return dir, stage(dir, []File{{Name: MetaFile, Text: text}})
}

// Put writes an outcome into the folder. The last of the files is its mark: an interrupted folder
// does not read as an outcome. If space runs out, Put fails before anything is lost.
func (o *Output) Put(files []File) error {
	staging := o.auxiliary(stagingName)
	if err := stage(staging, files); err != nil {
		return err
	}
	o.begun = false // the files are kept, whatever comes
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

// stage makes a staging folder with files. It empties and reuses the staging folder of a killed
// process: while it exists, it marks the output folder as weft's.
func stage(dir string, files []File) error {
	left, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		err = os.MkdirAll(dir, 0o777)
	}
	staged := map[string]bool{}
	for _, f := range files {
		if f.Staged {
			staged[strings.Split(f.Name, "/")[0]] = true
		}
	}
	for _, e := range left {
		if !staged[e.Name()] {
			err = errors.Join(err, os.RemoveAll(filepath.Join(dir, e.Name())))
		}
	}
	for _, f := range files {
		if err == nil && !f.Staged {
			err = writeSynced(filepath.Join(dir, f.Name), f)
		}
	}
	if err != nil && left == nil {
		return errors.Join(err, os.RemoveAll(dir))
	}
	return err
}

// writeSynced writes a file and syncs it to the disk.
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
