package serve

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"weft/internal/sim"
	"weft/internal/sim/run/exchange"
	"weft/internal/study/many"
	"weft/results"
	"weft/scenario"
	"weft/units"
)

// experts has the times of exchanges: tokens of an iteration go to their experts and come back.
type experts struct {
	layers int
	tensor int
	own    units.Time // of the library's kernels in an exchange, if they take the GPU from computations; else 0
	there  table      // by tokens of a GPU
	back   table
}

// time is the time of all layers' exchanges of a number of tokens of a group.
func (e *experts) time(tokens int) units.Time {
	if e == nil || tokens == 0 {
		return 0
	}
	return units.Time(e.layers) * (e.layer(scenario.Dispatch, tokens) + e.layer(scenario.Combine, tokens))
}

// layer is the time of an exchange of a layer.
func (e *experts) layer(what scenario.Exchange, tokens int) units.Time {
	if what == scenario.Combine {
		return e.back.along(int64(e.each(tokens)))
	}
	return e.there.along(int64(e.each(tokens)))
}

// each is the number of tokens of one GPU, if the GPUs of a group divide these tokens.
func (e *experts) each(tokens int) int { return (tokens + e.tensor - 1) / e.tensor }

// tell is the exchanges of a layer at the simulated numbers of tokens.
func (e *experts) tell(pool string) (out []results.ServingExchange) {
	if e == nil {
		return nil
	}
	for i, n := range e.there.bytes {
		out = append(out, results.ServingExchange{Pool: pool, Tokens: int(n), DispatchPs: int64(e.there.times[i]), CombinePs: int64(e.back.times[i])})
	}
	return out
}

// exchangeRun is a simulation of a dispatch or a combine.
type exchangeRun struct {
	fabric int
	pool   *scenario.Pool
	kernel scenario.ExpertKernel // throughput for prompts, low latency for answers alone
	what   scenario.Exchange
	tokens int
	took   units.Time
	own    units.Time // of the library's kernels, whatever the network
}

// exchanges simulates dispatches and combines packet by packet, for some numbers of tokens, each alone on
// the nodes of an instance. It returns their times by pool and fabric. The last fabric is no network:
// there the library's own time remains.
func (s *study) exchanges(ctx context.Context, workers int) (prefill, decode []*experts, err error) {
	v := &s.r.Serving
	answering := s.way.answering()
	pools := []struct {
		pool   *scenario.Pool
		kernel scenario.ExpertKernel
		most   int // tokens of a GPU
		out    []*experts
	}{
		{&v.Prefill, scenario.Throughput, (v.Prefill.Tokens + v.Prefill.Tensor - 1) / v.Prefill.Tensor, nil},
		{answering, scenario.LowLatency, (answering.Requests + answering.Tensor - 1) / answering.Tensor, nil},
	}
	var all []*exchangeRun
	for i := range pools {
		p := &pools[i]
		p.out = make([]*experts, len(s.plans)+1)
		if !s.r.Serving.Across(p.pool, s.r.Cluster.Node.GPUs) {
			continue
		}
		for fabric := range s.plans {
			for _, tokens := range tokensUpTo(min(p.most, s.most)) {
				for _, what := range []scenario.Exchange{scenario.Dispatch, scenario.Combine} {
					all = append(all, &exchangeRun{fabric: fabric, pool: p.pool, kernel: p.kernel, what: what, tokens: tokens})
				}
			}
		}
	}
	for i := range pools {
		if s.uneven[i], err = s.busiest(pools[i].pool, pools[i].kernel, pools[i].most); err != nil {
			return nil, nil, err
		}
	}
	errs := make([]error, len(all))
	many.Each(ctx, len(all), workers, func(i int) { errs[i] = s.simulate(ctx, all[i]) })
	if err := cmp.Or(errors.Join(errs...), ctx.Err()); err != nil {
		return nil, nil, err
	}
	for i := range pools {
		for _, x := range all {
			if x.kernel == pools[i].kernel {
				s.enter(pools[i].out, x)
			}
		}
	}
	return pools[0].out, pools[1].out, nil
}

