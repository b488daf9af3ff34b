package training

import (
	"fmt"
	"testing"

	"weft/internal/study/many"
	"weft/results"
)

// collidingJob is a step whose stages lie under different leaves, so that its messages collide if
// switches hash.
const collidingJob = `
cluster: {nodes: 8, node: dgx-h100}
topology: {shape: rail-optimised, nodes-per-unit: 2}
fabrics: [infiniband-ndr, roce-v2-400g]
training:
  ` + denseModel + `
  parallel: {tensor: 8, pipeline: 4}
  batch: {global: 32, micro: 8}
`

// A step over seeds equals the steps of the single seeds, whatever phases of the first seed the
// others reuse.
func TestAStepOverSeedsEqualsTheStepOfEachSeed(t *testing.T) {
	const seeds = 3
	var own [seeds]*results.Training
	for k := range own {
		own[k] = trainStep(t, collidingJob+fmt.Sprintf("run: {seed: %d}\n", 5+k), Options{Workers: 1})
	}
	over := trainStep(t, collidingJob+"run: {seed: 5}\n", Options{Workers: 2, Seeds: seeds})
	for i := range over.Fabrics {
		f := &over.Fabrics[i]
		var steps []int64
		for k := range own {
			steps = append(steps, own[k].Fabrics[i].StepPs)
		}
		if got, want := f.Seeds.Step, many.SpreadOf(steps); got != want || f.StepPs != steps[0] {
			t.Errorf("%s: %+v over seeds, the first %d ps; each by itself %+v, %v", f.Name, got, f.StepPs, want, steps)
		}
		for _, p := range f.Seeds.Exposed {
			var exposed []int64
			for k := range own {
				exposed = append(exposed, own[k].Fabrics[i].ExposedPs(p.Purpose))
			}
			if want := many.SpreadOf(exposed); p.Spread != want {
				t.Errorf("%s, %s exposed: %+v over seeds, each by itself %+v", f.Name, p.Purpose, p.Spread, want)
			}
		}
		if draws := f.Seeds.Step.LeastPs != f.Seeds.Step.MostPs; draws != (f.Protocol == "roce-v2") {
			t.Errorf("%s: from %d to %d ps: only colliding messages depend on the seed", f.Name, f.Seeds.Step.LeastPs, f.Seeds.Step.MostPs)
		}
	}
}

// Times that scatter much have an interval that begins at 0: none is below.
func TestTheIntervalOfTimesHasNoTimeBelowZero(t *testing.T) {
	if s := many.SpreadOf([]int64{100, 900}); s.LowPs != 0 || s.MeanPs != 500 || s.HighPs < 5000 {
		t.Errorf("of 100 and 900 ps: %+v", s)
	}
}
