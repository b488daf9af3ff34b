package workload

import "weft/internal/sim/engine"

// Progress is the progress of a rank in its list: it lists the operations that may begin. The graph
// must have passed Check.
type Progress struct {
	ops     []Op
	waits   []int32 // by operation: the number of unfinished dependencies
	heads   []int32 // by operation: the first of dependents, -1 if none
	next    []int32 // by edge: the next of the same operation
	to      []int32 // by edge: the waiting operation
	running int     // operations that are not over
	low     int     // operations before it are over
	high    int     // operations from it on wait for others
	units   [numUnits]unit
}

// unit is the state of a Unit: whether it is busy, and the operations that wait for it.
type unit struct {
	busy bool
	due  engine.Heap[turn, *turn]
}

// turn is an operation that waits for its unit.
type turn int32

// Before orders by the index in the list.
func (t *turn) Before(o *turn) bool { return *t < *o }

// NewProgress is the progress of a rank at the beginning.
func NewProgress(ops []Op) *Progress {
	p := &Progress{ops: ops, waits: make([]int32, len(ops)), heads: make([]int32, len(ops)), running: len(ops)}
	for i := range p.heads {
		p.heads[i] = -1
	}
	eachDependency(ops, func(before, after int32) {
		p.waits[after]++
		p.to = append(p.to, after)
		p.next = append(p.next, p.heads[before])
		p.heads[before] = int32(len(p.to) - 1)
	})
	return p
}

// eachDependency calls f with every pair of dependent operations, including the order of streams.
func eachDependency(ops []Op, f func(before, after int32)) {
	var last [Unordered]int32
	for i := range last {
		last[i] = -1
	}
	for i := range ops {
		o := &ops[i]
		if o.Stream != Unordered {
			if before := last[o.Stream]; before >= 0 {
				f(before, int32(i))
			}
			last[o.Stream] = int32(i)
		}
		for _, before := range o.After {
			f(before, int32(i))
		}
	}
}

// First are the operations that may begin at once, in the list's order.
func (p *Progress) First(begin func(op int32)) {
	for i, n := range p.waits {
		if n == 0 {
			p.enter(int32(i), begin)
		}
	}
}

// Over marks an operation as over and returns the operations that may begin now.
func (p *Progress) Over(op int32, begin func(op int32)) {
	p.running--
	for e := p.heads[op]; e >= 0; e = p.next[e] {
		to := p.to[e]
		if p.waits[to]--; p.waits[to] == 0 {
			p.enter(to, begin)
		}
	}
	if u := p.ops[op].Unit; u != NoUnit {
		p.leave(&p.units[u], begin)
	}
}

// enter begins an operation without open dependencies, or queues it for its unit.
func (p *Progress) enter(op int32, begin func(op int32)) {
	p.high = max(p.high, int(op)+1)
	if u := p.ops[op].Unit; u != NoUnit {
		if p.units[u].busy {
			p.units[u].due.Push(turn(op))
			return
		}
		p.units[u].busy = true
	}
	begin(op)
}

// leave passes a unit on to the next operation in its queue.
func (p *Progress) leave(u *unit, begin func(op int32)) {
	if u.busy = len(u.due) > 0; u.busy {
		begin(int32(u.due.Pop()))
	}
}

// Done reports whether all operations are over.
func (p *Progress) Done() bool { return p.running == 0 }

// waiting is the first operation that waits for another, or -1.
func (p *Progress) waiting() int32 {
	for i, n := range p.waits {
		if n > 0 {
			return int32(i)
		}
	}
	return -1
}
