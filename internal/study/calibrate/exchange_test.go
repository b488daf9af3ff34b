package calibrate

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"weft/internal/formats/logfile"
	"weft/scenario"
)

// exchanged is the log of test_low_latency.py on the small cluster with a fault.
func exchanged(t *testing.T, fault ...scenario.Override) string {
	t.Helper()
	var lines [2]string
	for i, op := range []string{"moe-dispatch", "moe-combine"} {
		p := pointsOf(t, small, append([]scenario.Override{{Path: "workload", Value: "{exchange: " + op + "}", Origin: "test"}}, fault...)...)[0]
		lines[i] = fmt.Sprintf("bandwidth: %.2f GB/s, avg_t=%.2f us", p.AlgBW, p.Time.Seconds()*1e6)
	}
	var log strings.Builder
	for rank := range 4 {
		fmt.Fprintf(&log, "[rank %d] Dispatch %s | Combine %s\n", rank, lines[0], lines[1])
	}
	return log.String()
}

// A dispatch and a combine on a sound cluster are healthy; a fault of the kernels or of the links is
// found, or is among the causes that the log cannot tell apart.
func TestTheCauseOfASlowDispatchIsFound(t *testing.T) {
	if d := diagnose(t, small, exchanged(t), 0); d.Verdict != Healthy {
		t.Errorf("a sound cluster is %s", d.Verdict)
	}
	for _, c := range []struct {
		fault string
		over  []scenario.Override
	}{
		{"nvlink-unused", []scenario.Override{{Path: "workload.experts.rdma-only", Value: "true"}}},
		{"cpu-posting", []scenario.Override{{Path: "workload.experts.posting", Value: "proxy"}, {Path: "workload.experts.proxy-time", Value: "2us"}}},
		{"hot-experts", []scenario.Override{{Path: "workload.experts.gating", Value: "zipf"}}},
		{"link-rate", []scenario.Override{{Path: "fabrics[0].link.lane-rate", Value: "26.5625Gbps"}}},
	} {
		d := diagnose(t, small, exchanged(t, c.over...), 0)
		if d.Verdict == Healthy || d.Verdict == Faster || !slices.ContainsFunc(d.Explanations[:1], func(e Explanation) bool { return e.ID == c.fault }) && !slices.ContainsFunc(d.Alike(), func(e Explanation) bool { return e.ID == c.fault }) {
			t.Errorf("%s: the verdict is %s, and the first cause %s", c.fault, d.Verdict, d.Explanations[0].Label)
		}
	}
}

// Few tokens of throughput kernels give the time of all to 5 %.
func TestFewTokensGiveTheTimeOfAll(t *testing.T) {
	c := describe(t, small)
	log := "[config] num_tokens=4096, hidden=7168, num_topk_groups=2, num_topk=4\n[tuning] Best dispatch (FP8): SMs 24, NVL chunk 20, RDMA chunk 28: 45 + 5100 us, 11.90 GB/s (RDMA), 13.10 GB/s (NVL)\n"
	l, err := logfile.Read("log", strings.NewReader(log))
	if err != nil {
		t.Fatal(err)
	}
	tasks, notes := c.Tasks(l, Options{})
	if len(tasks) != 1 {
		t.Fatalf("notes %v", notes)
	}
	o := &Options{Simulate: simulateOnce}
	part, err := c.predict(t.Context(), tasks[0], nil, o)
	if err != nil {
		t.Fatal(err)
	}
	tasks[0].tokens, tasks[0].simulated = []int{4096}, []int64{tasks[0].Points[0].Bytes}
	all, err := c.predict(t.Context(), tasks[0], nil, o)
	if err != nil {
		t.Fatal(err)
	}
	if ratio := float64(part[0]) / float64(all[0]); ratio < .95 || ratio > 1.05 {
		t.Errorf("%v by few tokens, %v with all", part[0], all[0])
	}
}

// A rate without a time is that of the bytes which the test counts: every token once for each node with one of its
// experts, the own one too. A published line with a time, 1391 us at 43.36 GB/s on two nodes, gives the time again.
func TestARateOfDeepEPWithoutATimeIsBytesOverTime(t *testing.T) {
	c := describe(t, "cluster: {nodes: 2, node: dgx-h100}\nfabric: infiniband-ndr")
	const config = "[config] num_tokens=4096, hidden=7168, num_topk_groups=2, num_topk=8\n"
	for line, want := range map[string]float64{
		"[tuning] Best dispatch (FP8): SMs 24, NVL chunk 40, RDMA chunk 16: 43.36 GB/s (RDMA), 141.61 GB/s (NVL)":  1391,
		"[tuning] Best dispatch (BF16): SMs 24, NVL chunk 32, RDMA chunk 16: 44.89 GB/s (RDMA), 146.59 GB/s (NVL)": 2606,
		"[tuning] Best combine: SMs 24, NVL chunk 4, RDMA chunk 20: 43.63 GB/s (RDMA), 142.49 GB/s (NVL)":          2681,
	} {
		log := read(t, config+line+"\n")[0]
		tasks, notes := c.Tasks(log, Options{})
		if len(tasks) != 1 {
			t.Fatalf("%s: %v", line, notes)
		}
		if got := tasks[0].Points[0].Measured.Seconds() * 1e6; got < want*.995 || got > want*1.005 || log.Tables[0].Rows[0].Micros != 0 || !strings.Contains(strings.Join(tasks[0].Told, "\n"), "a rate and no time") {
			t.Errorf("%s: %.0f us, told %v, want %g us", line, got, tasks[0].Told, want)
		}
	}
}
