package cache

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// off gives the folder up for this run.
func (c *Cache) off(err error) {
	c.tell(reason(err) + "; the run goes on without what is known" + remedy(err))
	c.mu.Lock()
	defer c.mu.Unlock()
	c.isOff = true
}

// tell tells a problem, the first only.
func (c *Cache) tell(problem string) {
	c.mu.Lock()
	tell := c.o.Tell
	c.o.Tell = nil
	c.mu.Unlock()
	if tell != nil {
		tell(c.root + ": " + problem)
	}
}

// reason is a problem in plain words.
func reason(err error) string {
	var path *fs.PathError
	var link *os.LinkError
	switch {
	case errors.Is(err, syscall.ENOSPC):
		return "the disk is full"
	case errors.As(err, &path):
		return path.Err.Error()
	case errors.As(err, &link):
		return link.Err.Error()
	}
	return err.Error()
}

// plain is an error about the folder in plain words.
func plain(root string, err error) error {
	return fmt.Errorf("%s: %s%s", root, reason(err), remedy(err))
}

// remedy is what the user may do.
func remedy(err error) string {
	if errors.Is(err, syscall.ENOSPC) {
		return "; weft cache clear empties it"
	}
	return "; set WEFT_CACHE to another folder, or to off"
}
