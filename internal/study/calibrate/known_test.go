package calibrate

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"weft/internal/formats/logfile"
	"weft/internal/sim"
	"weft/internal/sim/scenario"
	"weft/units"
)

// TestKnownErrorsAgreeWithTheValidationPage compares the tables of healthy clusters with
// docs/VALIDATION.md.
func TestKnownErrorsAgreeWithTheValidationPage(t *testing.T) {
	page, err := os.ReadFile("../../../docs/VALIDATION.md")
	if err != nil {
		t.Fatal(err)
	}
	row := regexp.MustCompile(`(?m)^\| all-\w+ ([\d.]+ \w+), (?:8|16) ranks \| [\d.,]+ (\S+) \|[^|]*\| ([+-]?[\d.]+) %`)
	for _, table := range healthyTables {
		if table.simulated != "" {
			continue
		}
		_, part, ok := strings.Cut(string(page), "### "+table.id+"\n")
		if !ok {
			t.Fatalf("the page has no %s", table.id)
		}
		part, _, _ = strings.Cut(part, "\n### ")
		found := 0
		for _, m := range row.FindAllStringSubmatch(part, -1) {
			bytes, err := units.ParseBytes(strings.ReplaceAll(m[1], " ", ""))
			if err != nil {
				t.Fatal(err)
			}
			i := slices.Index(table.sizes, int64(bytes))
			if i < 0 {
				continue
			}
			found++
			off, err := strconv.ParseFloat(m[3], 64)
			if err != nil {
				t.Fatal(err)
			}
			ratio := 1 + off/100 // of bandwidths: weft's over the measured one
			if m[2] != "GB/s" {
				ratio = 1 / ratio
			}
			if math.Abs(ratio/table.ratios[i]-1) > .02 {
				t.Errorf("%s at %v: measured over predicted is %.3f on the page, and %.3f in the list", table.id, bytes, ratio, table.ratios[i])
			}
		}
		if found != len(table.sizes) {
			t.Errorf("%s: %d of %d sizes are on the page", table.id, found, len(table.sizes))
		}
	}
}

// TestKnownErrorsAgreeWithSimulationsOfTheTables simulates the tables that are not on the page, up
// to 64 MiB. The measured times are from the sources.
func TestKnownErrorsAgreeWithSimulationsOfTheTables(t *testing.T) {
	measured := map[string]map[int64]float64{ // us
		"1 x 8 H200":                    {64 * mib: 338.9},
		"1 x 8 A100":                    {64 * kib: 46.8, mib: 101.9, 8 * mib: 133.5, 64 * mib: 684.6},
		"2 x 8 A100, 16 x 100G RoCE v2": {8: 36.47, kib: 41.97, 64 * kib: 51.69, mib: 85.58, 8 * mib: 174.3},
	}
	for _, table := range healthyTables {
		for i, size := range table.sizes {
			us := measured[table.id][size]
			if us == 0 {
				continue
			}
			f, err := scenario.Decode("table.yaml", []byte(table.simulated))
			if err != nil {
				t.Fatal(err)
			}
			r, err := f.Resolve(
				scenario.Override{Path: "workload.collective", Value: string(table.op), Origin: "test"},
				scenario.Override{Path: "workload.sizes", Value: fmt.Sprintf("[%dB]", size), Origin: "test"},
			)
			if err != nil {
				t.Fatal(err)
			}
			results, err := sim.Run(context.Background(), r, sim.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if ratio := us * 1e6 / float64(results.Fabrics[0].Points[0].Time); math.Abs(ratio/table.ratios[i]-1) > .02 {
				t.Errorf("%s at %d B: measured over predicted is %.3f, and %.3f in the list", table.id, size, ratio, table.ratios[i])
			}
		}
	}
}

// TestAPublishedTableOfAHealthyClusterIsHealthy diagnoses each table, with noise, by the errors of
// the other tables.
func TestAPublishedTableOfAHealthyClusterIsHealthy(t *testing.T) {
	const id = "nccl/A4"
	micros := []float64{12.90, 16.43, 19.09, 28.56, 84.29, 326.6, 1121.4, 4253, 62239} // as published
	var s *simulations
	i := slices.IndexFunc(healthyTables, func(h healthyTable) bool { return h.id == id })
	c, o := describe(t, "cluster: {nodes: 1, node: dgx-h100}\nfabric: infiniband-ndr"), Options{Simulate: sim.Run, Nodes: 1, without: id, coarse: true}
	for seed := range uint64(5) {
		rng := rand.New(rand.NewPCG(seed, 2))
		var log strings.Builder
		log.WriteString("# nThread 1 nGpus 8\n# Collective test starting: all_reduce_perf\n")
		for j, size := range healthyTables[i].sizes {
			if size >= 64*kib && size <= 64*mib {
				row(&log, size, 8, micros[j], .015, rng)
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
func row(b *strings.Builder, bytes int64, ranks int, micros, noise float64, rng *rand.Rand) {
	fmt.Fprintf(b, "%d %d float sum -1", bytes, bytes/4)
	for range 2 {
		us := micros * math.Exp(noise*rng.NormFloat64())
		alg := float64(bytes) / us / 1e3
		fmt.Fprintf(b, " %.2f %.2f %.2f 0", us, alg, alg*busFactor("all-reduce", ranks))
	}
	b.WriteByte('\n')
}
