package cache

import (
	"bytes"
	"crypto/sha256"
	"database/sql"
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"weft/internal/sim/known"
)

// clock is the time of a test.
type clock struct{ now time.Time }

func (c *clock) read() time.Time { return c.now }

func options(told *[]string) Options {
	return Options{
		Program: Program{[]byte("program"), "v1"}, Now: (&clock{time.Unix(1e9, 0)}).read,
		Tell: func(problem string) { *told = append(*told, problem) },
	}
}

// keyOf is the key of a simulation of a test, and valueOf its only right value.
func keyOf(n int) known.Key {
	return sha256.Sum256(binary.AppendVarint(nil, int64(n)))
}

func valueOf(n int) []byte {
	k := keyOf(n)
	return bytes.Repeat(k[:], 1+n%200)
}

func entryOf(n int) known.Entry {
	return known.Entry{Kind: "test", What: "a test", Recipe: []byte("recipe"), Value: valueOf(n)}
}

// knows checks that results have their right values, and returns how many are known.
func knows(t *testing.T, c *Cache, results int) (n int) {
	t.Helper()
	for i := range results {
		value, is := c.Get(keyOf(i))
		if is && !bytes.Equal(value, valueOf(i)) {
			t.Fatalf("result %d has %d bytes that are not its value", i, len(value))
		}
		if is {
			n++
		}
	}
	return n
}

func TestAResultIsKnownToLaterProcessesOfTheProgram(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new", "folder")
	var told []string
	c := Open(dir, options(&told))
	if n := knows(t, c, 5); n != 0 {
		t.Errorf("an empty cache knows %d results", n)
	}
	for i := range 5 {
		c.Put(keyOf(i), entryOf(i))
	}
	c.Close()
	c = Open(dir, options(&told))
	if n := knows(t, c, 6); n != 5 {
		t.Errorf("%d of 5 results are known to another process", n)
	}
	if asked, found := c.Counts(); asked != 6 || found != 5 {
		t.Errorf("it counted %d of %d", found, asked)
	}
	c.Close()
	other := options(&told)
	other.Program.Digest = []byte("another program")
	c = Open(dir, other)
	defer c.Close()
	if n := knows(t, c, 5); n != 0 || len(told) > 0 {
		t.Errorf("another program knows %d results; told: %q", n, told)
	}
}

func TestWhatWasUsedLongestAgoLeaves(t *testing.T) {
	var told []string
	now := &clock{time.Unix(1e9, 0)}
	o := options(&told)
	o.Now = now.read
	dir := t.TempDir()
	c := Open(dir, o)
	c.max = 2 << 20
	for i := range 100 {
		c.Put(keyOf(i), entryOf(i))
	}
	c.Close()
	now.now = now.now.Add(2 * usedWithin)
	c = Open(dir, o)
	c.max = 2 << 20
	knows(t, c, 20) // the first 20 are used again
	c.Close()
	c = Open(dir, o)
	c.max = 2 << 20
	for i := 1000; i < 2000; i++ {
		now.now = now.now.Add(time.Second)
		c.Put(keyOf(i), entryOf(i))
		if i == 1200 { // much has come, and of the old results the unused ones have gone
			if n := knows(t, c, 20); n != 20 {
				t.Errorf("of the results that were used again %d of 20 are left", n)
			}
		}
	}
	c.Close()
	c = Open(dir, o)
	defer c.Close()
	if n := knows(t, c, 100); n > 20 {
		t.Errorf("of the 100 oldest results %d are left", n)
	}
	if _, is := c.Get(keyOf(1999)); !is {
		t.Error("the newest result has left")
	}
	if at, err := os.Stat(c.file); err != nil || at.Size() > c.max || len(told) > 0 {
		t.Errorf("the file has %d bytes, want at most %d: %v %q", at.Size(), c.max, err, told)
	}
}

func TestAWrongSumIsToldAndSimulatedAgain(t *testing.T) {
	var told []string
	dir := t.TempDir()
	c := Open(dir, options(&told))
	for i := range 3 {
		c.Put(keyOf(i), entryOf(i))
	}
	for i := range 2 {
		key := c.row(keyOf(i))
		if _, err := c.db.Exec("UPDATE results SET value = zeroblob(length(value)) WHERE key = ?", key[:]); err != nil {
			t.Fatal(err)
		}
	}
	if n := knows(t, c, 3); n != 1 {
		t.Errorf("%d results are known, want the one that is sound", n)
	}
	c.Put(keyOf(0), entryOf(0))
	if n := knows(t, c, 3); n != 2 {
		t.Errorf("%d results are known after one was simulated again", n)
	}
	c.Close()
	if len(told) != 1 || !strings.Contains(told[0], FileName) || !strings.Contains(told[0], "its sum is wrong") {
		t.Errorf("told: %q", told)
	}
}

