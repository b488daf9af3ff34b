package cache

import (
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"time"

	_ "modernc.org/sqlite" // the driver

	"weft/internal/sim/known"
)

// FileName is the name of the file in the folder of a cache.
const FileName = "known.db"

// The header of the file: the letters weft, and the layout of its tables.
const (
	application = 0x77656674
	layout      = 1
)

const tables = `
CREATE TABLE programs (id INTEGER PRIMARY KEY, digest BLOB NOT NULL UNIQUE, version TEXT NOT NULL);
CREATE TABLE results (
	key BLOB NOT NULL UNIQUE, program INTEGER NOT NULL REFERENCES programs, kind TEXT NOT NULL, what TEXT NOT NULL,
	value BLOB NOT NULL, sum BLOB NOT NULL, recipe BLOB NOT NULL, used INTEGER NOT NULL, hits INTEGER NOT NULL DEFAULT 0);
CREATE INDEX results_used ON results (used);
CREATE INDEX results_program ON results (program);`

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
	file    string
	o       Options
	program int64
	mu      sync.Mutex
	db      *sql.DB // nil once there was a problem, or after Close
	asked   int
	found   int
	used    map[known.Key]int // keys of rows that were found, and how often
	added   int64             // bytes since the last look at the size
	max     int64
}

// Open opens the cache of a folder, and makes it if there is none. A problem is told; the cache then knows
// nothing and keeps nothing.
func Open(dir string, o Options) *Cache {
	c := &Cache{file: filepath.Join(dir, FileName), o: o, used: make(map[known.Key]int), max: MaxBytes}
	db, err := open(dir, true)
	if err == nil {
		c.db = db
		c.program, err = programOf(db, &o.Program)
	}
	if err != nil {
		c.off(err)
	}
	return c
}

// open opens the file of a folder.
func open(dir string, create bool) (*sql.DB, error) {
	file := filepath.Join(dir, FileName)
	if create {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return nil, err
		}
	}
	if name := remote(dir); name != "" {
		return nil, &remoteError{name}
	}
	if _, err := os.Stat(file); err != nil && (!create || !errors.Is(err, fs.ErrNotExist)) {
		return nil, err
	}
	settings := url.Values{"_txlock": {"immediate"}, "_pragma": {
		fmt.Sprintf("busy_timeout(%d)", busy.Milliseconds()), "journal_mode(WAL)", "synchronous(NORMAL)", "journal_size_limit(4194304)",
	}}
	db, err := sql.Open("sqlite", (&url.URL{Scheme: "file", OmitHost: true, Path: filepath.ToSlash(file), RawQuery: settings.Encode()}).String())
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1) // calls take turns; a second connection would wait for the first
	if err := prepare(db); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return db, nil
}

// prepare makes the tables of a new file, and refuses a file of another kind or layout.
func prepare(db *sql.DB) error {
	tx, err := db.Begin() // one process at a time
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }()
	var kind, version, objects int64
	for pragma, into := range map[string]*int64{"PRAGMA application_id": &kind, "PRAGMA user_version": &version, "SELECT count(*) FROM sqlite_schema": &objects} {
		if err := tx.QueryRow(pragma).Scan(into); err != nil {
			return err
		}
	}
	switch {
	case kind == application && version == layout:
		return nil
	case kind == application:
		return &layoutError{version}
	case objects > 0 || kind != 0:
		return errForeign
	}
	if _, err := tx.Exec(fmt.Sprintf("%s\nPRAGMA application_id = %d; PRAGMA user_version = %d", tables, application, layout)); err != nil {
		return err
	}
	return tx.Commit()
}

// programOf is the number of a program in the file.
func programOf(db *sql.DB, p *Program) (id int64, err error) {
	const find = "SELECT id FROM programs WHERE digest = ?"
	if err = db.QueryRow(find, p.Digest).Scan(&id); !errors.Is(err, sql.ErrNoRows) {
		return id, err
	}
	if _, err = db.Exec("INSERT OR IGNORE INTO programs (digest, version) VALUES (?, ?)", p.Digest, p.Version); err != nil {
		return 0, err
	}
	err = db.QueryRow(find, p.Digest).Scan(&id)
	return id, err
}
