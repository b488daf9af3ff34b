package training

import (
	"context"
	"fmt"

	"weft/internal/base/canon"
	"weft/internal/sim/known"
	"weft/internal/sim/run/control"
	"weft/internal/sim/run/executor"
	"weft/internal/sim/run/network"
	"weft/internal/sim/run/phases"
	"weft/internal/sim/workload"
	"weft/units"
)

// IslandKind is the kind of the entries that a training step keeps: an island of a phase, or a whole phase.
const IslandKind = "island"

// islandGiven is what the simulation of an island is given beside the part of the scenario.
type islandGiven struct {
	Calm   bool             // without the job's disturbances
	Island workload.Phase   // of any number of uses
	Trees  []workload.Phase // the phases that share the switches' trees; nil if switches do not reduce
}

// islandRecipe is what Resimulate needs.
type islandRecipe struct {
	Scenario []byte // of one fabric, as YAML
	Given    islandGiven
}

// planOf is the plan of a part for the phases of a step. It does not depend on the seed.
func planOf(part *known.Part, step []workload.Phase) (*network.Plan, error) {
	anySeed := part.WithSeed(0).Scenario
	p, err := control.NewPlan(anySeed, &anySeed.Fabrics[0])
	if err != nil {
		return nil, err
	}
	p.Run = &part.Scenario.Run
	executor.AllocateForPhases(p, executor.LayoutOf(&part.Scenario.Cluster, p.Fabric), step)
	return p, nil
}

// given is what the simulation of an island is given.
func (s *steps) given(island *workload.Phase) islandGiven {
	own := islandGiven{Calm: s.calm, Island: *island}
	own.Island.Uses = 0
	if s.plan.Aggregation != nil {
		own.Trees = s.step.Phases
	}
	return own
}

// remembered is the result of an island from the cache; if it is not known, of its simulation.
func (s *steps) remembered(ctx context.Context, island *workload.Phase) (out *phases.IslandRun, found bool, err error) {
	given := s.given(island)
	run := func() (*phases.IslandRun, error) {
		return phases.RunIsland(ctx, s.plan, s.part.Scenario, &given.Island)
	}
	if s.cache == nil {
		out, err = run()
		return out, false, err
	}
	key, err := s.part.Key(IslandKind, given)
	if err != nil {
		return nil, false, err
	}
	if value, is := s.cache.Get(key); is {
		if out = new(phases.IslandRun); out.UnmarshalBinary(value) == nil {
			return out, true, nil
		}
	}
	out, err = run()
	if err == nil && ctx.Err() == nil {
		s.keep(key, &given, out)
	}
	return out, false, err
}

// keep gives the result of an island to the cache.
func (s *steps) keep(key known.Key, given *islandGiven, out *phases.IslandRun) {
	value, err := out.Results().MarshalBinary()
	if err != nil {
		return
	}
	recipe, err := s.recipe(given)
	if err != nil {
		return
	}
	what := fmt.Sprintf("%s, %d groups, on %s", given.Island.Name, len(given.Island.Groups), s.plan.Fabric.Name)
	s.cache.Put(key, known.Entry{Kind: IslandKind, What: what, Recipe: recipe, Value: value})
}

// recipe is what Resimulate needs. The sizes of the scenario's own workload are no part of a step; the text needs one.
func (s *steps) recipe(given *islandGiven) ([]byte, error) {
	size := units.Bytes(0)
	if len(s.scenario.Workload.Sizes) > 0 {
		size = s.scenario.Workload.Sizes[0]
	}
	text, err := s.part.Text(size)
	if err != nil {
		return nil, err
	}
	return canon.Append(nil, islandRecipe{text, *given})
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
	run, err := phases.RunIsland(ctx, p, part.Scenario, &of.Given.Island)
	if err != nil {
		return key, nil, err
	}
	value, err = run.Results().MarshalBinary()
	return key, value, err
}
