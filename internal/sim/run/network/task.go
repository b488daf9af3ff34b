package network

import (
	"weft/internal/sim/engine"
	"weft/scenario"
	"weft/units"
)

// Task is a simulation to run: a size of a scenario's workload on the plan of a fabric.
type Task struct {
	Plan     *Plan
	Scenario *scenario.Resolved
	Bytes    units.Bytes
	Cores    int            // cores from the beginning
	Parts    int            // number of simulation partitions, if the network can be divided
	Spare    *engine.Spare  // additional cores when available; nil for none
	Stop     *engine.Stop   // ends it early, or holds it
	Exact    bool           // skips periods that are equal to an earlier one
	Whole    bool           // simulates all of a collective, whatever the scenario's bound of the error
	Started  func(*Network) // called with its network before the first event
	Work     *Work          // counts the work of a collective; nil if nobody asks
}

// Unfinished is the error for a simulation that ran to its end, or to its time limit, without
// delivering all messages. Its counters remain valid.
type Unfinished struct{ Why error }

// Error names the missing messages and the reason.
func (u Unfinished) Error() string { return u.Why.Error() }
