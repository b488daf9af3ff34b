package cli

import (
	"path/filepath"
	"strings"
	"testing"

	"weft"
	"weft/internal/face/cli/exit"
)

// TestOddFabricsGoThroughEveryVerb: inspect names the family and what is odd, what-if judges the worst failure, the
// converted scenario runs from another folder, and a fabric has no difference from itself.
func TestOddFabricsGoThroughEveryVerb(t *testing.T) {
	for name, c := range map[string]struct {
		inspected []string
		code      exit.Code
		worst     string // the switches whose failure costs most
	}{
		"storage-on-spines": {[]string{"A two-level fat tree, but for 1 host above the leaves", `- "storage1" hangs on the spine "spine1" Ethernet20 and the spine "spine2" Ethernet20: hosts belong`}, exit.OK, "any of 2 switches alike, such as leaf1"},
		"two-nics-one-leaf": {[]string{"A two-level fat tree, at most", "no number of cables is usual"}, exit.NotJudged, "any of 2 switches alike, such as leaf1"},
		"ring":              {[]string{"A ring of 5 switches", "the cables of 5 pairs of switches were compared, without an error or a warning"}, exit.OK, "any of 5 switches alike, such as sw1"},
		"three-levels-spine-missing": {[]string{
			"A three-level fat tree of 2 pods", `- leaf "pod2-leaf1" has 1 cable up, 2 of the 4 leaves have 2`,
			`- without "pod2-spine1" the fabric falls into parts: 4 adapters would be cut off from the largest part` + "\n",
		}, exit.OK, "pod2-spine1"},
		"self-cable-back-to-back": {[]string{"A two-level fat tree, at most", `- a cable joins ports 5 and 6 of "leaf1": it carries nothing`}, exit.OK, "any of 2 switches alike, such as leaf1"},
	} {
		t.Run(name, func(t *testing.T) {
			file, err := filepath.Abs("testdata/odd/" + name + ".csv")
			if err != nil {
				t.Fatal(err)
			}
			code, out, stderr := invoke(environment([]string{"fabric", "inspect", file}))
			for _, want := range c.inspected {
				if !strings.Contains(out, want) || code != c.code {
					t.Errorf("inspect: exit code %d, no %q:\n%s%s", code, want, out, stderr)
				}
			}
			code, out, stderr = invoke(environment([]string{"fabric", "what-if", file, "--every-link"}))
			if _, rows, _ := strings.Cut(out, "\nfailed "); code != exit.OK || !strings.Contains(rows, "\n"+c.worst+" ") || strings.Index(rows, "\n") != strings.Index(rows, "\n"+c.worst+" ") {
				t.Errorf("what-if: exit code %d:\n%s%s", code, out, stderr)
			}
			job := filepath.Join(t.TempDir(), "job.yaml")
			code, _, stderr = invoke(environment([]string{"fabric", "convert", "testdata/odd/" + name + ".csv", "--to", "scenario", "-o", job}))
			if code != exit.OK {
				t.Fatalf("convert: exit code %d: %s", code, stderr)
			}
			code, out, stderr = invoke(environmentOf([]string{"run", job, "--set", "workload.sizes=64KiB"}, weft.Run))
			if code != exit.OK || !strings.Contains(out, "at 64 KiB") {
				t.Errorf("run: exit code %d:\n%s%s", code, out, stderr)
			}
			code, out, stderr = invoke(environment([]string{"fabric", "diff", file, file}))
			if code != exit.OK || !strings.Contains(out, "No difference was found.") {
				t.Errorf("diff: exit code %d:\n%s%s", code, out, stderr)
			}
		})
	}
}
