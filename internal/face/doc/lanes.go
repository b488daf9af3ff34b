package doc

import (
	"fmt"
	"html"
	"html/template"
	"strconv"
	"strings"
)

// Lanes is rows over one common axis, such as time: each has a name and a strip. Names are text of
// the page, so that they can be read at any width.
type Lanes struct {
	Title, Note string
	Label       string // what the axis is, for screen readers
	Keys        []LaneKey
	Rows        []Lane
	Ticks       []LaneTick
}

// LaneKey explains a colour.
type LaneKey struct{ Class, Label string }

// LaneTick is a mark of the axis.
type LaneTick struct {
	At    float64 // place on the axis, from 0 to 1
	Label string
}

// Lane is a row. A row without tracks is a heading over the rows below it.
type Lane struct {
	Name   string
	Note   string // after the name, less prominent
	Tone   Tone   // of the name
	Level  int    // indent
	Tracks [][]Span
	Area   []float64 // filled below a line instead of spans: heights from 0 to 1 of steps of equal width
	Until  float64   // end of the area on the axis
	Class  string    // colour of the area
}

// Span is a box on the axis, from 0 to 1.
type Span struct {
	From, To float64
	Class    string  // its colour: s0 … of a series, w0 … of work
	Opacity  float64 // 0 is 1
	Title    string
}

// LaneTicks are n equal parts of an axis.
func LaneTicks(n int, label func(share float64) string) (out []LaneTick) {
	for i := range n + 1 {
		at := float64(i) / float64(n)
		out = append(out, LaneTick{at, label(at)})
	}
	return out
}

func (Lanes) kind() string { return "lanes" }

// The dimensions of a strip, in the units of its viewBox. The page stretches it to its width.
const (
	stripWidth  = 1000.0
	trackHeight = 12.0
	areaHeight  = 48.0
	leastSpan   = 0.4 // width of the shortest drawn span
)

// Strip is the drawing of a row.
func (l Lane) Strip() template.HTML {
	height := trackHeight * float64(len(l.Tracks))
	if len(l.Area) > 0 {
		height = areaHeight
	}
	var b strings.Builder
	fmt.Fprintf(&b, `<svg viewBox="0 0 %s %s" preserveAspectRatio="none" style="height:%spx" role="img" aria-label="%s">`,
		Num(stripWidth), Num(height), Num(height), html.EscapeString(strings.TrimSpace(l.Name+" "+l.Note)))
	if n := len(l.Area); n > 0 {
		step := stripWidth * l.Until / float64(n)
		fmt.Fprintf(&b, `<path class="mark %s" d="M0 %s`, l.Class, Num(height))
		for i, v := range l.Area {
			fmt.Fprintf(&b, "V%sH%s", Num(height*(1-v)), Num(step*float64(i+1)))
		}
		fmt.Fprintf(&b, `V%sZ"/>`, Num(height))
	}
	for i, track := range l.Tracks {
		for _, s := range track {
			opacity := ""
			if s.Opacity > 0 {
				opacity = ` opacity="` + strconv.FormatFloat(s.Opacity, 'f', 2, 64) + `"`
			}
			fmt.Fprintf(&b, `<rect class="mark %s" x="%s" y="%s" width="%s" height="%s"%s>`, s.Class, Num(stripWidth*s.From), Num(trackHeight*float64(i)+1),
				Num(max(leastSpan, stripWidth*(s.To-s.From))), Num(trackHeight-2), opacity)
			if s.Title != "" {
				fmt.Fprintf(&b, "<title>%s</title>", html.EscapeString(s.Title))
			}
			b.WriteString("</rect>")
		}
	}
	b.WriteString("</svg>")
	return template.HTML(b.String()) // built above, texts escaped
}

// Heading reports whether the row has no strip.
func (l Lane) Heading() bool { return len(l.Tracks) == 0 && len(l.Area) == 0 }

// Left is the place of a tick in the style sheet.
func (t LaneTick) Left() template.CSS { return template.CSS(Num(100*t.At) + "%") }
