package llm

import (
	"fmt"

	"weft/internal/sim/collective"
	"weft/internal/sim/workload"
	"weft/internal/sim/workload/pipeline"
	"weft/units"
)

// The streams of a rank. The collectives of each family have their own stream, so they run during
// computation unless an operation waits for them.
const (
	streamCompute = iota
	streamSendForward
	streamSendBackward
	streamRecvForward
	streamRecvBackward
	streamTensor
	streamContext
	streamExpert
	streamData
	streamExpertData
	streamGather
	streamExpertGather
)

var familyStreams = [numFamilies]uint8{
	tensorGroups: streamTensor, contextGroups: streamContext, dataGroups: streamData,
	expertGroups: streamExpert, expertDataGroups: streamExpertData,
	gatherGroups: streamGather, expertGatherGroups: streamExpertGather,
}

// rankBuilder builds the list of operations of a rank.
type rankBuilder struct {
	*builder
	at      coord
	rank    int32
	ops     []workload.Op
	apart   bool               // the feed-forward part has no collectives of tensor parallelism
	stops   bool               // recomputation ends before the feed-forward part's last product
	label   string             // name of the current piece of work
	after   []int32            // dependencies of the next operation, in addition to its stream
	needed  map[[2]int][]int32 // by chunk and layer: the gathering of its parameters, until it is waited for
	turned  map[piece][]int32  // the ends of work that goes on at this stage
	reduced []int32            // the reductions of gradients
	// The last computation, and the last one before each use of a layer (ZeRO 3).
	computed int32
	begins   []int32
}

// piece is the work of a micro-batch in one direction of a chunk.
type piece struct {
	micro, chunk int
	back         bool
}

// none is the index for no operation.
const none = int32(-1)

// op adds an operation with the recorded dependencies, and returns its index.
func (r *rankBuilder) op(o workload.Op) int32 {
	o.After = r.after
	r.after = nil
	r.ops = append(r.ops, o)
	return int32(len(r.ops) - 1)
}

// wait records dependencies of the next operation.
func (r *rankBuilder) wait(ops ...int32) {
	for _, o := range ops {
		if o != none {
			r.after = append(r.after, o)
		}
	}
}

// compute adds a computation, which takes the given time if the framework adds nothing.
func (r *rankBuilder) compute(name string, t units.Time) int32 {
	r.computed = r.op(workload.Op{Name: r.label + name, Kind: workload.Compute, Time: duration(t.Seconds() / r.Framework), Stream: streamCompute})
	return r.computed
}

// collective adds a collective of a family, with the bytes at each stage; none if the group has one
// member.
func (r *rankBuilder) collective(fam family, purpose workload.Purpose, do collective.Op, bytes []units.Bytes) int32 {
	return r.together(fam, purpose, communication{do: do}, bytes)
}

// exchange adds the way of tokens to their experts, or back, with the bytes of a GPU's tokens for all of their experts.
func (r *rankBuilder) exchange(x workload.Exchange, bytes int64) int32 {
	what := communication{do: collective.AllToAll}
	if r.Kernels {
		what.exchange = x
	}
	return r.together(expertGroups, workload.Expert, what, r.uniform(bytes))
}

// together adds a communication of a family.
func (r *rankBuilder) together(fam family, purpose workload.Purpose, what communication, bytes []units.Bytes) int32 {
	if r.groupSize(fam) == 1 || bytes[r.at.stage] == 0 {
		return none
	}
	phase := r.phase(fam, purpose, what, bytes)
	return r.op(workload.Op{
		Name: r.label + familyNames[fam] + " " + what.String(), Kind: workload.Collective, Purpose: purpose, Stream: familyStreams[fam], Blocks: familyBlocks[fam],
		Group: r.first[fam] + r.of[fam][r.rank], Do: what.do, Bytes: bytes[r.at.stage], Phase: phase,
	})
}

// groupSize is the number of members of a family's groups in the whole cluster.
func (r *rankBuilder) groupSize(fam family) int { return len(r.groups[fam][0]) }

// build adds the operations of the step.
func (r *rankBuilder) build() {
	p := &r.Parallel
	r.needed, r.turned = make(map[[2]int][]int32), make(map[piece][]int32)
	order := r.order.Of(r.at.stage)
	if p.ZeRO == 1 || p.ZeRO == 2 {
		r.gather(order[0].Chunk)
	}
	full := make(map[int]int) // by chunk: the last work, which completes its gradients
	for i, w := range order {
		full[w.Chunk] = i
	}
	pair := 0 // the beginning of the first work of a pair
	for i, w := range order {
		begin := len(r.ops)
		r.piece(w, i == full[w.Chunk])
		switch {
		case w.Paired:
			pair = begin
		case i > 0 && order[i-1].Paired:
			r.zip(pair, begin)
		}
	}
	r.label = ""
	if !r.Overlap.Gradients && p.ZeRO < 2 {
		last := int32(len(r.ops) - 1)
		for i := range r.buckets[r.at.stage] {
			r.wait(last)
			r.reduce(i)
		}
	}
	r.wait(r.reduced...)
	r.compute("optimizer", r.optimizer(r.at.stage))
}

// passLetters begin the names of a pass's operations.
var passLetters = [...]string{pipeline.Forward: "F", pipeline.Backward: "B", pipeline.Inputs: "B", pipeline.Weights: "W"}

