package runstore

import "weft/units"

// SwitchRange is what a fabric's time of one size would be with its switches as fast, and
// as slow, as sources say; with Time they are of one seed without jitter. A fabric on whose
// switches sources do not differ has all three alike.
type SwitchRange struct {
	Bytes     int64     `json:"bytes"`
	LatencyPs [3]int64  `json:"latency_ps"`       // of a switch: the least, the scenario's, the most
	TimePs    [3]int64  `json:"time_ps"`          // with these
	Switch    string    `json:"switch"`           // the catalog's entry
	Sources   [2]string `json:"sources,omitzero"` // of the least and the most
}

// Time is the time with the scenario's switches.
func (s *SwitchRange) Time() units.Time { return units.Time(s.TimePs[1]) }
