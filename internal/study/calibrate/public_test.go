package calibrate

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"weft/internal/formats/logfile"
	"weft/internal/test/golden"
)

// The marks of the section of the exam with the public logs.
const (
	publicBegin  = "<!-- public -->"
	publicEnd    = "<!-- /public -->"
	publicHeader = "| log of | cause that was found | verdict | likeliest fault | |\n|---|---|---|---|---|\n"
)

// publicLog is a log that users published, with the cause that was found: a row of
// testdata/public/cases.csv. Names and addresses are replaced, and lines of evidence that the
// thread only tells in words are rebuilt in the form of their program.
type publicLog struct {
	file, source, cause string
	hypotheses          []string // that are the cause; none of a healthy cluster
	cluster, fabric     string
}

func publicLogs(t *testing.T) (all []publicLog) {
	t.Helper()
	text, err := os.ReadFile("testdata/public/cases.csv")
	if err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range rows[1:] {
		all = append(all, publicLog{r[0], r[1], r[2], strings.Fields(r[3]), r[4], r[5]})
	}
	return all
}

// quick reports whether a log is of two NICs: those take a second.
func (p *publicLog) quick() bool {
	return slices.Contains([]string{"case-16.log", "case-18.log", "case-19.log", "case-48.log", "case-50.log", "case-56.log", "case-58.log", "case-60.log", "case-14.log", "osu-hdr100.log", "read-hdr.log", "ucx-ipoib.log", "gpu-behind-sys.log"}, p.file)
}

// diagnose diagnoses a public log, and says how the answer stands to the cause that was found.
func (p *publicLog) diagnose(t *testing.T) (d *Diagnosis, stands string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "public", p.file))
	if err != nil {
		t.Fatal(err)
	}
	l, err := logfile.Read(p.file, bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	d, err = describe(t, fmt.Sprintf("cluster: %s\nfabric: %s", p.cluster, p.fabric)).Diagnose(t.Context(), l, Options{Simulate: simulateOnce})
	if err != nil {
		t.Fatalf("%s: %v", p.file, err)
	}
	is := func(e Explanation) bool { return slices.Contains(p.hypotheses, e.ID) }
	switch {
	case len(p.hypotheses) == 0 && d.Verdict == Healthy:
		return d, "right"
	case d.Verdict == NotProved && !slices.ContainsFunc(d.Alike(), is):
		return d, "not proved"
	case len(p.hypotheses) == 0:
		return d, "accused"
	case d.Verdict == Healthy:
		return d, "missed"
	case d.Verdict != Unexplained && is(d.Explanations[0]):
		return d, "right"
	case slices.ContainsFunc(d.Alike(), is):
		return d, "named"
	case d.Verdict == Explained:
		return d, "convicted wrongly"
	}
	return d, "not named"
}

// TestPublicLogsAreDiagnosed: no public log of a healthy cluster is accused, and none convicts another
// cause than the one that was found. -update diagnoses all logs and writes the table of the page.
func TestPublicLogsAreDiagnosed(t *testing.T) {
	var b strings.Builder
	b.WriteString(publicHeader)
	said := map[string]string{}
	for _, p := range publicLogs(t) {
		if !golden.Updating() && !p.quick() {
			continue
		}
		d, stands := p.diagnose(t)
		fault := "none"
		if len(d.Explanations) > 0 && d.Explanations[0].Posterior >= worthTelling {
			fault = fmt.Sprintf("`%s`, %.0f %%", d.Explanations[0].ID, 100*d.Explanations[0].Posterior)
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s |\n", p.source, p.cause, d.Verdict, fault, stands)
		said[p.source] = stands
	}
	page := golden.Section(t, examFile, publicBegin, publicEnd, b.String())
	for source, stands := range said {
		_, rest, _ := strings.Cut(page, "| "+source+" |")
		row, _, _ := strings.Cut(rest, "\n")
		if !strings.HasSuffix(row, "| "+stands+" |") {
			t.Errorf("%s: the answer is %s, and the page has %q: rewrite it with -update", source, stands, row)
		}
		if stands == "convicted wrongly" || stands == "accused" && golden.Updating() {
			t.Errorf("%s: %s", source, stands)
		}
	}
}
