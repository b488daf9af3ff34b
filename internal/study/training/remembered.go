package training

import (
	"context"
	"fmt"

	"weft/internal/base/canon"
	"weft/internal/base/topology"
	"weft/internal/sim"
	"weft/internal/sim/known"
	"weft/internal/sim/run/control"
	"weft/internal/sim/run/executor"
	"weft/internal/sim/run/network"
	"weft/internal/sim/run/phases"
	"weft/internal/sim/workload"
	"weft/scenario"
	"weft/units"
)

// IslandKind is the kind of the entries that a training step keeps: an island of a phase, or a whole phase.
const IslandKind = "island"

// islandGiven is what the simulation of an island is given beside the part of the scenario.
type islandGiven struct {
	Calm     bool                           // without the job's disturbances
	Island   workload.Phase                 // of any number of uses
	Exchange *scenario.Workload             // what its groups do, if that is an exchange
	Slow     map[topology.NodeID]units.Rate // the slow cables that it can touch, if the part has none
	Trees    []workload.Phase               // the phases that share the switches' trees; nil if switches do not reduce
}

// islandRecipe is what Resimulate needs.
type islandRecipe struct {
	Scenario []byte // of one fabric, as YAML
	Given    islandGiven
}

// planOf is the plan of a part for the phases of a step. Neither the seed nor a slow cable changes the rest of it.
func planOf(part *known.Part, step []workload.Phase) (*network.Plan, error) {
	bare := part.WithoutSlowLinks().WithSeed(0).Scenario
	p, err := control.NewPlan(bare, &bare.Fabrics[0])
	if err != nil {
		return nil, err
	}
	p.Run, p.Fabric = &part.Scenario.Run, &part.Scenario.Fabrics[0]
	p.Slow = network.SlowLinks(&part.Scenario.Cluster, p.Fabric)
	executor.AllocateForPhases(p, executor.LayoutOf(&part.Scenario.Cluster, p.Fabric), step)
	return p, nil
}

// island is a simulation of a step.
type island struct {
	plan  *network.Plan
	part  *known.Part
	given islandGiven
	skip  bool        // periods that repeat earlier ones
	size  units.Bytes // of the scenario's own workload, which is no part of a step; its text needs one
}

// islandOf is the simulation of an island. It has the slow cables that it can touch, and knows of no other.
func (s *steps) islandOf(phase *workload.Phase) *island {
	out := &island{plan: s.plan, part: s.part, given: islandGiven{Calm: s.calm, Island: *phase}, skip: s.exact == sim.ExactOn}
	out.given.Exchange = exchangeOf(&s.scenario.Training, phase)
	if s.plan.Aggregation != nil {
		out.given.Trees = s.step.Phases
	}
	if sizes := s.scenario.Workload.Sizes; len(sizes) > 0 {
		out.size = sizes[0]
	}
	if f := &s.part.Scenario.Fabrics[0]; len(s.scenario.Faults) == 0 && len(f.Beside) == 0 {
		out.plan, out.part, out.given.Calm = phases.Touched(s.plan, s.scenario, phase), s.bare, false
		out.given.Slow = out.plan.Slow
	}
	return out
}

// run simulates it. work, if not nil, counts its work.
func (i *island) run(ctx context.Context, work *network.Work) (*phases.IslandRun, error) {
	return i.given.run(ctx, i.plan, i.part, i.skip, work)
}

func (g *islandGiven) run(ctx context.Context, p *network.Plan, part *known.Part, skip bool, work *network.Work) (*phases.IslandRun, error) {
	r := part.Scenario
	if g.Exchange != nil {
		own := *r
		own.Workload = *g.Exchange
		r = &own
	}
	return phases.RunIsland(ctx, p, r, &g.Island, skip, work)
}

// remembered is the result of an island from the cache; if it is not known, of its simulation.
func (s *steps) remembered(ctx context.Context, phase *workload.Phase, work *network.Work) (out *phases.IslandRun, found bool, err error) {
	i := s.islandOf(phase)
	if s.cache == nil {
		out, err = i.run(ctx, work)
		return out, false, err
	}
	key, err := i.part.Key(IslandKind, i.given)
	if err != nil {
		return nil, false, err
	}
	if value, is := s.cache.Get(key); is {
		if out = new(phases.IslandRun); out.UnmarshalBinary(value) == nil {
			return out, true, nil
		}
	}
	out, err = i.run(ctx, work)
	if err == nil && ctx.Err() == nil {
		i.keep(s.cache, key, out)
	}
	return out, false, err
}

// keep gives the result of an island to the cache.
func (i *island) keep(cache known.Store, key known.Key, out *phases.IslandRun) {
	value, err := out.Results().MarshalBinary()
	if err != nil {
		return
	}
	text, err := i.part.Text(i.size)
	if err != nil {
		return
	}
	recipe, err := canon.Append(nil, islandRecipe{text, i.given})
	if err != nil {
		return
	}
	groups := "1 group"
	if n := len(i.given.Island.Groups); n != 1 {
		groups = fmt.Sprintf("%d groups", n)
	}
	what := fmt.Sprintf("%s, %s, on %s", i.given.Island.Name, groups, i.plan.Fabric.Name)
	cache.Put(key, known.Entry{Kind: IslandKind, What: what, Recipe: recipe, Value: value})
}

// Resimulate simulates an entry of kind IslandKind again. Key and value are those that a step would keep.
func Resimulate(ctx context.Context, recipe []byte, _ int) (key known.Key, value []byte, err error) {
	var of islandRecipe
	if err := canon.Decode(recipe, &of); err != nil {
		return key, nil, err
	}
	part, err := known.FromText(of.Scenario)
	if err != nil {
		return key, nil, err
	}
	if key, err = part.Key(IslandKind, of.Given); err != nil {
		return key, nil, err
	}
	p, err := planOf(part, of.Given.Trees)
	if err != nil {
		return key, nil, err
	}
	if calm := phases.Undisturbed(p); of.Given.Calm && calm != nil {
		p = calm
	}
	if of.Given.Slow != nil {
		p.Slow = of.Given.Slow
	}
	run, err := of.Given.run(ctx, p, part, true, nil)
	if err != nil {
		return key, nil, err
	}
	value, err = run.Results().MarshalBinary()
	return key, value, err
}
