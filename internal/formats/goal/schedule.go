package goal

import (
	"weft/internal/formats/source"
	"weft/internal/sim/workload"
)

// schedule is what both forms of a file become.
type schedule struct {
	ops    [][]workload.Op
	places [][]int32 // of operations: lines of a text, bytes of a binary file
	rank   int       // whose block is open; -1 outside
	// started has the operations of the open block that stand for the beginning of
	// others, by those others; beginnings has them in their order.
	started    map[int32]int32
	beginnings []beginning
	any        []wildcard
	// What the schedule uses, for what is said of it.
	cpus, starting, sendBefore bool
}

// beginning is the operation that stands for the beginning of another.
type beginning struct{ start, op int32 }

// begin opens the block of a rank.
func (r *schedule) begin(rank int) {
	r.rank, r.started = rank, make(map[int32]int32)
}

// close ends the block. The beginning of an operation that others begin with becomes
// an operation of its own, of no length, that takes over what the operation waits for.
func (r *schedule) close() {
	if r.rank < 0 {
		return
	}
	ops := r.ops[r.rank]
	for _, b := range r.beginnings {
		ops[b.start].After, ops[b.op].After = ops[b.op].After, []int32{b.start}
	}
	r.beginnings, r.started, r.rank = r.beginnings[:0], nil, -1
}

// startOf is the operation that stands for the beginning of another, made at a place.
func (r *schedule) startOf(op, place int32) int32 {
	if start, known := r.started[op]; known {
		return start
	}
	start := int32(len(r.ops[r.rank]))
	r.add(workload.Op{Name: "begin " + r.ops[r.rank][op].Name}, place)
	r.started[op] = start
	r.beginnings = append(r.beginnings, beginning{start, op})
	return start
}

// require has an operation of the open block wait for another.
func (r *schedule) require(op, before int32) {
	r.sendBefore = r.sendBefore || r.ops[r.rank][before].Kind == workload.Send
	r.ops[r.rank][op].After = append(r.ops[r.rank][op].After, before)
}

// add appends an operation to the open block.
func (r *schedule) add(o workload.Op, place int32) {
	o.Stream = workload.Unordered
	r.ops[r.rank] = append(r.ops[r.rank], o)
	r.places[r.rank] = append(r.places[r.rank], place)
}

// finish makes the workload of what was read.
func (r *schedule) finish(w *source.Workload) {
	r.wildcards()
	w.Ranks, w.Graph, w.Hosts = len(r.ops), &workload.Graph{Ranks: r.ops, Sender: workload.MPI}, true
	r.describe(w)
}
