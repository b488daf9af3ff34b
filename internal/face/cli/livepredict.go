package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"slices"

	"weft/internal/live/ranks"
	"weft/internal/sim/scenario"
	"weft/internal/study/predict"
	"weft/units"
)

// idlePair is the advice if a pair does not predict a collective.
const idlePair = "measure on machines that do nothing else, with no more ranks on each than it has processors"

// beside compares the simulator's prediction with the measurement, in lines that readers of
// nccl-tests' table skip. It is nil if it was not requested, and if the pair does not allow a
// prediction; why is the reason.
func (l *liveRun) beside(ctx context.Context, e *Env, w io.Writer, rounds []ranks.Pair, machines []ranks.Machine, rows []liveRow) (p *predict.Prediction, why string, err error) {
	if !l.predict {
		return nil, "", nil
	}
	chunk, err := units.ParseBytes(l.chunk)
	if err != nil {
		return nil, "", err
	}
	c := predict.Collective{Hosts: l.ranks, Algorithm: scenario.Algorithm(l.algo), Chunk: int64(chunk)}
	for _, m := range machines {
		c.Machines = append(c.Machines, predict.Machine{Name: m.Name, Hosts: m.Ranks, Processors: m.Processors})
	}
	for i := range rows {
		c.Sizes = append(c.Sizes, rows[i].bytes)
	}
	var pairs []predict.Pair
	for _, r := range rounds {
		pairs = append(pairs, predict.Pair(r))
	}
	p, err = predict.AllReduce(ctx, predict.Simulator(e.Run), pairs, c)
	if unknown := (*predict.UnknownError)(nil); errors.As(err, &unknown) {
		fmt.Fprintf(w, "#\n# Predicted: unknown\n#   %v\n#   %s\n", err, idlePair)
		return nil, fmt.Sprintf("%v; %s", err, idlePair), nil
	}
	if err != nil {
		return nil, "", err
	}
	l.tell(w, p, len(rounds), rows)
	return p, "", nil
}

// tell prints a prediction, its basis, and its error.
func (l *liveRun) tell(w io.Writer, p *predict.Prediction, rounds int, rows []liveRow) {
	fmt.Fprintf(w, "#\n# Predicted, not fitted: the prediction uses only a two-rank measurement (ranks 0 and 1)\n")
	fmt.Fprintf(w, "#   measured pair   %v one way for 8 B (%v to %v), %v in a stream of 1 MiB WRITEs (%v to %v): the median of %d rounds, the best, the worst\n",
		p.Measured.Latency, p.Best.Latency, p.Worst.Latency, p.Measured.Rate, p.Worst.Rate, p.Best.Rate, rounds)
	fmt.Fprintf(w, "#   put in          %d hosts with one NIC, links of %v, transmit pipelines of %v, host path rdma-host; all else 0\n", l.ranks, p.Link, p.NIC)
	fmt.Fprintf(w, "#   simulated pair  %v, %v\n", p.Pair.Latency, p.Pair.Rate)
	fmt.Fprintf(w, "#   range           what the best and the worst of the rounds give; what is left out is not in it\n")
	fmt.Fprintf(w, "#   left out        the time of adding up, waiting for processors, loss\n#\n")
	fmt.Fprintf(w, "# %10s  %12s  %12s  %27s  %18s\n", "size (B)", "measured", "predicted", "range", "measured/predicted")
	for i := range rows {
		predicted, interval, ratio := "unknown", "unknown", "unknown"
		if p.Times[i] > 0 {
			predicted, interval = p.Times[i].String(), fmt.Sprintf("%v to %v", p.Least[i], p.Most[i])
			ratio = fmt.Sprintf("%.2f", off(p, rows, i))
		}
		fmt.Fprintf(w, "# %10d  %12v  %12s  %27s  %18s\n", rows[i].bytes, livePs(rows[i].of[1]), predicted, interval, ratio)
	}
	fmt.Fprintf(w, "# measured is in place: out of place a rank copies its vector first\n")
	if e := measuredError(p, rows); e != nil {
		fmt.Fprintf(w, "# error: measured is %.2f to %.2f times predicted, %.2f in the median of %d sizes; %d lie in the range\n",
			e.Least, e.Most, e.Median, e.Sizes, e.Inside)
	}
}

