package report

import (
	"cmp"
	"fmt"
	"strings"

	"weft/internal/face/doc"
	"weft/internal/sim/runstore"
	"weft/units"
)

// Explanation is the flows that share the busiest links, and the ports that paused each other: in
// short for the largest size, and in full for each simulation.
func Explanation(r *runstore.Results) *doc.Document {
	v := newComparison(r)
	d := &doc.Document{Brand: simulation, Title: r.Scenario, Subtitle: "busiest links and pauses", Heading: Heading(r), Footer: sameAgain}
	if r.Partial {
		d.Add(doc.Section{Verdict: true, Blocks: []doc.Block{partial}})
	}
	busiest := v.hot(max(1, 12/max(1, len(r.Fabrics))))
	busiest.In = doc.Everywhere
	d.Add(busiest)
	for _, f := range r.Fabrics {
		for i := range f.Points {
			p := &f.Points[i]
			s := doc.Section{Title: heading(f.Name, p.Bytes), In: doc.Asked, Blocks: explainedPoint(p)}
			if p.Bytes == v.sizes[len(v.sizes)-1] {
				s.In = doc.Details
			}
			d.Add(s)
		}
	}
	d.Add(v.pauses())
	return d
}

// explainedPoint is a simulation in full.
func explainedPoint(p *runstore.Point) (out []doc.Block) {
	if p.Failure != "" {
		return []doc.Block{doc.Alarm("failed: " + p.Failure)}
	}
	if len(p.Hottest) > 0 {
		t := doc.Wrapped("busiest links", "busy", "carried", "over the mean of its tier", "flows on it")
		if len(p.Beside) > 0 {
			t.Rows[0][4].Text = "whose bytes"
		}
		for _, h := range p.Hottest {
			t.Add(doc.Text(h.Name), doc.Share(h.Busy), doc.Bytes(units.Bytes(h.Bytes)), doc.Text(spreadText(h)), doc.Text(cmp.Or(shared(h), flowsText(h.Flows))))
		}
		out = append(out, t)
	}
	if len(p.Beside) > 0 {
		t := doc.NewTable("beside it", "", "class", "messages", "GB/s", "mean", "p99", "slowest")
		for _, x := range p.Beside {
			t.Add(doc.Text(x.Name), doc.Text(x.Operation), doc.Instead(fmt.Sprint(x.Class)), doc.Count(x.Messages), doc.Bandwidth(x.GBps),
				doc.Time(units.Time(x.MeanPs)), doc.Time(units.Time(x.P99Ps)), doc.Time(units.Time(x.MaxPs)))
		}
		out = append(out, t)
	}
	return append(out, explainedPauses(p)...)
}

// explainedPauses describe the pauses, their causes, and the watchdog's actions.
func explainedPauses(p *runstore.Point) (out []doc.Block) {
	c := &p.Counts
	if c.PFCStorms > 0 {
		out = append(out, doc.Paragraph{Text: fmt.Sprintf("The PFC watchdog found %s and dropped %s.",
			plural(c.PFCStorms, "queue in a storm", "queues in a storm"), plural(c.DroppedWatchdog, "packet", "packets"))})
	}
	switch {
	case p.Pauses != nil:
		out = append(out, pauseTable(p.Pauses))
	case c.Pauses > 0:
		out = append(out, doc.Paragraph{Text: plural(c.Pauses, "PFC frame", "PFC frames") + " stopped ports; who paused whom is recorded with run.pauses: true."})
	}
	return out
}

// flowsText names some of the flows on a link.
func flowsText(flows []string) string {
	switch n := len(flows); {
	case n == 0:
		return none
	case n > namedFlows:
		return fmt.Sprintf("%s and %d more", strings.Join(flows[:namedFlows], ", "), n-namedFlows)
	}
	return strings.Join(flows, ", ")
}
