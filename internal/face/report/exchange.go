package report

import (
	"fmt"
	"strings"

	"weft/internal/face/doc"
	"weft/results"
	"weft/scenario"
	"weft/units"
)

// exchangeSection is the kernels of an exchange on each fabric, with the columns that the tests of
// DeepEP's kernels print.
func exchangeSection(r *results.Results, sc *scenario.Resolved) doc.Section {
	columns, caption := lowLatencyColumns, lowLatencyCaption
	if sc != nil && sc.Workload.Experts.Kernel == scenario.Throughput {
		columns, caption = throughputColumns, throughputCaption
	}
	t := doc.NewTable("fabric", "avg_t", "min_t", "p50", "p99", "max_t")
	for _, c := range columns {
		t.Rows[0] = append(t.Rows[0], doc.Text(c.name))
	}
	t.Rows[0] = append(t.Rows[0], doc.Text("WRITEs"), doc.Text("busiest rank"))
	for i, f := range r.Fabrics {
		for _, p := range f.Points {
			name, e := doc.Text(f.Name).In(doc.Series(i)), p.Exchange
			if e == nil {
				t.Add(name, missing(true, p))
				continue
			}
			row := []doc.Cell{name, doc.Time(p.Time)}
			for _, ps := range []int64{e.Kernel.Min, e.Kernel.P50, e.Kernel.P99, e.Kernel.Max} {
				row = append(row, doc.Time(units.Time(ps)))
			}
			for _, c := range columns {
				row = append(row, wayRate(e, c.bytes(e)))
			}
			t.Add(append(row, doc.Count(e.Messages), doc.Ratio(float64(e.MostTokens)/float64(e.MeanTokens), 2))...)
		}
	}
	return doc.Section{Title: "Kernels of the ranks: " + mixture(sc), Caption: caption, Blocks: []doc.Block{t}}
}

// rateColumn is a column of GB/s over the mean time.
type rateColumn struct {
	name  string
	bytes func(*results.Exchange) int64
}

// The columns of each kind of kernel, as its test counts bytes, and what is really sent.
var (
	lowLatencyColumns = []rateColumn{{"GB/s", logicalBytes}, {"RDMA GB/s", networkBytes}, {"NVLink GB/s", nvLinkBytes}}
	throughputColumns = []rateColumn{{"GB/s (RDMA)", perNodeBytes}, {"GB/s (NVL)", perRankBytes}, {"sent RDMA", networkBytes}, {"sent NVLink", nvLinkBytes}}
)

const (
	lowLatencyCaption = "as test_low_latency.py of DeepEP: GB/s counts a token once for each expert; RDMA and NVLink are what a rank sends; all over avg_t; busiest rank: its tokens over the mean"
	throughputCaption = "as test_internode.py of DeepEP: a token once for each of its nodes, the own one too (RDMA), and once for each of its ranks (NVL); sent: GB/s that a rank really sends; all over avg_t; busiest rank: its tokens over the mean"
)

func logicalBytes(e *results.Exchange) int64 { return e.Bytes }
func networkBytes(e *results.Exchange) int64 { return e.NetworkBytes }
func nvLinkBytes(e *results.Exchange) int64  { return e.NVLinkBytes }

// perNodeBytes and perRankBytes are what throughput kernels count by RDMA and by NVLink.
func perNodeBytes(e *results.Exchange) int64 {
	if e.Forwarded == 0 {
		return 0
	}
	return e.Bytes
}

func perRankBytes(e *results.Exchange) int64 {
	if e.Forwarded == 0 {
		return e.Bytes
	}
	return e.Forwarded
}

// exchanges reports whether the workload is an exchange with experts.
func exchanges(r *results.Results) bool {
	return r.Workload == string(scenario.Dispatch) || r.Workload == string(scenario.Combine)
}

// wayRate is the rate of the bytes that take a way; none without bytes.
func wayRate(e *results.Exchange, bytes int64) doc.Cell {
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
