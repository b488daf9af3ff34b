package cli

import (
	"weft/internal/ib/route"
	"weft/internal/ib/subnet"
)

// routed is the output of weft sm route --json.
type routed struct {
	Asked    string              `json:"asked"`
	Engine   string              `json:"engine"`
	Reason   string              `json:"reason,omitempty"`
	Remedy   string              `json:"remedy,omitempty"`
	Switches int                 `json:"switches"`
	TopLID   uint16              `json:"top_lid"`
	Manager  string              `json:"manager,omitempty"` // port GUID
	Lanes    int                 `json:"lanes"`
	LeftOut  int                 `json:"nodes_left_out"`
	NoWay    int                 `json:"unreachable_pairs"` // pairs of a switch with hosts and a host's LID
	NoWays   []route.Unreachable `json:"first_unreachable_pairs,omitempty"`
	Apart    int                 `json:"switches_apart"`
	// Unforetold is the reason why OpenSM's tables may differ from these.
	Unforetold string          `json:"not_foretold,omitempty"`
	Notes      []string        `json:"notes,omitempty"`
	Proven     bool            `json:"proven"`
	Refuted    []string        `json:"refuted_because,omitempty"`
	Warnings   []string        `json:"warnings,omitempty"`
	Tried      []route.Attempt `json:"tried,omitempty"`
}

func routedOf(s *subnet.Subnet, rep *route.Report, left int) routed {
	r := routed{
		Asked: string(rep.Asked), Engine: string(rep.Used), Reason: rep.Reason, Remedy: rep.Remedy,
		Switches: s.Switches(), TopLID: uint16(s.TopLID()), Lanes: rep.Lanes,
		LeftOut: left, NoWay: rep.UnreachablePairs, NoWays: rep.Unreachable, Apart: rep.Apart, Notes: rep.Notes, Unforetold: rep.Unforetold,
		Proven: rep.Proof.Proven(), Refuted: rep.Proof.Refutations(), Warnings: rep.Proof.Warnings(), Tried: rep.Tried,
	}
	if s.Origin.Exists() {
		r.Manager = s.Port(s.Origin).GUID.String()
	}
	return r
}
