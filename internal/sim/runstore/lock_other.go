//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package runstore

import (
	"errors"
	"os"
)

// Lock makes a file that shows whose the folder is. Nothing is locked here: two
// processes that write to one folder at once are not noticed.
func Lock(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
}

func unlock(f *os.File) error { return errors.Join(f.Close(), os.Remove(f.Name())) }
