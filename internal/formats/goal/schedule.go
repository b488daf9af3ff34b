package goal

import (
	"weft/internal/formats/source"
	"weft/internal/sim/workload"
)

// schedule is the result of both forms of a file.
type schedule struct {
	ops    [][]workload.Op
	places [][]int32 // of operations: line in a text, byte in a binary file
	rank   int       // rank of the open block; -1 outside
	// started maps operations of the open block to the operations that stand for their beginning;
	// beginnings has the same in order.
	started    map[int32]int32
	beginnings []beginning
	any        []wildcard
	// Features that the schedule uses, for describe.
	cpus, starting, sendBefore bool
}

// beginning is the operation that stands for the beginning of another operation.
type beginning struct{ start, op int32 }

// begin opens the block of a rank.
func (r *schedule) begin(rank int) {
	r.rank, r.started = rank, make(map[int32]int32)
}

// close ends the block. If others wait for the beginning of an operation, the beginning becomes an
// operation of its own, of length 0, which takes over the operation's dependencies.
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

// startOf is the operation that stands for the beginning of another; place is its position in the
// file.
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

// require makes an operation of the open block wait for another.
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

// finish makes the workload of the schedule.
func (r *schedule) finish(w *source.Workload) {
	r.wildcards()
	w.Ranks, w.Graph, w.Hosts = len(r.ops), &workload.Graph{Ranks: r.ops, Sender: workload.MPI}, true
	r.describe(w)
}
