//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package runstore

import (
	"errors"
	"os"
)

// Lock makes a file that marks the folder as taken. This platform has no lock: two processes that
// write to one folder at once are not detected.
func Lock(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
}

// held reports whether a file marks a folder as taken.
func held(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

func unlock(f *os.File) error { return errors.Join(f.Close(), os.Remove(f.Name())) }
