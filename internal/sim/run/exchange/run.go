package exchange

import (
	"slices"

	"weft/internal/sim/run/executor"
	"weft/internal/sim/run/measure"
	"weft/internal/sim/run/network"
	"weft/internal/sim/workload"
	"weft/results"
	"weft/scenario"
	"weft/units"
)

// GraphOf is what the kernels of a scenario's exchange send.
func GraphOf(r *scenario.Resolved) *workload.Graph { return trafficOf(r).graph() }

// Busiest is the tokens that the rank with the busiest experts of a scenario's exchange gets, over the mean.
func Busiest(r *scenario.Resolved) float64 {
	e := trafficOf(r).logical()
	return float64(e.MostTokens) / float64(e.MeanTokens)
}

// Bytes are those by which the kernels' tests compute the bandwidth of a scenario's exchange: of a rank, in the mean.
func Bytes(r *scenario.Resolved) units.Bytes { return units.Bytes(trafficOf(r).logical().Bytes) }

// Run simulates the exchange of a scenario.
func Run(j *network.Task, point *results.Point) error {
	t := trafficOf(j.Scenario)
	e := t.logical()
	point.Bytes = e.Bytes
	g := t.graph()
	var net *network.Network
	task := *j
	task.Started = func(n *network.Network) {
		net = n
		j.Started(n)
	}
	x, err := executor.ExecuteTask(&task, g)
	if x != nil {
		point.Counts, point.Flows, point.Hottest = x.Counts, x.Flows, x.Hottest
		point.Fault = j.Plan.Suffered(net.Network)
		point.Pauses, _ = measure.PauseTree(net, x.Timeline.End)
	}
	if err != nil {
		return err
	}
	t.sent(g, e)
	e.Kernel = t.kernels(x.Timeline)
	point.Exchange, point.Beside, point.Time = e, x.Beside, units.Time(e.Kernel.Mean)
	point.AlgBW = e.Rate(e.Bytes)
	point.BusBW = point.AlgBW
	return nil
}

// logical is the bytes as the kernels' tests count them.
func (t *traffic) logical() *results.Exchange {
	x := &t.w.Experts
	e := &results.Exchange{TokenBytes: int64(x.TokenBytes()), MeanTokens: int64(x.Tokens) * int64(x.TopK)}
	received, nodes, ranks := make([]int64, t.ranks), int64(0), int64(0)
	seenNode, seenRank := make([]bool, t.ranks/t.perNode), make([]bool, t.ranks)
	for rank := range t.choices {
		for token := range slices.Chunk(t.choices[rank], x.TopK) {
			clear(seenNode)
			clear(seenRank)
			for _, c := range token {
				r := t.place.ranks[c]
				received[r]++
				nodes += first(seenNode, r/t.perNode)
				ranks += first(seenRank, r)
			}
		}
	}
	e.MostTokens = slices.Max(received)
	switch n := int64(t.ranks); {
	case x.Kernel == scenario.LowLatency: // with the header, as the test counts it
		e.TokenBytes = int64(lowLatencyBytes(t.w))
		e.Bytes = e.TokenBytes * e.MeanTokens
	case t.ranks > t.perNode:
		e.Bytes, e.Forwarded = nodes*e.TokenBytes/n, ranks*e.TokenBytes/n
	default:
		e.Bytes = ranks * e.TokenBytes / n
	}
	return e
}

// first is 1 if an entry was not marked, and marks it.
func first(seen []bool, i int) int64 {
	if seen[i] {
		return 0
	}
	seen[i] = true
	return 1
}

// sent sums up the tokens that ranks send through NICs and inside nodes: the mean of a rank.
func (t *traffic) sent(g *workload.Graph, e *results.Exchange) {
	for rank, ops := range g.Ranks {
		for i := range ops {
			switch o := &ops[i]; {
			case o.Kind != workload.Send || o.Bytes == signalBytes:
			case t.crosses(rank, o):
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

// kernels are the times of the ranks' kernels, each from its own beginning.
func (t *traffic) kernels(line *workload.Timeline) results.RankTimes {
	times := make([]int64, len(line.Spans))
	sum := int64(0)
	for rank, spans := range line.Spans {
		times[rank] = int64(spans[len(spans)-1].End - t.late(rank))
		sum += times[rank]
	}
	slices.Sort(times)
	n := len(times)
	at := func(perMille int) int64 { return times[min(n-1, n*perMille/1000)] }
	return results.RankTimes{Min: times[0], Mean: sum / int64(n), P50: at(500), P99: at(990), Max: times[n-1]}
}
