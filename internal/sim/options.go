package sim

import (
	"errors"
	"fmt"

	"weft/internal/sim/known"
	"weft/results"
	"weft/scenario"
	"weft/units"
)

// Options are the settings of a run. Results depend only on Seeds.
type Options struct {
	// Seeds is the number of seeds for each size: the scenario's seed, then the next ones. 0 means
	// 1, [MaxSeeds] is the most. [AutoSeeds] leaves the number to a rule.
	Seeds int
	// Workers is the number of cores to use; 0 means all.
	Workers int
	// Progress, if not nil, is called now and then, never concurrently.
	Progress func(Progress)
	// Finished, if not nil, is called with each simulation that has ended or failed, never
	// concurrently with itself or with Progress.
	Finished func(Finished)
	// Series, if not nil, makes each simulation of the first seed record its links, messages and steps over
	// time, and is called with the record, in the order of the simulations, never concurrently with itself.
	// Results are the same with and without it.
	Series func(*results.Series)
	// Exact says whether a simulation skips periods in which it would repeat itself exactly. Results are the
	// same with and without it.
	Exact Exact
	// Live, if not nil, shows what the simulations of the first seed have counted so far, while they run.
	// Results are the same with and without it.
	Live *Live
	// Cache, if not nil, has the results of earlier simulations, and takes the new ones. A simulation whose
	// result is known is not run again; results are the same with and without it. A run with Series or
	// Live does not use it, since what they show has to happen. With ExactOff it only takes results, with
	// ExactCheck not even that.
	Cache known.Store
}

// MaxSeeds bounds Options.Seeds: an interval of more seeds would be narrower than the model's error.
const MaxSeeds = 1000

// check refuses what cannot be simulated.
func (o *Options) check(r *scenario.Resolved) error {
	if r == nil || len(r.Fabrics) == 0 {
		return errors.New("the scenario has no fabric: want one from File.Resolve")
	}
	if o.Seeds < AutoSeeds || o.Seeds > MaxSeeds {
		return fmt.Errorf("Options.Seeds is %d: want 0 to %d, or AutoSeeds", o.Seeds, MaxSeeds)
	}
	return nil
}

// Finished is one simulation with its result.
type Finished struct {
	Fabric, Size int           // indices into the scenario's fabrics and sizes
	Point        results.Point // the result
}

// Progress is the progress of a run.
type Progress struct {
	Fabric      string     // of the simulation that finished last or is running
	Bytes       int64      // its size
	Done, Total int        // simulations; with ExactCheck each is two
	Known       int        // simulations whose results were in the cache; they add nothing to the sums below
	Simulated   units.Time // so far, over all simulations
	Events      int64      // so far, over all simulations
	Hops        int64      // packet-hops so far, over all simulations
	// Share is the part of the work that is done, by an estimate of each simulation's; 0 if there is none.
	// Simulations whose results were known count as no work.
	Share float64
	// Skipped is the part of all this that was not simulated.
	Skipped results.Skipped
}
