package calibrate

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"weft/internal/formats/logfile"
	"weft/internal/sim"
	"weft/internal/study/measured"
	"weft/internal/test/runtest"
	"weft/results"
	"weft/scenario"
)

// small is a cluster that simulates in no time: two nodes of two GPUs and NICs.
const small = `
cluster: {nodes: 2, node: {preset: dgx-h100, gpus: 2, nics: 2}}
topology: {shape: single-switch}
fabric: roce-v2-200g
`

// simulated has the simulations of this package's tests: logs of one cluster have the same hypotheses.
var simulated = runtest.NewMemory()

// simulateOnce is sim.Run that takes each simulation from an earlier test, if one had it.
func simulateOnce(ctx context.Context, r *scenario.Resolved, o sim.Options) (*results.Results, error) {
	o.Cache = simulated
	return sim.Run(ctx, r, o)
}

// describe is a cluster by its scenario.
func describe(t *testing.T, text string) *Cluster {
	t.Helper()
	f, err := scenario.Decode("cluster.yaml", []byte(text))
	if err == nil {
		f, err = f.Explicit()
	}
	if err != nil {
		t.Fatal(err)
	}
	return &Cluster{File: f, Hops: 1}
}

// pointsOf simulates a cluster with a fault.
func pointsOf(t *testing.T, cluster string, over ...scenario.Override) []results.Point {
	t.Helper()
	r, err := describe(t, cluster).resolve(over)
	if err != nil {
		t.Fatal(err)
	}
	outcome, err := simulateOnce(t.Context(), r, sim.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return outcome.Fabrics[0].Points
}

// measure is the log of nccl-tests on a cluster with a fault. Noise multiplies each time by a
// lognormal factor of 2 %.
func measure(t *testing.T, op string, seed uint64, fault ...scenario.Override) string {
	t.Helper()
	points := pointsOf(t, small, append([]scenario.Override{
		{Path: "workload.collective", Value: op, Origin: "test"},
		{Path: "workload.sizes", Value: "{from: 4KiB, to: 16MiB, factor: 16}", Origin: "test"},
	}, fault...)...)
	rng := rand.New(rand.NewPCG(seed, 1))
	var b strings.Builder
	fmt.Fprintf(&b, "# Collective test starting: %s_perf\n", strings.ReplaceAll(strings.ReplaceAll(op, "all-to-all", "alltoall"), "-", "_"))
	for rank := range 4 {
		fmt.Fprintf(&b, "#  Rank %2d Group  0 Pid %6d on node%d device %2d [0x00] NVIDIA H100\n", rank, rank+1, rank/2, rank%2)
	}
	fmt.Fprintf(&b, "#  size count type redop root time algbw busbw #wrong time algbw busbw #wrong\n")
	for _, p := range points {
		fmt.Fprintf(&b, "%d %d float sum -1", p.Bytes, p.Bytes/4)
		for range 2 {
			us := float64(p.Time) / 1e6 * (1 + .02*rng.NormFloat64())
			alg := float64(p.Bytes) / us / 1e3
			fmt.Fprintf(&b, " %.2f %.2f %.2f 0", us, alg, alg*measured.BusFactor(scenario.Collective(op), 4))
		}
		b.WriteByte('\n')
	}
	b.WriteString("# Avg bus bandwidth    : 1\n")
	return b.String()
}

func diagnose(t *testing.T, cluster, log string, known float64) *Diagnosis {
	t.Helper()
	l, err := logfile.Read("log", strings.NewReader(log))
	if err != nil {
		t.Fatal(err)
	}
	d, err := describe(t, cluster).Diagnose(context.Background(), l, Options{Simulate: simulateOnce, Known: known})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// hiddenFaults are faults of the small cluster, and the operation of the log.
var hiddenFaults = []struct{ fault, path, value, op string }{
	{"fewer-rails", "cluster.node.nics", "1", "all-reduce"},
	{"slow-nic", "fabrics[0].slow-links", "[{nics: [node1/nic1], rate: 35Gbps}]", "all-reduce"},
	{"slow-node", "fabrics[0].slow-links", "[{nics: [node0], rate: 33Gbps}]", "all-reduce"},
	{"link-rate", "fabrics[0].link.lane-rate", "26.5625Gbps", "all-reduce"},
	{"gpudirect-off", "fabrics[0].host", "rdma-host", "all-gather"},
	{"peer-path", "cluster.node.pcie.peer-rate", "75Gbps", "all-reduce"},
	{"tcp", "fabrics[0]", "tcp-200g", "all-reduce"},
	{"nvlink-off", "cluster.node.scale-up", "pcie-gen5", "all-reduce"},
	{"algorithm", "workload.algorithm", "tree", "all-reduce"},
	{"protocol", "workload.protocol", "ll", "all-reduce"},
	{"channels", "workload.channels", "1", "all-reduce"},
	{"proxy", "nccl.proxy", "15", "all-reduce"},
	{"software", "nccl.step-network", "7", "all-reduce"},
	{"mtu", "fabrics[0].mtu", "256B", "all-gather"},
	{"pcie", "cluster.node.pcie", "{generation: gen5, lanes: 4}", "all-reduce"},
}

// TestAHiddenFaultIsFound has weft write logs of clusters with a fault and noise. The diagnosis
// gets the log alone; most severities are not in its table. The fault is the first explanation, or
// the log cannot tell the first from it.
func TestAHiddenFaultIsFound(t *testing.T) {
	for i, c := range hiddenFaults {
		t.Run(c.fault, func(t *testing.T) {
			log := measure(t, c.op, uint64(i), scenario.Override{Path: c.path, Value: c.value, Origin: "fault"})
			d := diagnose(t, small, log, .06)
			if d.Verdict == Healthy || d.Verdict == Faster {
				t.Errorf("%s: the verdict is %s", c.fault, d.Verdict)
			}
			place := slices.IndexFunc(d.Explanations, func(e Explanation) bool { return e.ID == c.fault })
			if place < 0 {
				t.Fatalf("%s was not tried", c.fault)
			}
			first, found := d.Explanations[0], d.Explanations[place]
			t.Logf("%s, %s: place %d, %s, %.3f; the first is %s, %.3f; noise %.3f", c.fault, c.value, place+1, found.Label, found.Match, first.ID, first.Match, d.Noise)
			if place > 2 && d.Verdict != Undecided || place > 0 && !slices.ContainsFunc(d.Alike(), func(e Explanation) bool { return e.ID == c.fault }) {
				t.Errorf("%s is in place %d with a match of %.3f, and the first is %s, %s, with %.3f", c.fault, place+1, found.Match, first.ID, first.Label, first.Match)
			}
		})
	}
}

// TestALossThatCostsATimeoutIsFound has one packet in a thousand lost, with a seed whose losses cost a
// timeout. Most losses cost a resent packet, which does not show in a time.
func TestALossThatCostsATimeoutIsFound(t *testing.T) {
	const seeds = 100
	for seed := 1; seed <= seeds; seed++ {
		log := measure(t, "all-to-all", 14,
			scenario.Override{Path: "run.seed", Value: strconv.Itoa(seed), Origin: "fault"},
			scenario.Override{Path: "fabrics[0].link.error-rate", Value: "1/1000", Origin: "fault"})
		l, err := logfile.Read("log", strings.NewReader(log))
		if err != nil {
			t.Fatal(err)
		}
		if rows := l.Tables[0].Rows; rows[len(rows)-1].Micros < 5000 {
			continue
		}
		d := diagnose(t, fmt.Sprintf("%srun: {seed: %d}\n", small, seed), log, .06)
		if d.Verdict != Explained || d.Explanations[0].ID != "loss" {
			t.Errorf("seed %d: the verdict is %s, and the first explanation %s", seed, d.Verdict, d.Explanations[0].Label)
		}
		return
	}
	t.Errorf("in %d runs no loss costs a timeout", seeds)
}

func TestALogOfTheClusterAsItIsIsHealthy(t *testing.T) {
	d := diagnose(t, small, measure(t, "all-reduce", 7), .06)
	if d.Verdict != Healthy || d.Match > .05 {
		t.Errorf("the verdict is %s with a match of %.3f", d.Verdict, d.Match)
	}
	if d.Noise < .01 || d.Noise > .06 {
		t.Errorf("the noise of 2 %% in each half is taken for %.3f", d.Noise)
	}
}

// TestALogThatNothingExplainsIsUnexplained has times that no fault makes: small messages are fast,
// and every second size takes about a thousand times too long.
func TestALogThatNothingExplainsIsUnexplained(t *testing.T) {
	log := "# all_reduce_perf\n# size count type redop root time algbw busbw #wrong time algbw busbw #wrong\n"
	for _, row := range []struct{ bytes, us float64 }{{4096, 20}, {1 << 16, 60000}, {1 << 20, 100}, {1 << 24, 700000}} {
		alg := row.bytes / row.us / 1e3
		log += fmt.Sprintf("%.0f 1 float sum -1 %.2f %.2f %.2f 0 %.2f %.2f %.2f 0\n", row.bytes, row.us, alg, alg*1.5, row.us, alg, alg*1.5)
	}
	if d := diagnose(t, small, log, .06); d.Verdict != Unexplained {
		t.Errorf("the verdict is %s, explained by %v", d.Verdict, d.Explanations[0].ID)
	}
}

func TestContradictoryRanksAreReportedAndPlaced(t *testing.T) {
	log := strings.ReplaceAll(measure(t, "all-reduce", 3), "Rank  0 ", "Rank 30 ")
	d := diagnose(t, small, log, .06)
	if task := d.Tasks[0]; task.Ranks() != 4 || task.Nodes != 2 || !slices.ContainsFunc(task.Told, func(said string) bool { return strings.Contains(said, "31 ranks") }) {
		t.Errorf("%d ranks on %d nodes, said: %v", task.Ranks(), task.Nodes, task.Told)
	}
}

func TestPerftestAndClusterKitAreLaidBesideTheLink(t *testing.T) {
	log := ` RDMA_Write BW Test
 Mtu             : 1024[B]
 #bytes     #iterations    BW peak[Gb/sec]    BW average[Gb/sec]   MsgRate[Mpps]
 65536      1000             185.20             185.10 		     0.35
 8388608    1000             185.20             185.20 		     0.0027
----------------------------------------------------------------
Minimum bandwidth: 45000 MB/sec a, b
Maximum bandwidth: 46400 MB/sec a, c
Average bandwidth: 46200 MB/sec
`
	d := diagnose(t, small, log, 0)
	if len(d.Tasks) != 2 || d.Verdict != Explained {
		t.Fatalf("%d tasks, %s", len(d.Tasks), d.Verdict)
	}
	// 4096 of 4178 B on the wire at 200 Gb/s, less the latency of the first message.
	got := float64(8388608*8) / d.Predicted[0][1].Seconds() / 1e9
	if got < 195 || got > 196.1 {
		t.Errorf("weft predicts %.1f Gb/s for ib_write_bw, want 196 less the start", got)
	}
	if e := d.Explanations[0]; e.ID != "mtu" || e.Label != "MTU 1 KiB instead of 4 KiB" || !strings.Contains(e.Evidence, "1 KiB") {
		t.Errorf("the best match is %s, %s, and the log says %q, want the MTU that it names", e.ID, e.Label, e.Evidence)
	}
}

func TestAnotherClusterThanTheLogsIsRefused(t *testing.T) {
	l, err := logfile.Read("log", strings.NewReader(measure(t, "all-reduce", 3)))
	if err != nil {
		t.Fatal(err)
	}
	c := describe(t, strings.Replace(small, "gpus: 2, nics: 2", "gpus: 1, nics: 1", 1))
	if _, err := c.Diagnose(context.Background(), l, Options{Simulate: sim.Run}); err == nil || !strings.Contains(err.Error(), "another cluster") {
		t.Errorf("the error is %v", err)
	}
}

func TestAnInterruptedDiagnosisKeepsItsResults(t *testing.T) {
	l, err := logfile.Read("log", strings.NewReader(measure(t, "all-reduce", 3)))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	o := Options{Simulate: sim.Run, Workers: 1, Progress: func(p sim.Progress) {
		if p.Done == 3 {
			cancel()
		}
	}}
	d, err := describe(t, small).Diagnose(ctx, l, o)
	if err == nil || d == nil || !d.Partial || len(d.Explanations) == 0 || len(d.Explanations) > 2 {
		t.Fatalf("%+v, %v", d, err)
	}
}

// The first answer has a time for each compared size, before a cause or a larger size is simulated.
func TestTheFirstAnswerComesBeforeTheCauses(t *testing.T) {
	l := read(t, measure(t, "all-reduce", 3, scenario.Override{Path: "fabrics[0].link.lane-rate", Value: "26.5625Gbps", Origin: "fault"}))[0]
	simulations, before, slow := 0, 0, 0
	o := Options{MaxSize: 1 << 20, First: func(d *Diagnosis) {
		before, slow = simulations, len(d.Slow())
		if len(d.Predicted[0]) != len(d.Tasks[0].Points) || d.Explanations != nil {
			t.Errorf("%d times for %d sizes, %d causes", len(d.Predicted[0]), len(d.Tasks[0].Points), len(d.Explanations))
		}
	}}
	o.Simulate = func(ctx context.Context, r *scenario.Resolved, so sim.Options) (*results.Results, error) {
		simulations++
		return simulateOnce(ctx, r, so)
	}
	o.Workers = 1
	if _, err := describe(t, small).Diagnose(t.Context(), l, o); err != nil {
		t.Fatal(err)
	}
	if before != 1 || simulations < 10 || slow == 0 {
		t.Errorf("the first answer came after %d of %d simulations, with %d slow sizes: want one, and a slow one", before, simulations, slow)
	}
}
