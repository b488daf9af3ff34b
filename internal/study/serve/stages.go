package serve

import (
	"weft/internal/sim/collective"
	"weft/internal/sim/run/transfer"
	"weft/internal/sim/workload/serving"
	"weft/scenario"
	"weft/units"
)

// stages takes iterations through the stages of their instances. A stage works on one iteration at a
// time, in order. Between two stages each GPU sends its part of the activations to the GPU with its
// number in the next stage: packet by packet over the fabric, beside other transfers, or over the
// node's scale-up network. Then the GPUs of a layer gather the parts, so that each has all. So do vLLM
// and SGLang (send_tensor_dict with an all_gather_group). For each hidden number of a token a layer's
// result and its residual are sent, 16 bits each.
type stages struct {
	floor    *floor
	study    *study
	fabric   int
	lines    [2][]line // of instances, by pool
	passages []passage
	messages map[int]int // by number of a message under way: its passage
	moving   int         // passages between stages on different nodes
}

// line is the stages of an instance.
type line struct {
	pool  *scenario.Pool
	first int32 // rank
	busy  []bool
	wait  [][]int // by stage: passages in front of it
}

// passage is an iteration on its way.
type passage struct {
	serving.Iteration
	over, free uint64 // tags of the scheduler
	stage      int
	open       int  // parts of its activations under way
	outside    bool // some of them on the fabric
}

func newStages(f *floor, s *study, fabric int) *stages {
	out := &stages{floor: f, study: s, fabric: fabric, messages: make(map[int]int)}
	for i, p := range s.pools() {
		first := int32(0)
		if i > 0 {
			first = s.way.first
		}
		for k := range p.Instances(s.r.Cluster.Node.GPUs) {
			out.lines[i] = append(out.lines[i], line{pool: p, first: first + int32(k*p.GPUs()), busy: make([]bool, p.Pipeline), wait: make([][]int, p.Pipeline)})
		}
	}
	return out
}

// line is the stages of an iteration's instance.
func (s *stages) line(k *serving.Iteration) *line {
	if k.Decode {
		return &s.lines[1][k.Instance]
	}
	return &s.lines[0][k.Instance]
}

// begin begins an iteration.
func (s *stages) begin(k *serving.Iteration, over, free uint64) {
	s.passages = append(s.passages, passage{Iteration: *k, over: over, free: free})
	s.enter(len(s.passages) - 1)
}

// enter puts an iteration before its next stage.
func (s *stages) enter(number int) {
	p := &s.passages[number]
	l := s.line(&p.Iteration)
	if l.busy[p.stage] {
		l.wait[p.stage] = append(l.wait[p.stage], number)
		return
	}
	s.work(number)
}

// work begins a stage's work at an iteration.
func (s *stages) work(number int) {
	p := &s.passages[number]
	l := s.line(&p.Iteration)
	l.busy[p.stage] = true
	if t := s.floor.together; t.of(&p.Iteration) != nil {
		t.begin(number)
		return
	}
	s.floor.board.At(s.floor.Now()+p.Stage(p.stage, len(l.busy)), tagOf(tagStage, number))
}

// over ends a stage's work at an iteration.
func (s *stages) over(number int) {
	p := s.passages[number]
	l := s.line(&p.Iteration)
	l.busy[p.stage] = false
	if wait := l.wait[p.stage]; len(wait) > 0 {
		l.wait[p.stage] = wait[1:]
		s.work(wait[0])
	}
	last := p.stage == len(l.busy)-1
	if !last {
		s.pass(number)
	} else {
		s.passages[number] = passage{}
	}
	switch {
	case last:
		s.floor.scheduler.Timer(p.over)
	case p.stage == 0:
		s.floor.scheduler.Timer(p.free)
	}
}

// pass passes an iteration's activations on to the next stage.
func (s *stages) pass(number int) {
	p := &s.passages[number]
	l, f, w := s.line(&p.Iteration), s.floor, s.study.way
	inside := units.Time(0)
	for group := range p.Groups {
		bytes := s.study.activations(p.Groups[group].Tokens()) / int64(l.pool.Tensor)
		for gpu := range l.pool.Tensor {
			from := l.first + int32((p.stage*l.pool.Data+group)*l.pool.Tensor+gpu)
			to := from + int32(l.pool.Tensor*l.pool.Data)
			switch {
			case bytes == 0:
			case w.cluster.Node(int(from)) == w.cluster.Node(int(to)):
				inside = max(inside, s.study.sums[insideANode].at(bytes))
			default:
				id := f.board.Post(&transfer.Message{From: from, To: to, Bytes: bytes, Routes: []transfer.Route{{From: w.ownNIC(from), To: w.ownNIC(to)}}})
				s.messages[id] = number
				p.open++
				p.outside = true
			}
		}
	}
	p.open++ // the parts inside nodes
	if p.outside {
		s.moving++
	}
	f.board.At(f.Now()+inside, tagOf(tagPassed, number))
}

// arrived counts a part of an iteration's activations. When all are there they are gathered, and the next stage may begin.
func (s *stages) arrived(number int) {
	p := &s.passages[number]
	if p.open < 0 { // gathered
		p.open = 0
		p.stage++
		s.enter(number)
		return
	}
	if p.open--; p.open > 0 {
		return
	}
	if p.outside {
		s.moving--
		p.outside = false
	}
	p.open = -1
	s.floor.board.At(s.floor.Now()+s.study.gathering(s.line(&p.Iteration).pool, s.fabric, p.Tokens()), tagOf(tagPassed, number))
}

// activationBytes are sent between stages for one hidden number of a token.
const activationBytes = 2 * 2

// activations are the bytes that a number of tokens take between stages.
func (s *study) activations(tokens int) int64 {
	return int64(tokens) * int64(s.r.Serving.Model.Hidden) * activationBytes
}

// gathering is the time in which the GPUs of a layer gather the activations of a number of tokens.
func (s *study) gathering(p *scenario.Pool, fabric, tokens int) units.Time {
	return s.sums[s.sumOf(collective.AllGather, p, fabric)].at(s.activations(tokens))
}

// between is the time between two stages of a pool on a network that takes no time: what remains is the
// time inside a node.
func (s *study) between(p *scenario.Pool, fabric int) func(groups []serving.Work) units.Time {
	if p.Pipeline == 1 {
		return nil
	}
	whole := p.Tensor*p.Data < s.r.Cluster.Node.GPUs
	return func(groups []serving.Work) units.Time {
		tokens := (&serving.Iteration{Groups: groups}).Tokens()
		takes := s.gathering(p, fabric, tokens)
		if whole {
			takes += s.sums[insideANode].at(s.activations(tokens) / int64(p.Tensor))
		}
		return takes
	}
}
