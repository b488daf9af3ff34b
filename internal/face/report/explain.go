package report

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"weft/internal/face/doc"
	"weft/internal/sim/runstore"
	"weft/units"
)

// Explain prints of each simulation which flows met on the busiest links, and who
// paused whom.
func Explain(w io.Writer, r *runstore.Results, s doc.Style) error {
	for _, f := range r.Fabrics {
		for i := range f.Points {
			p := &f.Points[i]
			heading := f.Name
			if p.Bytes > 0 {
				heading += ", " + sizeText(p.Bytes)
			}
			fmt.Fprintf(w, "%s\n\n", s.Bold(heading))
			if p.Failure != "" {
				fmt.Fprintf(w, "failed: %s\n\n", p.Failure)
				continue
			}
			if err := explainLinks(w, p, s); err != nil {
				return err
			}
			if err := explainBeside(w, p, s); err != nil {
				return err
			}
			if err := explainPauses(w, p, s); err != nil {
				return err
			}
		}
	}
	return nil
}

// explainLinks prints the busiest links with the flows that share each.
func explainLinks(w io.Writer, p *runstore.Point, s doc.Style) error {
	if len(p.Hottest) == 0 {
		return nil
	}
	rows := [][]string{{"busiest links", "busy", "carried", "over the mean of its tier", "flows on it"}}
	if len(p.Beside) > 0 {
		rows[0][4] = "whose bytes"
	}
	for _, h := range p.Hottest {
		rows = append(rows, []string{h.Name, percent(h.Busy), bytesText(h.Bytes), spreadText(h), cmp.Or(shared(h), flowsText(h.Flows))})
	}
	if err := doc.Grid(rows).Write(w, s); err != nil {
		return err
	}
	fmt.Fprintln(w)
	return nil
}

// explainBeside prints what ran beside a collective.
func explainBeside(w io.Writer, p *runstore.Point, s doc.Style) error {
	if len(p.Beside) == 0 {
		return nil
	}
	rows := [][]string{{"beside it", "", "class", "messages", "GB/s", "mean", "p99", "slowest"}}
	for _, x := range p.Beside {
		rows = append(rows, []string{
			x.Name, x.Operation, fmt.Sprint(x.Class), count(x.Messages), bandwidth(x.GBps),
			shortTime(units.Time(x.MeanPs)), shortTime(units.Time(x.P99Ps)), shortTime(units.Time(x.MaxPs)),
		})
	}
	if err := doc.Grid(rows).Write(w, s); err != nil {
		return err
	}
	fmt.Fprintln(w)
	return nil
}

// flowsText names the flows on a link, a few of many.
func flowsText(flows []string) string {
	switch n := len(flows); {
	case n == 0:
		return none
	case n > namedFlows:
		return fmt.Sprintf("%s and %d more", strings.Join(flows[:namedFlows], ", "), n-namedFlows)
	}
	return strings.Join(flows, ", ")
}

// explainPauses prints who paused whom, and what the watchdog did about it.
func explainPauses(w io.Writer, p *runstore.Point, s doc.Style) error {
	c := &p.Counts
	if c.PFCStorms > 0 {
		fmt.Fprintf(w, "The PFC watchdog found %s and dropped %s.\n\n",
			plural(c.PFCStorms, "queue in a storm", "queues in a storm"), plural(c.DroppedWatchdog, "packet", "packets"))
	}
	switch {
	case p.Pauses != nil:
		if err := tellPauses(w, p.Pauses, s); err != nil {
			return err
		}
		fmt.Fprintln(w)
	case c.Pauses > 0:
		fmt.Fprintf(w, "%s stopped ports; who paused whom is recorded with run.pauses: true.\n\n", plural(c.Pauses, "PFC frame", "PFC frames"))
	}
	return nil
}
