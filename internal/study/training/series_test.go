package training

import (
	"reflect"
	"slices"
	"testing"

	"weft/results"
)

// The series of a training job are of its phases and of the step, and change no result.
func TestSeriesOfATrainingStep(t *testing.T) {
	job := tinyJob(denseModel, "tensor: 4, pipeline: 2")
	for _, whole := range []bool{false, true} {
		plain := trainStep(t, job, Options{Workers: 1, Whole: whole})
		var first []*results.Series
		cores := []int{1, 2}
		if whole { // one simulation for each fabric
			cores = cores[1:]
		}
		for _, workers := range cores {
			var all []*results.Series
			got := trainStep(t, job, Options{Workers: workers, Whole: whole, Series: func(s *results.Series) { all = append(all, s) }})
			if !reflect.DeepEqual(got, plain) {
				t.Errorf("whole %v, %d workers: the results with series are others", whole, workers)
			}
			if first == nil {
				first = all
			}
			if len(all) != len(first) {
				t.Fatalf("whole %v: %d series with %d workers, %d with one", whole, len(all), workers, len(first))
			}
			for i := range all {
				if a, b := all[i], first[i]; a.Simulation != b.Simulation || !reflect.DeepEqual(a.Steps, b.Steps) || !reflect.DeepEqual(a.Flows, b.Flows) ||
					!slices.Equal(slices.Collect(a.Samples), slices.Collect(b.Samples)) {
					t.Errorf("whole %v, %d workers: series %d, %s, is another than with one", whole, workers, i, a.Simulation.Phase)
				}
			}
		}
		checkPhases(t, plain, first)
	}
}

// checkPhases holds the series of phases against the results.
func checkPhases(t *testing.T, out *results.Training, all []*results.Series) {
	t.Helper()
	simulated, steps := map[[2]string]bool{}, 0
	for i, s := range all {
		at := &s.Simulation
		if int(at.Simulation) != i || !at.Complete {
			t.Errorf("series %d is %+v", i, at)
		}
		if at.Phase != results.StepOperations {
			simulated[[2]string{at.Fabric, at.Phase}] = true
			if len(slices.Collect(s.Samples)) == 0 {
				t.Errorf("%s: no sample", at.Phase)
			}
			continue
		}
		steps++
		f := &out.Fabrics[slices.IndexFunc(out.Fabrics, func(f results.TrainingFabric) bool { return f.Name == at.Fabric })]
		last := int64(0)
		for _, op := range s.Steps {
			last = max(last, op.EndPs)
			if known := simulated[[2]string{at.Fabric, op.Phase}] || simulated[[2]string{at.Fabric, "the whole step"}]; op.Phase != "" && !known {
				t.Errorf("%s: %s is of the phase %q, which no series has", at.Fabric, op.Name, op.Phase)
			}
		}
		if last != f.StepPs {
			t.Errorf("%s: the operations end at %d ps, the step at %d", at.Fabric, last, f.StepPs)
		}
	}
	if steps != len(out.Fabrics) {
		t.Errorf("%d series of operations, for %d fabrics", steps, len(out.Fabrics))
	}
}
