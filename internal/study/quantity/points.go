package quantity

import "weft/results"

// Points are the quantities of a workload at a size on a fabric.
var Points = List[results.Point]{
	{Measure{"time_ps", "time", Picoseconds, "time of one operation"}, func(p *results.Point) float64 { return float64(p.Time) }},
	{Measure{"algbw_gbytes_per_s", "algbw", GBytesPerSecond, "bytes of the operation over its time, in GB/s"}, func(p *results.Point) float64 { return p.AlgBW }},
	{Measure{"busbw_gbytes_per_s", "busbw", GBytesPerSecond, "bus bandwidth, as nccl-tests has it, in GB/s"}, func(p *results.Point) float64 { return p.BusBW }},
	{Measure{"message_p50_ps", "flow p50", Picoseconds, "completion of messages between nodes, the median"}, func(p *results.Point) float64 { return float64(p.Flows.P50) }},
	{Measure{"message_p99_ps", "flow p99", Picoseconds, "completion of messages between nodes, the 99th percentile"}, func(p *results.Point) float64 { return float64(p.Flows.P99) }},
	{Measure{"message_max_ps", "flow max", Picoseconds, "completion of messages between nodes, the slowest"}, func(p *results.Point) float64 { return float64(p.Flows.Max) }},
	{Measure{"fairness", "fairness", Share, "Jain's index of the inverse times of messages"}, func(p *results.Point) float64 { return p.Flows.Fairness }},
	{Measure{"packets", "packets", Count, "packets sent by NICs and GPUs, with acknowledgements"}, func(p *results.Point) float64 { return float64(p.Counts.Packets) }},
	{Measure{"packet_hops", "packet-hops", Count, "one for each port that sent a packet"}, func(p *results.Point) float64 { return float64(p.Counts.PacketHops) }},
	{Measure{"pfc_pauses", "pauses", Count, "PFC frames that pause"}, func(p *results.Point) float64 { return float64(p.Counts.Pauses) }},
	{Measure{"credit_stalls", "stalls", Count, "times that a lane began to wait for credits"}, func(p *results.Point) float64 { return float64(p.Counts.CreditStalls) }},
	{Measure{"ecn_marks", "ECN marks", Count, "marks of ECN, or of FECN on InfiniBand"}, func(p *results.Point) float64 { return float64(p.Counts.Marks) }},
	{Measure{"cnps", "CNPs", Count, "congestion notifications, for marks"}, func(p *results.Point) float64 { return float64(p.Counts.CNPs) }},
	{Measure{"retransmissions", "resent", Count, "retransmitted packets"}, func(p *results.Point) float64 { return float64(p.Counts.Retransmissions) }},
	{Measure{"drops", "drops", Count, "packets that the network dropped"}, func(p *results.Point) float64 { return float64(p.Counts.Drops()) }},
	{Measure{"hottest_link_busy", "busy", Share, "share of the time in which the busiest link carries packets"}, busiestLink},
}

// busiestLink is the share of time in which the busiest link was busy.
func busiestLink(p *results.Point) float64 {
	if len(p.Hottest) == 0 {
		return 0
	}
	return p.Hottest[0].Busy
}
