package executor

import (
	"weft/internal/sim/fabric"
	"weft/internal/sim/state"
	"weft/internal/sim/workload"
	"weft/units"
)

// opsOf is the group of the operations of a rank, by their number in its list.
func opsOf(rank int) state.Group { return groupRanks | state.Group(rank) }

// turnsOf is the group of the ends of a rank's computations that were foreseen.
func turnsOf(rank int) state.Group { return groupRanks | 1<<32 | state.Group(rank) }

// WalkState visits the state of the run.
func (r *graphRun) WalkState(w *state.Walk) {
	w.Part("ranks that are done")
	w.Word(uint64(r.undone))
	for rank := range r.progress {
		if w.Differs() {
			return
		}
		r.walkRank(w, rank)
	}
	for _, c := range r.groups {
		r.walkDoing(w, c)
		c.walk(w)
	}
	for _, c := range r.sending {
		c.walk(w)
	}
	w.Word(uint64(len(r.sending)))
	w.Word(uint64(len(r.planner.order)))
	w.Part("passed")
	for i := range r.planner.passed {
		w.Until(&r.planner.passed[i])
	}
	r.walkMessages(w)
	r.walkOperations(w)
	r.walkHosts(w, func(rank int, tag *uint64) { r.walkOver(w, rank, tag) })
	r.walkConnections(w)
}

// walkRank visits the progress of a rank in its list.
func (r *graphRun) walkRank(w *state.Walk, rank int) {
	w.Part("progress")
	p, spans := r.progress[rank], r.timeline.Spans[rank]
	low, high := p.Window(spans)
	p.Walk(w, opsOf(rank), spans)
	w.Part("computing")
	r.beside[rank].Walk(w, opsOf(rank), turnsOf(rank))
	times, by, moving := w.Moves()
	n := int(w.MovedBy(opsOf(rank)))
	if !moving || n == 0 {
		return
	}
	to := high + int(times)*n
	r.timeline.Repeat(rank, workload.Repeated{From: low, To: to, By: n, Period: by / units.Time(times), Until: w.Now + by}, func(op int32) {
		if k := r.graph.Ranks[rank][op].Kind; k == workload.Recv {
			r.messages[r.numbers[rank][op]].recv = op
		} else if k == workload.Send {
			r.messages[r.numbers[rank][op]].send = op
		}
	}, func(op int32) {
		p.EndSkipped(op)
		if r.graph.Ranks[rank][op].Kind == workload.Send {
			r.messages[r.numbers[rank][op]].there = true
		}
	})
	p.SetWindowEnd(to)
}

// walkOver visits the tag of a timer at the end of an operation.
func (r *graphRun) walkOver(w *state.Walk, rank int, tag *uint64) {
	op, turn := *tag&(1<<32-1), *tag>>32
	computes := r.graph.Ranks[rank][op].Kind == workload.Compute
	w.Moved(opsOf(rank), &op)
	if computes && r.graph.Multiprocessors > 0 {
		w.Moved(turnsOf(rank), &turn)
	} else {
		w.Word(turn)
	}
	*tag = turn<<32 | op
}

// walkMessages visits which message each operation carries.
func (r *graphRun) walkMessages(w *state.Walk) {
	w.Part("messages")
	for _, o := range r.register.all[:r.used] {
		if o.free || o.message == workload.NoMessage {
			w.Word(0)
			continue
		}
		w.Word(1)
		sender := int(o.comm.Members[0])
		op := uint64(r.messages[o.message].from)
		w.Moved(opsOf(sender), &op)
		o.message = r.numbers[sender][op]
	}
}

// walkDoing visits the operations of the members of a group.
func (r *graphRun) walkDoing(w *state.Walk, c *Communicator) {
	for member, ops := range c.doing {
		w.Word(uint64(len(ops)))
		for i := range ops {
			op := uint64(ops[i])
			w.Moved(opsOf(int(c.Members[member])), &op)
			ops[i] = int32(op)
		}
	}
}

var _ fabric.Periodic = (*graphRun)(nil)
