package validate

import (
	"math"
	"testing"
)

// A source's factor comes from the fitted steps of NVIDIA's other sources alone: neither from its
// own, nor from steps that are kept for the score.
func TestALeftOutSourceGivesNothingToItsFactor(t *testing.T) {
	step := func(stack string, fitted bool, exact float64) *predictedStep {
		p := &predictedStep{publishedStep: &publishedStep{Stack: stack, Fitted: fitted}, seconds: 10, slope: 8, factor: .85}
		p.Seconds = p.at(exact)
		if got := p.exact(); math.Abs(got-exact) > 1e-12 || math.Abs(p.off(exact)) > 1e-12 {
			t.Fatalf("with %v the step takes as long as published, found %v and an error of %v", exact, got, p.off(exact))
		}
		return p
	}
	all := []*predictedStep{
		step("NeMo", true, .80), step("NeMo", false, .10), step("Megatron-LM", true, .90), step("MLPerf", true, .86), step("torchtitan", true, .50),
	}
	want := map[string]float64{"NeMo": .88, "Megatron-LM": .83, "MLPerf": .85, "torchtitan": .86}
	for _, s := range leftOut(all) {
		if math.Abs(s.beside-want[s.stack]) > 1e-9 {
			t.Errorf("without %s the factor is %v, want %v", s.stack, s.beside, want[s.stack])
		}
	}
}
