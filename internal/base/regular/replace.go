package regular

import (
	"errors"
	"os"
	"path/filepath"
)

// Replace writes a file that gets its name when it is complete: who reads it sees the old file or
// the new one, and several processes may write it at a time. What had the name before is replaced,
// and not written to. Until then the file has a name of the pattern of [os.CreateTemp], in the same
// folder. It is on the disk only if write has called Sync.
func Replace(path, pattern string, write func(*os.File) error) error {
	f, err := os.CreateTemp(filepath.Dir(path), pattern)
	if err != nil {
		return err
	}
	if err = errors.Join(write(f), f.Chmod(0o644), f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		_ = os.Remove(f.Name())
	}
	return err
}
