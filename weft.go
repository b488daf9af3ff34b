package weft

import (
	"cmp"
	"context"

	"weft/internal/sim"
	"weft/internal/sim/known"
	"weft/results"
	"weft/scenario"
	"weft/units"
)

// Run simulates a scenario: each size on each fabric. If ctx ends, Run stops, and returns the
// results so far, with Partial set, and the error of ctx. If a simulation fails, its [results.Point] has
// the reason, the error joins all reasons, and the other points are complete. If the scenario
// cannot be built, the results are nil and the error gives the reason.
func Run(ctx context.Context, r *scenario.Resolved, o Options) (*results.Results, error) {
	return sim.Run(ctx, r, o)
}

// Pausable is a context whose runs can be paused: after hold(true) they wait, without using a core, until
// hold(false) or the end of the context. Results do not depend on it.
func Pausable(ctx context.Context) (pausable context.Context, hold func(bool)) {
	return sim.Pausable(ctx)
}

// AutoSeeds as Options.Seeds simulates a small size with three to five seeds, or with ten to sixteen where
// a seed draws more than jitter, and a large size with one. The choice depends on the scenario alone.
const AutoSeeds = sim.AutoSeeds

// MaxSeeds is the most that Options.Seeds may be.
const MaxSeeds = sim.MaxSeeds

// The settings of a run and its progress.
type (
	// Options are the settings of [Run]. The zero value takes all cores and reports nothing. Its fields:
	//
	//	Seeds    int                    // seeds of each size; 0 is 1, at most MaxSeeds; AutoSeeds leaves it to a rule
	//	Workers  int                    // cores to use; 0 is all
	//	Progress func(Progress)         // called now and then, never concurrently; may be nil
	//	Finished func(Finished)         // called with each simulation that has ended or failed; may be nil
	//	Series   func(*results.Series)  // called with the record over time of each simulation; nil records nothing
	//	Exact    weft.Exact             // whether periods that repeat themselves are skipped
	//	Live     *Live                  // shows what a run in progress has counted; may be nil
	//	Cache    weft.Cache             // has results of earlier runs, and takes the new ones; may be nil
	Options = sim.Options
	// Progress is the progress of a run; Options.Progress gets it. Its fields:
	//
	//	Fabric      string           // of the simulation that ended last or is running
	//	Bytes       int64            // its size
	//	Done, Total int              // simulations; with ExactCheck each is two
	//	Known       int              // simulations whose results were in the cache; the sums below have none of them
	//	Simulated   units.Time       // so far, over all simulations
	//	Events      int64            // so far, over all simulations
	//	Hops        int64            // packet-hops so far, over all simulations
	//	Share       float64          // the part of the work that is done, 0 to 1; 0 if there is no estimate
	//	Skipped     results.Skipped  // the part of all this that was not simulated
	Progress = sim.Progress
	// Live shows what a run in progress has counted; Options.Live takes it.
	Live = sim.Live
	// Cache keeps results of simulations for later runs; Options.Cache takes it. Its methods may be called
	// concurrently. It keeps the results of different programs apart: a key does not name the program.
	//
	//	Get(CacheKey) (value []byte, known bool)
	//	Put(CacheKey, CacheEntry)
	Cache = known.Store
	// CacheKey identifies a simulation: a SHA-256.
	CacheKey = known.Key
	// CacheEntry is the result of a simulation with what is needed to simulate it again. Its fields:
	//
	//	Kind   string  // of the simulation: what reads Recipe
	//	What   string  // for people: all-reduce 64 MiB on roce-400g
	//	Recipe []byte  // enough to simulate it again
	//	Value  []byte  // the result
	CacheEntry = known.Entry
	// Finished is a simulation that has ended; Options.Finished gets it. Its fields:
	//
	//	Fabric, Size int            // indices into the scenario's fabrics and sizes
	//	Point        results.Point  // the result
	Finished = sim.Finished
	// Exact is what a simulation does with traffic that repeats itself; Options.Exact takes it.
	Exact = sim.Exact
)

// The values of [Exact]. Results are the same with each.
const (
	// ExactOn skips periods that are equal to an earlier one.
	ExactOn = sim.ExactOn
	// ExactOff simulates every period.
	ExactOff = sim.ExactOff
	// ExactCheck runs each simulation both ways. A difference is the simulation's failure.
	ExactCheck = sim.ExactCheck
)

// Collective is a collective operation on a cluster. A zero field has its default.
type Collective struct {
	// Op is the operation; the default is all-reduce.
	Op scenario.Collective
	// Cluster is the preset of its nodes, from the catalog; the default is dgx-h100.
	Cluster string
	// Nodes is the number of nodes; the default is 16.
	Nodes int
	// Fabrics are presets of the catalog, such as infiniband-ndr. The default is InfiniBand,
	// RoCE v2 and TCP at the rate of the node's NIC.
	Fabrics []string
	// Sizes are message sizes in bytes, as nccl-tests counts them. The default is 1 KiB to
	// 64 MiB in steps of a factor of four.
	Sizes []units.Bytes
	// Algorithm is the algorithm; the default is NCCL's choice.
	Algorithm scenario.Algorithm
}

// Scenario is the scenario of the collective. Change it, and give it to [scenario.New].
func (c Collective) Scenario() *scenario.Scenario {
	s := &scenario.Scenario{
		Name:     c.Cluster,
		Cluster:  scenario.Cluster{Nodes: c.Nodes, Node: scenario.Node{Preset: c.Cluster}},
		Workload: scenario.Workload{Collective: cmp.Or(c.Op, "all-reduce"), Sizes: c.Sizes, Algorithm: c.Algorithm},
	}
	for _, preset := range c.Fabrics {
		s.Fabrics = append(s.Fabrics, scenario.Fabric{Preset: preset})
	}
	return s
}

// Run simulates the collective on all cores. The error is a [scenario.Errors] if a field is wrong,
// otherwise the error of [Run].
func (c Collective) Run(ctx context.Context) (*results.Results, error) {
	file, err := scenario.New("weft.Collective", c.Scenario())
	if err != nil {
		return nil, err
	}
	r, err := file.Resolve()
	if err != nil {
		return nil, err
	}
	return Run(ctx, r, Options{})
}
