package quantity

import "weft/results"

// Served is a serving job on a fabric at a rate, and on a network that takes no time.
type Served struct{ Run, Ideal *results.ServingRun }

// Serving are the quantities of a serving job.
var Serving = List[Served]{
	{Measure{"first_token_p50_ps", "first token p50", Picoseconds, "time from arrival to the first token, the median"}, func(p *Served) float64 { return float64(p.Run.FirstToken.P50) }},
	{Measure{"first_token_p90_ps", "first token p90", Picoseconds, "time from arrival to the first token, the 90th percentile"}, func(p *Served) float64 { return float64(p.Run.FirstToken.P90) }},
	{Measure{"first_token_p99_ps", "first token p99", Picoseconds, "time from arrival to the first token, the 99th percentile"}, func(p *Served) float64 { return float64(p.Run.FirstToken.P99) }},
	{Measure{"per_token_p50_ps", "per token p50", Picoseconds, "time of each token after it, the median"}, func(p *Served) float64 { return float64(p.Run.PerToken.P50) }},
	{Measure{"per_token_p90_ps", "per token p90", Picoseconds, "time of each token after it, the 90th percentile"}, func(p *Served) float64 { return float64(p.Run.PerToken.P90) }},
	{Measure{"per_token_p99_ps", "per token p99", Picoseconds, "time of each token after it, the 99th percentile"}, func(p *Served) float64 { return float64(p.Run.PerToken.P99) }},
	{Measure{"kv_transfer_p50_ps", "transfer p50", Picoseconds, "transfer of a request's keys and values, the median"}, func(p *Served) float64 { return float64(p.Run.Transfer.P50) }},
	{Measure{"kv_transfer_p99_ps", "transfer p99", Picoseconds, "transfer of a request's keys and values, the 99th percentile"}, func(p *Served) float64 { return float64(p.Run.Transfer.P99) }},
	{Measure{"kv_exposed_p99_ps", "exposed p99", Picoseconds, "part of the transfer that nothing hides, the 99th percentile"}, func(p *Served) float64 { return float64(p.Run.Exposed.P99) }},
	{Measure{"good_share", "good", Tenths, "share of the requests within the limits"}, func(p *Served) float64 { return p.Run.Good }},
	{Measure{"goodput_per_s", "goodput/s", RequestsPerSecond, "requests within the limits in a second"}, func(p *Served) float64 { return p.Run.GoodRate }},
	{Measure{"tokens_per_s", "tokens/s", TokensPerSecond, "tokens of answers in a second"}, func(p *Served) float64 { return p.Run.Tokens }},
	{Measure{"fabric_cost_p50_ps", "fabric's p50", Picoseconds, "what the fabric adds to the median of the first token"}, func(p *Served) float64 { return float64(p.Run.FirstToken.P50 - p.Ideal.FirstToken.P50) }},
	{Measure{"fabric_cost_p99_ps", "fabric's p99", Picoseconds, "what the fabric adds to the 99th percentile of the first token"}, func(p *Served) float64 { return float64(p.Run.FirstToken.P99 - p.Ideal.FirstToken.P99) }},
}
