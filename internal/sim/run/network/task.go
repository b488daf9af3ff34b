package network

import (
	"sync/atomic"

	"weft/internal/sim/engine"
	"weft/internal/sim/fabric"
	"weft/internal/sim/scenario"
	"weft/units"
)

// Task is one simulation that is to be run: a size of a scenario's workload on the plan
// of a fabric.
type Task struct {
	Plan     *Plan
	Scenario *scenario.Resolved
	Bytes    units.Bytes
	Cores    int                   // that this one simulation may use from its beginning
	Parts    int                   // partitions into which it is to be cut, where it can be
	Spare    *engine.Spare         // cores that it may use besides, when there are; nil for none
	Stop     *atomic.Bool          // ends it early
	Started  func(*fabric.Network) // is told of its network before the first event
}

// Unfinished is the failure of a simulation that ran to its end, or to the limit of its
// time, in which messages did not arrive. What it counted stands.
type Unfinished struct{ Why error }

// Error says what is missing, and why.
func (u Unfinished) Error() string { return u.Why.Error() }
