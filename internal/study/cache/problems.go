package cache

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

var (
	errForeign = errors.New("it is not a file of weft")
	errSum     = errors.New("a result in it is damaged: its sum is wrong")
)

// layoutError says that the file has other tables.
type layoutError struct{ version int64 }

func (e *layoutError) Error() string {
	return fmt.Sprintf("it has layout %d of another version of weft, and this one has layout %d", e.version, layout)
}

// remoteError says that the folder is not on a disk of this machine.
type remoteError struct{ name string }

func (e *remoteError) Error() string {
	return "the folder is on a network file system (" + e.name + "), and the file needs a disk of this machine"
}

// off gives the file up for this run. The caller holds the lock, or is alone.
func (c *Cache) off(err error) {
	c.tell(reason(err) + "; the run goes on without what is known" + remedy(err))
	if c.db != nil {
		_ = c.db.Close()
		c.db = nil
	}
}

// tell tells a problem, the first only.
func (c *Cache) tell(problem string) {
	if c.o.Tell != nil {
		c.o.Tell(c.file + ": " + problem)
		c.o.Tell = nil
	}
}

// reason is a problem in plain words.
func reason(err error) string {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err.Error()
	}
	switch codeOf(err) {
	case sqlite3.SQLITE_FULL:
		return "the disk is full"
	case sqlite3.SQLITE_CORRUPT:
		return "the file is damaged"
	case sqlite3.SQLITE_NOTADB:
		return "it is not a file of weft, or it is damaged"
	case sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM, sqlite3.SQLITE_CANTOPEN:
		return "it cannot be written: permission is missing"
	case sqlite3.SQLITE_BUSY:
		return fmt.Sprintf("another process has not let go of it for %v", busy)
	}
	return strings.TrimSpace(err.Error())
}

// plain is an error about a file in plain words.
func plain(file string, err error) error {
	return fmt.Errorf("%s: %s%s", file, reason(err), remedy(err))
}

// remedy is what the user may do.
func remedy(err error) string {
	const folder = "; set WEFT_CACHE to another folder, or to off"
	var other *layoutError
	var away *remoteError
	switch code := codeOf(err); {
	case errors.As(err, &away), errors.Is(err, errForeign), errors.Is(err, fs.ErrPermission), code == sqlite3.SQLITE_READONLY, code == sqlite3.SQLITE_PERM, code == sqlite3.SQLITE_CANTOPEN:
		return folder
	case errors.As(err, &other), code == sqlite3.SQLITE_CORRUPT, code == sqlite3.SQLITE_NOTADB, code == sqlite3.SQLITE_FULL:
		return "; weft cache clear empties it"
	}
	return ""
}

// codeOf is the primary result code of SQLite; 0 for another error. No room for the memory that processes share, which is a
// file, is a full disk.
func codeOf(err error) int {
	var e *sqlite.Error
	switch {
	case !errors.As(err, &e):
		return 0
	case e.Code() == sqlite3.SQLITE_IOERR_SHMSIZE:
		return sqlite3.SQLITE_FULL
	}
	return e.Code() & 0xff
}
