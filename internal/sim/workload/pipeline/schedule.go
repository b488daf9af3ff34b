package pipeline

import "fmt"

// Work is what a stage does at a time: a micro-batch through one of its chunks.
type Work struct {
	Micro, Chunk int
	Backward     bool
}

// Check says whether there is a schedule for so many stages, chunks a stage and
// micro-batches.
func Check(stages, chunks, micros int) error {
	switch {
	case stages < 1 || chunks < 1 || micros < 1:
		return fmt.Errorf("a pipeline of %d stages with %d chunks each and %d micro-batches does not exist", stages, chunks, micros)
	case chunks > 1 && stages == 1:
		return fmt.Errorf("%d chunks a stage with one stage: interleaving needs a pipeline", chunks)
	case chunks > 1 && micros%stages != 0:
		return fmt.Errorf("%d micro-batches over %d stages with %d chunks each: interleaving takes micro-batches in groups of as many as there are stages", micros, stages, chunks)
	}
	return nil
}

// Schedule is the order of a stage's work. Check has been passed.
func Schedule(stage, stages, chunks, micros int) []Work {
	n := micros * chunks
	warm := stages - 1 - stage
	if chunks > 1 {
		warm = 2*(stages-1-stage) + (chunks-1)*stages
	}
	warm = min(warm, n)
	list := make([]Work, 0, 2*n)
	for k := range n + warm {
		if k < n {
			list = append(list, forward(k, stages, chunks))
		}
		if k >= warm {
			list = append(list, backward(k-warm, stages, chunks))
		}
	}
	return list
}

// forward is the k-th piece of forward work of every stage.
func forward(k, stages, chunks int) Work {
	if chunks == 1 {
		return Work{Micro: k}
	}
	group, in := k/(stages*chunks), k%(stages*chunks)
	return Work{Micro: group*stages + in%stages, Chunk: in / stages}
}

// backward is the k-th piece of backward work: the chunks the other way round.
func backward(k, stages, chunks int) Work {
	w := forward(k, stages, chunks)
	w.Chunk, w.Backward = chunks-1-w.Chunk, true
	return w
}

// InFlight is the most pieces of work of a stage that have gone forward and not
// backward: so many activations it keeps.
func InFlight(stage, stages, chunks, micros int) int {
	now, most := 0, 0
	for _, w := range Schedule(stage, stages, chunks, micros) {
		if w.Backward {
			now--
		} else {
			now++
		}
		most = max(most, now)
	}
	return most
}
