package report

import (
	"fmt"
	"math"

	"weft/internal/face/doc"
	"weft/internal/study/whatif"
)

// leastChange is the change of a time that is told.
const leastChange = 0.0005

// maxCosts is the number of parts in the table; the others are in the JSON.
const maxCosts = 40

// WhatIf says what the failure of each part costs a fabric. job is the scenario's workload, empty without one.
func WhatIf(title, job string, r *whatif.Report, whole whatif.Job, jobs []whatif.Job) *doc.Document {
	d := &doc.Document{Brand: "What if it fails", Title: title, Footer: "Made by weft fabric what-if. The same file and version make the same page."}
	var lines []string
	if left := r.Parts - len(r.Costs); left > 0 {
		lines = append(lines, fmt.Sprintf("Stopped: %d of %d judged.", len(r.Costs), r.Parts))
	}
	lines = append(lines, fmt.Sprintf("Whole, routed by %s: %s pairs of host ports with a path; shifts of all hosts get %s of a cable's rate in the mean, %s in the worst.",
		r.Whole.Engine, count(r.Whole.Pairs), percent(r.Whole.Shift), percent(r.Whole.WorstShift)))
	if job != "" {
		lines = append(lines, wholeJob(job, whole))
	}
	d.Add(doc.Section{Blocks: doc.Paragraphs(lines...)})
	head := []string{"failed", "is", "pairs without a path", "shift, mean", "shift, worst"}
	if job != "" {
		head = append(head, "time")
	}
	t := doc.Wrapped(head...)
	groups := r.Groups()
	shown := min(len(groups), maxCosts)
	for i, g := range groups[:shown] {
		t.Add(costRow(r.Costs[g.First], g.Count, job != "", jobs, i)...)
	}
	d.Add(doc.Section{Title: "Failures, the dearest first", Blocks: []doc.Block{t}})
	var notes []string
	if shown < len(groups) {
		n := len(r.Costs) - groups[shown].First
		notes = append(notes, fmt.Sprintf("%s not listed cost less: --json has all.", exactly(n, "part", "parts")))
	}
	if r.Alike > 0 {
		notes = append(notes, fmt.Sprintf("%s to hosts: each cuts off its port, and no other. They were not routed one by one.", exactly(r.Alike, "cable", "cables")))
	}
	how := "as a Subnet Manager does"
	if r.Whole.Engine == whatif.BGP {
		how = "as BGP does, each flow shared evenly among equally short paths (hashed flows meet: weft roce collisions)"
	}
	notes = append(notes, fmt.Sprintf("Each failure was routed anew, %s, and judged by %s. Shift: each host sends to the one some places behind it; the share that the slowest host gets of the rate that its cable and its partner's carry, 0 if hosts are apart; cables count with their rates. A host that loses its last cable takes part in no shift: the column of pairs has it. Not judged: the time until the tables are new, and what is lost meanwhile.",
		how, exactly(r.Shifts, "shift", "shifts")))
	for _, g := range groups[:shown] {
		if c := &r.Costs[g.First]; c.Instead != "" {
			notes = append(notes, fmt.Sprintf("Without %s the engine is %s: %s.", c.Failed, c.Engine, c.Instead))
			break
		}
	}
	d.Add(doc.Section{Blocks: doc.Paragraphs(notes...)})
	return d
}

// plurals are the kinds of parts.
var plurals = map[string]string{"switch": "switches", "cable": "cables", "host cable": "host cables"}

func wholeJob(job string, whole whatif.Job) string {
	if whole.Error != "" {
		return fmt.Sprintf("Workload: %s, which on the whole fabric could not be simulated: %s.", job, whole.Error)
	}
	return fmt.Sprintf("Workload: %s, which takes %v on the whole fabric.", job, whole.Time)
}

// costRow is the row of a group of parts that cost the same; jobs has the simulations without the first part of each
// group.
func costRow(c whatif.Cost, count int, simulated bool, jobs []whatif.Job, i int) []doc.Cell {
	failed := c.Failed
	if count > 1 {
		failed = fmt.Sprintf("any of %s alike, such as %s", exactly(count, c.Kind, plurals[c.Kind]), c.Failed)
	}
	row := []doc.Cell{doc.Text(failed), doc.Text(c.Kind), doc.Count(c.Unreachable), doc.Share(c.Shift), doc.Share(c.WorstShift)}
	if c.Error != "" {
		row[3], row[4] = doc.Text("not routed: "+c.Error), doc.Text("")
	}
	if !simulated {
		return row
	}
	switch {
	case i >= len(jobs):
		return append(row, doc.Text("not simulated"))
	case jobs[i].Error != "":
		return append(row, doc.Text(jobs[i].Error))
	}
	change := fmt.Sprintf("%+.1f %%", 100*jobs[i].Change)
	if math.Abs(jobs[i].Change) < leastChange {
		change = "no change"
	}
	return append(row, doc.Text(fmt.Sprintf("%v (%s)", jobs[i].Time, change)))
}
