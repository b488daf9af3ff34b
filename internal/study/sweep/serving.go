package sweep

import (
	"cmp"
	"errors"

	"weft/internal/study/serve"
	"weft/results"
	"weft/scenario"
)

// point is a job on a fabric at its rate, and on a network that takes no time.
type point struct{ run, ideal *results.ServingRun }

// served gives the quantities of a serving job's result.
var served = map[scenario.SweepQuantity]func(*point) float64{
	"first_token_p50_ps": func(p *point) float64 { return float64(p.run.FirstToken.P50) },
	"first_token_p90_ps": func(p *point) float64 { return float64(p.run.FirstToken.P90) },
	"first_token_p99_ps": func(p *point) float64 { return float64(p.run.FirstToken.P99) },
	"per_token_p50_ps":   func(p *point) float64 { return float64(p.run.PerToken.P50) },
	"per_token_p90_ps":   func(p *point) float64 { return float64(p.run.PerToken.P90) },
	"per_token_p99_ps":   func(p *point) float64 { return float64(p.run.PerToken.P99) },
	"kv_transfer_p50_ps": func(p *point) float64 { return float64(p.run.Transfer.P50) },
	"kv_transfer_p99_ps": func(p *point) float64 { return float64(p.run.Transfer.P99) },
	"kv_exposed_p99_ps":  func(p *point) float64 { return float64(p.run.Exposed.P99) },
	"good_share":         func(p *point) float64 { return results.RoundedShare(p.run.Good) },
	"goodput_per_s":      func(p *point) float64 { return results.RoundedBandwidth(p.run.GoodRate) },
	"tokens_per_s":       func(p *point) float64 { return results.RoundedBandwidth(p.run.Tokens) },
	"fabric_cost_p50_ps": func(p *point) float64 { return float64(p.run.FirstToken.P50 - p.ideal.FirstToken.P50) },
	"fabric_cost_p99_ps": func(p *point) float64 { return float64(p.run.FirstToken.P99 - p.ideal.FirstToken.P99) },
}

// servingRow is the row of a serving job.
func servingRow(r *scenario.Resolved, s *results.Serving, err error) *Row {
	row := &Row{Status: OK, Fabric: r.Fabrics[0].Name}
	if err == nil && (s == nil || s.Partial || len(s.Points) != 1 || len(s.Points[0].Fabrics) != 1) {
		err = errors.New("the simulator gave neither results nor a reason")
	}
	var memory *serve.MemoryError
	switch {
	case errors.As(err, &memory):
		row.Status, row.Error = Invalid, oneLine(err.Error())
		return row
	case err != nil:
		row.Status, row.Error = Failed, oneLine(err.Error())
		return row
	}
	at := &s.Points[0]
	f := &at.Fabrics[0]
	if why := cmp.Or(at.Unstable, f.Unstable); why != "" {
		row.Status, row.Error = Unstable, oneLine(why)
		return row
	}
	p := &point{f.Run, at.Ideal}
	for _, q := range servingJobs.names() {
		row.Values = append(row.Values, served[q](p))
	}
	return row
}
