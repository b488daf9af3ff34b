package report

import (
	"fmt"
	"strings"

	"weft/internal/face/doc"
	"weft/internal/sim/runstore"
	"weft/internal/sim/scenario"
	"weft/units"
)

// exchangeSection is the kernels of an exchange on each fabric.
func exchangeSection(r *runstore.Results, sc *scenario.Resolved) doc.Section {
	t := doc.NewTable("fabric", "avg_t", "min_t", "p50", "p99", "max_t", "GB/s", "RDMA GB/s", "NVLink GB/s", "WRITEs", "busiest rank")
	for i, f := range r.Fabrics {
		for _, p := range f.Points {
			e := p.Exchange
			if e == nil {
				t.Add(doc.Text(f.Name).In(doc.Series(i)), missing(true, p))
				continue
			}
			t.Add(doc.Text(f.Name).In(doc.Series(i)), doc.Time(p.Time), doc.Time(units.Time(e.Kernel.Min)), doc.Time(units.Time(e.Kernel.P50)),
				doc.Time(units.Time(e.Kernel.P99)), doc.Time(units.Time(e.Kernel.Max)), doc.Bandwidth(p.AlgBW), wayRate(e, e.NetworkBytes), wayRate(e, e.NVLinkBytes),
				doc.Count(e.Messages), doc.Ratio(float64(e.MostTokens)/float64(e.MeanTokens), 2))
		}
	}
	return doc.Section{
		Title:   "Kernels of the ranks: " + mixture(sc),
		Caption: "as DeepEP's tests: GB/s counts each token once for each expert; RDMA and NVLink are what a rank sends, over avg_t; busiest rank: its tokens over the mean",
		Blocks:  []doc.Block{t},
	}
}

// exchanges reports whether the workload is an exchange with experts.
func exchanges(r *runstore.Results) bool {
	return r.Workload == string(scenario.Dispatch) || r.Workload == string(scenario.Combine)
}

// wayRate is the rate of the bytes that take a way; none without bytes.
func wayRate(e *runstore.Exchange, bytes int64) doc.Cell {
	if bytes == 0 {
		return doc.None
	}
	return doc.Bandwidth(e.Rate(bytes))
}

// mixture is an exchange in a few words.
func mixture(sc *scenario.Resolved) string {
	if sc == nil {
		return "mixture of experts"
	}
	x := &sc.Workload.Experts
	words := []string{fmt.Sprintf("%s, %s tokens of %s %s, top-%d of %d experts", x.Kernel, doc.Integer(int64(x.Tokens)), doc.Integer(int64(x.Hidden)), x.Element, x.TopK, x.Count)}
	if x.Replicas > 0 {
		words = append(words, fmt.Sprintf("%d replicas", x.Replicas))
	}
	if x.NodeLimit > 0 {
		words = append(words, fmt.Sprintf("at most %d nodes a token", x.NodeLimit))
	}
	if x.Gating != scenario.GatingUniform {
		words = append(words, string(x.Gating))
	}
	if x.RDMAOnly {
		words = append(words, "RDMA only")
	}
	return strings.Join(words, ", ")
}
