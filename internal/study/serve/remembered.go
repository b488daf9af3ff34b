package serve

import (
	"context"
	"errors"
	"fmt"

	"weft/internal/base/canon"
	"weft/internal/sim"
	"weft/internal/sim/collective"
	"weft/internal/sim/known"
	"weft/internal/sim/workload/serving"
	"weft/results"
	"weft/scenario"
)

// JobKind is the kind of the entries that a job keeps: its requests on a fabric.
const JobKind = "serving"

// rememberedRequests bounds the requests of a run that is kept, which its recipe lists one by one.
const rememberedRequests = 20_000

// jobGiven is what the simulation of a job on a fabric is given beside the part of the scenario.
type jobGiven struct {
	Serving  scenario.Serving
	Requests []serving.Request
	Packets  int64     // of exchanges beside transfers, at most
	Met      *met      // nil: what they cost each other is simulated
	Times    [][]int64 // of sums of tensor parallelism and of exchanges with experts, which other simulations gave
}

// jobRecipe is what Resimulate needs.
type jobRecipe struct {
	Scenario []byte // of one fabric, as YAML
	Requests []serving.Request
	Packets  int64
	Met      *met
	Most     int
}

// given is what the simulation of requests on a fabric is given.
func (s *study) given(fabric int, requests []serving.Request) jobGiven {
	out := jobGiven{Serving: s.r.Serving, Requests: requests, Packets: s.packets, Met: s.met}
	out.Serving.Load.Rate = scenario.Ratio{} // the requests have it
	for _, p := range s.pools() {
		out.Times = append(out.Times, s.sums[s.sumOf(collective.AllReduce, p, fabric)].values()...)
		if p.Pipeline > 1 {
			out.Times = append(append(out.Times, s.sums[s.sumOf(collective.AllGather, p, fabric)].values()...), s.sums[insideANode].values()...)
		}
	}
	for _, x := range []*experts{s.there[fabric], s.here[fabric]} {
		if x != nil {
			out.Times = append(append(out.Times, x.there.values()...), x.back.values()...)
		}
	}
	return out
}

// values are the numbers of a table.
func (t *table) values() [][]int64 {
	times := make([]int64, len(t.times))
	for i, at := range t.times {
		times[i] = int64(at)
	}
	return [][]int64{t.bytes, times}
}

// remembered is onFabric with the cache: a known run is not simulated.
func (s *study) remembered(ctx context.Context, fabric int, requests []serving.Request, out *results.ServingFabric, tell func(share float64)) {
	if s.cache == nil || s.exact == sim.ExactCheck || len(requests) > rememberedRequests {
		s.onFabric(ctx, fabric, requests, out, tell)
		return
	}
	part := known.PartOf(s.r, fabric)
	key, err := part.Key(JobKind, s.given(fabric, requests))
	if err != nil {
		s.onFabric(ctx, fabric, requests, out, tell)
		return
	}
	if value, is := s.cache.Get(key); is {
		if kept := new(results.ServingFabric); canon.Decode(value, kept) == nil {
			kept.Name, kept.Exchanges = out.Name, out.Exchanges
			*out = *kept
			return
		}
	}
	s.onFabric(ctx, fabric, requests, out, tell)
	if out.Failure == "" && ctx.Err() == nil {
		s.keep(key, fabric, requests, out)
	}
}

// keep gives the run of requests on a fabric to the cache.
func (s *study) keep(key known.Key, fabric int, requests []serving.Request, out *results.ServingFabric) {
	value, err := valueOf(out)
	if err != nil {
		return
	}
	own := *s.r
	own.Name, own.Sweep, own.Tune = "known", scenario.Sweep{}, scenario.Tune{}
	own.Fabrics = []scenario.Fabric{s.r.Fabrics[fabric]}
	text, err := own.MarshalYAML()
	if err != nil {
		return
	}
	recipe, err := canon.Append(nil, jobRecipe{text, requests, s.packets, s.met, s.most})
	if err != nil {
		return
	}
	what := fmt.Sprintf("%d requests of %s on %s", len(requests), s.out.Job.Model, out.Name)
	s.cache.Put(key, known.Entry{Kind: JobKind, What: what, Recipe: recipe, Value: value})
}

// valueOf are the bytes of a run on a fabric, without its name, its exchanges and the engine's work.
func valueOf(f *results.ServingFabric) ([]byte, error) {
	own := *f
	own.Name, own.Exchanges, own.Counts = "", nil, own.Counts.WithoutWork()
	return canon.Append(nil, own)
}

// Resimulate simulates an entry of kind JobKind again. Key and value are those that a job would keep.
func Resimulate(ctx context.Context, recipe []byte, workers int) (key known.Key, value []byte, err error) {
	var of jobRecipe
	if err := canon.Decode(recipe, &of); err != nil {
		return key, nil, err
	}
	file, err := scenario.Decode("known", of.Scenario)
	if err != nil {
		return key, nil, err
	}
	r, err := file.Resolve()
	if err != nil {
		return key, nil, err
	}
	s, _, err := begin(ctx, r, &Options{Workers: workers, packets: of.Packets, met: of.Met, most: of.Most})
	if err != nil {
		return key, nil, err
	}
	if key, err = known.PartOf(r, 0).Key(JobKind, s.given(0, of.Requests)); err != nil {
		return key, nil, err
	}
	out := s.fabric(0)
	s.onFabric(ctx, 0, of.Requests, &out, func(float64) {})
	if out.Failure != "" {
		return key, nil, errors.New(out.Failure)
	}
	value, err = valueOf(&out)
	return key, value, err
}
