package cache

import (
	"errors"
	"os"
	"path/filepath"

	"weft/internal/base/sorting"
)

// grownFile has a byte for each KiB that all processes have added since one looked at the size.
const grownFile = "grown"

// bound counts bytes that were added, and now and then removes results.
func (c *Cache) bound(added int64) error {
	f, err := os.OpenFile(filepath.Join(c.root, grownFile), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(make([]byte, 1+added>>10))
	at, failed := f.Stat()
	due := err == nil && failed == nil && at.Size()<<10 > min(evictEvery, c.max/16)
	if due {
		err = f.Truncate(0)
	}
	if err = errors.Join(err, failed, f.Close()); err == nil && due {
		err = evict(c.root, c.max)
	}
	return err
}

// evict removes what was used longest ago, until a tenth of the most bytes is free, and folders of
// programs that have no result.
func evict(root string, most int64) error {
	files, err := filesOf(root)
	if err != nil {
		return err
	}
	sorting.Func(files, func(a, b file) int { return a.used.Compare(b.used) })
	size := int64(0)
	for i := range files {
		size += files[i].bytes
	}
	for i := 0; size > most*9/10; i++ {
		_ = os.Remove(files[i].path(root)) // another process may have removed it
		size -= files[i].bytes
	}
	return removeEmpty(root)
}

// removeEmpty removes the folders of programs without results.
func removeEmpty(root string) error {
	programs, err := os.ReadDir(root)
	for _, p := range programs {
		folder := filepath.Join(root, p.Name())
		if files, _ := os.ReadDir(folder); len(files) == 1 && files[0].Name() == versionFile {
			_ = os.Remove(filepath.Join(folder, versionFile))
			_ = os.Remove(folder) // not if another process has put a result into it
		}
	}
	return err
}
