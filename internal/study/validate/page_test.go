package validate_test

import (
	"flag"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"

	"weft/internal/face/report"
	"weft/internal/study/validate"
)

var update = flag.Bool("update", false, "run all cases in full and rewrite docs/VALIDATION.md")

const pageFile = "../../../docs/VALIDATION.md"

// ran are the results of cases that a test has run in full, by ID: with -update several tests want
// the same.
var ran = make(map[string]validate.Result)

// inFull runs cases in full, each once.
func inFull(t *testing.T, cases []*validate.Case) (out []validate.Result) {
	t.Helper()
	left := slices.DeleteFunc(slices.Clone(cases), func(c *validate.Case) bool { return ran[c.ID].Case != nil })
	results, err := validate.Run(t.Context(), left, validate.Options{Workers: runtime.GOMAXPROCS(0)})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range results {
		ran[r.Case.ID] = r
	}
	for _, c := range cases {
		out = append(out, ran[c.ID])
	}
	return out
}

// TestPage compares docs/VALIDATION.md with the quick cases: claim and table of each.
func TestPage(t *testing.T) {
	cases := validate.Cases()
	if !*update {
		cases = slices.DeleteFunc(cases, func(c *validate.Case) bool { return c.Slow })
	}
	results := inFull(t, cases)
	var made strings.Builder
	if err := report.Validation(results).Markdown(&made); err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(pageFile, []byte(made.String()), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	text, err := os.ReadFile(pageFile)
	if err != nil {
		t.Fatal(err)
	}
	page := string(text)
	intro, _, _ := strings.Cut(made.String(), "\n| ")
	if !strings.HasPrefix(page, intro) {
		t.Errorf("docs/VALIDATION.md does not begin with\n%s", intro)
	}
	parts := strings.Split(made.String(), "\n### ")[1:]
	if len(parts) != len(cases) {
		t.Fatalf("%d cases are on the page, want %d", len(parts), len(cases))
	}
	for _, part := range parts {
		part, _, _ = strings.Cut(part, "\n## ")
		claim, rest, _ := strings.Cut(part, "\n*")
		_, table, _ := strings.Cut("\n"+rest, "\n| ")
		if !strings.Contains(page, "\n### "+claim) || !strings.Contains(page, "\n| "+strings.TrimSpace(table)) {
			t.Errorf("docs/VALIDATION.md does not have this; go test ./internal/study/validate -run Page -update writes it:\n%s", part)
		}
	}
}
