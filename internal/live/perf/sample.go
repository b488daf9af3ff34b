package perf

import (
	"math"
	"slices"
	"time"
)

// Result is the result of a measurement.
type Result struct {
	Test    Test
	Elapsed time.Duration
	// Bandwidths, in bytes per second; Peak is 0 if it was not sought.
	Average, Peak float64
	MessageRate   float64 // per second
	// Latencies, in microseconds.
	Min, Max, Typical, Mean, Stdev, P99, P999 float64
	// CPU is the processor time of both processes per byte, warm-up included, in seconds per 10^9
	// bytes; NaN if the system does not report it.
	CPU float64
	// Whole says that the bytes that arrived equal the bytes that were sent.
	Whole bool
	// Counters of the client's device during the test.
	PacketsSent, PacketsReceived, Repeated, BadICRC int64
	Datagrams, Near, Lost                           int64
	Marked, CNPsSent, CNPsReceived                  int64 // congestion
	// Selective says that both sides use selective repeat.
	Selective bool
}

// times are the times at which each iteration was posted and completed.
type times struct {
	posted, completed []time.Duration // since the start
}

// bandwidth fills in r from the times of iterations of size bytes each.
func (r *Result) bandwidth(t *times, size int) {
	n := len(t.completed)
	r.Elapsed = t.completed[n-1] - t.posted[0]
	r.Average = float64(n) * float64(size) / r.Elapsed.Seconds()
	r.MessageRate = float64(n) / r.Elapsed.Seconds()
	if n > maxPeak {
		return
	}
	// The peak is the best of any run of iterations. Runs shorter than the pipeline's depth do not
	// count: they would measure only the last hop.
	least := max(1, min(n, r.Test.Depth))
	for i := range n {
		for j := i + least - 1; j < n; j++ {
			if d := t.completed[j] - t.posted[i]; d > 0 {
				r.Peak = max(r.Peak, float64(j-i+1)*float64(size)/d.Seconds())
			}
		}
	}
}

// latency fills in r from round trips; one latency is a round trip times share.
func (r *Result) latency(trips []time.Duration, share float64) {
	us := make([]float64, len(trips))
	sum := 0.0
	for i, d := range trips {
		us[i] = float64(d.Nanoseconds()) / 1000 / share
		sum += us[i]
		r.Elapsed += d
	}
	slices.Sort(us)
	n := len(us)
	r.Mean = sum / float64(n)
	squares := 0.0
	for _, v := range us {
		squares += (v - r.Mean) * (v - r.Mean)
	}
	r.Stdev = math.Sqrt(squares / float64(n))
	at := func(p float64) float64 { return us[min(n-1, int(math.Ceil(p*float64(n)))-1)] }
	r.Min, r.Max, r.Typical = us[0], us[n-1], at(0.5)
	r.P99, r.P999 = at(0.99), at(0.999)
}
