package sim

import (
	"weft/internal/sim/runstore"
	"weft/units"
)

// Options are what a caller may choose about a run. Results depend on Seeds and
// SwitchRange alone.
type Options struct {
	// Seeds is how many seeds each size is simulated with, from the scenario's on: 0 and
	// 1 are that one alone, [AutoSeeds] is as many as a rule gives.
	Seeds int
	// SwitchRange has the smallest size simulated again with the fabrics' switches as fast
	// and as slow as sources say.
	SwitchRange bool
	// Workers is how many cores to use; 0 is all.
	Workers int
	// Progress, if not nil, is called now and then, never concurrently.
	Progress func(Progress)
	// Finished, if not nil, is called with each simulation that has come to its
	// end or has failed, in the order in which they do, never concurrently with
	// itself or with Progress.
	Finished func(Finished)
}

// Finished is one simulation with its result.
type Finished struct {
	Fabric, Size int // indices into the scenario's fabrics and sizes
	Point        runstore.Point
}

// Progress is how far a run has come.
type Progress struct {
	Fabric      string
	Bytes       int64 // the size of the sweep that was last finished or is running
	Done, Total int   // simulations
	Simulated   units.Time
	Events      int64 // so far, over all simulations
}
