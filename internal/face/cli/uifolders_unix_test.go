//go:build unix

package cli

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"weft/internal/sim/runstore"
)

// A folder with a run whose files are pipes shows the others, and says what it leaves out.
func TestABadRunHidesNoOthers(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"bad", "good"} {
		if code := Main(context.Background(), environment([]string{"run", "../../../examples/two-nodes-h100.yaml", "--out", filepath.Join(dir, name)})); code != OK {
			t.Fatalf("exit code %d", code)
		}
	}
	meta := filepath.Join(dir, "bad", runstore.MetaFile)
	if err := errors.Join(os.Remove(meta), syscall.Mkfifo(meta, 0o644)); err != nil {
		t.Fatal(err)
	}
	e := environment(nil)
	var said strings.Builder
	e.Stderr = &said
	runs, holds, err := e.openRuns(dir)
	if err != nil || !holds || len(runs) != 1 || runs[0].Name != "good" {
		t.Errorf("%d runs, holds %v, %v; want the good one", len(runs), holds, err)
	}
	if want := "left out: open " + meta + ": it is no file"; !strings.Contains(said.String(), want) {
		t.Errorf("it says %q, want %q", said.String(), want)
	}
}
