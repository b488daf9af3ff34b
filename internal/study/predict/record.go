package predict

import (
	"slices"

	"weft/units"
)

// Record is a prediction as JSON. Times are picoseconds, rates bits per second.
type Record struct {
	PairLatency int64 `json:"pair_latency_ps"`
	PairRate    int64 `json:"pair_rate_bps"`
	// The best and the worst round of the pair's measurement.
	LeastLatency int64  `json:"pair_least_latency_ps"`
	MostLatency  int64  `json:"pair_most_latency_ps"`
	LeastRate    int64  `json:"pair_least_rate_bps"`
	MostRate     int64  `json:"pair_most_rate_bps"`
	Link         int64  `json:"link_bps"`
	NIC          int64  `json:"tx_pipeline_ps"`
	Scenario     string `json:"scenario"`
	// Error is absent if no size was predicted.
	Error *Error `json:"error,omitempty"`
}

// Times are the predicted times of one size as JSON, in picoseconds. They are absent if
// the size was too large to simulate.
type Times struct {
	Predicted int64 `json:"predicted_ps,omitempty"`
	// The range of the prediction, from the best and the worst round of the pair.
	Least int64 `json:"predicted_least_ps,omitempty"`
	Most  int64 `json:"predicted_most_ps,omitempty"`
}

// Error is the error of a prediction, as measured over predicted.
type Error struct {
	Sizes  int     `json:"sizes"`        // predicted sizes
	Inside int     `json:"inside_range"` // sizes whose measured time lies in the range
	Least  float64 `json:"least"`
	Median float64 `json:"median"`
	Most   float64 `json:"most"`
}

// Record is the prediction as JSON, with its error against the measured times of all sizes.
func (p *Prediction) Record(measured []units.Time) *Record {
	return &Record{
		PairLatency: int64(p.Measured.Latency), PairRate: int64(p.Measured.Rate),
		LeastLatency: int64(p.Best.Latency), MostLatency: int64(p.Worst.Latency), LeastRate: int64(p.Worst.Rate), MostRate: int64(p.Best.Rate),
		Link: int64(p.Link), NIC: int64(p.NIC), Scenario: p.Scenario, Error: p.Error(measured),
	}
}

// Size is the predicted times of the i-th size as JSON.
func (p *Prediction) Size(i int) Times {
	return Times{int64(p.Times[i]), int64(p.Least[i]), int64(p.Most[i])}
}

// Error compares the prediction with the measured times of all sizes. It is nil if no size was
// predicted.
func (p *Prediction) Error(measured []units.Time) *Error {
	var all []float64
	e := &Error{}
	for i, t := range measured {
		if p.Times[i] == 0 {
			continue
		}
		all = append(all, float64(t)/float64(p.Times[i]))
		if t >= p.Least[i] && t <= p.Most[i] {
			e.Inside++
		}
	}
	if len(all) == 0 {
		return nil
	}
	slices.Sort(all)
	e.Sizes, e.Least, e.Median, e.Most = len(all), all[0], all[len(all)/2], all[len(all)-1]
	return e
}
