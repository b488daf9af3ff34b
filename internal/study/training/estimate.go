package training

import (
	"fmt"
	"math"

	"weft/internal/sim/collective"
	"weft/internal/sim/workload"
	"weft/internal/sim/workload/llm"
	"weft/scenario"
	"weft/units"
)

// rates are the network of an estimate: bytes per second of a GPU inside its node, and to others. Paths in the network have
// no bound and nothing collides; what is estimated to be among the best is simulated.
type rates struct {
	inside, across float64
	perNode        int
}

// The shares of the links' rates that an estimate takes: of NVLink what NCCL's ring reaches (docs/MODELS.md), of a NIC what
// headers leave. start is the time of a collective without bytes, and step of a ring's step between nodes.
const (
	insideShare = 0.65
	acrossShare = 0.95
	startTime   = 15e-6
	stepTime    = 3e-6
	noScaleUp   = 20e9 // bytes per second: PCIe
)

func ratesOf(r *scenario.Resolved) *rates {
	n := &r.Cluster.Node
	inside := float64(n.ScaleUp.Rate()) / 8 * insideShare
	if inside == 0 {
		inside = noScaleUp
	}
	return &rates{
		inside: inside, perNode: max(1, n.GPUs),
		across: float64(r.Fabrics[0].Link.Rate()) / 8 * acrossShare * float64(n.NICs) / float64(max(1, n.GPUs)),
	}
}

// took is the time of a phase in seconds, that of its slowest group.
func (x *rates) took(p *workload.Phase, topK int) float64 {
	longest := 0.0
	for i := range p.Groups {
		longest = max(longest, x.ofGroup(p, i, topK))
	}
	return longest
}

// ofGroup is the time of a group of a phase in seconds.
func (x *rates) ofGroup(p *workload.Phase, group, topK int) float64 {
	members, bytes := p.Groups[group], float64(p.Bytes[group])
	n, near := float64(len(members)), 0.0 // near: in the node of the first
	for _, m := range members {
		if int(m)/x.perNode == int(members[0])/x.perNode {
			near++
		}
	}
	far := n - near
	if p.Kind == workload.Send {
		if far == 0 {
			return startTime + bytes/x.inside
		}
		return startTime + bytes/x.across
	}
	if p.Exchange != workload.NoExchange || p.Do == collective.AllToAll {
		return startTime + max(bytes*(near-1)/n/x.inside, exchanged(p, bytes, n, near, topK)/x.across)
	}
	rate := x.inside
	if far > 0 {
		rate = min(rate, near*x.across)
	}
	time := startTime + bytes*(n-1)/n/rate
	if far > 0 {
		time += stepTime * n
	}
	if p.Do == collective.AllReduce {
		time *= 2
	}
	return time
}

// exchanged is what a member of a group of n sends in an exchange with experts to other nodes, if near of them are in its own.
// With a library's kernels a token crosses once for each node.
func exchanged(p *workload.Phase, bytes, n, near float64, topK int) float64 {
	far := n - near
	if nodes := n / near; p.Exchange != workload.NoExchange && topK > 0 {
		far *= nodes * (1 - math.Pow(1-1/nodes, float64(topK))) / float64(topK)
	}
	return bytes * far / n
}

// estimate is the length of a job's step by rates alone. The step is put together for few micro-batches, from which the
// length for all follows.
func (x *rates) estimate(job *llm.Job) (units.Time, error) {
	micros, p := job.Micros(), &job.Parallel
	few, err := 0, error(nil)
	own := *job
	for k := 1; k <= 2; k++ { // some schedules need more micro-batches than stages
		few = k * max(2, p.Pipeline)
		if few*2 >= micros {
			return x.replayed(job)
		}
		own.Batch.Global = few * p.Data * job.Batch.Micro
		if err = own.Check(); err == nil {
			break
		}
	}
	if err != nil {
		return x.replayed(job)
	}
	first, err := x.replayed(&own)
	if err != nil {
		return 0, err
	}
	own.Batch.Global *= 2
	if own.Check() != nil {
		return x.replayed(job)
	}
	second, err := x.replayed(&own)
	if err != nil {
		return 0, err
	}
	return first + units.Time(float64(second-first)*float64(micros-few)/float64(few)), nil
}

// replayed is the length of a job's step with the phases' estimated times.
func (x *rates) replayed(job *llm.Job) (units.Time, error) {
	step := job.Step(llm.FoldAll)
	took := make([]units.Time, len(step.Phases))
	for i := range step.Phases {
		took[i] = units.Time(x.took(&step.Phases[i], job.Model.TopK) * float64(units.Second))
	}
	line, err := workload.Replay(step.Graph, func(phase int32, _ int) units.Time { return took[phase] })
	if err != nil {
		return 0, fmt.Errorf("the step of %d stages cannot be put together: %w", job.Parallel.Pipeline, err)
	}
	return line.End, nil
}

// crossing is the bytes that a GPU sends to other nodes in a step, in the mean over those that the step is written out for.
func (x *rates) crossing(job *llm.Job) units.Bytes {
	step := job.Step(llm.FoldAll)
	sum := 0.0
	for _, ops := range step.Graph.Ranks {
		for i := range ops {
			if o := &ops[i]; o.Kind == workload.Send || o.Kind == workload.Collective {
				sum += x.sent(&step.Phases[o.Phase], job.Model.TopK)
			}
		}
	}
	return units.Bytes(sum / float64(max(1, len(step.Graph.Ranks))))
}

// sent is the bytes that a member of a phase sends to other nodes, in the mean over its groups.
func (x *rates) sent(p *workload.Phase, topK int) float64 {
	sum := 0.0
	for i := range p.Groups {
		sum += x.sentBy(p, i, topK)
	}
	return sum / float64(max(1, len(p.Groups)))
}

func (x *rates) sentBy(p *workload.Phase, group, topK int) float64 {
	members, bytes := p.Groups[group], float64(p.Bytes[group])
	n, near := float64(len(members)), 0.0
	for _, m := range members {
		if int(m)/x.perNode == int(members[0])/x.perNode {
			near++
		}
	}
	switch {
	case near == n:
		return 0
	case p.Kind == workload.Send:
		return bytes
	case p.Do == collective.AllReduce:
		return 2 * bytes * (n - 1) / n / near
	case p.Do == collective.AllToAll || p.Exchange != workload.NoExchange:
		return exchanged(p, bytes, n, near, topK)
	}
	return bytes * (n - 1) / n / near
}
