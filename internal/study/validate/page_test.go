package validate_test

import (
	"encoding/csv"
	"flag"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"weft/internal/face/report"
	"weft/internal/study/validate"
)

var (
	update = flag.Bool("update", false, "run the quick cases and rewrite docs/VALIDATION.md and testdata/rows.csv")
	full   = flag.Bool("full", false, "with -update, run the slow cases too, which takes 27 minutes of two cores, and rewrite predicted.csv")
	slow   = flag.String("slow", "", "with -update, run the slow cases with this prefix too; of nccl/ it rewrites predicted.csv")
)

// fully reports whether the slow case is run.
func fully(c *validate.Case) bool {
	return *update && (*full || *slow != "" && strings.HasPrefix(c.ID, *slow))
}

const (
	pageFile = "../../../docs/VALIDATION.md"
	rowsFile = "testdata/rows.csv" // the rows of all cases as the page has them
)

// ran are the results of cases that a test has run in full, by ID: with -full several tests want
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
		if r.Err != nil {
			t.Fatalf("%s: %v", r.Case.ID, r.Err)
		}
		ran[r.Case.ID] = r
	}
	for _, c := range cases {
		out = append(out, ran[c.ID])
	}
	return out
}

// TestPage runs the quick cases, compares each row with rows.csv, and docs/VALIDATION.md with the
// rows of all cases.
func TestPage(t *testing.T) {
	results := readRows(t)
	var cases []*validate.Case
	for _, r := range results {
		switch runs := !r.Case.Slow || fully(r.Case) || *update && len(r.Rows) == 0; {
		case runs:
			cases = append(cases, r.Case)
		case len(r.Rows) == 0:
			t.Errorf("%s has no row in rows.csv; -update writes it", r.Case.ID)
		}
	}
	inFull(t, cases)
	for i := range results {
		r, now := &results[i], ran[results[i].Case.ID]
		switch {
		case now.Case == nil: // a slow one
		case *update:
			*r = now
		default:
			compareRows(t, r, &now)
		}
	}
	var made strings.Builder
	if err := report.ValidationSummary(results).Markdown(&made); err != nil {
		t.Fatal(err)
	}
	if *update {
		writeRows(t, results)
		if err := os.WriteFile(pageFile, []byte(made.String()), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	page, err := os.ReadFile(pageFile)
	if err != nil {
		t.Fatal(err)
	}
	if made.String() != string(page) {
		t.Error("docs/VALIDATION.md is not the page of rows.csv; go test ./internal/study/validate -run Page -update writes it")
	}
}

// compareRows compares the rows of a case, as the page prints them.
func compareRows(t *testing.T, was, is *validate.Result) {
	t.Helper()
	if len(was.Rows) != len(is.Rows) {
		t.Errorf("%s has %d rows in rows.csv, and %d now; -update rewrites it", was.Case.ID, len(was.Rows), len(is.Rows))
		return
	}
	for i := range was.Rows {
		if a, b := was.Rows[i].Texts(), is.Rows[i].Texts(); !slices.Equal(a, b) {
			t.Errorf("%s: rows.csv has %q, and the case gives %q; -update rewrites it", was.Case.ID, a, b)
		}
	}
}

// readRows are all cases, with their rows of the file.
func readRows(t *testing.T) []validate.Result {
	t.Helper()
	file, err := os.Open(rowsFile)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	records, err := csv.NewReader(file).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string][]validate.Row{}
	for _, r := range records[1:] {
		n := numbers(t, r[2]+" "+r[3]+" "+r[6]+" "+r[7]+" "+r[8])
		rows[r[0]] = append(rows[r[0]], validate.Row{
			Name: r[1], Level: int(n[0]), Unit: validate.Unit(n[1]), Reference: numbers(t, r[4]), Weft: numbers(t, r[5]),
			Tolerance: validate.Tolerance{Kind: validate.ToleranceKind(n[2]), Limit: n[3]}, InUse: n[4],
		})
	}
	var out []validate.Result
	for _, c := range validate.Cases() {
		of := rows[c.ID]
		if c.Cluster != nil && len(of) >= len(c.Cluster.Rows) {
			table := of[len(of)-len(c.Cluster.Rows):] // behind the means
			for i := range table {
				table[i].Measured = &c.Cluster.Rows[i]
			}
		}
		out = append(out, validate.Result{Case: c, Rows: of})
	}
	return out
}

// numbers are numbers with spaces between them.
func numbers(t *testing.T, text string) (out []float64) {
	t.Helper()
	for _, word := range strings.Fields(text) {
		v, err := strconv.ParseFloat(word, 64)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, v)
	}
	return out
}

// writeRows writes the file that readRows reads.
func writeRows(t *testing.T, results []validate.Result) {
	t.Helper()
	text := func(values ...float64) string {
		var words []string
		for _, v := range values {
			words = append(words, strconv.FormatFloat(v, 'g', -1, 64))
		}
		return strings.Join(words, " ")
	}
	records := [][]string{{"case", "row", "level", "unit", "reference", "weft", "tolerance", "limit", "in-use"}}
	for _, r := range results {
		for _, row := range r.Rows {
			records = append(records, []string{
				r.Case.ID, row.Name, strconv.Itoa(row.Level), strconv.Itoa(int(row.Unit)), text(row.Reference...), text(row.Weft...),
				strconv.Itoa(int(row.Tolerance.Kind)), text(row.Tolerance.Limit), text(row.InUse),
			})
		}
	}
	file, err := os.Create(rowsFile)
	if err != nil {
		t.Fatal(err)
	}
	if err := csv.NewWriter(file).WriteAll(records); err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
}
