package sweep

import (
	"context"
	"runtime"
	"testing"

	"weft/internal/sim"
	"weft/results"
	"weft/scenario"
)

// BenchmarkOverhead is what 1,000 variants take beside their simulations, in one process with one worker, with the tables.
func BenchmarkOverhead(b *testing.B) {
	none := func(context.Context, *scenario.Resolved, sim.Options) (*results.Results, error) {
		return &results.Results{Fabrics: []results.FabricResult{{Points: []results.Point{{Bytes: 1024, Time: 1}}}}}, nil
	}
	const text = `cluster: {nodes: 2, node: dgx-h100}
topology: {shape: single-switch}
fabrics: [roce-v2-400g]
workload: {collective: all-reduce, sizes: [1KiB]}
sweep: {axes: [{path: cluster.nodes, values: [2, 4]}], seeds: 500}
`
	for range b.N {
		f, err := Create(b.TempDir(), []byte(text), About{Weft: "v1"})
		if err != nil {
			b.Fatal(err)
		}
		if _, err := f.Work(b.Context(), Options{Run: none, Workers: 1, Worker: "w"}); err != nil {
			b.Fatal(err)
		}
		t, err := f.Load()
		if err != nil {
			b.Fatal(err)
		}
		if err := t.WriteParquet(); err != nil {
			b.Fatal(err)
		}
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/float64(f.Space.Len()), "µs/variant")
		b.ReportMetric(float64(m.HeapAlloc)/1e6, "MB-live")
		runtime.KeepAlive(t)
	}
}
