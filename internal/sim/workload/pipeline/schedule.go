package pipeline

import (
	"fmt"
	"slices"
)

// Kind is a kind of schedule.
type Kind uint8

// The kinds of schedule.
const (
	OneFOneB Kind = iota
	ZBH1
	ZBH2
	ZBV
	DualPipe
	DualPipeV
)

var kindNames = [...]string{"1f1b", "zb-h1", "zb-h2", "zb-v", "dualpipe", "dualpipe-v"}

func (k Kind) String() string { return kindNames[k] }

// KindOf is the kind with a name; ok reports whether there is one.
func KindOf(name string) (k Kind, ok bool) {
	i := slices.Index(kindNames[:], name)
	return Kind(max(0, i)), i >= 0
}

// Chunks is the number of chunks of a stage in a schedule of a kind, if asked for a number: kinds
// with two have them unasked.
func (k Kind) Chunks(asked int) int {
	if k >= ZBV && asked == 1 {
		return 2
	}
	return asked
}

// Pass is the direction of a piece of work.
type Pass uint8

// The passes. A micro-batch goes through a chunk by Forward and Backward, or by Forward, Inputs and
// Weights.
const (
	Forward  Pass = iota
	Backward      // the gradients of the inputs and of the weights
	Inputs        // the gradients of the inputs alone
	Weights       // the gradients of the weights alone
	numPasses
)

// Work is one piece of work of a stage: a micro-batch through one of its chunks.
type Work struct {
	Micro, Chunk int
	Pass         Pass
	Paired       bool // it runs beside the next piece: the communication of each beside the other's computation
}

// Back reports whether the work goes from the end of the model to its beginning.
func (w Work) Back() bool { return w.Pass != Forward }

// Schedule is the order of the work of every stage.
type Schedule struct {
	Kind   Kind
	Stages int
	Chunks int // of each stage
	Micros int
	Pairs  bool // OneFOneB: forward and backward work in pairs
}

// vee reports whether the model goes down the stages and up again.
func (s *Schedule) vee() bool { return s.Kind == ZBV || s.Kind == DualPipeV }

// Twice reports whether every part of the model is at two stages: at this one and at the opposite
// one, which is as far from the last as this one from the first.
func (s *Schedule) Twice() bool { return s.Kind == DualPipe }

// Check reports whether the schedule exists.
func (s *Schedule) Check() error {
	p, v, m := s.Stages, s.Chunks, s.Micros
	switch {
	case p < 1 || v < 1 || m < 1:
		return fmt.Errorf("a pipeline of %d stages with %d chunks each and %d micro-batches does not exist", p, v, m)
	case (s.Kind != OneFOneB || v > 1) && p == 1:
		return fmt.Errorf("a pipeline of one stage, %d chunks, schedule %s: want several stages, or one chunk and 1f1b", v, s.Kind)
	case (s.Kind == ZBH1 || s.Kind == ZBH2) && v > 1:
		return fmt.Errorf("%d chunks a stage: %s has one", v, s.Kind)
	case s.Kind >= ZBV && v != 2:
		return fmt.Errorf("%d chunks a stage: %s has two", v, s.Kind)
	case v > 1 && s.Kind == OneFOneB && m < p:
		return fmt.Errorf("%d micro-batches over %d stages with %d chunks each: interleaving needs as many micro-batches as stages", m, p, v)
	case s.Pairs && (s.Kind != OneFOneB || v == 1 && p > 1):
		return fmt.Errorf("pairs of forward and backward work in %s with %d chunks: want 1f1b with several chunks, or one stage", s.Kind, v)
	case s.Kind == ZBV && m < 2*p, s.Kind == DualPipeV && m < 2*p:
		return fmt.Errorf("%d micro-batches over %d stages: %s needs twice as many micro-batches as stages", m, p, s.Kind)
	case s.Kind == DualPipe && (p%2 != 0 || m%2 != 0 || m < 2*p):
		return fmt.Errorf("%d micro-batches over %d stages: dualpipe needs even numbers, and twice as many micro-batches as stages", m, p)
	}
	_, err := s.few().run([numPasses]int{1, 1, 1, 1}, 2)
	return err
}

// fewRounds is the number of micro-batches for each stage of [Schedule.few].
const fewRounds = 6

// few is the schedule with few micro-batches, of the same remainder by twice the stages: between its first and its last micro-batches a
// schedule repeats itself.
func (s *Schedule) few() *Schedule {
	out := *s
	if most := fewRounds * s.Stages; s.Micros > most {
		out.Micros = most + (s.Micros-most)%(2*s.Stages)
	}
	return &out
}

// Paired reports whether there is work in pairs.
func (s *Schedule) Paired() bool { return s.Pairs || s.Kind >= DualPipe }

// Up reports whether a micro-batch goes forward through a chunk from the last stage to the first.
func (s *Schedule) Up(chunk int) bool { return s.Kind >= ZBV && chunk == 1 }

// Wraps reports whether the stage after the last is the first.
func (s *Schedule) Wraps() bool { return s.Kind == OneFOneB && s.Chunks > 1 }

// Places is the number of parts of the model.
func (s *Schedule) Places() int {
	if s.Twice() {
		return s.Stages
	}
	return s.Stages * s.Chunks
}

// Place is the part of the model that a chunk of a stage has, from 0.
func (s *Schedule) Place(stage, chunk int) int {
	if s.Up(chunk) {
		return s.Places() - 1 - stage
	}
	return chunk*s.Stages + stage
}

// Next is the stage and chunk that a micro-batch goes to after a chunk; ok reports whether there is
// one.
func (s *Schedule) Next(stage, chunk int) (nextStage, nextChunk int, ok bool) {
	if s.Place(stage, chunk) == s.Places()-1 {
		return 0, 0, false
	}
	switch {
	case s.Up(chunk):
		return stage - 1, 1, true
	case stage < s.Stages-1:
		return stage + 1, chunk, true
	case s.vee():
		return stage, 1, true
	}
	return 0, chunk + 1, true
}

// Before is the stage and chunk that a micro-batch comes from; ok reports whether there is one.
func (s *Schedule) Before(stage, chunk int) (stageBefore, chunkBefore int, ok bool) {
	if s.Place(stage, chunk) == 0 {
		return 0, 0, false
	}
	switch {
	case s.Up(chunk) && stage < s.Stages-1:
		return stage + 1, 1, true
	case chunk == 1 && s.vee():
		return stage, 0, true
	case stage > 0:
		return stage - 1, chunk, true
	}
	return s.Stages - 1, chunk - 1, true
}

// Of is the order of a stage's work.
func (s *Schedule) Of(stage int) []Work {
	l := list{Schedule: s}
	switch s.Kind {
	case OneFOneB:
		l.oneFOneB(stage)
	case ZBH1:
		l.divided(s.Stages-1-stage, stage)
	case ZBH2:
		l.divided(2*(s.Stages-1-stage), 2*stage)
	case ZBV:
		l.zeroBubbleV(stage)
	case DualPipe:
		half := min(stage, s.Stages-1-stage)
		l.flip, l.micros = stage != half, s.Micros/2
		l.dual(half, s.Stages/2)
	case DualPipeV:
		l.micros = s.Micros
		l.dual(stage, s.Stages)
	}
	return l.work
}

// InFlight is the maximum number of a stage's pieces of work whose activations are kept: from the
// forward work to the gradients of the weights.
func (s *Schedule) InFlight(stage int) int {
	now, most := 0, 0
	for _, w := range s.few().Of(stage) {
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
