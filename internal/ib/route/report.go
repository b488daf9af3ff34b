package route

import (
	"weft/internal/base/cores"
	"weft/internal/ib/proof"
	"weft/internal/ib/subnet"
	"weft/units"
)

// Report is the engine's report on its tables.
type Report struct {
	Choice
	Gaps
	// Lanes is the number of data lanes that the tables need.
	Lanes int
	// Tried is the engines that Auto tried, in order; nil for any other engine.
	Tried []Attempt
	// Proof is the proof of the tables; with Auto it has patterns of traffic too. Compute
	// sets it for Auto only, Proved always.
	Proof *proof.Report
}

// Choice is the engine that computed tables, and the reason.
type Choice struct {
	Asked Name `json:"asked"`  // the engine that was asked for
	Used  Name `json:"engine"` // the engine that computed the tables
	// Reason is why Used is not Asked, or why Auto chose it; empty if Used is Asked.
	Reason string `json:"reason,omitempty"`
	// Remedy is a change after which Asked can route the fabric.
	Remedy string `json:"remedy,omitempty"`
}

// Gaps is the entries without a port, and possible differences from OpenSM's tables.
type Gaps struct {
	// UnreachablePairs is the number of entries without a port, in switches with hosts, for LIDs of
	// hosts: packets for these are lost, though OpenSM reports success. Unreachable is the first
	// such entries, at most 16.
	UnreachablePairs int           `json:"unreachable_pairs"`
	Unreachable      []Unreachable `json:"first_unreachable_pairs,omitempty"`
	// Apart counts the entries without a port for LIDs of switches. Only management packets go to
	// these; engines that go up and down leave out the paths from one root to another.
	Apart int `json:"switches_apart"`
	// Unpredictable is the reason why OpenSM's tables may differ from these; empty if they are
	// equal, entry for entry.
	Unpredictable string `json:"unpredictable,omitempty"`
	// Notes are other things that OpenSM does not report.
	Notes []string `json:"notes,omitempty"`
}

// Unreachable is a switch whose table has no port for a LID in use.
type Unreachable struct {
	Switch units.GUID `json:"switch"` // NodeGUID
	LID    units.LID  `json:"lid"`
}

// maxUnreachable is the maximum number of pairs in a report: enough to see a pattern.
const maxUnreachable = 16

// Refusal is an engine's verdict that it cannot route a fabric.
type Refusal struct {
	Engine Name
	Reason string // the property of the fabric that prevents routing, with its nodes
	Remedy string // a change after which routing works

	unpredictable string // why OpenSM may not refuse the fabric; "" if it does
}

func (r *Refusal) Error() string {
	return string(r.Engine) + " cannot route this fabric: " + r.Reason + ". " + r.Remedy
}

// unreachable looks for entries without a port.
func (j *job) unreachable(rep *Report) {
	var hosts, switches []units.LID
	for i := range j.ends {
		for l := range j.ends[i].width {
			hosts = append(hosts, j.ends[i].lid+units.LID(l))
		}
	}
	for i := range j.sw {
		for l := range j.sw[i].width {
			switches = append(switches, j.sw[i].lid+units.LID(l))
		}
	}
	lost, apart := make([]int, len(j.sw)), make([]int, len(j.sw))
	cores.EachOwning(len(j.sw), j.cores, func() func(int) {
		return func(sw int) {
			if j.sw[sw].hosts > 0 {
				lost[sw] = missing(j.tab.LFT[sw], hosts)
			}
			apart[sw] = missing(j.tab.LFT[sw], switches)
		}
	})
	for _, sw := range j.order {
		rep.UnreachablePairs += lost[sw]
		rep.Apart += apart[sw]
		for _, lid := range hosts {
			if lost[sw] == 0 || len(rep.Unreachable) == maxUnreachable {
				break
			}
			if j.tab.LFT[sw][lid] == subnet.NoPort {
				rep.Unreachable = append(rep.Unreachable, Unreachable{j.sw[sw].guid, lid})
			}
		}
	}
}

// missing counts the LIDs for which a table has no port.
func missing(lft []uint8, lids []units.LID) int {
	n := 0
	for _, lid := range lids {
		if lft[lid] == subnet.NoPort {
			n++
		}
	}
	return n
}
