package report

import (
	"fmt"
	"strings"

	"weft/internal/face/doc"
	"weft/results"
	"weft/units"
)

// The colours of a fault's phases.
const (
	unnoticedClass = "w5"
	closedClass    = "w3"
	writingClass   = "w0"
)

// faultTimeline is the faults of each fabric and what arrives at its NICs, over one time axis; empty
// without faults.
func faultTimeline(r *results.Results) doc.Section {
	out := doc.Section{
		Title: "Faults over time", In: doc.Page,
		Caption: "What arrives at the NICs, headers and repeated packets included, over the largest of all fabrics; below it, each fault until it was noticed, until the last path was open again, and until the last table was written. The time axis is the same for all fabrics.",
	}
	if !broken(r) {
		return out
	}
	for _, size := range sizes(r) {
		if lanes, ok := faultLanes(r, size); ok {
			out.Blocks = append(out.Blocks, lanes)
		}
	}
	return out
}

// faultLanes is the timeline of a size.
func faultLanes(r *results.Results, size int64) (out doc.Lanes, ok bool) {
	end, most := units.Time(0), 0.0
	for _, f := range r.Fabrics {
		p, _ := point(f, size)
		end = max(end, p.Time)
		if p.Fault == nil {
			continue
		}
		for _, bytes := range p.Fault.Arrived {
			most = max(most, float64(bytes)/float64(p.Fault.Slice))
		}
	}
	if end == 0 {
		return out, false
	}
	out = doc.Lanes{
		Label: "faults over time", Ticks: timeTicks(end),
		Keys: []doc.LaneKey{{Class: unnoticedClass, Label: "not noticed yet"}, {Class: closedClass, Label: "noticed; some paths are closed"}, {Class: writingClass, Label: "last tables"}},
	}
	if size != 0 {
		out.Title = sizeText(size)
	}
	for i, f := range r.Fabrics {
		p, _ := point(f, size)
		out.Rows = append(out.Rows, doc.Lane{Name: f.Name, Tone: doc.Series(i), Note: lostNote(&p)})
		if p.Fault != nil && len(p.Fault.Arrived) > 0 {
			out.Rows = append(out.Rows, arrivalLane(p.Fault, end, most, i%doc.Palette))
		}
		if f.Control != nil {
			for j := range f.Control.Recoveries {
				out.Rows = append(out.Rows, recoveryLane(&f.Control.Recoveries[j], end))
			}
		}
	}
	return out, true
}

// lostNote is the time with and without faults.
func lostNote(p *results.Point) string {
	if !p.Measured() {
		return ""
	}
	if p.Fault == nil || p.Fault.Clean == 0 {
		return shortTime(p.Time)
	}
	return fmt.Sprintf("%s, without faults %s", shortTime(p.Time), shortTime(p.Fault.Clean))
}

// arrivalLane is what arrives at NICs, in bytes per picosecond over the most of all fabrics.
func arrivalLane(p *results.FaultPoint, end units.Time, most float64, colour int) doc.Lane {
	out := doc.Lane{Name: "arriving", Level: 1, Class: fmt.Sprintf("s%d", colour), Until: float64(units.Time(len(p.Arrived))*p.Slice) / float64(end)}
	peak := int64(0)
	for _, bytes := range p.Arrived {
		out.Area = append(out.Area, float64(bytes)/float64(p.Slice)/max(most, 1e-12))
		peak = max(peak, bytes)
	}
	out.Note = fmt.Sprintf("at most %s GB/s", shortBandwidth(float64(peak)/float64(p.Slice)*1000))
	return out
}

// recoveryLane is the phases of a recovery, at their times of the run.
func recoveryLane(x *results.Recovery, end units.Time) doc.Lane {
	out := doc.Lane{Name: faultTitle(*x), Level: 1}
	at := func(t units.Time) float64 { return min(1, float64(t)/float64(end)) }
	var spans []doc.Span
	var notes []string
	from := x.At
	for _, phase := range []struct {
		to    units.Time // since the fault
		class string
		what  string
	}{{x.Detected, unnoticedClass, "noticed"}, {x.Open, closedClass, "all paths open"}, {x.Last, writingClass, "last table written"}} {
		if phase.to == results.Never || phase.to == 0 || x.At+phase.to < from {
			continue
		}
		title := fmt.Sprintf("%s after %s", phase.what, shortTime(phase.to))
		spans = append(spans, doc.Span{From: at(from), To: at(x.At + phase.to), Class: phase.class, Title: title})
		notes = append(notes, title)
		from = x.At + phase.to
	}
	if len(spans) == 0 {
		spans = []doc.Span{{From: at(x.At), To: at(x.At), Class: unnoticedClass, Title: "nothing reacts"}}
	}
	out.Note, out.Tracks = strings.Join(notes, ", "), [][]doc.Span{spans}
	return out
}
