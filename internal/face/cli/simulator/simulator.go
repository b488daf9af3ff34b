package simulator

import (
	"weft"
	"weft/internal/face/cli/process"
	"weft/internal/study/many"
)

// Runner simulates a scenario. When ctx ends it returns the results so far, with Partial set, and a
// nil or a context error.
type Runner = many.Runner

// Simulator is an environment whose verbs simulate: with the results that are known, in the way that
// --exact says, and together with other processes if this one shares simulations.
type Simulator struct {
	*process.Env
	Run Runner

	Exact   weft.Exact    // --exact: skipping of repeated periods
	Sharing *many.Sharing // nil: this process shares no simulations
	known   knownResults
}

// New is the simulator of an environment. A nil run is weft.Run.
func New(e *process.Env, run Runner) *Simulator {
	if run == nil {
		run = weft.Run
	}
	s := &Simulator{Env: e}
	s.Run = s.obeyingExact(run)
	return s
}
