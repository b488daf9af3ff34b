package live

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/netip"

	"weft/internal/face/cli/simulator"
	"weft/internal/live/ranks"
	"weft/internal/study/predict"
	"weft/scenario"
	"weft/units"
)

// idlePair is the advice if a pair does not predict a collective.
const idlePair = "measure on machines that do nothing else, with no more ranks on each than it has processors"

// withPrediction compares the simulator's prediction with the measurement, in lines that readers of
// nccl-tests' table skip. It is nil if it was not requested, and if the pair does not allow a
// prediction; why is the reason.
func (l *liveRun) withPrediction(ctx context.Context, e *simulator.Simulator, w io.Writer, rounds []ranks.Pair, machines []ranks.Machine, rows []liveRow) (p *predict.Prediction, why string, err error) {
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
	p, err = predict.AllReduce(ctx, e.Run, pairs, c)
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
	fmt.Fprintf(w, "#   range           from the best round to the worst, without the terms that are left out\n")
	fmt.Fprintf(w, "#   left out        the time of adding up, waiting for processors, loss\n#\n")
	fmt.Fprintf(w, "# %10s  %12s  %12s  %27s  %18s\n", "size (B)", "measured", "predicted", "range", "measured/predicted")
	measured := inPlace(rows)
	for i, t := range measured {
		predicted, interval, ratio := "unknown", "unknown", "unknown"
		if p.Times[i] > 0 {
			predicted, interval = p.Times[i].String(), fmt.Sprintf("%v to %v", p.Least[i], p.Most[i])
			ratio = fmt.Sprintf("%.2f", float64(t)/float64(p.Times[i]))
		}
		fmt.Fprintf(w, "# %10d  %12v  %12s  %27s  %18s\n", rows[i].bytes, t, predicted, interval, ratio)
	}
	fmt.Fprintf(w, "# measured is in place: out of place a rank copies its vector first\n")
	if e := p.Error(measured); e != nil {
		fmt.Fprintf(w, "# error: measured is %.2f to %.2f times predicted, %.2f in the median of %d sizes; %d lie in the range\n",
			e.Least, e.Most, e.Median, e.Sizes, e.Inside)
	}
}

// inPlace is the measured times in place, by size.
func inPlace(rows []liveRow) (times []units.Time) {
	for i := range rows {
		times = append(times, rows[i].of[1].Picoseconds())
	}
	return times
}

// liveRecord is a run as JSON. Times are picoseconds, rates bits per second.
type liveRecord struct {
	Collective string           `json:"collective"`
	Algorithm  string           `json:"algorithm"`
	Devices    []netip.AddrPort `json:"devices"`
	Sizes      []liveSize       `json:"sizes"`
	Prediction *predict.Record  `json:"prediction,omitempty"`
	// Unpredicted is the reason why there is no prediction although it was requested.
	Unpredicted string `json:"unpredicted,omitempty"`
}

// liveSize is one size, measured and predicted.
type liveSize struct {
	ranks.Record
	predict.Times
}

func liveJSON(l *liveRun, addrs []netip.AddrPort, rows []liveRow, p *predict.Prediction, why string) *liveRecord {
	out := &liveRecord{Collective: "all-reduce", Algorithm: l.algo, Devices: addrs, Unpredicted: why}
	for i := range rows {
		r := &rows[i]
		s := liveSize{Record: ranks.RecordOf(r.bytes, r.of[0], r.of[1], l.check)}
		if p != nil {
			s.Times = p.Size(i)
		}
		out.Sizes = append(out.Sizes, s)
	}
	if p != nil {
		out.Prediction = p.Record(inPlace(rows))
	}
	return out
}
