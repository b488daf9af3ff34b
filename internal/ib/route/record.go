package route

import (
	"weft/internal/ib/subnet"
	"weft/units"
)

// Record is a report as JSON has it, with its proof.
type Record struct {
	Choice
	Switches int       `json:"switches"`
	TopLID   units.LID `json:"top_lid"`
	Manager  string    `json:"manager,omitempty"` // port GUID
	Lanes    int       `json:"lanes"`
	LeftOut  int       `json:"nodes_left_out"`
	Gaps
	Proven   bool      `json:"proven"`
	Refuted  []string  `json:"refuted_because,omitempty"`
	Warnings []string  `json:"warnings,omitempty"`
	Tried    []Attempt `json:"tried,omitempty"`
}

// Record is the report of tables of a subnet as JSON has it. The report must have a proof. leftOut
// is the number of nodes that the manager does not reach.
func (r *Report) Record(s *subnet.Subnet, leftOut int) Record {
	x := Record{
		Choice: r.Choice, Switches: s.Switches(), TopLID: s.TopLID(), Lanes: r.Lanes, LeftOut: leftOut, Gaps: r.Gaps,
		Proven: r.Proof.Proven(), Refuted: r.Proof.Refutations(), Warnings: r.Proof.Warnings(), Tried: r.Tried,
	}
	if s.Origin.Exists() {
		x.Manager = s.Port(s.Origin).GUID.String()
	}
	return x
}
