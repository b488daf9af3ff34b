package scenario

import (
	"fmt"
	"reflect"
	"strings"
)

// Given reports whether the job has a model.
func (s *Serving) Given() bool { return s.Model.Preset != "" || s.Model.Layers > 0 }

// GPUs is the number of GPUs of an instance.
func (p *Pool) GPUs() int { return p.Tensor * p.Data * p.Pipeline }

// Instances is the number of instances on nodes of a number of GPUs.
func (p *Pool) Instances(perNode int) int { return p.Nodes * perNode / max(1, p.GPUs()) }

// deriveServing checks a serving job, and gives pools whose nodes are not stated theirs: half of the cluster each, or what
// the other leaves.
func (r workloadRules) deriveServing() {
	s := &r.Serving
	if !r.stated("serving") || r.broken("cluster", "serving") {
		return
	}
	if !s.Given() {
		r.complain("serving.model", "no model is given: name one such as llama3-70b, or give its layers, hidden and so on")
		return
	}
	if !r.deriveModel("serving.model", &s.Model) {
		return
	}
	nodes := r.Cluster.Nodes
	prefill, decode := r.stated("serving.prefill.nodes"), r.stated("serving.decode.nodes")
	switch {
	case prefill && decode, s.Collocated && (prefill || decode):
	case prefill:
		s.Decode.Nodes = max(0, nodes-s.Prefill.Nodes)
	case decode:
		s.Prefill.Nodes = max(0, nodes-s.Decode.Nodes)
	case s.Collocated:
		s.Prefill.Nodes = nodes
	default:
		s.Prefill.Nodes, s.Decode.Nodes = nodes/2, nodes-nodes/2
	}
	switch {
	case s.Prefill.Nodes+s.Decode.Nodes > nodes:
		at := "serving.prefill.nodes"
		if s.Decode.Nodes > s.Prefill.Nodes {
			at = "serving.decode.nodes"
		}
		r.complain(at, "prefill takes %d nodes and decode %d, the cluster has %d", s.Prefill.Nodes, s.Decode.Nodes, nodes)
		return
	case s.Collocated && (s.Prefill.Nodes == 0 || s.Decode.Nodes > 0):
		r.complain("serving", "prefill has %d nodes and decode %d: with collocated prefill's compute answers, too, and decode has none", s.Prefill.Nodes, s.Decode.Nodes)
		return
	case !s.Collocated && (s.Prefill.Nodes == 0 || s.Decode.Nodes == 0):
		at := "serving.decode.nodes"
		if s.Prefill.Nodes == 0 {
			at = "serving.prefill.nodes"
		}
		r.complain(at, "prefill has %d nodes and decode %d: each needs one or more, or keys and values have no way to go; with collocated: true the same nodes compute prompts and answers", s.Prefill.Nodes, s.Decode.Nodes)
		return
	}
	r.checkPool("serving.prefill", &s.Prefill)
	if !s.Collocated {
		r.checkPool("serving.decode", &s.Decode)
	}
	r.deriveRouting()
	r.checkKV()
	r.checkLoad()
}

// checkPool checks how a pool divides the model.
func (r workloadRules) checkPool(at string, p *Pool) {
	m, per := &r.Serving.Model, r.Cluster.Node.GPUs
	switch gpus := p.Nodes * per; {
	case gpus%p.GPUs() != 0:
		r.complain(at+".tensor", "%d GPUs are not a whole number of instances of tensor %d × data %d × pipeline %d = %d", gpus, p.Tensor, p.Data, p.Pipeline, p.GPUs())
	case p.Tensor > per && p.Tensor%per != 0:
		r.complain(at+".tensor", "%d GPUs share a layer, a node has %d: over several nodes take a multiple of it", p.Tensor, per)
	case m.Heads%p.Tensor != 0:
		r.complain(at+".tensor", "%d attention heads are not divided evenly over %d GPUs", m.Heads, p.Tensor)
	case m.KVRank == 0 && m.KVHeads%p.Tensor != 0 && p.Tensor%m.KVHeads != 0:
		r.complain(at+".tensor", "%d heads of keys and values over %d GPUs: one number must be a multiple of the other", m.KVHeads, p.Tensor)
	case p.Pipeline > m.Layers:
		r.complain(at+".pipeline", "%d stages of %d layers", p.Pipeline, m.Layers)
	case p.Data > 1 && m.Experts == 0:
		r.complain(at+".data", "a model without experts shares nothing between %d parts: take more instances", p.Data)
	case m.Experts > 0 && p.Tensor*p.Data > m.Experts:
		r.complain(at, "%d experts over tensor %d × data %d = %d GPUs: a GPU holds one or more", m.Experts, p.Tensor, p.Data, p.Tensor*p.Data)
	}
	if f := p.Memory.Float(); f <= 0 || f > 1 {
		r.complain(at+".memory", "%s of the GPUs' memory: want more than 0 and at most 100%%", p.Memory)
	}
}

