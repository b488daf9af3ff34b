package workload

import (
	"fmt"

	"weft/internal/sim/engine"
	"weft/units"
)

// Replay executes a workload with given times instead of a network: took is the time of a rank of
// the graph in a phase. A collective moves data when all its members have entered it, a message
// when it is sent. Two phases that move at the same time do not slow each other here, although in
// reality they may share links.
//
// The graph must have passed Check. Replay fails only if a phase's time is missing (negative).
func Replay(g *Graph, took func(phase int32, rank int) units.Time) (*Timeline, error) {
	r := &replay{
		g: g, took: took, out: NewTimeline(g), beside: NewContention(g), meetings: make([][]meeting, len(g.Groups)), entered: make([]map[int32]int, len(g.Groups)),
	}
	var count int
	r.numbers, count = g.Messages()
	r.messages = make([]message, count)
	for i := range r.messages {
		r.messages[i] = message{recv: -1, there: -1}
	}
	for i := range r.entered {
		r.entered[i] = make(map[int32]int)
	}
	for _, ops := range g.Ranks {
		r.progress = append(r.progress, NewProgress(ops))
	}
	for rank := range g.Ranks {
		r.progress[rank].First(func(op int32) { r.begin(rank, op) })
	}
	for len(r.due) > 0 && r.err == nil {
		d := r.due.Pop()
		r.now = d.at
		r.over(d)
	}
	return r.out, r.err
}

// replay is the state of a replay.
type replay struct {
	g        *Graph
	took     func(phase int32, rank int) units.Time
	out      *Timeline
	progress []*Progress
	beside   []Contention // by rank
	due      engine.Heap[due, *due]
	now      units.Time
	meetings [][]meeting // by group: the collectives that not all members have entered; past ones precede them
	entered  []map[int32]int
	numbers  [][]int32
	messages []message
	err      error
}

// meeting is a collective with some of its members.
type meeting struct{ in []place }

// message is a message of the graph.
type message struct {
	recv  int32      // the operation at the receiver, once it has begun; else -1
	there units.Time // the time at which the data is at the receiver, once it is sent; else -1
}

// due is an operation with the time of its end.
type due struct {
	at units.Time
	place
	turn uint32 // of a computation's end
}

// Before orders by time, then by rank and operation.
func (d *due) Before(o *due) bool {
	return d.at < o.at || d.at == o.at && (d.rank < o.rank || d.rank == o.rank && d.op < o.op)
}

func (r *replay) after(t units.Time, rank int, op int32) {
	r.due.Push(due{r.now + t, place{int32(rank), op}, 0})
}

// time is the time of a rank in a phase.
func (r *replay) time(o *Op, rank int) units.Time {
	t := r.took(o.Phase, rank)
	if t < 0 && r.err == nil {
		r.err = fmt.Errorf("rank %d: the time of %s is unknown", rank, o.Name)
	}
	return t
}

func (r *replay) begin(rank int, op int32) {
	o := &r.g.Ranks[rank][op]
	r.out.Began(rank, op, r.now)
	if end, ok := r.beside[rank].Begin(o, op, r.now); ok {
		r.computes(rank, end)
	}
	switch o.Kind {
	case Send:
		m := &r.messages[r.numbers[rank][op]]
		t := r.time(o, rank)
		m.there = r.now + t
		r.after(t, rank, op)
		if m.recv >= 0 {
			r.after(t, int(o.Peer), m.recv)
		}
	case Recv:
		m := &r.messages[r.numbers[rank][op]]
		m.recv = op
		if m.there >= 0 {
			r.after(max(0, m.there-r.now), rank, op)
		}
	case Collective:
		r.enter(rank, op, o)
	}
}

// enter adds a rank to its next collective of a group, and starts the collective if the rank is the
// last member.
func (r *replay) enter(rank int, op int32, o *Op) {
	k := r.entered[o.Group][int32(rank)]
	r.entered[o.Group][int32(rank)]++
	if k == len(r.meetings[o.Group]) {
		r.meetings[o.Group] = append(r.meetings[o.Group], meeting{})
	}
	m := &r.meetings[o.Group][k]
	m.in = append(m.in, place{int32(rank), op})
	if len(m.in) < len(r.g.Groups[o.Group].Ranks) {
		return
	}
	for _, p := range m.in {
		r.after(r.time(o, int(p.rank)), int(p.rank), p.op)
	}
	m.in = nil
}

// computes takes down the new end of a rank's computation.
func (r *replay) computes(rank int, end End) {
	r.due.Push(due{end.At, place{int32(rank), end.Op}, end.Turn})
}

func (r *replay) over(d due) {
	o := &r.g.Ranks[d.rank][d.op]
	if o.Kind == Compute && !r.beside[d.rank].Holds(d.turn) {
		return
	}
	if end, ok := r.beside[d.rank].Over(o, r.now); ok {
		r.computes(int(d.rank), end)
	}
	r.out.Over(int(d.rank), d.op, r.now)
	r.progress[d.rank].Over(d.op, func(next int32) { r.begin(int(d.rank), next) })
}
