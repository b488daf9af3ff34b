package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"weft/internal/sim"
)

// TestTheSimulatorShowsALossyClassBeforeAndAfter lints SONiC's default map with
// NVIDIA's DSCP, and runs the real simulator.
func TestTheSimulatorShowsALossyClassBeforeAndAfter(t *testing.T) {
	dir := t.TempDir()
	env := filepath.Join(dir, "nccl.env")
	if err := os.WriteFile(env, []byte("NCCL_IB_TC=106\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	e := environment([]string{"roce", "lint", "--switch", filepath.Join("..", "roce", "sonic", "testdata", "config_db.json"), "--host", env, "--simulate", "--json"})
	e.Stdout, e.Run = &out, sim.Run
	if code := Main(context.Background(), e); code != Refuted {
		t.Fatalf("weft exits with %d, want %d", code, Refuted)
	}
	var answer lintAnswer
	if err := json.Unmarshal(out.Bytes(), &answer); err != nil {
		t.Fatal(err)
	}
	if len(answer.Trials) != 1 || answer.Trials[0].Refused != "" {
		t.Fatalf("trials: %+v", answer.Trials)
	}
	x := answer.Trials[0]
	if x.Before.DSCP != 26 || x.Before.Dropped == 0 || x.Before.Resent == 0 {
		t.Errorf("in a lossy class the incast loses nothing: %+v", x.Before)
	}
	if x.After.DSCP != 26 || x.After.Dropped != 0 || x.After.Resent != 0 || x.After.TimePs == 0 || x.After.TimePs >= x.Before.TimePs {
		t.Errorf("mended it still loses, or takes longer: %+v, before %+v", x.After, x.Before)
	}
}
