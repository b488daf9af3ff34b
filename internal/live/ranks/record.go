package ranks

import "weft/units"

// Record is the measurement of one size as JSON has it. Times are picoseconds.
type Record struct {
	Bytes      int64  `json:"bytes"`
	OutOfPlace int64  `json:"out_of_place_ps"`
	InPlace    int64  `json:"in_place_ps"`
	Wrong      *int64 `json:"wrong"` // null: not checked
}

// RecordOf is the measurement of one size as JSON has it, from its results out of place and in
// place.
func RecordOf(bytes int64, outOfPlace, inPlace *Result, checked bool) Record {
	r := Record{Bytes: bytes, OutOfPlace: int64(outOfPlace.Picoseconds()), InPlace: int64(inPlace.Picoseconds())}
	if checked {
		wrong := outOfPlace.Wrong + inPlace.Wrong
		r.Wrong = &wrong
	}
	return r
}

// Picoseconds is the time of an operation in the simulator's unit.
func (r *Result) Picoseconds() units.Time {
	return units.Time(r.Time.Nanoseconds()) * units.Nanosecond
}
