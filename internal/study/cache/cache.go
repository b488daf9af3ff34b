package cache

import (
	"bytes"
	"crypto/sha256"
	"database/sql"
	"errors"

	"weft/internal/sim/known"
)

// Get is the value of a simulation of this program, if it is known.
func (c *Cache) Get(of known.Key) (value []byte, is bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.asked++
	if c.db == nil {
		return nil, false
	}
	key := c.row(of)
	var sum []byte
	switch err := c.db.QueryRow("SELECT value, sum FROM results WHERE key = ?", key[:]).Scan(&value, &sum); {
	case errors.Is(err, sql.ErrNoRows):
		return nil, false
	case err != nil:
		c.off(err)
		return nil, false
	}
	if want := sumOf(key, value); !bytes.Equal(sum, want[:]) {
		c.wrong(key)
		return nil, false
	}
	c.found++
	c.used[key]++
	return value, true
}

// wrong removes a row whose sum is wrong.
func (c *Cache) wrong(key known.Key) {
	_, err := c.db.Exec("DELETE FROM results WHERE key = ?", key[:])
	if c.tell(errSum.Error() + "; the run goes on, and simulates it again"); err != nil {
		c.off(err)
	}
}

// Put keeps the result of a simulation of this program.
func (c *Cache) Put(of known.Key, e known.Entry) {
	c.mu.Lock()
	defer c.mu.Unlock()
	size := int64(len(e.Value) + len(e.Recipe))
	if c.db == nil || size > maxEntry {
		return
	}
	key := c.row(of)
	sum := sumOf(key, e.Value)
	_, err := c.db.Exec("INSERT OR REPLACE INTO results (key, program, kind, what, value, sum, recipe, used) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
		key[:], c.program, e.Kind, e.What, e.Value, sum[:], e.Recipe, c.o.Now().Unix())
	if c.added += size; err == nil && c.added > min(evictEvery, c.max/16) {
		c.added = 0
		err = evict(c.db, c.max)
	}
	if err != nil {
		c.off(err)
	}
}

// row is the key of a simulation's row.
func (c *Cache) row(of known.Key) known.Key {
	return sha256.Sum256(append(c.o.Program.Digest[:len(c.o.Program.Digest):len(c.o.Program.Digest)], of[:]...))
}

// sumOf is the sum by which a damaged value is found.
func sumOf(key known.Key, value []byte) [sha256.Size]byte {
	return sha256.Sum256(append(key[:], value...))
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

// Close notes what was used, and closes the file.
func (c *Cache) Close() {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.db == nil {
		return
	}
	err := c.note()
	if err == nil && c.added > 0 {
		err = evict(c.db, c.max)
	}
	if err != nil {
		c.off(err)
		return
	}
	if err := c.db.Close(); err != nil {
		c.tell(reason(err))
	}
	c.db = nil
}

// note writes which results were used.
func (c *Cache) note() error {
	if len(c.used) == 0 {
		return nil
	}
	tx, err := c.db.Begin()
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }()
	now := c.o.Now()
	for key, hits := range c.used {
		if _, err := tx.Exec("UPDATE results SET hits = hits + ?, used = iif(used < ?, ?, used) WHERE key = ?",
			hits, now.Add(-usedWithin).Unix(), now.Unix(), key[:]); err != nil {
			return err
		}
	}
	return tx.Commit()
}

// evict removes what was used longest ago, until a tenth of the most bytes is free. The freed pages take
// later results.
func evict(db *sql.DB, most int64) error {
	size, err := sizeOf(db)
	for err == nil && size > most*9/10 {
		var done sql.Result
		if done, err = db.Exec("DELETE FROM results WHERE rowid IN (SELECT rowid FROM results ORDER BY used LIMIT max(16, (SELECT count(*) FROM results) / 50))"); err != nil {
			return err
		}
		if n, bad := done.RowsAffected(); bad != nil || n == 0 {
			return bad
		}
		size, err = sizeOf(db)
	}
	return err
}

// sizeOf is the size of the pages in use.
func sizeOf(db *sql.DB) (size int64, err error) {
	var pages, free, page int64
	for pragma, into := range map[string]*int64{"PRAGMA page_count": &pages, "PRAGMA freelist_count": &free, "PRAGMA page_size": &page} {
		if err := db.QueryRow(pragma).Scan(into); err != nil {
			return 0, err
		}
	}
	return (pages - free) * page, nil
}
