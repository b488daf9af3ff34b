package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/netip"

	"weft/internal/predict"
	"weft/internal/ranks"
	"weft/scenario"
	"weft/units"
)

// busyPair is what to do about a pair that cannot be simulated.
const busyPair = "ranks 0 and 1 have waited for processors or for each other: measure again on an idle machine, with no more ranks than it has cores"

// beside lays what the simulator predicts beside what was measured, in lines that
// readers of nccl-tests' table skip. It is nil where nobody asked for it, and where the
// pair cannot be simulated, which why tells.
func (l *liveRun) beside(ctx context.Context, e *Env, w io.Writer, pair ranks.Pair, rows []liveRow) (p *predict.Prediction, why string, err error) {
	if !l.predict {
		return nil, "", nil
	}
	chunk, err := units.ParseBytes(l.chunk)
	if err != nil {
		return nil, "", err
	}
	c := predict.Collective{Hosts: l.ranks, Algorithm: scenario.Algorithm(l.algo), Chunk: int64(chunk)}
	for i := range rows {
		c.Sizes = append(c.Sizes, rows[i].bytes)
	}
	p, err = predict.AllReduce(ctx, predict.Simulator(e.Run), predict.Pair(pair), c)
	if unlike := (*predict.PairError)(nil); errors.As(err, &unlike) {
		fmt.Fprintf(w, "#\n# Predicted: unknown\n#   %v\n#   %s\n", err, busyPair)
		return nil, fmt.Sprintf("%v; %s", err, busyPair), nil
	}
	if err != nil {
		return nil, "", err
	}
	fmt.Fprintf(w, "#\n# Predicted, not fitted: the simulator knows of these ranks what 0 and 1 did alone\n")
	fmt.Fprintf(w, "#   measured pair   %v one way for 8 B, %v in a stream of 1 MiB WRITEs\n", pair.Latency, pair.Rate)
	fmt.Fprintf(w, "#   put in          %d hosts with one NIC, links of %v, transmit pipelines of %v, host path rdma-host; all else 0\n", l.ranks, p.Link, p.NIC)
	fmt.Fprintf(w, "#   simulated pair  %v, %v\n", p.Pair.Latency, p.Pair.Rate)
	fmt.Fprintf(w, "#   left out        processors that ranks share, the time of adding up, loss\n#\n")
	fmt.Fprintf(w, "# %10s  %12s  %12s  %18s\n", "size (B)", "measured", "predicted", "measured/predicted")
	for i := range rows {
		measured, predicted, ratio := livePs(rows[i].of[1]), "unknown", "unknown"
		if p.Times[i] > 0 {
			predicted, ratio = p.Times[i].String(), fmt.Sprintf("%.2f", float64(measured)/float64(p.Times[i]))
		}
		fmt.Fprintf(w, "# %10d  %12v  %12s  %18s\n", rows[i].bytes, measured, predicted, ratio)
	}
	fmt.Fprintf(w, "# measured is in place: out of place a rank copies its vector first\n")
	return p, "", nil
}

// livePs is the time of an operation as the simulator's are.
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
	// Unpredicted is why there is no prediction although it was asked for.
	Unpredicted string `json:"unpredicted,omitempty"`
}

type liveSize struct {
	Bytes      int64  `json:"bytes"`
	OutOfPlace int64  `json:"out_of_place_ps"`
	InPlace    int64  `json:"in_place_ps"`
	Wrong      *int64 `json:"wrong"`                  // null: not checked
	Predicted  int64  `json:"predicted_ps,omitempty"` // not there: unknown
}

type livePrediction struct {
	PairLatency int64  `json:"pair_latency_ps"`
	PairRate    int64  `json:"pair_rate_bps"`
	Link        int64  `json:"link_bps"`
	NIC         int64  `json:"tx_pipeline_ps"`
	Scenario    string `json:"scenario"`
}

func liveJSON(l *liveRun, addrs []netip.AddrPort, rows []liveRow, pair ranks.Pair, p *predict.Prediction, why string) *liveRecord {
	out := &liveRecord{Collective: "all-reduce", Algorithm: l.algo, Devices: addrs, Unpredicted: why}
	for i := range rows {
		r := &rows[i]
		s := liveSize{Bytes: r.bytes, OutOfPlace: int64(livePs(r.of[0])), InPlace: int64(livePs(r.of[1]))}
		if l.check {
			wrong := r.of[0].Wrong + r.of[1].Wrong
			s.Wrong = &wrong
		}
		if p != nil {
			s.Predicted = int64(p.Times[i])
		}
		out.Sizes = append(out.Sizes, s)
	}
	if p != nil {
		out.Prediction = &livePrediction{int64(pair.Latency), int64(pair.Rate), int64(p.Link), int64(p.NIC), p.Scenario}
	}
	return out
}
