package pipeline

import "fmt"

// spell is the time from a stage's first work to its last, and the part of it with work.
type spell struct{ from, to, busy int }

// piece is a micro-batch's pass through a chunk of a stage.
type piece struct {
	stage, micro, chunk int
	pass                Pass
}

// run lets all stages work in their orders, with a time for each pass and for a pair, and messages
// that take none. It checks that every micro-batch goes through every place once in each direction,
// that each piece finds what it needs, and that no stage waits for ever.
func (s *Schedule) run(times [numPasses]int, pair int) ([]spell, error) {
	orders, spells, now := make([][]Work, s.Stages), make([]spell, s.Stages), make([]int, s.Stages)
	left := 0
	for stage := range orders {
		orders[stage] = s.Of(stage)
		left += len(orders[stage])
	}
	done := make(map[piece]int)
	for moved := true; moved; {
		moved = false
		for stage := range orders {
			for len(orders[stage]) > 0 {
				these := orders[stage][:1]
				if these[0].Paired {
					these = orders[stage][:2]
				}
				begin := now[stage]
				ready := true
				for _, w := range these {
					at, ok := s.ready(done, stage, w)
					begin, ready = max(begin, at), ready && ok
				}
				if !ready {
					break
				}
				long := pair
				if len(these) == 1 {
					long = times[these[0].Pass]
				}
				for _, w := range these {
					p := piece{stage, w.Micro, w.Chunk, w.Pass}
					if _, twice := done[p]; twice {
						return nil, fmt.Errorf("schedule %s: stage %d does %+v twice", s.Kind, stage, w)
					}
					done[p] = begin + long
				}
				if spells[stage].busy == 0 {
					spells[stage].from = begin
				}
				spells[stage].busy += long
				spells[stage].to, now[stage] = begin+long, begin+long
				orders[stage], left, moved = orders[stage][len(these):], left-len(these), true
			}
		}
	}
	if left > 0 {
		return nil, fmt.Errorf("schedule %s of %d stages with %d chunks each and %d micro-batches: %d pieces of work wait for ever", s.Kind, s.Stages, s.Chunks, s.Micros, left)
	}
	return spells, s.complete(done)
}

// ready is the time at which a piece of work has what it needs; ok reports whether that is known.
func (s *Schedule) ready(done map[piece]int, stage int, w Work) (at int, ok bool) {
	need := func(stage, chunk int, passes ...Pass) {
		for _, pass := range passes {
			if t, known := done[piece{stage, w.Micro, chunk, pass}]; known {
				at = max(at, t)
				return
			}
		}
		ok = false
	}
	ok = true
	switch w.Pass {
	case Forward:
		if from, chunk, more := s.Before(stage, w.Chunk); more {
			need(from, chunk, Forward)
		}
	case Weights:
		need(stage, w.Chunk, Inputs)
	default:
		need(stage, w.Chunk, Forward)
		if from, chunk, more := s.Next(stage, w.Chunk); more {
			need(from, chunk, Inputs, Backward)
		}
	}
	return at, ok
}

// complete checks that every micro-batch went through every place, once in each direction.
func (s *Schedule) complete(done map[piece]int) error {
	counts := make(map[[2]int][numPasses]int) // by place and micro-batch
	for p := range done {
		key := [2]int{s.Place(p.stage, p.chunk), p.micro}
		n := counts[key]
		n[p.pass]++
		counts[key] = n
	}
	for place := range s.Places() {
		for micro := range s.Micros {
			n := counts[[2]int{place, micro}]
			if n[Forward] != 1 || n[Backward]+n[Inputs] != 1 || n[Inputs] != n[Weights] {
				return fmt.Errorf("schedule %s: micro-batch %d goes through place %d %d times forward, %d and %d times backward, with %d times its weights", s.Kind, micro, place, n[Forward], n[Backward], n[Inputs], n[Weights])
			}
		}
	}
	if len(counts) != s.Places()*s.Micros {
		return fmt.Errorf("schedule %s: %d pieces of work of micro-batches or places that do not exist", s.Kind, len(counts)-s.Places()*s.Micros)
	}
	return nil
}