// checkKV checks the transfers of keys and values.
func (r workloadRules) checkKV() {
	k := &r.Serving.KV
	if f := k.Share.Float(); f <= 0 || f > 1 {
		r.complain("serving.kv.share", "%s of the NICs' rate: want more than 0 and at most 100%%", k.Share)
	}
	if k.NICs > r.Cluster.Node.NICs {
		r.complain("serving.kv.nics", "a GPU uses %d NICs, a node has %d", k.NICs, r.Cluster.Node.NICs)
	}
	switch n := &r.Cluster.Node; {
	case k.OwnNICs == 0:
	case n.NICs%max(1, n.GPUs) != 0 || n.NICs/max(1, n.GPUs) <= k.OwnNICs:
		r.complain("serving.kv.own-nics", "%d of each GPU's NICs are for keys and values alone, and exchanges need one or more: a node has %d NICs for %d GPUs; with cluster.node.nics: %d each GPU has %d", k.OwnNICs, n.NICs, n.GPUs, n.GPUs*(k.OwnNICs+1), k.OwnNICs+1)
	case k.NICs > k.OwnNICs:
		r.complain("serving.kv.nics", "a GPU uses %d NICs for keys and values, and has %d for them alone (own-nics)", k.NICs, k.OwnNICs)
	}
}

// MostRequestRate bounds the requests in a second: at more, a picosecond is a long part of an interval.
const MostRequestRate = 1e6

// checkLoad checks the requests.
func (r workloadRules) checkLoad() {
	l := &r.Serving.Load
	if f := l.Rate.Float(); f <= 0 || f > MostRequestRate {
		r.complain("serving.load.rate", "%s requests in a second: want more than 0 and at most %s", l.Rate, fmt.Sprint(int(MostRequestRate)))
	}
	if l.Concurrency > 0 && (r.written["serving.load.rate"] || l.Burst > 0) {
		r.complain("serving.load.concurrency", "%d clients that wait for their answers send at no rate and in no bursts: leave out rate and burst, or concurrency", l.Concurrency)
	}
	if least := max(l.Concurrency, l.Burst); least > l.Requests {
		r.complain("serving.load.requests", "%d requests, of which %d are under way at a time: want at least as many", l.Requests, least)
	}
	if f := l.PrefixHits.Float(); f < 0 || f >= 1 {
		r.complain("serving.load.prefix-hits", "%s of each prompt: want 0 or more and less than 100%%", l.PrefixHits)
	}
	switch s := &r.Serving.Speculation; {
	case s.Draft == 0 && s.Accepted.Num != 0:
		r.complain("serving.speculation.accepted", "%.4g%% of the guessed tokens hold, and none are guessed: give draft, 1 or more, too", 100*s.Accepted.Float())
	case s.Draft > 0 && (s.Accepted.Float() <= 0 || s.Accepted.Float() > 1):
		r.complain("serving.speculation.accepted", "%.4g%% of the guessed tokens hold: want more than 0 and at most 100%%", 100*s.Accepted.Float())
	}
	if f := r.Serving.Framework.Float(); f <= 0 || f > 1 {
		r.complain("serving.framework", "computations at %s of a rate: want more than 0 and at most 100%%", r.Serving.Framework)
	}
	g := &r.Cluster.Node.GPU
	if peak, _ := g.Peak(r.Serving.Precision); peak == 0 {
		r.complain("serving.precision", "the GPU %s computes no %s: take bf16", g.Model, r.Serving.Precision)
	}
}

// DefaultServing is a job without a model: all defaults.
func DefaultServing() (s Serving) {
	defaultsOf("serving", reflect.ValueOf(&s).Elem())
	return s
}

// Text is the job in the form of a scenario's section, in one line, every number exact. Pools without nodes are left to
// the scenario, which divides its own.
func (s *Serving) Text() string {
	text := flow(reflect.ValueOf(*s), false)
	if s.Prefill.Nodes == 0 && s.Decode.Nodes == 0 {
		text = strings.ReplaceAll(text, "{nodes: 0, ", "{")
	}
	return text
}
