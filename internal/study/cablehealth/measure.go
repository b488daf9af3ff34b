package cablehealth

import (
	"fmt"
	"slices"
	"time"

	"weft/internal/base/portstate"
	"weft/internal/base/sorting"
)

// measure is what a counter says: its value since an unknown time, or how much it grew.
type measure struct {
	portstate.Counter
	grown   bool    // Value is the difference of two readings
	seconds float64 // between the two; 0 if it is not known
	reader  string
}

// rate is the growth in a second; ok is false if the time is not known.
func (m measure) rate() (float64, bool) {
	return float64(m.Value) / max(m.seconds, 1e-9), m.grown && m.seconds > 0
}

// String is the measure in messages.
func (m measure) String() string {
	text := fmt.Sprint(m.Value)
	if m.AtLeast {
		text = "at least " + text + " (saturated)"
	}
	switch rate, ok := m.rate(); {
	case ok:
		text += fmt.Sprintf(" in %s (%.3g/s)", duration(m.seconds), rate)
	case m.grown:
		text += " between the two readings"
	}
	return text
}

// duration is a time in seconds as text.
func duration(seconds float64) string {
	return time.Duration(seconds * float64(time.Second)).Round(time.Millisecond).String()
}

// measurer makes measures of samples.
type measurer struct {
	after float64 // seconds between two readings, as the user says; 0 without
	fell  int     // counters that were smaller in the later reading
	first portstate.Counter
	blind int // pairs without a time
}

// of is the measure of a counter of a port. Two samples of the same kind of file are a difference. Of
// several kinds of files, one with two samples counts, else the largest value.
func (m *measurer) of(p *port, name string) (measure, bool) {
	all := p.samples[name]
	if len(all) == 0 {
		return measure{}, false
	}
	byReader := map[string][]sample{}
	var readers []string
	for _, s := range all {
		if byReader[s.reader] == nil {
			readers = append(readers, s.reader)
		}
		byReader[s.reader] = append(byReader[s.reader], s)
	}
	for _, reader := range readers {
		if list := byReader[reader]; len(list) > 1 {
			if d, ok := m.difference(reader, list); ok {
				return d, true
			}
		}
	}
	best := all[0]
	for _, s := range all[1:] {
		if best.AtLeast && !s.AtLeast || s.Value > best.Value && (best.AtLeast || !s.AtLeast) {
			best = s
		}
	}
	return measure{Counter: best.Counter, reader: best.reader}, true
}

// difference is how much a counter grew from the first to the last sample. ok is false if it cannot be
// said: the counter was reset, or saturated before.
func (m *measurer) difference(reader string, list []sample) (measure, bool) {
	list = slices.Clone(list)
	timed := !slices.ContainsFunc(list, func(s sample) bool { return s.time == 0 })
	if timed {
		sorting.StableFunc(list, func(a, b sample) int { return int(min(max(a.time-b.time, -1), 1)) })
	}
	first, last := list[0], list[len(list)-1]
	if last.Value < first.Value {
		if m.fell++; m.fell == 1 {
			m.first = last.Counter
		}
		return measure{}, false
	}
	if first.AtLeast {
		return measure{}, false
	}
	d := measure{Counter: last.Counter, grown: true, reader: reader}
	d.Value -= first.Value
	switch {
	case m.after > 0:
		d.seconds = m.after * float64(len(list)-1)
	case timed && last.time > first.time:
		d.seconds = float64(last.time-first.time) / 1e6
	default:
		m.blind++
	}
	return d, true
}
