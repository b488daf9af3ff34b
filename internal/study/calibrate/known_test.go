package calibrate

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"weft/internal/formats/logfile"
	"weft/internal/study/measured"
	"weft/scenario"
)

// The tests' sizes.
const (
	kib = 1 << 10
	mib = 1 << 20
)

// TestTheKnownErrorsAreOfScoredClusters finds the tables of the error among the published ones: none
// is of a cluster that is not scored.
func TestTheKnownErrorsAreOfScoredClusters(t *testing.T) {
	seen := make(map[string]int)
	for _, h := range healthyTables() {
		seen[h.cluster] += len(h.sizes)
		for i, ratio := range h.ratios {
			if ratio < .2 || ratio > 5 {
				t.Errorf("%s, %s, %d B: measured over predicted is %g", h.cluster, h.op, h.sizes[i], ratio)
			}
		}
	}
	for cluster, want := range map[string]bool{"A4": true, "A5": true, "T1": true, "V4": true, "V10": true, "H100": true, "A1": true, "A12": false, "T1-default": false} {
		if got := seen[cluster] > 0; got != want {
			t.Errorf("%s is among the known errors: %t, want %t", cluster, got, want)
		}
	}
}

// TestTheEvidenceIsOfTheSameStack finds the clusters whose errors count for a size: those of the same
// stack, or of the same place if none has such a size.
func TestTheEvidenceIsOfTheSameStack(t *testing.T) {
	for _, c := range []struct {
		of       stack
		bytes    int64
		in, out  string
		fallback bool
	}{
		{stack{}, 64 * mib, "A4", "A2", false},
		{stack{}, 64 * mib, "V8", "MI325X", false},
		{stack{network: verbs}, mib, "V4", "A2", false},
		{stack{network: "efa"}, mib, "A2", "V4", false},
		{stack{rccl: true}, 4096 * mib, "MI325X", "A4", false},
		{stack{rccl: true}, mib, "A4", "V4", true},     // RCCL's tables are of large sizes
		{stack{network: "tcp"}, mib, "V4", "A4", true}, // no table
	} {
		seen := make(map[string]bool)
		others := false
		for _, h := range evidence(c.of, c.bytes, "") {
			seen[h.cluster], others = true, others || h.stack != c.of
		}
		if !seen[c.in] || seen[c.out] || others != c.fallback {
			t.Errorf("%+v at %d B: the evidence is %v, want %s in it, %s not, and other stacks %t", c.of, c.bytes, seen, c.in, c.out, c.fallback)
		}
	}
}

// TestAPublishedTableOfAHealthyClusterIsHealthy diagnoses each table, with noise, by the errors of
// the other tables.
func TestAPublishedTableOfAHealthyClusterIsHealthy(t *testing.T) {
	const id = "A4"
	clusters := measured.Clusters()
	i := slices.IndexFunc(clusters, func(c measured.Cluster) bool { return c.ID == id })
	var s *simulations
	c, o := describe(t, "cluster: {nodes: 1, node: dgx-h100}\nfabric: infiniband-ndr"), Options{Simulate: simulateOnce, Nodes: 1, without: id, coarse: true}
	for seed := range uint64(5) {
		rng := rand.New(rand.NewPCG(seed, 2))
		var log strings.Builder
		log.WriteString("# nThread 1 nGpus 8\n# Collective test starting: all_reduce_perf\n")
		for _, r := range clusters[i].Rows {
			if r.Bytes >= 64*kib && r.Bytes <= 64*mib {
				row(&log, r.Bytes, 8, func() float64 { return float64(r.Time) / 1e6 }, .015, rng)
			}
		}
		l, err := logfile.Read("log", strings.NewReader(log.String()))
		if err != nil {
			t.Fatal(err)
		}
		d, err := c.lay(l, o)
		if err != nil {
			t.Fatal(err)
		}
		if s == nil {
			s = simulate(t, c, d, o)
		}
		d.Predicted = s.predicted
		d.conclude(s.trials)
		if d.Verdict != Healthy {
			t.Errorf("%s, seed %d: the verdict is %s, healthy with %.3f; the likeliest fault is %s with %.3f", id, seed, d.Verdict, d.Healthy, d.Explanations[0].ID, d.Explanations[0].Posterior)
		}
	}
}

// row writes a row of an all-reduce's table with two measurements, each with its own noise.
func row(b *strings.Builder, bytes int64, ranks int, micros func() float64, noise float64, rng *rand.Rand) {
	fmt.Fprintf(b, "%d %d float sum -1", bytes, bytes/4)
	for range 2 {
		us := micros() * math.Exp(noise*rng.NormFloat64())
		alg := float64(bytes) / us / 1e3
		fmt.Fprintf(b, " %.2f %.2f %.2f 0", us, alg, alg*measured.BusFactor(scenario.AllReduce, ranks))
	}
	b.WriteByte('\n')
}
