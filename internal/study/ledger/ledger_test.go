package ledger

import (
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

func opened(t *testing.T, dir, worker string) *Ledger {
	t.Helper()
	l, err := Open(dir, worker)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func claim(t *testing.T, l *Ledger, piece string, want bool) {
	t.Helper()
	got, err := l.Claim(piece)
	if err != nil {
		t.Fatal(err)
	}
	if got != want {
		t.Errorf("%s claims %s: %v, want %v", l.me(), piece, got, want)
	}
}

func TestOneOfManyProcessesGetsAPiece(t *testing.T) {
	dir := t.TempDir()
	var wait sync.WaitGroup
	var mu sync.Mutex
	got := map[string]int{}
	for _, worker := range []string{"a", "b", "c", "d"} {
		l := opened(t, dir, worker)
		defer l.Close()
		wait.Go(func() {
			for _, piece := range []string{"1", "2", "3", "4", "5", "6"} {
				if ok, err := l.Claim(piece); err != nil {
					t.Error(err)
				} else if ok {
					mu.Lock()
					got[piece]++
					mu.Unlock()
				}
			}
		})
	}
	wait.Wait()
	for _, piece := range []string{"1", "2", "3", "4", "5", "6"} {
		if got[piece] != 1 {
			t.Errorf("piece %s has %d holders, want 1", piece, got[piece])
		}
	}
}

// A process that is killed leaves its claims, its beat, and a line that is cut short.
func TestTheNextProcessOfAWorkerTakesOverAtOnce(t *testing.T) {
	dir := t.TempDir()
	killed := opened(t, dir, "a")
	claim(t, killed, "1", true)
	claim(t, killed, "2", true)
	if err := killed.Add("1", "one"); err != nil {
		t.Fatal(err)
	}
	if _, err := killed.out.WriteString(`{"piece":"2","val`); err != nil {
		t.Fatal(err)
	}
	close(killed.stop)
	<-killed.stopped
	other := opened(t, dir, "b")
	defer other.Close()
	claim(t, other, "2", false)
	next := opened(t, dir, "a")
	defer next.Close()
	if !next.Done("1") || next.Done("2") {
		t.Errorf("the next process sees outcomes 1: %v, 2: %v, want the first alone", next.Done("1"), next.Done("2"))
	}
	claim(t, next, "2", true)
	claim(t, other, "2", false)
}

// silence makes one of two processes silent, as a killed process is. A third process sees no silence during wait, which is
// shorter than Silence, and takes the silent process's piece soon after it, but not the piece of the other.
func silence(t *testing.T, dir string, wait func(third *Ledger)) {
	t.Helper()
	alive, silent := opened(t, dir, "alive"), opened(t, dir, "silent")
	claim(t, alive, "1", true)
	claim(t, silent, "2", true)
	close(silent.stop) // its beat ends
	<-silent.stopped
	third := opened(t, dir, "third")
	wait(third)
	claim(t, third, "2", false)
	time.Sleep(3 * Beat)
	claim(t, third, "1", false)
	claim(t, third, "2", true)
	for _, l := range []*Ledger{alive, third} {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestASilentProcessLosesItsPieces(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		silence(t, t.TempDir(), func(*Ledger) { time.Sleep(Silence - Beat) })
	})
}

// Nodes whose clocks are a year apart write files with such times: only the observer's clock counts.
func TestClocksThatDifferChangeNothing(t *testing.T) {
	for _, apart := range []time.Duration{-365 * 24 * time.Hour, 365 * 24 * time.Hour} {
		synctest.Test(t, func(t *testing.T) {
			dir := t.TempDir()
			stamp := func() {
				t.Helper()
				err := filepath.WalkDir(dir, func(path string, _ os.DirEntry, err error) error {
					at := time.Now().Add(apart)
					return errors.Join(err, os.Chtimes(path, at, at))
				})
				if err != nil {
					t.Error(err)
				}
			}
			silence(t, dir, func(third *Ledger) {
				for range Silence/Beat - 1 {
					time.Sleep(Beat)
					synctest.Wait() // the beats are written
					stamp()
					claim(t, third, "1", false)
					claim(t, third, "2", false)
				}
			})
		})
	}
}

func TestAPieceThatIsGivenUpIsFree(t *testing.T) {
	dir := t.TempDir()
	first, second := opened(t, dir, "a"), opened(t, dir, "b")
	defer second.Close()
	claim(t, first, "1", true)
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	claim(t, second, "1", true)
}

func TestOutcomesOfAllProcessesAreRead(t *testing.T) {
	dir := t.TempDir()
	a, b := opened(t, dir, "a"), opened(t, dir, "b")
	defer b.Close()
	for piece, l := range map[string]*Ledger{"1": a, "2": b, "3": a} {
		if err := l.Add(piece, "of "+piece); err != nil {
			t.Fatal(err)
		}
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	v, err := View(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, piece := range []string{"1", "2", "3"} {
		var text string
		if ok, err := v.Get(piece, &text); !ok || err != nil || text != "of "+piece {
			t.Errorf("piece %s: %q, %v, %v", piece, text, ok, err)
		}
	}
	if v.Len() != 3 || v.Done("4") {
		t.Errorf("%d outcomes, and one of piece 4: %v", v.Len(), v.Done("4"))
	}
}

// Between a look at the folder and the opening of a file, its process may leave: the folder has the name, and
// there is no file.
func TestAProcessThatLeavesWithoutOutcomesIsNoError(t *testing.T) {
	dir := t.TempDir()
	l := opened(t, dir, "a")
	defer l.Close()
	if err := os.Symlink("gone", filepath.Join(dir, rowsFolder, "b.1"+rowsSuffix)); err != nil {
		t.Skip(err) // a system without symbolic links
	}
	if err := l.Refresh(); err != nil {
		t.Error(err)
	}
}

func TestAFileOfSomethingElseIsRefused(t *testing.T) {
	dir := t.TempDir()
	opened(t, dir, "a").Close()
	if err := os.WriteFile(filepath.Join(dir, rowsFolder, "x.1.jsonl"), []byte("{}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := View(dir); err == nil {
		t.Error("a line without a piece is read")
	}
}