// piece adds a piece of work; full reports whether it completes the gradients of its chunk.
func (r *rankBuilder) piece(w pipeline.Work, full bool) {
	r.label = fmt.Sprintf("%s%d ", passLetters[w.Pass], w.Micro)
	if r.Parallel.Chunks > 1 {
		r.label = fmt.Sprintf("%s%d.%d ", passLetters[w.Pass], w.Micro, w.Chunk)
	}
	sends := full && r.Overlap.Gradients || r.Parallel.ZeRO >= 2
	switch w.Pass {
	case pipeline.Forward:
		r.forward(w)
	case pipeline.Weights:
		r.weights(w, sends)
	default:
		r.backward(w, sends)
	}
}

// gather adds the gathering of the optimizer's parameters, in the order in which the forward pass
// needs them. begins is the chunk of the first work.
func (r *rankBuilder) gather(begins int) {
	buckets := r.buckets[r.at.stage]
	last := []int32{none, none}
	for i := len(buckets) - 1; i >= 0; i-- {
		b := &buckets[i]
		last[0] = max(last[0], r.collective(dataGroups, workload.Data, collective.AllGather, r.sizes(i, false, r.Memory.Weight)))
		last[1] = max(last[1], r.collective(expertDataGroups, workload.Data, collective.AllGather, r.sizes(i, true, r.Memory.Weight)))
		r.needed[[2]int{b.chunk, b.first}] = []int32{last[0], last[1]}
	}
	if !r.Overlap.Parameters { // all before the first work
		clear(r.needed)
		from, _ := r.Layers(r.at.stage, begins)
		r.needed[[2]int{begins, from}] = last
	}
}

// reduce adds the reduction of a bucket's gradients; its dependencies are already recorded.
func (r *rankBuilder) reduce(i int) {
	do := collective.ReduceScatter
	if r.Parallel.ZeRO == 0 {
		do = collective.AllReduce
	}
	waits := r.after
	if o := r.collective(dataGroups, workload.Data, do, r.sizes(i, false, r.Memory.Gradient)); o != none {
		r.reduced = append(r.reduced, o)
	}
	r.after = waits
	if o := r.collective(expertDataGroups, workload.Data, do, r.sizes(i, true, r.Memory.Gradient)); o != none {
		r.reduced = append(r.reduced, o)
	}
	r.after = nil
}

// passBytes is the size of the message from a GPU to another stage.
func (r *rankBuilder) passBytes() units.Bytes {
	bytes := r.tokens() * int64(r.Model.Hidden) * r.Memory.Activation
	if r.Parallel.Sequence {
		bytes /= int64(r.Parallel.Tensor)
	}
	return units.Bytes(bytes)
}

// message is the tag, which tells the messages between two stages apart, and the phase of a message
// with a piece of work's result; chunk is the sender's.
func (r *rankBuilder) message(w pipeline.Work, chunk int) (tag, phase int32) {
	tag = int32(2 * (w.Micro*r.Parallel.Chunks + chunk))
	if w.Back() {
		tag++
	}
	return tag, r.passing(w.Back() != r.order.Up(chunk), r.passBytes())
}

// stage is the rank with this one's coordinates in another stage.
func (r *rankBuilder) stage(stage int) int32 {
	x := r.at
	x.stage = stage
	return r.here.rank(x)
}

// neighbour is the stage and chunk that a piece of work's result goes to, or that what it needs
// comes from; ok reports whether there is one.
func (r *rankBuilder) neighbour(w pipeline.Work, before bool) (stage, chunk int, ok bool) {
	if before != w.Back() {
		return r.order.Before(r.at.stage, w.Chunk)
	}
	return r.order.Next(r.at.stage, w.Chunk)
}

// take adds the Recv for a piece of work, on which the next operation depends.
func (r *rankBuilder) take(w pipeline.Work) {
	stage, chunk, ok := r.neighbour(w, true)
	if !ok {
		return
	}
	if stage == r.at.stage {
		from := piece{w.Micro, chunk, w.Back()}
		r.wait(r.turned[from]...)
		delete(r.turned, from)
		return
	}
	stream := uint8(streamRecvForward)
	if w.Back() {
		stream = streamRecvBackward
	}
	tag, phase := r.message(w, chunk)
	r.wait(r.op(workload.Op{
		Name: r.label + "receive", Kind: workload.Recv, Purpose: workload.Pipeline, Stream: stream, Peer: r.stage(stage), Tag: tag,
		Bytes: r.passBytes(), Phase: phase,
	}))
}

// give adds the Send after a piece of work, whose ends the next operation depends on.
func (r *rankBuilder) give(w pipeline.Work) {
	stage, _, ok := r.neighbour(w, false)
	if !ok {
		r.after = nil
		return
	}
	if stage == r.at.stage {
		r.turned[piece{w.Micro, w.Chunk, w.Back()}], r.after = r.after, nil
		return
	}
	stream := uint8(streamSendForward)
	if w.Back() {
		stream = streamSendBackward
	}
	tag, phase := r.message(w, w.Chunk)
	r.op(workload.Op{
		Name: r.label + "send", Kind: workload.Send, Purpose: workload.Pipeline, Stream: stream, Blocks: passingBlocks, Peer: r.stage(stage), Tag: tag,
		Bytes: r.passBytes(), Phase: phase,
	})
}

var streamNames = [...]string{
	"compute", "send forward", "send backward", "receive forward", "receive backward", "tensor", "context", "expert", "data", "expert data", "data parameters", "expert parameters",
}

// StreamName is the name of a stream of a step's ranks.
func StreamName(stream uint8) string { return streamNames[stream] }
