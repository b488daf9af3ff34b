package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"weft"
	"weft/internal/face/cli/exit"
	"weft/internal/sim/runstore"
)

// A ring repeats itself. What was skipped stands on standard error, in meta.json and in the progress; the results
// and the page are the same bytes with every --exact.
func TestWhatRepeatsItselfIsSkippedAndSaid(t *testing.T) {
	dir := t.TempDir()
	scenario := filepath.Join(dir, "ring.yaml")
	if err := os.WriteFile(scenario, []byte(`
cluster: {nodes: 2, node: dgx-h100}
topology: {shape: rail-optimised}
fabrics: [roce-v2-400g]
workload: {collective: all-reduce, algorithm: ring, protocol: simple, sizes: [64MiB]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	said := regexp.MustCompile(`skipped \d+ periods, which repeat earlier ones exactly: [\d.]+ us of [\d.]+ us of simulated time\n`)
	folders := map[string]string{}
	for _, exact := range []string{"on", "off", "check"} {
		out := filepath.Join(dir, exact)
		e := environment([]string{"run", scenario, "-j", "1", "--exact", exact, "--out", out})
		e.Run = weft.Run
		code, _, stderr := invoke(e)
		if code != exit.OK || said.MatchString(stderr) != (exact != "off") {
			t.Errorf("--exact %s: exit code %d, %s", exact, code, stderr)
		}
		var meta runstore.Meta
		text, err := os.ReadFile(filepath.Join(out, runstore.MetaFile))
		if err == nil {
			err = json.Unmarshal(text, &meta)
		}
		if s := meta.Skipped; err != nil || (s != nil) != (exact != "off") || s != nil && (s.Periods <= 0 || s.TimePs >= s.OfPs || s.Events >= meta.Events) {
			t.Errorf("--exact %s: %v, meta.json says %+v", exact, err, s)
		}
		for _, name := range []string{runstore.ResultsFile, runstore.ReportFile} {
			text, err := os.ReadFile(filepath.Join(out, name))
			if err != nil {
				t.Fatal(err)
			}
			if was, has := folders[name]; has && was != string(text) {
				t.Errorf("--exact %s: another %s", exact, name)
			}
			folders[name] = string(text)
		}
	}
}
