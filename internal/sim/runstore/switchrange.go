package runstore

import "weft/units"

// SwitchRange is the time of one size with the switches of a fabric as fast and as slow as
// sources say, with one seed and without jitter. Where sources do not differ all three times
// are equal.
type SwitchRange struct {
	Bytes     int64     `json:"bytes"`            // the size
	LatencyPs [3]int64  `json:"latency_ps"`       // of a switch: the least, the scenario's, the most
	TimePs    [3]int64  `json:"time_ps"`          // with these latencies
	Switch    string    `json:"switch"`           // the catalog's entry
	Sources   [2]string `json:"sources,omitzero"` // of the least and the most latency
}

// Time is the time with the scenario's switches.
func (s *SwitchRange) Time() units.Time { return units.Time(s.TimePs[1]) }
