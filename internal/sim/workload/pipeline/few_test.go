package pipeline

import "testing"

// A schedule is checked with few micro-batches: with all of them it runs, or waits for ever, as well, and as many pieces of work are
// kept at a time.
func TestFewMicroBatchesTellForAll(t *testing.T) {
	for kind := OneFOneB; kind <= DualPipeV; kind++ {
		for _, stages := range []int{1, 2, 3, 4, 6} {
			for chunks := 1; chunks <= 3; chunks++ {
				for micros := 1; micros <= 14*stages+5; micros++ {
					for _, pairs := range []bool{false, true} {
						s := &Schedule{Kind: kind, Stages: stages, Chunks: chunks, Micros: micros, Pairs: pairs}
						if s.Check() != nil {
							continue
						}
						if _, err := s.run([numPasses]int{1, 1, 1, 1}, 2); err != nil {
							t.Errorf("%+v passes the check: %v", *s, err)
						}
						for stage := range stages {
							if got, want := s.InFlight(stage), mostKept(s.Of(stage)); got != want {
								t.Errorf("%+v: stage %d keeps %d pieces, of all micro-batches %d", *s, stage, got, want)
							}
						}
					}
				}
			}
		}
	}
}

// mostKept is the maximum number of pieces between their forward work and the gradients of the weights.
func mostKept(order []Work) (most int) {
	now := 0
	for _, w := range order {
		switch w.Pass {
		case Forward:
			now++
		case Backward, Weights:
			now--
		}
		most = max(most, now)
	}
	return most
}
