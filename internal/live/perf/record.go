package perf

import "math"

// Record is results as JSON has them.
type Record struct {
	Results []ResultRecord `json:"results"`
}

// ResultRecord is a Result as JSON has it. Bandwidths are in bytes per second, latencies in
// microseconds, processor time in seconds per 10^9 bytes.
type ResultRecord struct {
	Verb        Verb     `json:"verb"`
	Kind        Kind     `json:"kind"`
	Over        string   `json:"over"`
	Bytes       int      `json:"bytes"`
	Iterations  int      `json:"iterations"`
	QPs         int      `json:"qps"`
	Peak        float64  `json:"bandwidth_peak,omitempty"`
	Average     float64  `json:"bandwidth_average,omitempty"`
	MessageRate float64  `json:"messages_per_second,omitempty"`
	Min         float64  `json:"t_min,omitempty"`
	Max         float64  `json:"t_max,omitempty"`
	Typical     float64  `json:"t_typical,omitempty"`
	Mean        float64  `json:"t_avg,omitempty"`
	Stdev       float64  `json:"t_stdev,omitempty"`
	P99         float64  `json:"t_p99,omitempty"`
	P999        float64  `json:"t_p999,omitempty"`
	CPU         *float64 `json:"cpu_seconds_per_gb,omitempty"`
	Whole       bool     `json:"data_correct"`
	Packets     int64    `json:"packets_sent,omitempty"`
	Repeated    int64    `json:"packets_repeated"`
	Selective   bool     `json:"selective_repeat"`
	Lost        int64    `json:"packets_lost_on_request"`
	Marked      int64    `json:"packets_marked"`
	CNPsSent    int64    `json:"cnps_sent"`
	CNPsIn      int64    `json:"cnps_received"`
}

// RecordOf is results as JSON has them.
func RecordOf(results ...*Result) Record {
	out := Record{Results: make([]ResultRecord, 0, len(results))}
	for _, r := range results {
		out.Results = append(out.Results, r.record())
	}
	return out
}

func (r *Result) record() ResultRecord {
	out := ResultRecord{
		Verb: r.Test.Verb, Kind: r.Test.Kind, Over: "rdma", Bytes: r.Test.Size, Iterations: r.Test.Iters, QPs: r.Test.QPs,
		Peak: r.Peak, Average: r.Average, MessageRate: r.MessageRate,
		Min: r.Min, Max: r.Max, Typical: r.Typical, Mean: r.Mean, Stdev: r.Stdev, P99: r.P99, P999: r.P999,
		Whole: r.Whole, Packets: r.PacketsSent, Repeated: r.Repeated, Selective: r.Selective, Lost: r.Lost,
		Marked: r.Marked, CNPsSent: r.CNPsSent, CNPsIn: r.CNPsReceived,
	}
	if r.Test.OverTCP {
		out.Over = "tcp"
	}
	if !math.IsNaN(r.CPU) {
		out.CPU = &r.CPU
	}
	return out
}
