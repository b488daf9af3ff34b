package metrics

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"weft/internal/base/sorting"
)

// The bounds of what is read: a cluster of 8,192 ports has some 200,000 series of the table, and no counter has
// 100 digits, whose sums would be infinite.
const (
	maxRead   = 500_000
	maxPoints = 20_000_000
	maxValue  = 1e100
	maxTime   = 1e12 // seconds since 1970

	maxUnknown = 8 // names of metrics that are not in the table: a message has no room for more
)

// Series is the values of a metric of the table on one port, GPU or collective.
type Series struct {
	Row    *Row
	Name   string
	Labels map[string]string
	Points []Point // in the order of time
}

// Point is a value at a time.
type Point struct {
	At    float64 // seconds; 0 if the file has none
	Value float64
}

// Data is what was read.
type Data struct {
	Series  []*Series
	Invalid int      // values that are no number, or larger than a counter or time can be: they are left out
	Others  int      // values of metrics that are not in the table
	Unknown []string // names of some of them, in the order of the file
	Notes   []string // about the files: a cut end, …

	by     map[string]*Series
	points int
}

// Empty reports whether nothing of the table was read.
func (d *Data) Empty() bool { return len(d.Series) == 0 }

// add adds a value. It refuses more than the bounds.
func (d *Data) add(name string, labels map[string]string, at, value float64) error {
	row := rowsByName[name]
	if row == nil {
		d.Others++
		if len(d.Unknown) < maxUnknown && !slices.Contains(d.Unknown, name) {
			d.Unknown = append(d.Unknown, name)
		}
		return nil
	}
	if !(math.Abs(value) <= maxValue && math.Abs(at) <= maxTime) {
		d.Invalid++
		return nil
	}
	var key strings.Builder
	key.WriteString(name)
	names := make([]string, 0, len(labels))
	for label := range labels {
		names = append(names, label)
	}
	slices.Sort(names)
	for _, label := range names {
		fmt.Fprintf(&key, "\x00%s\x00%s", label, labels[label])
	}
	s := d.by[key.String()]
	if s == nil {
		if len(d.Series) == maxRead {
			return fmt.Errorf("more than %d series of known metrics: choose a part of the cluster by a selector", maxRead)
		}
		if d.by == nil {
			d.by = make(map[string]*Series)
		}
		s = &Series{Row: row, Name: name, Labels: labels}
		d.by[key.String()] = s
		d.Series = append(d.Series, s)
	}
	if d.points++; d.points > maxPoints {
		return fmt.Errorf("more than %d values: choose a shorter range or a longer step", maxPoints)
	}
	s.Points = append(s.Points, Point{at, value})
	return nil
}

// sorted brings the points of the series into the order of time.
func (d *Data) sorted() {
	for _, s := range d.Series {
		sorting.StableFunc(s.Points, func(a, b Point) int { return cmp.Compare(a.At, b.At) })
	}
}

// Value is what the series says over its range: of a counter the increase, with resets taken as zero; of a
// gauge the median. A counter with one value has counted it since it began.
func (s *Series) Value() (value float64, resets int) {
	if s.Row.Type == gauge || s.Row.Name == nvlinkBoth {
		values := make([]float64, len(s.Points))
		for i, p := range s.Points {
			values[i] = p.Value
		}
		slices.Sort(values)
		return (values[len(values)/2] + values[(len(values)-1)/2]) / 2, 0
	}
	if len(s.Points) == 1 {
		return s.Points[0].Value, 0
	}
	for i := 1; i < len(s.Points); i++ {
		if rise := s.Points[i].Value - s.Points[i-1].Value; rise >= 0 {
			value += rise
		} else {
			value += s.Points[i].Value
			resets++
		}
	}
	return value, resets
}

// Seconds is the length of the range that was read; 0 if there is one time only.
func (d *Data) Seconds() float64 {
	first, last := math.Inf(1), math.Inf(-1)
	for _, s := range d.Series {
		first, last = min(first, s.Points[0].At), max(last, s.Points[len(s.Points)-1].At)
	}
	return max(0, last-first)
}
