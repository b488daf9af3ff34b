package cache

import (
	"database/sql"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	sqlite3 "modernc.org/sqlite/lib"
)

// Contents is what a cache has.
type Contents struct {
	File     string `json:"file"`
	Bytes    int64  `json:"bytes"` // of the file, with what SQLite has not moved into it yet
	MaxBytes int64  `json:"max_bytes"`
	Results  int    `json:"results"`
	Hits     int64  `json:"hits"`               // simulations that these results have saved
	Oldest   int64  `json:"oldest_use_unix"`    // when the result was used that leaves first; 0 if there is none
	Programs []Made `json:"programs,omitempty"` // with results, the one with the latest use first
}

// Made is the results of one program.
type Made struct {
	Version string `json:"version"`
	Digest  string `json:"sha256"` // of its executable
	Results int    `json:"results"`
	Hits    int64  `json:"hits"`
	Bytes   int64  `json:"bytes"`
	Used    int64  `json:"used_unix"` // the latest use
}

// Show is what the cache of a folder has. A folder without a cache has nothing.
func Show(dir string) (*Contents, error) {
	out := &Contents{File: filepath.Join(dir, FileName), MaxBytes: MaxBytes}
	at, err := os.Stat(out.File)
	if errors.Is(err, fs.ErrNotExist) {
		return out, nil
	}
	if err != nil {
		return nil, plain(out.File, err)
	}
	out.Bytes = at.Size()
	if log, err := os.Stat(out.File + "-wal"); err == nil {
		out.Bytes += log.Size()
	}
	db, err := open(dir, false)
	if err != nil {
		return nil, plain(out.File, err)
	}
	defer db.Close()
	if err := out.read(db); err != nil {
		return nil, plain(out.File, err)
	}
	return out, nil
}

func (o *Contents) read(db *sql.DB) error {
	rows, err := db.Query(`SELECT lower(hex(p.digest)), p.version, count(*), sum(r.hits), min(r.used), max(r.used), sum(length(r.value) + length(r.recipe))
		FROM results r JOIN programs p ON p.id = r.program GROUP BY p.id ORDER BY max(r.used) DESC, p.id DESC`)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var p Made
		var oldest int64
		if err := rows.Scan(&p.Digest, &p.Version, &p.Results, &p.Hits, &oldest, &p.Used, &p.Bytes); err != nil {
			return err
		}
		o.Programs = append(o.Programs, p)
		o.Results, o.Hits = o.Results+p.Results, o.Hits+p.Hits
		if o.Oldest == 0 || oldest < o.Oldest {
			o.Oldest = oldest
		}
	}
	return rows.Err()
}

// Clear empties the cache of a folder, and returns the bytes that the file is shorter by. It removes a file that is
// damaged or of another version, or that a full disk leaves no room to empty; and leaves one that is not weft's.
func Clear(dir string) (bytes int64, err error) {
	db, err := open(dir, false)
	switch code := codeOf(err); {
	case errors.Is(err, fs.ErrNotExist):
		return 0, nil
	case errors.As(err, new(*layoutError)), code == sqlite3.SQLITE_CORRUPT, code == sqlite3.SQLITE_NOTADB, code == sqlite3.SQLITE_FULL:
		return remove(dir)
	case err != nil:
		return 0, plain(filepath.Join(dir, FileName), err)
	}
	before, err := os.Stat(filepath.Join(dir, FileName))
	if err != nil {
		return 0, errors.Join(plain(filepath.Join(dir, FileName), err), db.Close())
	}
	for _, step := range []string{"DELETE FROM results", "VACUUM", "PRAGMA wal_checkpoint(TRUNCATE)"} {
		if _, err = db.Exec(step); err != nil {
			break
		}
	}
	_ = db.Close()
	if code := codeOf(err); code == sqlite3.SQLITE_CORRUPT || code == sqlite3.SQLITE_NOTADB || code == sqlite3.SQLITE_FULL {
		return remove(dir) // a full disk has no room for the log of what leaves
	}
	if err != nil {
		return 0, plain(filepath.Join(dir, FileName), err)
	}
	after, err := os.Stat(filepath.Join(dir, FileName))
	if err != nil {
		return 0, plain(filepath.Join(dir, FileName), err)
	}
	return before.Size() - after.Size(), nil
}

// remove removes the file and what SQLite lays beside it. The log leaves first: it must never meet another file.
func remove(dir string) (bytes int64, err error) {
	for _, suffix := range []string{"-wal", "-shm", "-journal", ""} {
		name := filepath.Join(dir, FileName+suffix)
		at, err := os.Stat(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err == nil {
			bytes += at.Size()
			err = os.Remove(name)
		}
		if err != nil {
			return bytes, plain(name, err)
		}
	}
	return bytes, nil
}