// off is measured over predicted of a simulated size.
func off(p *predict.Prediction, rows []liveRow, i int) float64 {
	return float64(livePs(rows[i].of[1])) / float64(p.Times[i])
}

// liveError is the error of a prediction, as measured over predicted.
type liveError struct {
	Sizes  int     `json:"sizes"` // that were predicted
	Inside int     `json:"inside_range"`
	Least  float64 `json:"least"`
	Median float64 `json:"median"`
	Most   float64 `json:"most"`
}

// measuredError is nil if no size was predicted.
func measuredError(p *predict.Prediction, rows []liveRow) *liveError {
	var all []float64
	e := &liveError{}
	for i := range rows {
		if p.Times[i] == 0 {
			continue
		}
		all = append(all, off(p, rows, i))
		if t := livePs(rows[i].of[1]); t >= p.Least[i] && t <= p.Most[i] {
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

// livePs is the time of an operation in the simulator's unit.
func livePs(r *ranks.Result) units.Time {
	return units.Time(r.Time.Nanoseconds()) * units.Nanosecond
}

// liveRecord is a run as JSON. Times are picoseconds, rates bits per second.
type liveRecord struct {
	Collective string           `json:"collective"`
	Algorithm  string           `json:"algorithm"`
	Devices    []netip.AddrPort `json:"devices"`
	Sizes      []liveSize       `json:"sizes"`
	Prediction *livePrediction  `json:"prediction,omitempty"`
	// Unpredicted is the reason why there is no prediction although it was requested.
	Unpredicted string `json:"unpredicted,omitempty"`
}

type liveSize struct {
	Bytes      int64  `json:"bytes"`
	OutOfPlace int64  `json:"out_of_place_ps"`
	InPlace    int64  `json:"in_place_ps"`
	Wrong      *int64 `json:"wrong"`                  // null: not checked
	Predicted  int64  `json:"predicted_ps,omitempty"` // not there: unknown
	// The range of the prediction, from the best and the worst round of the pair.
	Least int64 `json:"predicted_least_ps,omitempty"`
	Most  int64 `json:"predicted_most_ps,omitempty"`
}

type livePrediction struct {
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
	// Error is measured over predicted; absent if no size was predicted.
	Error *liveError `json:"error,omitempty"`
}

func liveJSON(l *liveRun, addrs []netip.AddrPort, rows []liveRow, p *predict.Prediction, why string) *liveRecord {
	out := &liveRecord{Collective: "all-reduce", Algorithm: l.algo, Devices: addrs, Unpredicted: why}
	for i := range rows {
		r := &rows[i]
		s := liveSize{Bytes: r.bytes, OutOfPlace: int64(livePs(r.of[0])), InPlace: int64(livePs(r.of[1]))}
		if l.check {
			wrong := r.of[0].Wrong + r.of[1].Wrong
			s.Wrong = &wrong
		}
		if p != nil {
			s.Predicted, s.Least, s.Most = int64(p.Times[i]), int64(p.Least[i]), int64(p.Most[i])
		}
		out.Sizes = append(out.Sizes, s)
	}
	if p != nil {
		out.Prediction = &livePrediction{
			PairLatency: int64(p.Measured.Latency), PairRate: int64(p.Measured.Rate),
			LeastLatency: int64(p.Best.Latency), MostLatency: int64(p.Worst.Latency), LeastRate: int64(p.Worst.Rate), MostRate: int64(p.Best.Rate),
			Link: int64(p.Link), NIC: int64(p.NIC), Scenario: p.Scenario, Error: measuredError(p, rows),
		}
	}
	return out
}