// enter puts the times of an exchange into the tables of its fabric; those of the first fabric also give
// the table of no network.
func (s *study) enter(out []*experts, x *exchangeRun) {
	into := func(fabric int, took units.Time) {
		if out[fabric] == nil {
			out[fabric] = &experts{layers: s.r.Serving.Model.Layers - s.r.Serving.Model.DenseLayers + s.r.Serving.Speculation.Draft, tensor: x.pool.Tensor}
			if x.kernel == scenario.LowLatency {
				out[fabric].own = x.own
			}
		}
		t := &out[fabric].there
		if x.what == scenario.Combine {
			t = &out[fabric].back
		}
		t.bytes, t.times = append(t.bytes, int64(x.tokens)), append(t.times, took)
	}
	into(x.fabric, x.took)
	if x.fabric == 0 {
		into(len(s.plans), x.own)
	}
}

// tokensUpTo are numbers of tokens to simulate: the most, and parts of it.
func tokensUpTo(most int) []int {
	out := []int{most}
	for _, part := range []int{8, 64} {
		if n := most / part; n > 0 {
			out = append(out, n)
		}
	}
	slices.Sort(out)
	return out
}

// simulate simulates an exchange on the nodes of one instance. All ranks wait for the slowest before the next layer.
func (s *study) simulate(ctx context.Context, x *exchangeRun) error {
	r, err := s.alone(x)
	if err != nil {
		return err
	}
	results, err := sim.Run(ctx, r, sim.Options{Workers: 1, Cache: s.cache})
	if err != nil {
		return err
	}
	x.took = units.Time(results.Fabrics[0].Points[0].Exchange.Kernel.Max)
	x.own = 2 * r.Workload.Experts.Software
	return nil
}

// exchangeNICs is the number of each GPU's NICs that carry exchanges; 0: all.
func (s *study) exchangeNICs() int {
	n, own := &s.r.Cluster.Node, s.r.Serving.KV.OwnNICs
	if own == 0 {
		return 0
	}
	return n.NICs/n.GPUs - own
}

// alone is the scenario of an exchange.
func (s *study) alone(x *exchangeRun) (*scenario.Resolved, error) {
	own := *s.r
	own.Name = "exchange"
	own.Serving, own.Training, own.Tune, own.Sweep, own.Faults = scenario.Serving{}, scenario.Training{}, scenario.Tune{}, scenario.Sweep{}, nil
	own.Fabrics = []scenario.Fabric{s.r.Fabrics[x.fabric]}
	text, err := own.MarshalYAML()
	if err != nil {
		return nil, err
	}
	file, err := scenario.Decode("exchange", text)
	if err != nil {
		return nil, err
	}
	w := s.r.Serving.Exchanged(x.pool, x.kernel, x.what, x.tokens)
	w.Experts.NICs = s.exchangeNICs()
	return file.Resolve(
		scenario.Set("cluster.nodes", x.pool.Tensor*x.pool.Data/s.r.Cluster.Node.GPUs, "an instance"),
		scenario.Set("workload", w, "the job's experts"))
}

// busiest is the number of tokens that the GPU with the busiest experts of a pool gets, over the mean. It
// is for full GPUs; fewer tokens are more uneven. It is 0 if tokens go to no other GPUs.
func (s *study) busiest(p *scenario.Pool, kernel scenario.ExpertKernel, tokens int) (float64, error) {
	if !s.r.Serving.Across(p, s.r.Cluster.Node.GPUs) {
		return 0, nil
	}
	r, err := s.alone(&exchangeRun{pool: p, kernel: kernel, what: scenario.Dispatch, tokens: tokens})
	if err != nil {
		return 0, err
	}
	return exchange.Busiest(r), nil
}
