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
	label   string             // name of the current piece of work
	after   []int32            // dependencies of the next operation, in addition to its stream
	needed  map[[2]int][]int32 // by chunk and layer: the gathering of its parameters
	reduced []int32            // the reductions of gradients
	starts  []int32            // the first operations of layers (ZeRO 3)
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
	return r.op(workload.Op{Name: r.label + name, Kind: workload.Compute, Time: duration(t.Seconds() / r.Framework), Stream: streamCompute})
}

// collective adds a collective of a family, with the bytes at each stage; none if the group has one
// member.
func (r *rankBuilder) collective(fam family, purpose workload.Purpose, do collective.Op, bytes []units.Bytes) int32 {
	if r.groupSize(fam) == 1 || bytes[r.at.stage] == 0 {
		return none
	}
	phase := r.phase(fam, purpose, do, bytes)
	return r.op(workload.Op{
		Name: r.label + familyNames[fam] + " " + do.String(), Kind: workload.Collective, Purpose: purpose, Stream: familyStreams[fam],
		Group: r.first[fam] + r.of[fam][r.rank], Do: do, Bytes: bytes[r.at.stage], Phase: phase,
	})
}

// groupSize is the number of members of a family's groups in the whole cluster.
func (r *rankBuilder) groupSize(fam family) int { return len(r.groups[fam][0]) }

// build adds the operations of the step.
func (r *rankBuilder) build() {
	p := &r.Parallel
	r.needed = make(map[[2]int][]int32)
	if p.ZeRO == 1 || p.ZeRO == 2 {
		r.gather()
	}
	for _, w := range pipeline.Schedule(r.at.stage, p.Pipeline, p.Chunks, r.Micros()) {
		r.label = fmt.Sprintf("F%d ", w.Micro)
		if w.Backward {
			r.label = fmt.Sprintf("B%d ", w.Micro)
		}
		if p.Chunks > 1 {
			r.label = fmt.Sprintf("%s%d.%d ", r.label[:1], w.Micro, w.Chunk)
		}
		if w.Backward {
			r.backward(w)
		} else {
			r.forward(w)
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

// gather adds the gathering of the optimizer's parameters, in the order in which the forward pass
// needs them.
func (r *rankBuilder) gather() {
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
		from, _ := r.Layers(r.at.stage, 0)
		r.needed[[2]int{0, from}] = last
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

// tag tells the messages between two stages apart.
func (r *rankBuilder) tag(w pipeline.Work) int32 {
	t := int32(2 * (w.Micro*r.Parallel.Chunks + w.Chunk))
	if w.Backward {
		t++
	}
	return t
}

// neighbour is the rank at the given distance in stages.
func (r *rankBuilder) neighbour(by int) int32 {
	x := r.at
	x.stage = (x.stage + by + r.Parallel.Pipeline) % r.Parallel.Pipeline
	return r.here.rank(x)
}

// take adds the Recv for a piece of work, on which the next operation depends. of is the work of
// the other stage.
func (r *rankBuilder) take(w, of pipeline.Work) {
	stream, by := uint8(streamRecvForward), -1
	if w.Backward {
		stream, by = streamRecvBackward, 1
	}
	r.wait(r.op(workload.Op{
		Name: r.label + "receive", Kind: workload.Recv, Purpose: workload.Pipeline, Stream: stream, Peer: r.neighbour(by), Tag: r.tag(of),
		Bytes: r.passBytes(), Phase: r.passing(w.Backward, r.passBytes()),
	}))
}

// give adds the Send after a piece of work.
func (r *rankBuilder) give(w pipeline.Work) {
	stream, by := uint8(streamSendForward), 1
	if w.Backward {
		stream, by = streamSendBackward, -1
	}
	r.op(workload.Op{
		Name: r.label + "send", Kind: workload.Send, Purpose: workload.Pipeline, Stream: stream, Peer: r.neighbour(by), Tag: r.tag(w),
		Bytes: r.passBytes(), Phase: r.passing(w.Backward, r.passBytes()),
	})
}

var streamNames = [...]string{
	"compute", "send forward", "send backward", "receive forward", "receive backward", "tensor", "context", "expert", "data", "expert data", "data parameters", "expert parameters",
}

// StreamName is the name of a stream of a step's ranks.
func StreamName(stream uint8) string { return streamNames[stream] }
