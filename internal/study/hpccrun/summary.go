package hpccrun

import (
	"cmp"
	"slices"

	"weft/internal/base/sorting"
	"weft/internal/formats/hpcc"
)

// Summary is the summary of a case. Times are in picoseconds, and 0 if no flow has completed.
type Summary struct {
	Flows      int   `json:"flows"` // of the case
	Completed  int   `json:"completed"`
	MeanPs     int64 `json:"mean_fct_ps"` // flow completion times
	MedianPs   int64 `json:"median_fct_ps"`
	P99Ps      int64 `json:"p99_fct_ps"`
	LastPs     int64 `json:"last_fct_ps"`
	Pauses     int   `json:"pfc_pauses"`
	Resumes    int   `json:"pfc_resumes"`
	Marked     int64 `json:"marked_packets"`
	Dropped    int64 `json:"dropped_packets"`
	PacketHops int64 `json:"packet_hops"`
	Events     int64 `json:"events"`
	Partial    bool  `json:"partial"` // the run was stopped before its end
	// Slowdown is the completion time over the completion time of the flow alone, as that simulator
	// computes it, on average over the flows.
	Slowdown float64 `json:"mean_slowdown"`
}

// Summarise computes the summary of a case from its result.
func Summarise(c *hpcc.Case, r *Result) Summary {
	s := Summary{
		Flows: len(c.Flows), Completed: len(r.FCT), Marked: r.Stats.Marked,
		PacketHops: r.Stats.Hops, Events: r.Stats.Events, Partial: r.Partial,
	}
	for _, d := range r.Stats.Dropped {
		s.Dropped += d
	}
	for _, f := range r.PFC {
		if f.Pause {
			s.Pauses++
		} else {
			s.Resumes++
		}
	}
	n := len(r.FCT)
	if n == 0 {
		return s
	}
	sorted := sorting.Sorted(slices.Values(r.FCT), func(a, b hpcc.FCT) int { return cmp.Compare(a.Duration, b.Duration) })
	sum := int64(0)
	for _, f := range sorted {
		sum += int64(f.Duration) / int64(n)
		s.Slowdown += float64(f.Duration) / float64(f.Standalone) / float64(n)
	}
	s.MeanPs, s.MedianPs = sum, int64(sorted[n/2].Duration)
	s.P99Ps, s.LastPs = int64(sorted[(n*99+99)/100-1].Duration), int64(sorted[n-1].Duration)
	return s
}
