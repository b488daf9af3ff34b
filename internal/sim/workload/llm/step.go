package llm

import (
	"encoding/binary"
	"fmt"

	"weft/internal/sim/collective"
	"weft/internal/sim/workload"
	"weft/internal/sim/workload/pipeline"
	"weft/units"
)

// Fold selects the GPUs that a step is written out for.
type Fold uint8

// The folds.
const (
	// FoldNone writes out every GPU.
	FoldNone Fold = iota
	// FoldReplicas writes out one GPU of each stage of each replica: the GPUs that divide a stage's
	// layers do the same at the same times.
	FoldReplicas
	// FoldAll writes out one GPU of each stage: the replicas do the same too.
	FoldAll
)

// Step is a training step as a workload.
//
// It is a step from a sequence of equal steps: it begins with the gathering of the parameters from
// the optimizer of the step before, and ends with the optimizer's step.
type Step struct {
	Graph  *workload.Graph
	Phases []workload.Phase // in the numbers of the whole cluster
	// Keys tell the phases apart, in steps of jobs with the same division of the work too: equal keys are the same
	// communication of the same groups.
	Keys []string
	// Stands are the ranks of the cluster that each rank of Graph stands for.
	Stands [][]int32
}

// builder makes a step.
type builder struct {
	*Job
	order       *pipeline.Schedule
	whole, here grid
	groups      [numFamilies][][]int32 // of the whole grid
	first       [numFamilies]int32     // the number of a family's first group in the graph
	of          [numFamilies][]int32   // by family and rank of this grid: its group within the family
	phases      map[string]int32
	same        map[string]int32 // by family, communication and exact sizes
	asked       []byte           // the key of the last in same
	buckets     [][]bucket       // by stage
	out         *Step
}

// Step is the job's training step, folded. The job must have passed Check.
func (j *Job) Step(f Fold) *Step {
	b := &builder{Job: j, order: j.schedule(), whole: j.Parallel.grid(), phases: make(map[string]int32), same: make(map[string]int32)}
	b.here = b.whole
	if f >= FoldReplicas {
		b.here.tensor, b.here.context = 1, 1
	}
	if f >= FoldAll {
		b.here.data = 1
	}
	b.out = &Step{Graph: &workload.Graph{Ranks: make([][]workload.Op, b.here.size()), Multiprocessors: j.GPU.Multiprocessors}, Stands: make([][]int32, b.here.size())}
	for fam := range numFamilies {
		b.groups[fam], _ = b.whole.groups(fam, j.Parallel.Expert)
		groups, of := b.here.groups(fam, b.here.experts(b.whole, j.Parallel.Expert))
		b.first[fam], b.of[fam] = int32(len(b.out.Graph.Groups)), of
		for _, members := range groups {
			b.out.Graph.Groups = append(b.out.Graph.Groups, workload.Group{Name: familyNames[fam], Ranks: members})
		}
	}
	for rank := range b.whole.size() {
		x := b.whole.at(rank)
		x.tensor, x.context, x.data = min(x.tensor, b.here.tensor-1), min(x.context, b.here.context-1), min(x.data, b.here.data-1)
		at := b.here.rank(x)
		b.out.Stands[at] = append(b.out.Stands[at], int32(rank))
	}
	for stage := range j.Parallel.Pipeline {
		b.buckets = append(b.buckets, j.bucketsOf(stage))
	}
	for rank := range b.out.Graph.Ranks {
		r := rankBuilder{builder: b, at: b.here.at(rank), rank: int32(rank), computed: none}
		r.build()
		b.out.Graph.Ranks[rank] = r.ops
	}
	return b.out
}

// communication is what a family's groups do: a collective, or a library's kernels in its place.
type communication struct {
	do       collective.Op
	exchange workload.Exchange
}

func (c communication) String() string {
	if c.exchange != workload.NoExchange {
		return c.exchange.String()
	}
	return c.do.String()
}

// phase is the number of a communication of a family's groups, with the bytes by stage; 0 is none.
func (b *builder) phase(fam family, purpose workload.Purpose, what communication, bytes []units.Bytes) int32 {
	b.asked = append(b.asked[:0], byte(fam), byte(what.do), byte(what.exchange))
	for _, size := range bytes {
		b.asked = binary.LittleEndian.AppendUint64(b.asked, uint64(size))
	}
	if n, known := b.same[string(b.asked)]; known { // most are asked for again and again
		return n
	}
	n := b.distinct(fam, purpose, what, bytes)
	b.same[string(b.asked)] = n
	return n
}

// distinct is the number of a communication's phase: of sizes that read alike there is one.
func (b *builder) distinct(fam family, purpose workload.Purpose, what communication, bytes []units.Bytes) int32 {
	key := fmt.Sprint(fam, what, bytes)
	if n, known := b.phases[key]; known {
		return n
	}
	p := workload.Phase{Name: familyNames[fam] + " " + what.String(), Purpose: purpose, Kind: workload.Collective, Do: what.do, Exchange: what.exchange}
	for _, members := range b.groups[fam] {
		if size := bytes[b.whole.at(int(members[0])).stage]; size > 0 && len(members) > 1 {
			p.Groups, p.Bytes = append(p.Groups, members), append(p.Bytes, size)
		}
	}
	return b.add(key, &p)
}

func (b *builder) add(key string, p *workload.Phase) int32 {
	n := int32(len(b.out.Phases))
	b.phases[key] = n
	b.out.Phases, b.out.Keys = append(b.out.Phases, *p), append(b.out.Keys, key)
	return n
}

// passing is the number of the phase of the messages to the next stage, or to the stage before:
// activations and gradients, or both if the model goes down the stages and up.
func (b *builder) passing(up bool, bytes units.Bytes) int32 {
	key := fmt.Sprint("pass", up)
	if n, known := b.phases[key]; known {
		return n
	}
	name := "pipeline activations"
	switch {
	case b.order.Up(1) && up:
		name = "pipeline to the stage before"
	case b.order.Up(1):
		name = "pipeline to the next stage"
	case up:
		name = "pipeline gradients"
	}
	p := workload.Phase{Name: name, Purpose: workload.Pipeline, Kind: workload.Send}
	for rank := range b.whole.size() {
		x := b.whole.at(rank)
		if x.stage == b.Parallel.Pipeline-1 && !b.order.Wraps() {
			continue
		}
		next := x
		next.stage = (x.stage + 1) % b.Parallel.Pipeline
		pair := []int32{int32(rank), b.whole.rank(next)}
		if up {
			pair[0], pair[1] = pair[1], pair[0]
		}
		p.Groups, p.Bytes = append(p.Groups, pair), append(p.Bytes, bytes)
	}
	return b.add(key, &p)
}

// uniform is a list with the same bytes at every stage.
func (b *builder) uniform(bytes int64) []units.Bytes {
	list := make([]units.Bytes, b.Parallel.Pipeline)
	for i := range list {
		list[i] = units.Bytes(bytes)
	}
	return list
}
