//go:build unix

package ui

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"weft/internal/face/cli/process"
	"weft/internal/sim/runstore"
	"weft/results"
)

// A folder with a run whose files are pipes shows the others, and says what it leaves out.
func TestABadRunHidesNoOthers(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"bad", "good"} {
		out, err := runstore.Claim(filepath.Join(dir, name), runstore.Runs)
		if err == nil {
			err = errors.Join(out.Write(runstore.Run{Results: &results.Results{Version: results.ResultsVersion}, Meta: runstore.Meta{Weft: "test"}}), out.Close())
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	meta := filepath.Join(dir, "bad", runstore.MetaFile)
	if err := errors.Join(os.Remove(meta), syscall.Mkfifo(meta, 0o644)); err != nil {
		t.Fatal(err)
	}
	var said strings.Builder
	e := &process.Env{Stderr: &said}
	runs, holds, err := openRuns(e, dir)
	if err != nil || !holds || len(runs) != 1 || runs[0].Name != "good" {
		t.Errorf("%d runs, holds %v, %v; want the good one", len(runs), holds, err)
	}
	if want := "left out: open " + meta + ": it is no file"; !strings.Contains(said.String(), want) {
		t.Errorf("it says %q, want %q", said.String(), want)
	}
}
