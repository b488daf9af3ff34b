package pipeline

// list is the work of a stage in the making.
type list struct {
	*Schedule
	work []Work
	// The next micro-batch of each chunk, by pass; in DualPipe of each direction.
	next    [2][numPasses]int
	pending []Work // gradients of weights that wait, the oldest first
	// DualPipe: whether the first direction is the model's second chunk here, and the micro-batches
	// of a direction.
	flip   bool
	micros int
}

// oneFOneB: a stage takes some work forward, then one piece forward and one backward in turn, then
// the rest backward.
func (l *list) oneFOneB(stage int) {
	n, groups := l.Micros*l.Chunks, l.groups()
	warm := l.Stages - 1 - stage
	if l.Chunks > 1 {
		warm = 2*warm + (l.Chunks-1)*groups[0]
	}
	if l.Pairs {
		warm++
	}
	warm = min(warm, n)
	for k := range n + warm {
		if k < n {
			w := l.interleaved(groups, k)
			w.Paired = l.Pairs && k >= warm
			l.work = append(l.work, w)
		}
		if k >= warm {
			w := l.interleaved(groups, k-warm)
			w.Chunk, w.Pass = l.Chunks-1-w.Chunk, Backward
			l.work = append(l.work, w)
		}
	}
}

// groups are the sizes of the groups of micro-batches that go through a chunk together: at least as
// many as there are stages, the largest first.
func (l *list) groups() (sizes []int) {
	n := 1
	if l.Chunks > 1 {
		n = l.Micros / l.Stages
	}
	for left := l.Micros; n > 0; n-- {
		size := (left + n - 1) / n
		sizes, left = append(sizes, size), left-size
	}
	return sizes
}

// interleaved is the k-th piece of forward work of every stage.
func (l *list) interleaved(groups []int, k int) Work {
	from := 0
	for _, size := range groups {
		if k < size*l.Chunks {
			return Work{Micro: from + k%size, Chunk: k / size}
		}
		k -= size * l.Chunks
		from += size
	}
	return Work{}
}

// divided: as 1F1B, with some forward work before, and gradients of weights later than those of
// inputs by a number of micro-batches.
func (l *list) divided(warm, delay int) {
	warm = min(warm, l.Micros)
	for k := range l.Micros + warm {
		if k < l.Micros {
			l.add(Forward, 0)
		}
		if k >= warm {
			l.add(Inputs, 0)
			if len(l.pending) > delay {
				l.weights()
			}
		}
	}
	l.rest()
}

// zeroBubbleV: the forward work of the first chunk, then of both in turn, then one piece forward
// and one backward.
func (l *list) zeroBubbleV(stage int) {
	l.micros = l.Micros
	for range 2*(l.Stages-stage) - 1 {
		l.add(Forward, 0)
	}
	for range stage {
		l.add(Forward, 1)
		l.add(Forward, 0)
	}
	for range l.Stages - stage {
		l.add(Forward, 1)
		l.add(Inputs, 1)
		l.weights()
	}
	for l.next[1][Forward] < l.Micros {
		if l.next[0][Forward] < l.Micros {
			l.add(Forward, 0)
		}
		l.add(Inputs, 0)
		l.weights()
		l.add(Forward, 1)
		l.add(Inputs, 1)
		l.weights()
	}
	for range stage {
		l.add(Inputs, 0)
		l.add(Inputs, 1)
	}
	for range l.Stages - stage {
		l.add(Inputs, 0)
		l.weights()
	}
	l.rest()
}

// dual is DualPipe's order of a stage in one half of the pipeline, in the eight parts of
// deepseek-ai/DualPipe. Direction 0 comes from the nearer end of the pipeline.
func (l *list) dual(stage, stages int) {
	rest, middle := stages-1-stage, stage == stages-1
	for range 2 * rest {
		l.add(Forward, 0)
	}
	for range stage + 1 {
		l.add(Forward, 0)
		l.add(Forward, 1)
	}
	for range rest {
		l.add(Inputs, 1)
		l.weights()
		l.add(Forward, 1)
	}
	for i := range l.micros - 2*stages + stage + 1 {
		l.pair(0, 1, i > 0 || !middle) // the first pair of the middle is not one, so that its bubble is shorter
		l.pair(1, 0, true)
	}
	for range rest {
		l.add(Backward, 1)
		l.pair(1, 0, true)
	}
	for i := range 2 * (stage + 1) { // the second half leaves the weights for later
		pass := Backward
		if i > stage {
			pass = Inputs
		}
		l.add(pass, 1-i%2)
	}
	for range rest {
		l.weights()
		l.add(Inputs, 0)
	}
	l.rest()
}

// pair adds forward work of one direction beside backward work of the other.
func (l *list) pair(forward, backward int, paired bool) {
	l.add(Forward, forward)
	l.work[len(l.work)-1].Paired = paired
	l.add(Backward, backward)
}

// add adds the next work of a pass through a chunk, or of a direction. The order of the backward
// work is that of the forward work.
func (l *list) add(pass Pass, chunk int) {
	count := &l.next[chunk][min(pass, Backward)]
	w := Work{Micro: *count, Chunk: chunk, Pass: pass}
	*count++
	if l.flip {
		w.Chunk = 1 - chunk
	}
	if l.Twice() { // the second half of the micro-batches comes from the other end
		w.Micro += w.Chunk * l.micros
	}
	l.work = append(l.work, w)
	if pass == Inputs {
		l.pending = append(l.pending, w)
	}
}

// weights adds the oldest gradients of weights that wait.
func (l *list) weights() {
	w := l.pending[0]
	w.Pass = Weights
	l.work, l.pending = append(l.work, w), l.pending[1:]
}

// rest adds all gradients of weights that wait.
func (l *list) rest() {
	for len(l.pending) > 0 {
		l.weights()
	}
}
