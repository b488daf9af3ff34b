package serve

import (
	"context"
	"sort"

	"weft/internal/sim"
	"weft/internal/sim/collective"
	"weft/internal/sim/run/network"
	"weft/internal/sim/workload"
	"weft/internal/sim/workload/llm"
	"weft/internal/sim/workload/serving"
	"weft/scenario"
	"weft/units"
)

// table has times by bytes. Between two sizes it interpolates.
type table struct {
	bytes []int64
	times []units.Time
}

// at is the time of a size. Beyond the largest size the time grows in proportion.
func (t *table) at(bytes int64) units.Time {
	n := len(t.bytes)
	if n == 0 {
		return 0
	}
	i := sort.Search(n, func(i int) bool { return t.bytes[i] >= bytes })
	switch i {
	case 0:
		return t.times[0]
	case n:
		return units.Time(float64(t.times[n-1]) * float64(bytes) / float64(t.bytes[n-1]))
	}
	share := float64(bytes-t.bytes[i-1]) / float64(t.bytes[i]-t.bytes[i-1])
	return t.times[i-1] + units.Time(share*float64(t.times[i]-t.times[i-1]))
}

// along is like at, but beyond the largest size it follows the line through the last two.
func (t *table) along(bytes int64) units.Time {
	n := len(t.bytes)
	if n < 2 || bytes <= t.bytes[n-1] {
		return t.at(bytes)
	}
	share := float64(bytes-t.bytes[n-1]) / float64(t.bytes[n-1]-t.bytes[n-2])
	return t.times[n-1] + units.Time(share*float64(t.times[n-1]-t.times[n-2]))
}

// sumSizes are the simulated sizes of the sums of tensor parallelism: from a token to the largest
// iterations.
var sumSizes = []int64{8 << 10, 64 << 10, 512 << 10, 4 << 20, 32 << 20, 256 << 20}

// sum identifies a collective of tensor parallelism: the operation, the number of GPUs that share a
// layer, and the fabric between their nodes (0 inside one node).
type sum struct {
	do             collective.Op
	tensor, fabric int
}

// sumOf is the collective of a pool on a fabric. The last fabric is no network: there a collective over
// several nodes takes as long as one of the GPUs of one node.
func (s *study) sumOf(do collective.Op, p *scenario.Pool, fabric int) sum {
	switch per := s.r.Cluster.Node.GPUs; {
	case p.Tensor <= per:
		return sum{do, p.Tensor, 0}
	case fabric == len(s.plans):
		return sum{do, per, 0}
	}
	return sum{do, p.Tensor, fabric}
}

// pools are the pools of the job.
func (s *study) pools() []*scenario.Pool {
	if v := &s.r.Serving; !v.Collocated {
		return []*scenario.Pool{&v.Prefill, &v.Decode}
	}
	return []*scenario.Pool{&s.r.Serving.Prefill}
}

// sum simulates each collective of the pools on every fabric once: the sums of layers, and for several
// stages the all-gather of the activations that one stage passes to the next.
func (s *study) sum(ctx context.Context) error {
	for _, p := range s.pools() {
		for fabric := range len(s.plans) + 1 {
			wanted := []sum{s.sumOf(collective.AllReduce, p, fabric)}
			if p.Pipeline > 1 {
				wanted = append(wanted, s.sumOf(collective.AllGather, p, fabric), insideANode)
			}
			for _, of := range wanted {
				if s.sums[of] != nil {
					continue
				}
				t, err := sumsOf(ctx, s.plans[of.fabric], s.r, of)
				if err != nil {
					return err
				}
				s.sums[of] = t
			}
		}
	}
	return nil
}

// insideANode is a message from one GPU of a node to another.
var insideANode = sum{do: collective.Send, tensor: 2}

// sumsOf simulates collectives of tensor parallelism inside a node, or over the first nodes, packet by packet. Each is
// alone on the network.
func sumsOf(ctx context.Context, plan *network.Plan, r *scenario.Resolved, of sum) (*table, error) {
	out := &table{}
	if of.tensor == 1 {
		return out, nil
	}
	for _, bytes := range sumSizes {
		g := &workload.Graph{Ranks: make([][]workload.Op, of.tensor), Groups: []workload.Group{{Name: "tensor"}}}
		for rank := range of.tensor {
			g.Groups[0].Ranks = append(g.Groups[0].Ranks, int32(rank))
			g.Ranks[rank] = []workload.Op{{Name: "sum", Kind: workload.Collective, Purpose: workload.Tensor, Bytes: units.Bytes(bytes), Do: of.do}}
		}
		x, err := sim.Execute(ctx, plan, r, g, sim.ExactOn, nil)
		if err != nil {
			return nil, err
		}
		out.bytes, out.times = append(out.bytes, bytes), append(out.times, x.Timeline.End)
	}
	return out, nil
}

// pace is the times of a pool's iterations.
type pace struct {
	job     *llm.Job
	cache   int64 // bytes of a token on a GPU in a layer
	sums    *table
	experts *experts // nil without experts over several nodes
	overlap bool     // of exchanges and computations
	host    units.Time
	launch  units.Time // hosts' time for the kernels of all layers, where no CUDA graph has them
	graph   int        // tokens of the largest CUDA graph of iterations with prompts
}

// computing is the time of an iteration's computations, that of the slowest group. Sums of tensor
// parallelism do not overlap with other computations. GPUs wait for hosts that launch kernels more slowly than these run.
func (p *pace) computing(k *serving.Iteration) units.Time {
	most := units.Time(0)
	for _, pass := range p.passes(k) {
		most = max(most, p.job.PassTime(&pass))
	}
	if p.job.Parallel.Tensor > 1 {
		most += units.Time(2*p.job.Model.Layers) * p.sum(k.Tokens())
	}
	if k.Tokens() > p.graph && !k.Answers() {
		most = max(most, p.launch-p.experts.time(k.Tokens()))
	}
	return most
}

// iteration is the time of an iteration, given the work of each group. With overlap its tokens are divided
// in two halves: one half is exchanged with experts while the other is computed.
func (p *pace) iteration(groups []serving.Work) units.Time {
	k := &serving.Iteration{Groups: groups}
	if !p.divided(k) {
		return p.host + p.computing(k) + p.experts.time(k.Tokens())
	}
	layer, half := units.Time(0), (k.Tokens()+1)/2
	for _, x := range p.phases(k) {
		layer += x.takes(p.experts.layer(x.what, half))
	}
	return p.host + units.Time(p.experts.layers)*layer
}
