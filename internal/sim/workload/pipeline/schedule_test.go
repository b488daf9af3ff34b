package pipeline

import "testing"

// Every stage takes every micro-batch through every chunk once each way, forward first,
// and the stages' orders fit together: with unit times, no stage waits for ever.
func TestSchedulesAreCompleteAndFree(t *testing.T) {
	for _, c := range [][3]int{{1, 1, 1}, {1, 1, 7}, {2, 1, 1}, {4, 1, 8}, {4, 1, 2}, {8, 1, 64}, {2, 2, 4}, {4, 2, 8}, {4, 5, 4}, {8, 8, 32}} {
		stages, chunks, micros := c[0], c[1], c[2]
		if err := Check(stages, chunks, micros); err != nil {
			t.Fatal(err)
		}
		lists := make([][]Work, stages)
		for s := range stages {
			lists[s] = Schedule(s, stages, chunks, micros)
			if len(lists[s]) != 2*chunks*micros {
				t.Errorf("%v: stage %d has %d pieces of work", c, s, len(lists[s]))
			}
		}
		done := make(map[[3]int]bool) // layer group, micro, direction
		for moved := true; moved; {
			moved = false
			for s := range lists {
				for len(lists[s]) > 0 {
					w := lists[s][0]
					at, dir, before := w.Chunk*stages+s, 0, [3]int{w.Chunk*stages + s - 1, w.Micro, 0}
					ok := at == 0
					if w.Backward {
						dir, before, ok = 1, [3]int{at + 1, w.Micro, 1}, at == chunks*stages-1
						if !done[[3]int{at, w.Micro, 0}] {
							break
						}
					}
					if !ok && !done[before] {
						break
					}
					if done[[3]int{at, w.Micro, dir}] {
						t.Fatalf("%v: stage %d does %v twice", c, s, w)
					}
					done[[3]int{at, w.Micro, dir}] = true
					lists[s], moved = lists[s][1:], true
				}
			}
		}
		if len(done) != 2*stages*chunks*micros {
			t.Errorf("%v: %d of %d pieces of work are done", c, len(done), 2*stages*chunks*micros)
		}
	}
}

// The first stage of 1F1B keeps as many micro-batches as there are stages, the last
// one; interleaving keeps 1 + (p-1)/(p·v) times as much (Korthikanti et al. 2022,
// section 4.2.3).
func TestActivationsInFlight(t *testing.T) {
	for _, c := range []struct{ stage, stages, chunks, micros, want int }{
		{0, 4, 1, 16, 4}, {3, 4, 1, 16, 1}, {0, 4, 1, 2, 2}, {0, 1, 1, 8, 1}, {0, 4, 2, 16, 4*2 + 3},
	} {
		if got := InFlight(c.stage, c.stages, c.chunks, c.micros); got != c.want {
			t.Errorf("%+v: %d", c, got)
		}
	}
}

func TestImpossiblePipelinesAreRefused(t *testing.T) {
	for _, c := range [][3]int{{0, 1, 1}, {4, 1, 0}, {1, 2, 4}, {4, 2, 6}} {
		if Check(c[0], c[1], c[2]) == nil {
			t.Errorf("%v is accepted", c)
		}
	}
}
