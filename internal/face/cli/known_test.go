package cli

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"weft"
	"weft/internal/face/cli/exit"
	"weft/internal/study/cache"
)

// remembering is a process with the real simulator, whose user's cache folder is dir.
func remembering(dir string, args ...string) *Program {
	e := environment(args)
	e.Run, e.UserCache = weft.Run, func() (string, error) { return dir, nil }
	return e
}

const small = `
cluster: {nodes: 2, node: dgx-h100}
topology: {shape: single-switch}
fabrics: [roce-v2-400g, infiniband-ndr]
workload: {collective: all-reduce, sizes: [64KiB]}
tune: {parameters: [{path: "fabrics[0].ethernet.ecn.kmin", from: 50KB, to: 5MB}], fabric: roce-v2-400g, runs: 20, seeds: 1, held-out: 2}
sweep: {axes: [{path: "workload.sizes", values: [32KiB, 64KiB]}]}
`

// Each study is run twice: the second run has the same output, and says that it knew.
func TestASecondStudyKnowsWhatTheFirstSimulated(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "small.yaml")
	if err := os.WriteFile(file, []byte(small), 0o600); err != nil {
		t.Fatal(err)
	}
	known := regexp.MustCompile(`(?m)^weft: (\d+) of (\d+) simulations were known`)
	for _, verb := range []string{"tune", "sweep", "compare"} {
		args := []string{verb, file, "--json"}
		code, first, _ := invoke(remembering(dir, args...))
		if code != exit.OK {
			t.Fatalf("%s: exit code %d: %s", verb, code, first)
		}
		_, again, stderr := invoke(remembering(dir, args...))
		if n := known.FindStringSubmatch(stderr); n == nil || n[1] != n[2] || again != first {
			t.Errorf("%s, a second time: other output: %t; stderr %q", verb, again != first, stderr)
		}
		off := remembering(dir, args...)
		off.Getenv = func(name string) string { return map[string]string{"WEFT_CACHE": "off"}[name] }
		if _, without, stderr := invoke(off); without != first || strings.Contains(stderr, "known") {
			t.Errorf("%s with %s=off: other output: %t; stderr %q", verb, "WEFT_CACHE", without != first, stderr)
		}
	}
	if _, _, stderr := invoke(remembering(dir, "run", file, "--fabric", "infiniband-ndr")); strings.Contains(stderr, "known") {
		t.Errorf("a single run was not simulated: %q", stderr)
	}
	if code, text, stderr := invoke(remembering(dir, "cache", "check", "--number", "5")); code != exit.OK || !strings.HasPrefix(text, "5 known results were simulated again: all have the same bytes") {
		t.Errorf("exit code %d: %s %s", code, text, stderr)
	}
	if code, text, _ := invoke(remembering(dir, "cache")); code != exit.OK || !strings.Contains(text, "weft v1.2.3") {
		t.Errorf("exit code %d: %s", code, text)
	}
}

func TestAStudyWithABadCacheSaysSoOnceAndGoesOn(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "small.yaml")
	bad := filepath.Join(dir, "weft", cache.FolderName) // a file where the folder should be
	for name, text := range map[string]string{file: small, bad: ""} {
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	code, _, stderr := invoke(remembering(dir, "sweep", file))
	if code != exit.OK || strings.Count(stderr, bad) != 1 || !strings.Contains(stderr, "the run goes on without what is known") {
		t.Errorf("exit code %d: %s", code, stderr)
	}
}
