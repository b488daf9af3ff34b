package series

import "weft/units"

// Recording is the record of a network.
type Recording struct {
	Interval units.Time // length of an interval; the first begins at 0
	Most     int        // bound of the number of intervals
	Classes  int        // lanes of a link
	Samples  []Sample   // by lane, then interval
	Details  []Sample   // of intervals of FirstInterval, around what happened; nil during the run
}

// Finished is the record up to the last event of a run, which is over.
func Finished(all []*Recorder, last units.Time) *Recording {
	for _, r := range all {
		r.finish(last)
	}
	j := join(all, func(r *rows) rows { return *r })
	j.Details = joinDetails(all[0].details, j.Interval)
	return j
}

// SoFar is a copy of the record without the open intervals. It may be called while the network runs.
func SoFar(all []*Recorder) *Recording { return join(all, (*rows).clone) }

// join joins the rows of the partitions.
func join(all []*Recorder, read func(*rows) rows) *Recording {
	j := &Recording{Classes: int(all[0].classes), Most: int(all[0].most)}
	lanes := len(all[0].lanes)
	widths, parts := make([]units.Time, len(all)), make([]rows, len(all))
	for i, r := range all {
		r.mu.Lock()
		widths[i], parts[i] = r.width, read(&r.rows)
		r.mu.Unlock()
		j.Interval = max(j.Interval, widths[i])
	}
	for i := range parts {
		for ; widths[i] < j.Interval; widths[i] *= 2 {
			parts[i].halve(lanes)
		}
	}
	j.Samples = byLane(parts, lanes)
	return j
}