// Each folder has a file that cannot be used. The first problem is told, with the way out.
func TestARunGoesOnWithoutACache(t *testing.T) {
	write := func(text string) func(*testing.T, string) {
		return func(t *testing.T, dir string) {
			if err := os.WriteFile(filepath.Join(dir, FileName), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	change := func(query string) func(*testing.T, string) {
		return func(t *testing.T, dir string) {
			fill(t, dir, 50)
			db, err := sql.Open("sqlite", filepath.Join(dir, FileName))
			if err != nil {
				t.Fatal(err)
			}
			defer db.Close()
			if _, err := db.Exec(query); err != nil {
				t.Fatal(err)
			}
		}
	}
	for name, c := range map[string]struct {
		spoil func(*testing.T, string)
		want  []string
	}{
		"text":           {write(strings.Repeat("not a database\n", 100)), []string{"it is not a file of weft", "weft cache clear"}},
		"foreign":        {change("PRAGMA application_id = 7"), []string{"it is not a file of weft", "WEFT_CACHE"}},
		"another layout": {change("PRAGMA user_version = 99"), []string{"layout 99 of another version", "weft cache clear"}},
		"damaged":        {damage, []string{"damaged", "weft cache clear"}},
		"cut":            {cut, []string{"damaged", "weft cache clear"}},
		"a folder":       {func(t *testing.T, dir string) { mkdir(t, filepath.Join(dir, FileName)) }, []string{"permission is missing", "WEFT_CACHE"}},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			c.spoil(t, dir)
			var told []string
			cache := Open(dir, options(&told))
			knows(t, cache, 50)
			for i := range 5 {
				cache.Put(keyOf(100+i), entryOf(100+i))
			}
			cache.Close()
			if len(told) != 1 {
				t.Fatalf("told %d problems, want 1: %q", len(told), told)
			}
			for _, want := range append(c.want, filepath.Join(dir, FileName), "the run goes on without") {
				if !strings.Contains(told[0], want) {
					t.Errorf("told %q, want %q in it", told[0], want)
				}
			}
		})
	}
}

func TestAFullDiskIsTold(t *testing.T) {
	var told []string
	dir := t.TempDir()
	c := Open(dir, options(&told))
	if _, err := c.db.Exec("PRAGMA max_page_count = 30"); err != nil { // SQLite's own full disk
		t.Fatal(err)
	}
	for i := range 100 {
		c.Put(keyOf(i), entryOf(i))
	}
	if len(told) != 1 || !strings.Contains(told[0], "the disk is full; the run goes on") {
		t.Errorf("told: %q", told)
	}
	c = Open(dir, options(&told))
	defer c.Close()
	if n := knows(t, c, 100); n == 0 || n == 100 {
		t.Errorf("%d of 100 results are known to another process, want those before the disk was full", n)
	}
}

func TestAFolderWithoutPermissionIsTold(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root has every permission")
	}
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o500); err != nil { // #nosec: the folder must be searched to be refused
		t.Fatal(err)
	}
	var told []string
	c := Open(filepath.Join(dir, "below"), options(&told))
	c.Put(keyOf(1), entryOf(1))
	if _, is := c.Get(keyOf(1)); is || len(told) != 1 || !strings.Contains(told[0], "permission denied") || !strings.Contains(told[0], "WEFT_CACHE") {
		t.Errorf("told: %q", told)
	}
}

// fill makes a cache with results.
func fill(t *testing.T, dir string, results int) {
	t.Helper()
	var told []string
	c := Open(dir, options(&told))
	for i := range results {
		c.Put(keyOf(i), entryOf(i))
	}
	if c.Close(); len(told) > 0 {
		t.Fatal(told)
	}
}

// damage overwrites the middle of the file.
func damage(t *testing.T, dir string) {
	fill(t, dir, 50)
	text, err := os.ReadFile(filepath.Join(dir, FileName))
	if err != nil {
		t.Fatal(err)
	}
	for i := 5000; i < len(text); i++ {
		text[i] ^= 0x5a
	}
	if err := os.WriteFile(filepath.Join(dir, FileName), text, 0o600); err != nil {
		t.Fatal(err)
	}
}

// cut shortens the file.
func cut(t *testing.T, dir string) {
	fill(t, dir, 50)
	if err := os.Truncate(filepath.Join(dir, FileName), 10000); err != nil {
		t.Fatal(err)
	}
}

func mkdir(t *testing.T, dir string) {
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
}

func TestClearForgetsAndKeepsWhatIsNotWefts(t *testing.T) {
	dir := t.TempDir()
	fill(t, dir, 50)
	var told []string
	beside := Open(dir, options(&told)) // a process that goes on
	defer beside.Close()
	if bytes, err := Clear(dir); err != nil || bytes < 50*1000 {
		t.Errorf("%d bytes are free: %v", bytes, err)
	}
	if n := knows(t, beside, 50); n != 0 {
		t.Errorf("%d results are known", n)
	}
	beside.Put(keyOf(1), entryOf(1))
	if n := knows(t, beside, 50); n != 1 || len(told) > 0 {
		t.Errorf("the process that went on knows %d results, want its new one; told: %q", n, told)
	}
	damage(t, filepath.Join(dir, "damaged"))
	if _, err := Clear(filepath.Join(dir, "damaged")); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "damaged", FileName)); err == nil {
		t.Error("the damaged file is still there")
	}
	db, err := open(dir, false)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec("PRAGMA application_id = 7"); err != nil {
		t.Fatal(err)
	}
	if _, err := Clear(dir); err == nil || !strings.Contains(err.Error(), "it is not a file of weft; set WEFT_CACHE") {
		t.Errorf("a file of another program was cleared: %v", err)
	}
}
