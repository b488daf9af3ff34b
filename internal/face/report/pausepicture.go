package report

import (
	"fmt"

	"weft/internal/face/doc"
	"weft/results"
	"weft/units"
)

// pausePicture is the maximum number of rows of a picture of pauses; the others are in results.json.
const pausePicture = 48

// pauses are the pictures of all simulations with recorded pauses, over one time axis.
func (v *comparison) pauses() doc.Section {
	end := units.Time(0)
	for _, f := range v.r.Fabrics {
		for _, p := range f.Points {
			if p.Pauses != nil {
				end = max(end, pausesEnd(p.Pauses))
			}
		}
	}
	if end == 0 {
		return doc.Section{}
	}
	out := doc.Lanes{Label: "who paused whom over time", Ticks: timeTicks(end)}
	for i, f := range v.r.Fabrics {
		for _, p := range f.Points {
			if p.Pauses != nil {
				out.Rows = append(out.Rows, doc.Lane{Name: heading(f.Name, p.Bytes), Tone: doc.Series(i), Note: victimNote(p.Pauses)})
				out.Rows = append(out.Rows, drawPauses(p.Pauses, end, i%doc.Palette)...)
			}
		}
	}
	return doc.Section{
		Title: "Who paused whom", In: doc.Page, Blocks: []doc.Block{out},
		Caption: "Each port was paused by the port above it; the root cause is on top. The darker, the longer the pause. The time axis is the same for all fabrics.",
	}
}

// pausesEnd is the end of the timelines.
func pausesEnd(p *results.Pauses) units.Time {
	slices := 1
	for i := range p.Links {
		slices = max(slices, len(p.Links[i].Timeline))
	}
	return units.Time(int64(slices) * p.SlicePs)
}

// timeTicks are four equal parts of a time axis from 0.
func timeTicks(end units.Time) []doc.LaneTick {
	return doc.LaneTicks(4, func(share float64) string { return shortTime(units.Time(share * float64(end))) })
}

// heading names a simulation: its fabric, and its size if the workload has one.
func heading(fabric string, bytes int64) string {
	if bytes > 0 {
		return fabric + ", " + sizeText(bytes)
	}
	return fabric
}

// victimNote names the victims: messages whose path does not contain the root of their delay.
func victimNote(p *results.Pauses) string {
	var names []string
	for i := range p.Flows {
		if f := &p.Flows[i]; f.Victim {
			names = append(names, fmt.Sprintf("%s (%s)", f.Name, shortTime(units.Time(f.TimePs))))
		}
	}
	switch n := len(names); {
	case n == 0:
		return ""
	case n > namedFlows:
		names = append(names[:namedFlows], fmt.Sprintf("%d more", n-namedFlows))
	}
	return "Victims: flows slowed although they never cross the congested port: " + list(names) + "."
}

// drawPauses is the tree of pauses with a timeline for each row, until a given time: the darker, the
// larger the share of paused time.
func drawPauses(p *results.Pauses, end units.Time, colour int) (out []doc.Lane) {
	rows := PauseTree(p)
	for _, r := range rows[:min(len(rows), pausePicture)] {
		lane := doc.Lane{Name: r.Text, Level: min(len([]rune(r.Branch))/2, mostIndent)}
		if r.Link < 0 {
			lane.Note = "root cause"
		} else {
			lane.Tracks = [][]doc.Span{pauseSpans(&p.Links[r.Link], p.SlicePs, end, colour)}
		}
		out = append(out, lane)
	}
	if left := len(rows) - pausePicture; left > 0 {
		out = append(out, doc.Lane{Note: fmt.Sprintf("and %d more rows", left)})
	}
	return out
}

// mostIndent is the deepest level with an indent of its own.
const mostIndent = 4

// pauseSpans are the slices of a link with pauses; neighbours with equal shares are one.
func pauseSpans(l *results.PausedLink, slice int64, end units.Time, colour int) (out []doc.Span) {
	at := func(i int) float64 { return float64(int64(i)*slice) / float64(end) }
	for from := 0; from < len(l.Timeline); {
		to := from + 1
		for to < len(l.Timeline) && l.Timeline[to] == l.Timeline[from] {
			to++
		}
		if share := l.Timeline[from]; share > 0 {
			out = append(out, doc.Span{
				From: at(from), To: at(to), Class: fmt.Sprintf("s%d", colour), Opacity: 0.15 + 0.85*float64(share)/100,
				Title: fmt.Sprintf("%s to %s: paused %d %% of the time", shortTime(units.Time(int64(from)*slice)), shortTime(units.Time(int64(to)*slice)), share),
			})
		}
		from = to
	}
	return out
}
