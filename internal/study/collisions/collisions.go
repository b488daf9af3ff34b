package collisions

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"weft/internal/base/stats"
	"weft/internal/study/many"
	"weft/results"
	"weft/scenario"
	"weft/units"
)

// Spec holds the parameters of a measurement.
type Spec struct {
	File      *scenario.File
	Overrides []scenario.Override
	Fabric    int   // index of the scenario's fabric
	Nodes     []int // cluster sizes, rising
	Policies  []Policy
	Seeds     int // hash seeds, from 0
}

// Policy is a load balancing method.
type Policy struct {
	Name string               `json:"name"`
	Mode scenario.RoutingMode `json:"mode"`
	// QPs is the queue pairs per connection; 0 leaves the scenario's.
	QPs int `json:"qps_per_connection,omitempty"`
}

// ResultVersion is the version of the layout of collisions.json.
const ResultVersion = 1

// Result is the loss by size and policy.
type Result struct {
	Version   int      `json:"version"`
	Scenario  string   `json:"scenario"`
	Fabric    string   `json:"fabric"`
	Workload  string   `json:"workload"`
	Bytes     int64    `json:"bytes"`
	HashSeeds int      `json:"hash_seeds"`
	Policies  []Policy `json:"policies"`
	Sizes     []Size   `json:"sizes"`
	// Oversubscription of leaves if not 1: the loss includes it.
	Oversubscription string `json:"oversubscription,omitempty"`
	Partial          bool   `json:"partial,omitempty"`
}

// Size is a cluster of one size.
type Size struct {
	Nodes     int     `json:"nodes"`
	Ranks     int     `json:"ranks"`
	Reference float64 `json:"reference_busbw_gbytes_per_s"` // on one ideal switch
	Cells     []Cell  `json:"policies"`                     // in the order of Result.Policies
}

// Cell is the result of a policy at a size.
type Cell struct {
	BusBW     Quantiles `json:"busbw_gbytes_per_s"`
	Lost      Quantiles `json:"lost"` // share of the reference; below 0 is a gain
	Measured  int       `json:"measured"`
	Failed    int       `json:"failed"` // hash seeds without a result
	FailedWhy string    `json:"failed_why,omitempty"`
}

// Quantiles are quantiles over hash seeds: the quantiles of a loss mirror those of the remaining
// bandwidth.
type Quantiles struct {
	Least  float64 `json:"least"`
	P10    float64 `json:"p10"`
	Median float64 `json:"median"`
	P90    float64 `json:"p90"`
	Most   float64 `json:"most"`
}

// quantilesOf sorts the values.
func quantilesOf(x []float64) Quantiles {
	slices.Sort(x)
	return Quantiles{x[0], stats.Quantile(x, 0.1), stats.Quantile(x, 0.5), stats.Quantile(x, 0.9), x[len(x)-1]}
}

// measured is the outcome of one simulation.
type measured struct {
	busbw float64
	err   error
}

// Run measures. If ctx ends it returns the complete sizes, marked as partial, and ctx's error.
func Run(ctx context.Context, s *Spec, o many.Options) (*Result, error) {
	all, r, err := s.variants()
	if err != nil {
		return nil, err
	}
	rows := many.Rows(ctx, all, o, func(outcome *results.Results, err error) measured {
		p, err := many.PointOf(outcome, err)
		if err != nil {
			return measured{err: err}
		}
		return measured{busbw: p.BusBW}
	})
	for i, each := 0, len(all)/len(s.Nodes); i < len(s.Nodes); i++ {
		of := rows[i*each : (i+1)*each]
		if slices.ContainsFunc(of, measured.stopped) {
			break
		}
		size := Size{Nodes: s.Nodes[i], Ranks: all[i*each].Cluster.Ranks()}
		if err := size.fill(of, s.Seeds); err != nil {
			return nil, err
		}
		r.Sizes = append(r.Sizes, size)
	}
	r.Partial = len(r.Sizes) < len(s.Nodes)
	return r, ctx.Err()
}

// stopped reports whether the simulation has not ended.
func (m measured) stopped() bool {
	return errors.Is(m.err, context.Canceled) || errors.Is(m.err, context.DeadlineExceeded)
}

