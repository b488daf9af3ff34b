package cache

import (
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"weft/internal/sim/known"
)

// FolderName is the name of the folder with results in the folder of a cache.
const FolderName = "weft-known"

// Program is who makes results.
type Program struct {
	Digest  []byte // of the executable
	Version string // for people
}

// Options are the settings of a cache.
type Options struct {
	Program Program
	Now     func() time.Time
	Tell    func(problem string) // called at most once
}

// Cache is a folder with results. Its methods may be called concurrently; a nil Cache knows nothing.
type Cache struct {
	root string // with the results of all programs
	own  string // with those of this program
	o    Options
	max  int64

	mu    sync.Mutex
	isOff bool // there was a problem
	asked int
	found int
}

// Open opens the cache of a folder, and makes it if there is none. A problem is told; the cache then
// knows nothing and keeps nothing.
func Open(dir string, o Options) *Cache {
	root := filepath.Join(dir, FolderName)
	c := &Cache{root: root, own: ownFolder(root, &o.Program), o: o, max: MaxBytes}
	if err := c.makeFolder(); err != nil {
		c.off(err)
	}
	return c
}

// ownFolder is the folder of a program's results.
func ownFolder(root string, p *Program) string {
	return filepath.Join(root, hex.EncodeToString(p.Digest))
}

// makeFolder makes the folder of this program's results, with the program's version for people.
func (c *Cache) makeFolder() error {
	if err := os.MkdirAll(c.own, 0o700); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(c.own, versionFile), []byte(c.o.Program.Version), 0o600)
}

// Get is the value of a simulation of this program, if it is known.
func (c *Cache) Get(key known.Key) (value []byte, is bool) {
	if !c.asks() {
		return nil, false
	}
	name := fileOf(c.own, key)
	text, err := os.ReadFile(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, false
	case err != nil:
		c.off(err)
		return nil, false
	}
	e, err := decode(key, text)
	if err != nil {
		_ = os.Remove(name)
		c.tell(err.Error() + "; the run goes on, and simulates it again")
		return nil, false
	}
	if now := c.o.Now(); now.Sub(lastUse(name)) > usedWithin {
		_ = os.Chtimes(name, now, now)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.found++
	return e.Value, true
}

// asks counts a question; it is false if there was a problem.
func (c *Cache) asks() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.asked++
	return !c.isOff
}

// Put keeps the result of a simulation of this program.
func (c *Cache) Put(key known.Key, e known.Entry) {
	text := encode(key, &e)
	c.mu.Lock()
	isOff := c.isOff
	c.mu.Unlock()
	if isOff || len(text) > maxEntry {
		return
	}
	err := c.write(key, text)
	if errors.Is(err, fs.ErrNotExist) { // the folder was emptied meanwhile
		if err = c.makeFolder(); err == nil {
			err = c.write(key, text)
		}
	}
	if err == nil {
		err = c.bound(int64(len(text)))
	}
	if err != nil {
		c.off(err)
	}
}

// write writes the file of a result, which gets its name when it is complete.
func (c *Cache) write(key known.Key, text []byte) error {
	f, err := os.CreateTemp(c.own, partial)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	now := c.o.Now()
	if err = errors.Join(err, f.Close(), os.Chtimes(f.Name(), now, now)); err == nil {
		err = os.Rename(f.Name(), fileOf(c.own, key))
	}
	if err != nil {
		_ = os.Remove(f.Name())
	}
	return err
}

// Counts are the numbers of simulations that were asked for, and that were known.
func (c *Cache) Counts() (asked, found int) {
	if c == nil {
		return 0, 0
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.asked, c.found
}
