package cablediff_test

import (
	"io"
	"strings"
	"testing"

	"weft/internal/base/cabling"
	"weft/internal/base/cabling/planfile"
	"weft/internal/study/cablediff"
)

// read reads a plan.
func read(t *testing.T, name, text string) *cabling.Fabric {
	t.Helper()
	f, err := planfile.Read(name, func(string) (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text)), nil })
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// TestAPortOfContradictingLinesIsNotJudged: that its planned cable is missing is not known, whichever file contradicts
// itself, in a plan and in the views of switches. Other cables are judged.
func TestAPortOfContradictingLinesIsNotJudged(t *testing.T) {
	const whole = `leaf1,Ethernet0,spine1,Ethernet0
leaf1,Ethernet4,spine2,Ethernet0
leaf2,Ethernet0,spine1,Ethernet4
leaf2,Ethernet4,spine2,Ethernet4
leaf1,Ethernet8,gpu1,eth1
leaf2,Ethernet8,gpu2,eth1
`
	plan := read(t, "plan.csv", whole)
	twice := read(t, "real.csv", whole+"leaf1,Ethernet0,spine2,Ethernet8\n")
	if len(twice.Contradictions) != 1 || !strings.HasPrefix(twice.Contradictions[0], "real.csv:7: leaf1 Ethernet0 has two cables") {
		t.Fatalf("contradictions: %q", twice.Contradictions)
	}
	lacks := read(t, "lacks.csv", strings.Replace(whole+"leaf1,Ethernet0,spine2,Ethernet8\n", "leaf2,Ethernet8,gpu2,eth1\n", "", 1))
	for _, c := range []struct {
		name      string
		plan, now *cabling.Fabric
		judged    string
		missing   int
	}{
		{"the real file", plan, twice, "1 planned cable at ports of which lines of real contradict each other", 0},
		{"the plan", twice, plan, "1 real cable at ports of which lines of plan contradict each other", 0},
		{"another cable", plan, lacks, "1 planned cable at ports of which lines of real contradict each other", 1},
	} {
		r := cablediff.Compare(c.plan, c.now, "plan", "real")
		missing := 0
		for _, f := range r.Findings {
			if f.Kind == cablediff.Missing {
				missing++
			}
		}
		if len(r.Findings) != c.missing || missing != c.missing || !strings.Contains(strings.Join(r.NotJudged, "\n"), c.judged) {
			t.Errorf("%s: %+v, not judged: %q", c.name, r.Findings, r.NotJudged)
		}
	}
}
