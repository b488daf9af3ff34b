package scenario

import "reflect"

// deriveTokens sets the mixture of a training job whose tokens a library's kernels carry. What the scenario
// does not state is as in workload.experts, with throughput kernels.
func (r workloadRules) deriveTokens() {
	t := &r.Training
	const at = "training.experts"
	switch t.Exchange {
	case ExchangeDispatch:
	default:
		if r.written[at] {
			r.complain(at, "these are for exchange: dispatch: all-to-all has no kernels of a library")
		}
		t.Experts = Experts{}
		return
	}
	m, p, gpus := &t.Model, &t.Parallel, r.Cluster.Node.GPUs
	switch {
	case m.Experts == 0:
		r.complain("training.exchange", "the model has no experts")
		return
	case p.Expert%max(1, gpus) != 0 && gpus%p.Expert != 0:
		r.complain("training.exchange", "experts over %d GPUs: the ranks of a dispatch are those of whole nodes or of an equal part of one, a multiple or a divisor of %d (parallel.expert)", p.Expert, gpus)
		return
	case p.Tensor*p.Context > 1 && !p.WholeExperts:
		r.complain("training.exchange", "tensor %d × context %d: the GPUs that share experts are not whole nodes; take parallel.whole-experts", p.Tensor, p.Context)
		return
	}
	part := r.Cluster.Part(p.Expert)
	own := mixtureRules{r, &t.Experts, at, Dispatch, part.Nodes, part.Node.GPUs}
	own.usual()
	own.fromModel(t)
	own.derive()
	own.check()
	if n := own.messages(Combine, own.nodes, own.gpus); n > maxExchanged {
		r.complain("training.batch.micro", "%d ranks have up to %d messages of a combine at the same time: weft simulates %d; take smaller micro-batches", own.ranks(), n, maxExchanged)
	}
}

// usual gives what the scenario does not state the values that an exchange has.
func (r mixtureRules) usual() {
	usual := usualExperts()
	usual.Kernel = Throughput
	from, to := reflect.ValueOf(usual), reflect.ValueOf(r.Experts).Elem()
	for i := range to.NumField() {
		if !r.stated(r.at(yamlName(to.Type().Field(i)))) {
			to.Field(i).Set(from.Field(i))
		}
	}
}

// fromModel sets what follows from the job, and finds fields that say something else.
func (r mixtureRules) fromModel(t *Training) {
	for _, x := range []struct {
		field *int
		name  string
		value int
	}{
		{&r.Tokens, "tokens", t.Batch.Micro * t.Batch.Sequence / max(1, t.Parallel.Tensor*t.Parallel.Context)},
		{&r.Hidden, "hidden", t.Model.Hidden},
		{&r.Count, "count", t.Model.Experts},
		{&r.TopK, "top-k", t.Model.TopK},
	} {
		if r.written[r.at(x.name)] && *x.field != x.value {
			r.complain(r.at(x.name), "%d: the job has %d", *x.field, x.value)
		}
		*x.field = x.value
	}
	if r.Element == "" {
		r.Element = ElementBF16 // as Megatron-Core, whatever the precision of its products (megatron/core/transformer/moe/fused_a2a.py at d98e8a64)
	}
	if r.Replicas > 0 {
		r.complain(r.at("replicas"), "a training job has no copies of experts")
	}
}

// Exchanged is the dispatch or the combine of a job's layer, among the GPUs that its experts are divided over. A combine
// has 16 bits (DeepSeek-V3, arXiv 2412.19437, section 3.3.3).
func (t *Training) Exchanged(what Exchange) Workload {
	w := Workload{Exchange: what, Experts: t.Experts}
	if what == Combine {
		w.Experts.Element, w.Experts.ScaleGroup = ElementBF16, 0
	}
	return w
}

// usualExperts are the values that an exchange has if a scenario states none.
func usualExperts() Experts {
	var of Scenario
	defaultsOf("scenario", reflect.ValueOf(&of).Elem())
	return of.Workload.Experts
}
