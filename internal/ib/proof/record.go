package proof

import (
	"weft/internal/ib/subnet"
	"weft/units"
)

// Record is a report as JSON has it: ports by name and GUID.
type Record struct {
	Proven   bool     `json:"proven"`
	Refuted  []string `json:"refuted_because,omitempty"`
	Warnings []string `json:"warnings,omitempty"`
	Judged   int64    `json:"pairs_judged"`     // of a source and a LID
	Apart    int64    `json:"pairs_not_joined"` // by cables: not judged
	*Report
	Loops    []cycleRecord   `json:"shortest_credit_loops,omitempty"`
	Balance  balanceRecord   `json:"paths_per_cable"`
	Patterns []patternRecord `json:"patterns,omitempty"`
	Findings []findingRecord `json:"findings,omitempty"`
	Matrix   *matrixRecord   `json:"lid_matrix,omitempty"`
	// Multicast is the verdict on multicast tables; nil without any.
	Multicast *Multicast `json:"multicast,omitempty"`
}

// portRecord is a port as JSON has it.
type portRecord struct {
	Node string     `json:"node"`
	GUID units.GUID `json:"guid"` // NodeGUID
	Port uint8      `json:"port"`
}

type holdRecord struct {
	portRecord
	Hold
}

type cycleRecord struct {
	Holds []holdRecord `json:"holds"`
	Cycle
}

type loadRecord struct {
	portRecord
	Load
}

type balanceRecord struct {
	Balance
	Worst []loadRecord `json:"worst"`
}

type patternRecord struct {
	Pattern
	Worst *portRecord `json:"worst,omitempty"`
}

type findingRecord struct {
	Finding
	Places []placeRecord `json:"first"`
}

type placeRecord struct {
	portRecord
	Place
}

type matrixRecord struct {
	*Matrix
	Impossible []hopsRecord `json:"first_impossible,omitempty"`
	Disagree   []hopsRecord `json:"first_that_differ,omitempty"`
}

type hopsRecord struct {
	portRecord
	To portRecord `json:"to"`
	HopsAt
}

// Record is the report of tables of a subnet as JSON has it, with the comparison of a LID
// matrix; m is nil if there is none.
func (r *Report) Record(s *subnet.Subnet, m *Matrix) Record {
	x := Record{
		Proven: r.Proven(), Refuted: r.Refutations(), Warnings: r.Warnings(), Report: r,
		Balance: balanceRecord{Balance: r.Balance, Worst: []loadRecord{}}, Matrix: m.record(s),
	}
	x.Judged, x.Apart = r.Judged()
	for _, c := range r.Cycles {
		loop := cycleRecord{Cycle: c}
		for _, h := range c.Holds {
			loop.Holds = append(loop.Holds, holdRecord{portOf(s, h.Port), h})
		}
		x.Loops = append(x.Loops, loop)
	}
	for _, w := range r.Balance.Worst {
		x.Balance.Worst = append(x.Balance.Worst, loadRecord{portOf(s, w.Port), w})
	}
	for _, p := range r.Patterns {
		one := patternRecord{Pattern: p}
		if p.Worst.Exists() {
			at := portOf(s, p.Worst)
			one.Worst = &at
		}
		x.Patterns = append(x.Patterns, one)
	}
	for _, f := range r.Findings {
		one := findingRecord{Finding: f}
		for _, p := range f.Places {
			one.Places = append(one.Places, placeRecord{portOf(s, p.Port), p})
		}
		x.Findings = append(x.Findings, one)
	}
	return x
}

func portOf(s *subnet.Subnet, e subnet.End) portRecord {
	n := &s.Nodes[e.Node]
	return portRecord{Node: n.Name, GUID: n.GUID, Port: uint8(e.Port)}
}

func (m *Matrix) record(s *subnet.Subnet) *matrixRecord {
	if m == nil {
		return nil
	}
	return &matrixRecord{m, hopsRecords(s, m.Impossible), hopsRecords(s, m.Disagree)}
}

func hopsRecords(s *subnet.Subnet, from []HopsAt) (out []hopsRecord) {
	for _, h := range from {
		out = append(out, hopsRecord{portOf(s, h.Port), portOf(s, h.To), h})
	}
	return out
}

// DifferenceRecord is a difference as JSON has it.
type DifferenceRecord struct {
	Entries  int                   `json:"entries"`
	Switches []switchChangesRecord `json:"switches"`
	First    []changeRecord        `json:"first_entries"`
	PathChanges
	Relabelled int                `json:"lids_changed"`
	Loads      []loadChangeRecord `json:"loads"`
}

type switchChangesRecord struct {
	portRecord
	SwitchChanges
}

type changeRecord struct {
	Switch units.GUID `json:"switch"` // NodeGUID
	Change
}

type loadChangeRecord struct {
	portRecord
	LoadChange
}

// Record is the difference of tables of a subnet as JSON has it. relabelled is the number of ports
// with another LID in the second tables.
func (d *Difference) Record(s *subnet.Subnet, relabelled int) DifferenceRecord {
	x := DifferenceRecord{
		Entries: d.Entries, PathChanges: d.PathChanges, Relabelled: relabelled,
		Switches: []switchChangesRecord{}, First: []changeRecord{}, Loads: []loadChangeRecord{},
	}
	for _, w := range d.Switches {
		x.Switches = append(x.Switches, switchChangesRecord{portOf(s, subnet.End{Node: w.Switch}), w})
	}
	for _, c := range d.First {
		x.First = append(x.First, changeRecord{s.Nodes[c.Switch].GUID, c})
	}
	for _, l := range d.Loads {
		x.Loads = append(x.Loads, loadChangeRecord{portOf(s, l.Port), l})
	}
	return x
}
