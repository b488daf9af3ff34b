package validate

import (
	"fmt"
	"io"
	"strings"
)

// pageHead is what docs/VALIDATION.md begins with.
const pageHead = `# Validation

Numbers of weft beside what is known: closed forms, other simulators, vendors' tables,
published measurements. ` + "`weft validate`" + ` runs every case, and
` + "`weft validate --markdown`" + ` makes this page. A miss is shown as a miss.

## Can I trust this number?

Find its kind. An error in time is positive where weft is slower, an error in bandwidth
where weft is faster. [MODELS.md](MODELS.md#can-i-trust-this-number) has the same by question,
and every assumption.

`

// pageRules follow the table.
const pageRules = `
## How to read the cases

- References are arithmetic of their own, written out in the case
  (` + "`internal/study/validate`" + `), or somebody's data with its source. A test alters one
  constant of the models after another and sees the case that covers it fail.
- A row with several values shows the first and the last. Its error is the error of
  the worst of all.
- Rows that are "not scored" are shown beside the others. Rows that are to be at least or
  at most the reference count, and have no error in the table above.
- Runs are deterministic: every machine gives these numbers.

## What was calibrated on what

`

// groups are the chapters of the page, by the first part of a case's ID.
var groups = []struct{ id, title string }{
	{"packet", "One packet"},
	{"message", "One message"},
	{"verbs", "Services and operations"},
	{"credits", "InfiniBand credits"},
	{"pfc", "PFC headroom"},
	{"incast", "Incast"},
	{"queue", "Queueing"},
	{"ring", "Ring all-reduce"},
	{"sharp", "Reductions in the switches"},
	{"uniform", "Uniform traffic through a switch"},
	{"dcqcn", "DCQCN"},
	{"cc", "TIMELY, Swift and HPCC"},
	{"ibcc", "InfiniBand congestion control"},
	{"uet", "Ultra Ethernet"},
	{"iwarp", "iWARP"},
	{"fct", "Flow completion times of another simulator"},
	{"model", "Collectives by NCCL's own cost model"},
	{"nccl", "Measured collectives"},
	{"scaleout", "Scale-out on ECMP"},
	{"training", "Training steps"},
	{"bill", "Bills of materials"},
}

// WritePage writes docs/VALIDATION.md.
func WritePage(w io.Writer, results []Result) error {
	var b strings.Builder
	b.WriteString(pageHead)
	b.WriteString(trust(results))
	b.WriteString(pageRules)
	b.WriteString(calibrations(results))
	pass, miss, notScored := Count(results)
	fmt.Fprintf(&b, "\n## Summary\n\n%d rows pass, %d miss, %d are not scored.\n", pass, miss, notScored)
	if miss > 0 {
		b.WriteString("\n| miss | reference | weft | error | tolerance | what is known about it |\n|---|---:|---:|---:|---|---|\n")
		for i := range results {
			b.WriteString(misses(&results[i]))
		}
	}
	for _, g := range groups {
		fmt.Fprintf(&b, "\n## %s\n", g.title)
		var before *Case
		for i := range results {
			if r := &results[i]; strings.HasPrefix(r.Case.ID, g.id+"/") {
				b.WriteString("\n" + Section(r, before))
				before = r.Case
			}
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// calibrations says which cases have values taken from data.
func calibrations(results []Result) string {
	var b strings.Builder
	said := map[string]bool{}
	for i := range results {
		if c := results[i].Case; c.Calibrated != "" && !said[c.Calibrated] {
			said[c.Calibrated] = true
			group, _, _ := strings.Cut(c.ID, "/")
			fmt.Fprintf(&b, "- %s/*: %s\n", group, c.Calibrated)
		}
	}
	b.WriteString("- No other case has a parameter that was taken from the data that it is scored on.\n")
	return b.String()
}

func misses(r *Result) string {
	if r.Err != nil {
		return fmt.Sprintf("| %s | | | | | %s |\n", r.Case.ID, escape(r.Err.Error()))
	}
	var b strings.Builder
	for i := range r.Rows {
		row := &r.Rows[i]
		if row.Verdict() != Miss {
			continue
		}
		note := row.Note
		if note == "" {
			note = "nothing yet"
		}
		c := row.cells()
		fmt.Fprintf(&b, "| %s: %s | %s | %s | %s | %s | %s |\n", r.Case.ID, escape(strings.TrimSpace(c[0])), c[1], c[2], c[3], c[4], escape(note))
	}
	return b.String()
}

// Section is the part of the page about one case. What it has in common with
// the case before it in its chapter is not said again.
func Section(r *Result, before *Case) string {
	var b strings.Builder
	c := r.Case
	fmt.Fprintf(&b, "### %s\n\n%s\n", c.ID, c.Claim)
	if before == nil || c.Reference != before.Reference {
		fmt.Fprintf(&b, "\n*Reference.* %s\n", c.Reference)
	}
	if c.Setting != "" && (before == nil || c.Setting != before.Setting) {
		fmt.Fprintf(&b, "\n*Setting.* %s\n", c.Setting)
	}
	if r.Err != nil {
		fmt.Fprintf(&b, "\n**MISS**: %v\n", r.Err)
		return b.String()
	}
	fmt.Fprintf(&b, "\n| %s | |\n|---|---:|---:|---:|---|---|---|\n", strings.Join(heading, " | "))
	for i := range r.Rows {
		row := &r.Rows[i]
		cells := row.cells()
		cells[0] = strings.TrimSpace(cells[0])
		if row.Verdict() == Miss {
			cells[5] = "**MISS**"
		}
		fmt.Fprintf(&b, "| %s | %s |\n", escape(strings.Join(cells, " | ")), escape(row.Note))
	}
	return b.String()
}

// escape keeps a text from breaking a table; cells that are joined already
// have no bars but between them.
func escape(s string) string { return strings.ReplaceAll(s, "\n", " ") }
