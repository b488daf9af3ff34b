package scenario

import "reflect"

// Exchanged is the exchange of a layer's tokens among the GPUs of an instance of a pool, by kernels of a kind, each GPU with
// a number of tokens. Copies fill up experts that cannot be divided evenly.
func (s *Serving) Exchanged(p *Pool, kernel ExpertKernel, what Exchange, tokens int) Workload {
	m, ranks, own := &s.Model, p.Tensor*p.Data, &s.Experts
	element := ElementBF16
	if what == Dispatch && s.Precision == FP8 {
		element = ElementFP8
	}
	return Workload{Exchange: what, Experts: Experts{
		Kernel: kernel, Tokens: tokens, Hidden: m.Hidden, Count: m.Experts, TopK: m.TopK, Replicas: int(ceilTo(int64(m.Experts), int64(ranks))) - m.Experts, Element: element,
		Library: own.Library, Gating: own.Gating, Skew: own.Skew, Weights: own.Weights, Histogram: own.Histogram, NodeLimit: own.NodeLimit, Placement: own.Placement, StartSkew: own.StartSkew,
	}}
}

// Across reports whether the experts of a pool's layers are on whole nodes of a number of GPUs, so that tokens are exchanged.
func (s *Serving) Across(p *Pool, perNode int) bool {
	n := p.Tensor * p.Data
	return s.Model.Experts > 0 && n > 1 && n%perNode == 0
}

// routedPool is a pool whose tokens go to experts, and the kernels that carry them.
type routedPool struct {
	name   string
	pool   *Pool
	kernel ExpertKernel
	tokens int // of a GPU, at most
}

// deriveRouting checks which experts a serving job's tokens choose, and reads the file of their weights.
func (r workloadRules) deriveRouting() {
	const at = "serving.experts"
	s, per := &r.Serving, r.Cluster.Node.GPUs
	if !r.written[at] {
		return
	}
	pools := []routedPool{{"prefill", &s.Prefill, Throughput, ceilDiv(s.Prefill.Tokens, s.Prefill.Tensor)}}
	if !s.Collocated {
		pools = append(pools, routedPool{"decode", &s.Decode, LowLatency, ceilDiv(s.Decode.Requests, s.Decode.Tensor)})
	}
	told, across := *s, false
	for _, p := range pools {
		if !s.Across(p.pool, per) {
			continue
		}
		across = true
		w := told.Exchanged(p.pool, p.kernel, Dispatch, p.tokens)
		if w.Experts.Replicas > 0 && w.Experts.NodeLimit > 0 {
			r.complain(at+".node-limit", "the %d experts of %s over %d GPUs are filled up with %d copies, which are on other nodes than their groups: take a number of GPUs that divides the experts, or no limit", s.Model.Experts, p.name, p.pool.Tensor*p.pool.Data, w.Experts.Replicas)
			return
		}
		x := w.Experts.overUsual()
		own := mixtureRules{r, &x, at, Dispatch, p.pool.Tensor * p.pool.Data / per, per}
		own.derive()
		own.check()
		s.Experts.Histogram, s.Experts.Weights, s.Experts.Gating, s.Experts.Skew = "", x.Weights, x.Gating, x.Skew
	}
	if !across {
		r.complain(at, "no tokens go to experts on other GPUs of whole nodes: give a pool a tensor × data that is a multiple of the %d GPUs of a node", per)
	}
}

// overUsual is a mixture whose zero fields have the values of an exchange.
func (x Experts) overUsual() Experts {
	out := usualExperts()
	from, to := reflect.ValueOf(x), reflect.ValueOf(&out).Elem()
	for i := range to.NumField() {
		if f := from.Field(i); !f.IsZero() {
			to.Field(i).Set(f)
		}
	}
	return out
}
