package report

import (
	"bytes"
	"strings"
	"testing"

	"weft/internal/face/doc"
	"weft/internal/test/simtest"
	"weft/results"
	"weft/units"
)

// The table of an exchange counts its GB/s over the mean time: 7.5 MB in 100 us are 75 GB/s, of which
// 3 MB went by RDMA and none over NVLink. A fabric that failed says so.
func TestTheTableOfAnExchangeIsThatOfTheKernelsTests(t *testing.T) {
	sc := simtest.Resolve(t, `
cluster: {nodes: 2, node: dgx-h100}
fabrics: [infiniband-ndr, roce-v2-400g]
workload: {exchange: moe-dispatch, experts: {replicas: 16, gating: zipf, rdma-only: true}}`)
	us := int64(units.Microsecond)
	r := &results.Results{Workload: "moe-dispatch", Ranks: 16, Nodes: 2, Fabrics: []results.FabricResult{
		{Name: "infiniband-ndr", Protocol: "infiniband", Rate: 400 * units.Gbps, Points: []results.Point{{
			Bytes: 7_500_000, Time: 100 * units.Microsecond, AlgBW: 75, BusBW: 75,
			Exchange: &results.Exchange{
				TokenBytes: 7408, Bytes: 7_500_000, NetworkBytes: 3_000_000, Messages: 512, MostTokens: 1100, MeanTokens: 1000,
				Kernel: results.RankTimes{Min: 90 * us, Mean: 100 * us, P50: 99 * us, P99: 120 * us, Max: 121 * us},
			},
		}}},
		{Name: "roce-v2-400g", Protocol: "roce-v2", Rate: 400 * units.Gbps, Points: []results.Point{{Bytes: 7_500_000, Failure: "a breach"}}},
	}}
	var out bytes.Buffer
	if err := Comparison(r, sc, nil).Terminal(&out, doc.Style{}); err != nil {
		t.Fatal(err)
	}
	text := strings.Join(strings.Fields(out.String()), " ")
	for _, want := range []string{
		"Kernels of the ranks: low-latency, 128 tokens of 7,168 fp8, top-8 of 288 experts, 16 replicas, zipf, RDMA only",
		"fabric avg_t min_t p50 p99 max_t GB/s RDMA GB/s NVLink GB/s WRITEs busiest rank",
		"infiniband-ndr 100.0 us 90.00 us 99.00 us 120.0 us 121.0 us 75.0 30.0 – 512 1.10",
		"roce-v2-400g failed",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the report lacks %q:\n%s", want, out.String())
		}
	}
}

// A size that is no round number has four digits, as other amounts that are measured.
func TestSizesOfExchangesAreShort(t *testing.T) {
	for bytes, want := range map[int64]string{7585792: "7408 KiB", 6585712: "6.281 MiB", 64 << 20: "64 MiB", 100000: "100 KB", 65537: "65537 B", 0: "all"} {
		if got := sizeCell(bytes).Text; got != want {
			t.Errorf("%d bytes are %q, want %q", bytes, got, want)
		}
	}
}
