package cache

import (
	"bytes"
	"crypto/sha256"
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
		Program: programOf("program"), Now: (&clock{time.Unix(1e9, 0)}).read,
		Tell: func(problem string) { *told = append(*told, problem) },
	}
}

func programOf(name string) Program {
	digest := sha256.Sum256([]byte(name))
	return Program{digest[:], "v1"}
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
	c = Open(dir, options(&told))
	if n := knows(t, c, 6); n != 5 {
		t.Errorf("%d of 5 results are known to another process", n)
	}
	if asked, found := c.Counts(); asked != 6 || found != 5 {
		t.Errorf("it counted %d of %d", found, asked)
	}
	other := options(&told)
	other.Program = programOf("another program")
	c = Open(dir, other)
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
	now.now = now.now.Add(2 * usedWithin)
	c = Open(dir, o)
	c.max = 2 << 20
	knows(t, c, 20) // the first 20 are used again
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
	c = Open(dir, o)
	if n := knows(t, c, 100); n > 20 {
		t.Errorf("of the 100 oldest results %d are left", n)
	}
	if _, is := c.Get(keyOf(1999)); !is {
		t.Error("the newest result has left")
	}
	if has, err := Show(dir); err != nil || has.Bytes > c.max || len(told) > 0 {
		t.Errorf("the folder takes %d bytes, want at most %d: %v %q", has.Bytes, c.max, err, told)
	}
}

// spoil changes the file of a result.
func spoil(t *testing.T, c *Cache, n int, change func(text []byte) []byte) {
	t.Helper()
	name := fileOf(c.own, keyOf(n))
	text, err := os.ReadFile(name)
	if err == nil {
		err = os.WriteFile(name, change(text), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func TestADamagedResultIsToldAndSimulatedAgain(t *testing.T) {
	for name, change := range map[string]func([]byte) []byte{
		"another value":  func(text []byte) []byte { text[len(text)-1] ^= 1; return text },
		"another recipe": func(text []byte) []byte { text[bytes.IndexByte(text, '\n')+1] ^= 1; return text },
		"cut":            func(text []byte) []byte { return text[:len(text)-1] },
		"empty":          func([]byte) []byte { return nil },
		"a text":         func([]byte) []byte { return []byte("not a result\n") },
		"of another":     func([]byte) []byte { e := entryOf(2); return encode(keyOf(2), &e) },
	} {
		var told []string
		c := Open(t.TempDir(), options(&told))
		for i := range 3 {
			c.Put(keyOf(i), entryOf(i))
		}
		spoil(t, c, 0, change)
		spoil(t, c, 1, change)
		if n := knows(t, c, 3); n != 1 {
			t.Errorf("%s: %d results are known, want the one that is sound", name, n)
		}
		c.Put(keyOf(0), entryOf(0))
		if n := knows(t, c, 3); n != 2 {
			t.Errorf("%s: %d results are known after one was simulated again", name, n)
		}
		if len(told) != 1 || !strings.Contains(told[0], FolderName) || !strings.Contains(told[0], "its sum is wrong; the run goes on") {
			t.Errorf("%s: told %q", name, told)
		}
	}
}

func TestARunGoesOnWithoutACache(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, FolderName), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	var told []string
	c := Open(dir, options(&told))
	for i := range 5 {
		c.Put(keyOf(i), entryOf(i))
	}
	if n := knows(t, c, 5); n != 0 || len(told) != 1 {
		t.Fatalf("%d results are known; told %q, want one problem", n, told)
	}
	for _, want := range []string{filepath.Join(dir, FolderName), "the run goes on without", "set WEFT_CACHE to another folder"} {
		if !strings.Contains(told[0], want) {
			t.Errorf("told %q, want %q in it", told[0], want)
		}
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

func TestClearForgetsAndKeepsWhatIsNotWefts(t *testing.T) {
	dir := t.TempDir()
	var told []string
	beside := Open(dir, options(&told)) // a process that goes on
	for i := range 50 {
		beside.Put(keyOf(i), entryOf(i))
	}
	mine := filepath.Join(dir, FolderName, "mine.txt")
	if err := os.WriteFile(mine, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	if bytes, err := Clear(dir); err != nil || bytes < 50*1000 {
		t.Errorf("%d bytes are free: %v", bytes, err)
	}
	if entries, err := os.ReadDir(filepath.Dir(mine)); err != nil || len(entries) != 1 || entries[0].Name() != "mine.txt" {
		t.Errorf("the folder has %v after it, want mine.txt alone: %v", entries, err)
	}
	if n := knows(t, beside, 50); n != 0 {
		t.Errorf("%d results are known", n)
	}
	beside.Put(keyOf(1), entryOf(1))
	if n := knows(t, beside, 50); n != 1 || len(told) > 0 {
		t.Errorf("the process that went on knows %d results, want its new one; told: %q", n, told)
	}
	for range 2 {
		if _, err := Clear(filepath.Join(dir, "none")); err != nil {
			t.Errorf("a folder without a cache cannot be cleared: %v", err)
		}
	}
}

func TestShowTellsProgramsApart(t *testing.T) {
	dir := t.TempDir()
	var told []string
	for k, name := range []string{"old", "new"} {
		o := options(&told)
		o.Program = programOf(name)
		o.Now = (&clock{time.Unix(int64(1e9+k), 0)}).read
		c := Open(dir, o)
		for i := range 2 + k {
			c.Put(keyOf(i), entryOf(i))
		}
	}
	has, err := Show(dir)
	if err != nil || has.Results != 5 || has.Oldest != 1e9 || len(has.Programs) != 2 || has.Bytes != 5*block {
		t.Fatalf("it has %+v, %v", has, err)
	}
	if p := has.Programs[0]; p.Results != 3 || p.Used != 1e9+1 || p.Version != "v1" || len(p.Digest) != 2*sha256.Size {
		t.Errorf("the program of the latest use is %+v", p)
	}
}
