package sim

import (
	"weft/internal/sim/runstore"
	"weft/units"
)

// Options are the settings of a run. Results depend only on Seeds and SwitchRange.
type Options struct {
	// Seeds is the number of seeds for each size: the scenario's seed, then the next ones. 0 means
	// 1. [AutoSeeds] leaves the number to a rule.
	Seeds int
	// SwitchRange simulates the smallest size again with the smallest and the largest switch
	// latency of the sources.
	SwitchRange bool
	// Workers is the number of cores to use; 0 means all.
	Workers int
	// Progress, if not nil, is called now and then, never concurrently.
	Progress func(Progress)
	// Finished, if not nil, is called with each simulation that has ended or failed, never
	// concurrently with itself or with Progress.
	Finished func(Finished)
}

// Finished is one simulation with its result.
type Finished struct {
	Fabric, Size int            // indices into the scenario's fabrics and sizes
	Point        runstore.Point // the result
}

// Progress is the progress of a run.
type Progress struct {
	Fabric      string     // of the simulation that finished last or is running
	Bytes       int64      // its size
	Done, Total int        // simulations
	Simulated   units.Time // so far, over all simulations
	Events      int64      // so far, over all simulations
}
