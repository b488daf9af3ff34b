package runtest

import (
	"bytes"
	"fmt"
	"testing"

	"weft/internal/sim"
	"weft/internal/sim/runstore"
	"weft/internal/sim/scenario"
	"weft/internal/sim/simtest"
)

// Run runs a scenario on some cores. An error of the run ends the test.
func Run(t *testing.T, r *scenario.Resolved, workers int) *runstore.Results {
	t.Helper()
	out, err := sim.Run(t.Context(), r, sim.Options{Workers: workers})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// Point is the first result of a scenario in YAML.
func Point(t *testing.T, text string) runstore.Point {
	t.Helper()
	return Run(t, simtest.Resolve(t, text), 1).Fabrics[0].Points[0]
}

// Points has the first point of each fabric of a scenario in YAML, also of a failed fabric.
func Points(t *testing.T, text string) []runstore.Point {
	t.Helper()
	results, err := sim.Run(t.Context(), simtest.Resolve(t, text), sim.Options{})
	if results == nil {
		t.Fatal(err)
	}
	var points []runstore.Point
	for _, f := range results.Fabrics {
		points = append(points, f.Points[0])
	}
	return points
}

// SameOnCores runs a scenario on each of these numbers of cores, one after the other, and
// wants the same bytes and the same error of all.
func SameOnCores(t *testing.T, r *scenario.Resolved, cores ...int) (out *runstore.Results, failed error) {
	t.Helper()
	var want []byte
	for i, workers := range cores {
		results, err := sim.Run(t.Context(), r, sim.Options{Workers: workers})
		got, broken := results.Encode()
		if broken != nil {
			t.Fatal(broken)
		}
		if i == 0 {
			out, failed, want = results, err, got
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