// variants are the simulations, the smallest clusters first: of each size the reference, then the
// hash seeds of each policy.
func (s *Spec) variants() (all []*scenario.Resolved, r *Result, err error) {
	r = &Result{Version: ResultVersion, HashSeeds: s.Seeds, Policies: s.Policies}
	for i, nodes := range s.Nodes {
		ideal, err := s.ideal(nodes)
		if err != nil {
			return nil, nil, err
		}
		all = append(all, ideal)
		for k := range s.Policies {
			resolved, err := s.resolve(nodes, s.Policies[k].overrides(s.Fabric)...)
			if err != nil {
				return nil, nil, err
			}
			if i == 0 && k == 0 {
				r.describe(resolved)
			}
			for seed := range s.Seeds {
				own := *resolved
				own.Fabrics = slices.Clone(resolved.Fabrics)
				own.Fabrics[0].Routing.HashSeed = uint32(seed)
				all = append(all, &own)
			}
		}
	}
	return all, r, nil
}

func (r *Result) describe(s *scenario.Resolved) {
	f := &s.Fabrics[0]
	r.Scenario, r.Fabric, r.Workload = s.Name, f.Name, string(s.Workload.Collective)+string(s.Workload.Pattern)
	if len(s.Workload.Sizes) > 0 {
		r.Bytes = int64(s.Workload.Sizes[0])
	}
	if over := f.Topology.Oversubscription; over.Num > over.Den {
		r.Oversubscription = over.String()
	}
}

// overrides set the policy on a fabric.
func (p *Policy) overrides(fabric int) []scenario.Override {
	out := []scenario.Override{scenario.Set(fmt.Sprintf("fabrics[%d].routing.mode", fabric), p.Mode, p.Name)}
	if p.QPs > 0 {
		out = append(out, scenario.Set(fmt.Sprintf("fabrics[%d].transport.qps-per-connection", fabric), p.QPs, p.Name))
	}
	return out
}

// resolve is the scenario with this many nodes, on the one fabric, at its largest size.
func (s *Spec) resolve(nodes int, more ...scenario.Override) (*scenario.Resolved, error) {
	own := scenario.Set("cluster.nodes", nodes, fmt.Sprintf("%d nodes", nodes))
	r, err := s.File.Resolve(slices.Concat(s.Overrides, []scenario.Override{own}, more)...)
	if err != nil {
		return nil, err
	}
	r.Fabrics = r.Fabrics[s.Fabric : s.Fabric+1]
	if n := len(r.Workload.Sizes); n > 0 {
		r.Workload.Sizes = []units.Bytes{slices.Max(r.Workload.Sizes)}
	}
	return r, nil
}

// ideal is the scenario on one switch with a port for every NIC.
func (s *Spec) ideal(nodes int) (*scenario.Resolved, error) {
	r, err := s.resolve(nodes)
	if err != nil {
		return nil, err
	}
	f := &r.Fabrics[0]
	ports := max(2, r.Cluster.Endpoints()*f.NIC.Ports)
	set := func(field string, value any) scenario.Override {
		return scenario.Set(fmt.Sprintf("fabrics[%d].%s", s.Fabric, field), value, "reference on one switch")
	}
	return s.resolve(
		nodes, set("switch.ports", ports), set("switch.max-ports", ports), set("switch.rate", f.Link.Rate()),
		set("topology", scenario.Topology{Shape: scenario.SingleSwitch, Radix: ports, Cables: scenario.Cables{NodeLeaf: f.Topology.Cables.NodeLeaf}}),
	)
}

// ReferenceError says that the job fails on one ideal switch: there is no reference for a loss.
type ReferenceError struct {
	Nodes int
	Err   error
}

func (e *ReferenceError) Error() string {
	return fmt.Sprintf("the reference, %d nodes on one ideal switch, fails: %v", e.Nodes, e.Err)
}

func (e *ReferenceError) Unwrap() error { return e.Err }

// fill fills in a size from its reference, and the hash seeds of each policy.
func (s *Size) fill(rows []measured, seeds int) error {
	if err := rows[0].err; err != nil {
		return &ReferenceError{Nodes: s.Nodes, Err: err}
	}
	s.Reference = rows[0].busbw
	for of := range slices.Chunk(rows[1:], seeds) {
		s.Cells = append(s.Cells, cellOf(of, s.Reference))
	}
	return nil
}

// cellOf is the result of a policy from its hash seeds.
func cellOf(seeds []measured, reference float64) (c Cell) {
	var busbw, lost []float64
	for _, m := range seeds {
		if m.err != nil {
			c.Failed++
			c.FailedWhy = m.err.Error()
			continue
		}
		busbw, lost = append(busbw, m.busbw), append(lost, 1-m.busbw/reference)
	}
	c.Measured = len(busbw)
	if len(busbw) > 0 && reference > 0 {
		c.BusBW, c.Lost = quantilesOf(busbw), quantilesOf(lost)
	}
	return c
}
