package runstore

import "weft/units"

// SwitchRange is the time of one size with the lowest and the highest switch latency of the
// sources, with one seed and without jitter. If sources do not differ, all three times are equal.
type SwitchRange struct {
	Bytes     int64     `json:"bytes"`            // the size
	LatencyPs [3]int64  `json:"latency_ps"`       // latency of a switch: the lowest, the scenario's, the highest
	TimePs    [3]int64  `json:"time_ps"`          // with these latencies
	Switch    string    `json:"switch"`           // the catalog's entry
	Sources   [2]string `json:"sources,omitzero"` // sources of the lowest and the highest latency
}

// Time is the time with the scenario's switches.
func (s *SwitchRange) Time() units.Time { return units.Time(s.TimePs[1]) }
