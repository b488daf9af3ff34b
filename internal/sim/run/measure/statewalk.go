package measure

import (
	"weft/internal/sim/state"
	"weft/units"
)

// WalkState visits the collection. It keeps the times that are added after a record: a period adds them again.
func (f *FlowTimes) WalkState(w *state.Walk) {
	w.Word(uint64(f.most))
	times, _, moving := w.Moves()
	switch {
	case w.Records():
		f.keeps, f.kept = true, f.kept[:0]
	case moving:
		for _, t := range f.kept {
			f.add(t, int64(times))
		}
		f.keeps, f.kept = false, f.kept[:0]
	}
}

// add adds a time a number of times.
func (f *FlowTimes) add(t units.Time, times int64) {
	f.n += times
	f.sum += t * units.Time(times)
	f.most = max(f.most, t)
	// A time out of range is beyond any run's limit.
	_ = f.histogram.RecordValues(min(longestFlow, int64(t/units.Nanosecond)), times)
}
