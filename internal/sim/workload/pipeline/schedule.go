package pipeline

import "fmt"

// Work is one piece of work of a stage: a micro-batch through one of its chunks.
type Work struct {
	Micro, Chunk int
	Backward     bool
}

// Check reports whether a schedule exists for these numbers of stages, chunks per stage and
// micro-batches.
func Check(stages, chunks, micros int) error {
	switch {
	case stages < 1 || chunks < 1 || micros < 1:
		return fmt.Errorf("a pipeline of %d stages with %d chunks each and %d micro-batches does not exist", stages, chunks, micros)
	case chunks > 1 && stages == 1:
		return fmt.Errorf("%d chunks a stage with one stage: interleaving needs a pipeline", chunks)
	case chunks > 1 && micros%stages != 0:
		return fmt.Errorf("%d micro-batches over %d stages with %d chunks each: interleaving needs a number of micro-batches that is a multiple of the number of stages", micros, stages, chunks)
	}
	return nil
}

// Schedule is the order of a stage's work. The arguments must have passed Check.
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

// backward is the k-th piece of backward work: the chunks in reverse order.
func backward(k, stages, chunks int) Work {
	w := forward(k, stages, chunks)
	w.Chunk, w.Backward = chunks-1-w.Chunk, true
	return w
}

// InFlight is the maximum number of a stage's pieces of work between their forward and backward
// passes: it keeps their activations.
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
