package report

import (
	"fmt"
	"html"
	"html/template"
	"strings"

	"weft/internal/face/doc"
	"weft/internal/sim/runstore"
	"weft/units"
)

// The dimensions of the picture of pauses, in the units of its viewBox.
const (
	pauseRowHeight = 20.0
	pauseNames     = 430.0 // room for the names
	pauseTime      = 640.0 // length of the time axis
	pauseIndent    = 12.0
	pausePicture   = 48 // rows of a picture; the others are in results.json
)

// pauses are the pictures of all simulations with recorded pauses.
func (v *comparison) pauses() doc.Section {
	var blocks []doc.Block
	for i, f := range v.r.Fabrics {
		for _, p := range f.Points {
			if p.Pauses != nil {
				blocks = append(blocks, doc.Figure{
					Title: heading(f.Name, p.Bytes), Tone: doc.Series(i), Note: victimNote(p.Pauses), SVG: drawPauses(p.Pauses, i%doc.Palette),
				})
			}
		}
	}
	return doc.Section{
		Title: "Who paused whom", In: doc.Page, Blocks: blocks,
		Caption: "Each port was paused by the port above it; the root cause is on top. The darker, the longer the pause.",
	}
}

// heading names a simulation: its fabric, and its size if the workload has one.
func heading(fabric string, bytes int64) string {
	if bytes > 0 {
		return fabric + ", " + sizeText(bytes)
	}
	return fabric
}

// victimNote names the victims: messages whose path does not contain the root of their delay.
func victimNote(p *runstore.Pauses) string {
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

// drawPauses is the tree of pauses with a timeline for each row: the darker, the larger the share
// of paused time.
func drawPauses(p *runstore.Pauses, colour int) template.HTML {
	rows := PauseTree(p)
	left := len(rows) - pausePicture
	rows = rows[:min(len(rows), pausePicture)]
	slices := 1
	for i := range p.Links {
		slices = max(slices, len(p.Links[i].Timeline))
	}
	var b strings.Builder
	height := float64(len(rows)+2) * pauseRowHeight
	fmt.Fprintf(&b, `<svg viewBox="0 0 %s %s" role="img" aria-label="who paused whom over time">`, doc.Num(pauseNames+pauseTime+10), doc.Num(height))
	for k, r := range rows {
		y := float64(k) * pauseRowHeight
		depth := float64(len([]rune(r.Branch))) / 2
		class := "who"
		if r.Link < 0 {
			class = "who root"
		}
		fmt.Fprintf(&b, `<text class="%s" x="%s" y="%s">%s</text>`, class, doc.Num(depth*pauseIndent), doc.Num(y+14), html.EscapeString(r.Text))
		if r.Link >= 0 {
			drawTimeline(&b, p.Links[r.Link].Timeline, slices, y, colour)
		}
	}
	foot := float64(len(rows))*pauseRowHeight + 15
	if left > 0 {
		fmt.Fprintf(&b, `<text class="who" x="0" y="%s">and %d more rows</text>`, doc.Num(foot), left)
	}
	fmt.Fprintf(&b, `<text class="who" x="%s" y="%s">0</text><text class="who" x="%s" y="%s" text-anchor="end">%s</text></svg>`,
		doc.Num(pauseNames), doc.Num(foot), doc.Num(pauseNames+pauseTime), doc.Num(foot), html.EscapeString(shortTime(units.Time(int64(slices)*p.SlicePs))))
	return template.HTML(b.String())
}

// drawTimeline draws the slices of a row; neighbours with equal shares are one rectangle.
func drawTimeline(b *strings.Builder, timeline []int, slices int, y float64, colour int) {
	step := pauseTime / float64(slices)
	fmt.Fprintf(b, `<path class="base" d="M%s %sH%s"/>`, doc.Num(pauseNames), doc.Num(y+pauseRowHeight-2), doc.Num(pauseNames+pauseTime))
	for from := 0; from < len(timeline); {
		to := from + 1
		for to < len(timeline) && timeline[to] == timeline[from] {
			to++
		}
		if share := timeline[from]; share > 0 {
			fmt.Fprintf(b, `<rect class="mark s%d" x="%s" y="%s" width="%s" height="%s" opacity="%s"/>`, colour,
				doc.Num(pauseNames+float64(from)*step), doc.Num(y+3), doc.Num(float64(to-from)*step), doc.Num(pauseRowHeight-6), doc.Num(0.15+0.85*float64(share)/100))
		}
		from = to
	}
}
