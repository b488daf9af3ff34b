package runtest

import (
	"bytes"
	"fmt"
	"testing"

	"weft/internal/sim"
	"weft/internal/test/simtest"
	"weft/results"
	"weft/scenario"
)

// Run runs a scenario on some cores. An error of the run ends the test.
func Run(t *testing.T, r *scenario.Resolved, workers int) *results.Results {
	t.Helper()
	out, err := sim.Run(t.Context(), r, sim.Options{Workers: workers})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// Point is the first result of a scenario in YAML.
func Point(t *testing.T, text string) results.Point {
	t.Helper()
	return Run(t, simtest.Resolve(t, text), 1).Fabrics[0].Points[0]
}

// Points has the first point of each fabric of a scenario in YAML, also of a failed fabric.
func Points(t *testing.T, text string) []results.Point {
	t.Helper()
	outcome, err := sim.Run(t.Context(), simtest.Resolve(t, text), sim.Options{})
	if outcome == nil {
		t.Fatal(err)
	}
	var points []results.Point
	for _, f := range outcome.Fabrics {
		points = append(points, f.Points[0])
	}
	return points
}

// SameOnCores runs a scenario on each of these numbers of cores, one after the other, and
// wants the same bytes and the same error of all.
func SameOnCores(t *testing.T, r *scenario.Resolved, cores ...int) (out *results.Results, failed error) {
	t.Helper()
	var want []byte
	for i, workers := range cores {
		outcome, err := sim.Run(t.Context(), r, sim.Options{Workers: workers})
		got, broken := outcome.Encode()
		if broken != nil {
			t.Fatal(broken)
		}
		if i == 0 {
			out, failed, want = outcome, err, got
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%d cores:\n%s\n%d cores:\n%s", workers, got, cores[0], want)
		}
		if fmt.Sprint(err) != fmt.Sprint(failed) {
			t.Errorf("%d cores: %v\n%d cores: %v", workers, err, cores[0], failed)
		}
	}
	return out, failed
}
