package engine

import (
	"weft/internal/subnet"
	"weft/units"
)

// Report says how tables came about.
type Report struct {
	Asked Name // the engine that was asked for
	Used  Name // the engine whose tables these are
	// Reason is why Used is not Asked; empty where it is.
	Reason string
	// Remedy is what to change so that Asked can route the fabric.
	Remedy string
	// Lanes is how many data lanes the tables need.
	Lanes int
	// Unreachable are the first pairs (at most 16) of switch and LID without a
	// way; UnreachablePairs counts all of them. OpenSM reports success all the
	// same.
	Unreachable      []Unreachable
	UnreachablePairs int
	// Notes are other things that OpenSM keeps to itself.
	Notes []string
}

// Unreachable is a switch whose table has no port for a LID in use.
type Unreachable struct {
	Switch units.GUID // NodeGUID
	LID    units.LID
}

// maxUnreachable is how many pairs a report lists: enough to see the pattern.
const maxUnreachable = 16

// Refusal is an engine's verdict that it cannot route a fabric.
type Refusal struct {
	Engine Name
	Reason string // what about the fabric is in the way, with the nodes in question
	Remedy string // what to change
}

func (r *Refusal) Error() string {
	return string(r.Engine) + " cannot route this fabric: " + r.Reason + ". " + r.Remedy
}

// unreachable lists the pairs of switch and LID in use without a way.
func (f *fabric) unreachable() ([]Unreachable, int) {
	var first []Unreachable
	count := 0
	missing := func(sw int32, lid units.LID) {
		if f.tab.LFT[sw][lid] != subnet.NoPort {
			return
		}
		if count++; len(first) < maxUnreachable {
			first = append(first, Unreachable{f.sw[sw].guid, lid})
		}
	}
	for _, sw := range f.order {
		for i := range f.sw {
			missing(sw, f.sw[i].lid)
		}
		for i := range f.ends {
			for l := range f.ends[i].width {
				missing(sw, f.ends[i].lid+units.LID(l))
			}
		}
	}
	return first, count
}
