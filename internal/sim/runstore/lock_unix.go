//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package runstore

import (
	"errors"
	"os"
	"syscall"

	"weft/internal/base/regular"
)

// Lock locks a file for one process at a time. The kernel releases the lock when the process ends
// in any way. If another process holds the lock, the error is [ErrHeld]. A file system without
// locks gives no lock.
func Lock(path string) (*os.File, error) {
	for {
		f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
		if err != nil {
			return nil, err
		}
		err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if errors.Is(err, syscall.EWOULDBLOCK) {
			return nil, errors.Join(ErrHeld, f.Close())
		}
		if !same(f, path) { // the previous holder has removed it in the meantime
			f.Close()
			continue
		}
		err = f.Truncate(0)
		return f, err
	}
}

// held reports whether a process holds the lock of a file.
func held(path string) bool {
	f, err := regular.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	return errors.Is(syscall.Flock(int(f.Fd()), syscall.LOCK_SH|syscall.LOCK_NB), syscall.EWOULDBLOCK)
}

func same(f *os.File, path string) bool {
	mine, err := f.Stat()
	if err != nil {
		return false
	}
	there, err := os.Stat(path)
	return err == nil && os.SameFile(mine, there)
}

// unlock removes the file before another process can lock it.
func unlock(f *os.File) error { return errors.Join(os.Remove(f.Name()), f.Close()) }
