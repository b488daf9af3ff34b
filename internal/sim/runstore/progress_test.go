package runstore

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"weft/results"
)

// A run and its viewers meet in the folder, new or not, until the run ends; a killed run is told apart.
func TestARunIsSeenWhileItGoesOn(t *testing.T) {
	for _, fresh := range []bool{true, false} {
		dir := filepath.Join(t.TempDir(), "run")
		if !fresh {
			if err := os.Mkdir(dir, 0o777); err != nil {
				t.Fatal(err)
			}
		}
		if err := Ask(dir, Pause); err == nil || InProgress(dir) != nil {
			t.Errorf("before the run: %v, %+v", err, InProgress(dir))
		}
		o, err := Claim(dir, Runs)
		if err != nil {
			t.Fatal(err)
		}
		staging, err := o.Begin(Meta{Weft: "test"})
		if err != nil {
			t.Fatal(err)
		}
		if p := InProgress(dir); p == nil || *p != (Progress{State: Running}) || o.Requested() != "" {
			t.Errorf("at the beginning: %+v, asked to %q", p, o.Requested())
		}
		want := Progress{State: Paused, Done: 1, Total: 2, What: "a", Events: 7}
		if err := errors.Join(o.Show(want), Ask(dir, Pause), Ask(dir, Cancel)); err != nil {
			t.Fatal(err)
		}
		if p := InProgress(dir); p == nil || *p != want || o.Requested() != Cancel {
			t.Errorf("%+v, asked to %q; want %+v, %q", p, o.Requested(), want, Cancel)
		}
		if _, err := ReadMeta(dir); err == nil || !strings.Contains(err.Error(), "the run has not ended") {
			t.Errorf("ReadMeta: %v", err)
		}
		if err := os.WriteFile(o.request, []byte("\x00garbage"), 0o600); err != nil || o.Requested() != "" {
			t.Errorf("%v: garbage asks for %q", err, o.Requested())
		}
		lock := o.auxiliary(lockName)
		if err := o.Write(Run{Results: &results.Results{}, Meta: Meta{Weft: "test"}}); err != nil {
			t.Fatal(err)
		}
		if err := o.Close(); err != nil {
			t.Fatal(err)
		}
		if p := InProgress(dir); p != nil || len(namesIn(t, dir)) != 3 {
			t.Errorf("after the end: %+v, files %v", p, namesIn(t, dir))
		}
		if !fresh { // as a process leaves it that is killed between two files of a later run
			staged := filepath.Join(dir, stagingName)
			if err := errors.Join(os.Mkdir(staged, 0o777), os.WriteFile(filepath.Join(staged, MetaFile), []byte(`{"weft": "test"}`), 0o666)); err != nil {
				t.Fatal(err)
			}
			if _, err := ReadMeta(dir); !errors.Is(err, ErrKilled) {
				t.Errorf("after half of the files were moved: %v", err)
			}
			continue
		}
		// A killed process leaves its staging folder, and the file of a lock that nobody holds.
		if err := errors.Join(os.RemoveAll(dir), os.Mkdir(staging, 0o777), os.WriteFile(lock, nil, 0o666)); err != nil {
			t.Fatal(err)
		}
		if _, err := ReadMeta(dir); !errors.Is(err, ErrKilled) || InProgress(dir) != nil || RunNamed(filepath.Base(staging)) != "run" {
			t.Errorf("after it was killed: %v, %+v, %s", err, InProgress(dir), RunNamed(filepath.Base(staging)))
		}
	}
}
