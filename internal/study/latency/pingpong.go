package latency

import (
	"math"
	"slices"

	"weft/units"
)

// PingPong holds perftest's figures of a ping-pong, in microseconds.
type PingPong struct {
	Iterations int     `json:"iterations"`
	Min        float64 `json:"t_min"`
	Max        float64 `json:"t_max"`
	Typical    float64 `json:"t_typical"`
	Avg        float64 `json:"t_avg"`
	Stdev      float64 `json:"t_stdev"`
	P99        float64 `json:"p99"`
	P999       float64 `json:"p999"`
}

// PingPong are the figures of the trips, with perftest's quantiles: the typical time is
// the median; the 99th percentile is number (n-1)·99/100 of n sorted times.
func (l *Result) PingPong() (p PingPong) {
	t := slices.Clone(l.Trips)
	slices.Sort(t)
	n := len(t)
	us := func(t units.Time) float64 { return float64(t) / float64(units.Microsecond) }
	p.Iterations, p.Min, p.Max = n, us(t[0]), us(t[n-1])
	p.Typical = (us(t[(n-1)/2]) + us(t[n/2])) / 2
	for _, x := range t {
		p.Avg += us(x) / float64(n)
	}
	for _, x := range t {
		p.Stdev += (us(x) - p.Avg) * (us(x) - p.Avg) / float64(n)
	}
	p.Stdev = math.Sqrt(p.Stdev)
	p.P99, p.P999 = us(t[(n-1)*990/1000]), us(t[(n-1)*999/1000])
	return p
}
