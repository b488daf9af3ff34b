package exchange

import (
	"cmp"
	"slices"

	"weft/internal/sim/run/executor"
	"weft/internal/sim/run/network"
	"weft/internal/sim/runstore"
	"weft/internal/sim/workload"
	"weft/units"
)

// Run simulates the exchange of a scenario.
func Run(j *network.Task, point *runstore.Point) error {
	t := trafficOf(j.Scenario)
	g := t.graph()
	point.Bytes = t.logical()
	x, err := executor.ExecuteTask(j, g)
	if x != nil {
		point.Counts, point.Flows, point.Hottest = x.Counts, x.Flows, x.Hottest
	}
	if err != nil {
		return err
	}
	e := t.result(g, x.Timeline)
	point.Exchange, point.Beside = e, x.Beside
	point.Time = units.Time(e.Kernel.Mean)
	if s := point.Time.Seconds(); s > 0 {
		point.AlgBW = float64(e.Bytes) / s / 1e9
		point.BusBW = point.AlgBW
	}
	return nil
}

// logical is the bytes of a rank's tokens, once for each expert.
func (t *traffic) logical() int64 {
	x := &t.w.Experts
	return int64(slotBytes(t.w)) * int64(x.Tokens) * int64(x.TopK)
}

// result is what the users of the kernels' tests see: times of the kernels, bytes by their ways.
func (t *traffic) result(g *workload.Graph, line *workload.Timeline) *runstore.Exchange {
	x := &t.w.Experts
	e := &runstore.Exchange{
		TokenBytes: int64(slotBytes(t.w)), Bytes: t.logical(),
		Kernel: kernels(line),
	}
	t.bytes(g, e)
	received := make([]int64, t.ranks)
	for rank := range t.counts {
		for c, n := range t.counts[rank] {
			received[t.place.ranks[c]] += int64(n)
		}
	}
	e.MostTokens, e.MeanTokens = slices.Max(received), int64(x.Tokens)*int64(x.TopK)
	return e
}

// bytes sums up the tokens that ranks send between nodes and inside of them: the mean of a rank.
func (t *traffic) bytes(g *workload.Graph, e *runstore.Exchange) {
	for rank, ops := range g.Ranks {
		for i := range ops {
			o := &ops[i]
			switch {
			case o.Kind != workload.Send || o.Bytes == signalBytes:
			case rank/t.perNode != int(o.Peer)/t.perNode || o.Posting.Network:
				e.NetworkBytes += int64(o.Bytes)
				e.Messages += int64(o.Posting.Requests)
			default:
				e.NVLinkBytes += int64(o.Bytes)
			}
		}
	}
	n := int64(t.ranks)
	e.NetworkBytes, e.NVLinkBytes, e.Messages = e.NetworkBytes/n, e.NVLinkBytes/n, e.Messages/n
}

// kernels are the times of the ranks' kernels.
func kernels(line *workload.Timeline) runstore.RankTimes {
	times := make([]int64, len(line.Spans))
	sum := int64(0)
	for rank, spans := range line.Spans {
		for i := range spans {
			times[rank] = max(times[rank], int64(spans[i].End))
		}
		sum += times[rank]
	}
	slices.SortFunc(times, cmp.Compare[int64])
	n := len(times)
	at := func(perMille int) int64 { return times[min(n-1, n*perMille/1000)] }
	return runstore.RankTimes{Min: times[0], Mean: sum / int64(n), P50: at(500), P99: at(990), Max: times[n-1]}
}
