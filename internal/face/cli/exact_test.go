package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"weft"
	"weft/internal/sim/runstore"
	"weft/results"
	"weft/scenario"
	"weft/units"
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
		if code != OK || said.MatchString(stderr) != (exact != "off") {
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

// The remaining time of a check is estimated from twice as many simulations, and events that were skipped are no
// speed.
func TestProgressOfACheck(t *testing.T) {
	e := environment(nil)
	e.exact = weft.ExactCheck
	p := newProgress(e, &scenario.Resolved{Fabrics: make([]scenario.Fabric, 2), Workload: scenario.Workload{Sizes: []units.Bytes{8, 1 << 20}}})
	if len(p.costs) != 8 || p.costs[0] != p.costs[3] || p.costs[4] != p.costs[7] || p.costs[3] >= p.costs[4] {
		t.Errorf("costs %v, want four small and four large", p.costs)
	}
	var s weft.Progress
	s.Simulated, s.Skipped = 3000, results.Skipped{Periods: 2, Time: 1000}
	if got := simulated(s); got != "simulated 3 ns, of which skipped 1 ns (periods: 2)" {
		t.Error(got)
	}
}
