package calibrate

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"weft/internal/study/measured"
	"weft/internal/test/golden"
)

// The marks of the section of the exam with the verdicts.
const (
	verdictsBegin  = "<!-- verdicts -->"
	verdictsEnd    = "<!-- /verdicts -->"
	verdictsHeader = "| log | nodes | sizes | state | verdict | healthy | likeliest fault |\n|---|---:|---:|---|---|---:|---|\n"
)

// The states of a measured cluster.
const (
	isHealthy = "healthy"
	isFaulty  = "faulty"
	isUnknown = "not known"
	isForced  = "protocol forced" // which the log does not say
)

// unknownClusters are the clusters of notHealthy of which no fault is known.
var unknownClusters = []string{"T1-tuned"}

// stateOf is the state of a cluster by its source.
func stateOf(c *measured.Cluster) string {
	switch {
	case slices.Contains(unknownClusters, c.ID):
		return isUnknown
	case slices.Contains(notHealthy, c.ID):
		return isFaulty
	case c.Protocol != "":
		return isForced
	case c.Unscored == "":
		return isHealthy
	}
	return isUnknown
}

// largestInNode is the largest size of one node in a test: larger ones take seconds each.
const largestInNode = 512 * mib

// verdict diagnoses logs of parts of a cluster, by weft's errors on the other clusters, and returns
// a row for the page.
func verdict(t *testing.T, name string, of ...part) (row string, d *Diagnosis) {
	t.Helper()
	var text strings.Builder
	for _, p := range of {
		if p.nodes() == 1 {
			p.rows = slices.DeleteFunc(slices.Clone(p.rows), func(r measured.Row) bool { return r.Bytes > largestInNode })
		}
		text.WriteString(p.nccltests())
	}
	c := of[0].cluster
	o := Options{Simulate: simulateOnce, without: c.ID, coarse: true}
	d, err := of[0].describe(t).Diagnose(context.Background(), read(t, text.String())[0], o)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	sizes, fault := 0, "none"
	for _, task := range d.Tasks {
		sizes += len(task.Points)
	}
	if len(d.Explanations) > 0 && d.Explanations[0].Posterior >= worthTelling {
		fault = fmt.Sprintf("`%s`, %.0f %%", d.Explanations[0].ID, 100*d.Explanations[0].Posterior)
	}
	return fmt.Sprintf("| %s | %d | %d | %s | %s | %.0f %% | %s |\n", name, of[0].nodes(), sizes, stateOf(c), d.Verdict, 100*d.Healthy, fault), d
}

// quickVerdicts are the logs of a test without -update.
var quickVerdicts = []string{"H100, all-reduce, 2 ranks", "A100, all-gather, 8 ranks", "T8, all-reduce, 4 ranks", "G2, all-gather, 16 ranks"}

// TestTheVerdictsAgreeWithThePage diagnoses the measured tables as a user does: with the preset, the
// number of nodes and the fabric, and with weft's errors on the other clusters. A healthy cluster is
// not called faulty, and a faulty one is not called healthy. -update diagnoses all tables.
func TestTheVerdictsAgreeWithThePage(t *testing.T) {
	var b strings.Builder
	b.WriteString(verdictsHeader)
	said := make(map[string]Verdict)
	diagnose := func(name string, of ...part) {
		if !golden.Updating() && !slices.Contains(quickVerdicts, name) {
			return
		}
		row, d := verdict(t, name, of...)
		b.WriteString(row)
		said[name] = d.Verdict
		if testing.Verbose() {
			t.Logf("%s%s", row, firstFew(d))
		}
	}
	all := parts()
	for i := 0; i < len(all); {
		end := i
		for end < len(all) && all[end].cluster == all[i].cluster {
			end++
		}
		if stateOf(all[i].cluster) == isFaulty {
			diagnose(all[i].cluster.ID, all[i:end]...)
		} else {
			for _, p := range all[i:end] {
				if len(p.rows) > 1 {
					diagnose(p.String(), p)
				}
			}
		}
		i = end
	}
	stands := golden.Section(t, examFile, verdictsBegin, verdictsEnd, b.String())
	for name, v := range said {
		_, rest, found := strings.Cut(stands, "| "+name+" |")
		row, _, _ := strings.Cut(rest, "\n")
		if !found || !strings.Contains(row, "| "+string(v)+" |") {
			t.Errorf("%s: the verdict is %s, and the page has %q: rewrite it with -update", name, v, row)
		}
		if strings.Contains(row, "| "+isFaulty+" |") && v == Healthy {
			t.Errorf("%s: a faulty cluster is called healthy", name)
		}
		if strings.Contains(row, "| "+isHealthy+" |") && v != Healthy && v != NotProved {
			t.Errorf("%s: a healthy cluster is accused: %s", name, v)
		}
	}
}
