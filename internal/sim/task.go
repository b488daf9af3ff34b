package sim

import (
	"sync/atomic"

	"weft/internal/fabric"
	"weft/scenario"
	"weft/units"
)

// task is one simulation that is to be run: a size of a scenario's workload on the plan
// of a fabric.
type task struct {
	plan     *plan
	scenario *scenario.Resolved
	bytes    units.Bytes
	cores    int                   // that this one simulation may use
	stop     *atomic.Bool          // ends it early
	started  func(*fabric.Network) // is told of its network before the first event
}

// unfinished is the failure of a simulation that ran to its end, or to the limit of its
// time, in which messages did not arrive. What it counted stands.
type unfinished struct{ Why error }

func (u unfinished) Error() string { return u.Why.Error() }

// maxPartitions bounds the parts that one simulation is cut into: a part has its
// mailboxes to every other, and its number is held in 8 bits.
const maxPartitions = 128
