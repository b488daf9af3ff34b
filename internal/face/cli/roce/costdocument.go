package roce

import (
	"fmt"
	"math"
	"strings"

	"weft/internal/face/doc"
	"weft/internal/study/faultcost"
	"weft/units"
)

// leastShare is the change of a job's time that is told.
const leastShare = 0.0005

// costSections are what the faults cost, a section for each job, and the faults that were not judged.
func costSections(r *faultcost.Report) (out []doc.Section) {
	for i := range r.Jobs {
		out = append(out, jobSection(r, i))
	}
	var unjudged []string
	for i := range r.Costs {
		if c := &r.Costs[i]; c.NotJudged != "" {
			unjudged = append(unjudged, fmt.Sprintf("%s: %s.", faultName(c), c.NotJudged))
		}
	}
	if len(r.Jobs) > 0 && r.Jobs[0].NotMended != "" && len(r.Costs) > 0 {
		unjudged = append(unjudged, fmt.Sprintf("all faults mended together: %s.", r.Jobs[0].NotMended))
	}
	if len(unjudged) > 0 {
		out = append(out, doc.Section{Title: "Faults without a cost that can be simulated", Blocks: []doc.Block{doc.List(unjudged)}})
	}
	return out
}

// jobSection is what the faults cost a job.
func jobSection(r *faultcost.Report, job int) doc.Section {
	j := &r.Jobs[job]
	t := doc.Wrapped("mended", "time", "the fault costs", "dropped", "sent again", "pauses", "marks")
	t.Add(outcomeRow("nothing: as found", j.Found, doc.Text(""))...)
	hidden, negative := false, false
	for i := range r.Costs {
		c := &r.Costs[i]
		if c.NotJudged != "" {
			continue
		}
		with, without := c.Of(job, j)
		name, shown := faultName(c), without
		if c.Hidden {
			name, shown, hidden = "all but "+name, with, true
		}
		share, ok := faultcost.Share(with, without)
		negative = negative || ok && share <= -leastShare
		t.Add(outcomeRow(name, shown, costCell(with, without))...)
	}
	if j.NotMended == "" && len(r.Costs) > 0 {
		t.Add(outcomeRow("all faults", j.Mended, costCell(j.Found, j.Mended))...)
	}
	out := doc.Section{Title: "What the faults cost: " + j.Name, Blocks: []doc.Block{t}}
	if hidden && job == len(r.Jobs)-1 {
		out.Blocks = append(out.Blocks, doc.Notes("All but a fault: as found, others hide it, or no job ends with them. It costs what the job takes longer with it alone than with all faults mended.")...)
	}
	if negative {
		out.Blocks = append(out.Blocks, doc.Notes("A cost below 0 % means that this job is faster with the fault. Other jobs were not judged.")...)
	}
	return out
}

// outcomeRow is a row of a job's table.
func outcomeRow(name string, o faultcost.Outcome, cost doc.Cell) []doc.Cell {
	time := doc.Time(units.Time(o.TimePs))
	if o.TimePs == 0 {
		reason, _, _ := strings.Cut(o.Failed, ";")
		reason, _, _ = strings.Cut(reason, " (") // --json has the whole text
		time = doc.Instead("failed: " + reason)
	}
	return []doc.Cell{doc.Text(name), time, cost, doc.Count(o.Dropped), doc.Count(o.Resent), doc.Count(o.Pauses), doc.Count(o.Marks)}
}

// costCell is what a fault costs a job, in words.
func costCell(with, without faultcost.Outcome) doc.Cell {
	share, ok := faultcost.Share(with, without)
	switch {
	case !ok && with.TimePs == 0 && without.TimePs > 0:
		return doc.Instead("the job does not end")
	case !ok:
		return doc.Instead("unknown")
	case with == without:
		return doc.Instead("no effect on this job")
	case math.Abs(share) < leastShare:
		return doc.Instead("no time")
	}
	return doc.Instead(fmt.Sprintf("%+.1f %%", 100*share))
}

// faultName is a fault with its first places.
func faultName(c *faultcost.Cost) string {
	const most = 2
	places := c.Places
	text := strings.Join(places[:min(most, len(places))], ", ")
	if more := len(places) - most; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return c.Rule + " at " + text
}
