package cli

import (
	"weft/internal/ib/proof"
	"weft/internal/ib/subnet"
)

// checked is the output of weft sm check --json.
type checked struct {
	Proven       bool            `json:"proven"`
	Refuted      []string        `json:"refuted_because,omitempty"`
	Warnings     []string        `json:"warnings,omitempty"`
	Switches     int             `json:"switches"`
	Ends         int             `json:"ends"`
	LIDs         int             `json:"lids"`
	EndToEnd     proof.Reach     `json:"end_to_end"`
	EndToSwitch  proof.Reach     `json:"end_to_switch"`
	FromSwitches proof.Reach     `json:"from_switches"`
	Hops         []int64         `json:"paths_by_hops"`   // index is hops
	Detours      []int64         `json:"paths_by_detour"` // index is the number of hops beyond the minimum
	Lanes        int             `json:"lanes"`
	AnyLevel     bool            `json:"any_service_level,omitempty"` // the service levels of paths are unknown
	CreditLoops  int             `json:"credit_loops"`
	Loops        []creditLoop    `json:"shortest_credit_loops,omitempty"`
	Balance      balanced        `json:"paths_per_cable"`
	Patterns     []patternLoaded `json:"patterns,omitempty"`
	Findings     []found         `json:"findings,omitempty"`
	Matrix       *matrix         `json:"lid_matrix,omitempty"`
}

// portNamed is a port in JSON.
type portNamed struct {
	Node string `json:"node"`
	GUID string `json:"guid"`
	Port uint8  `json:"port"`
}

type hold struct {
	portNamed
	VL uint8 `json:"vl"`
}

type creditLoop struct {
	Holds    []hold `json:"holds"`
	Channels int    `json:"channels_in_knot"`
	Shortest bool   `json:"shortest"`
}

type loaded struct {
	portNamed
	Paths int64 `json:"paths"`
}

type balanced struct {
	Cables int      `json:"directed_cables"`
	Idle   int      `json:"idle"`
	Max    int64    `json:"max"`
	Mean   float64  `json:"mean"`
	Worst  []loaded `json:"worst"`
}

type patternLoaded struct {
	Name       string     `json:"name"`
	Contention float64    `json:"contention"`
	Bandwidth  float64    `json:"bandwidth"`
	Worst      *portNamed `json:"worst,omitempty"`
}

type found struct {
	What   string  `json:"what"`
	Count  int64   `json:"count"`
	Places []place `json:"first"`
}

type place struct {
	portNamed
	LID uint16 `json:"lid,omitempty"`
}

func named(s *subnet.Subnet, e subnet.End) portNamed {
	n := &s.Nodes[e.Node]
	return portNamed{Node: n.Name, GUID: n.GUID.String(), Port: e.Port}
}

func checkedOf(s *subnet.Subnet, r *proof.Report) checked {
	c := checked{
		Proven: r.Proven(), Refuted: r.Refutations(), Warnings: r.Warnings(),
		Switches: r.Switches, Ends: r.Ends, LIDs: r.LIDs,
		EndToEnd: r.EndToEnd, EndToSwitch: r.EndToSwitch, FromSwitches: r.FromSwitches,
		Hops: r.Paths.Hops, Detours: r.Paths.Detour, Lanes: r.Lanes, AnyLevel: r.AnyLevel, CreditLoops: r.CreditLoops,
		Balance: balanced{Cables: r.Balance.Cables, Idle: r.Balance.Idle, Max: r.Balance.Max, Mean: r.Balance.Mean, Worst: []loaded{}},
	}
	for _, x := range r.Cycles {
		l := creditLoop{Channels: x.Channels, Shortest: x.Shortest}
		for _, h := range x.Holds {
			l.Holds = append(l.Holds, hold{named(s, h.Port), uint8(h.VL)})
		}
		c.Loops = append(c.Loops, l)
	}
	for _, w := range r.Balance.Worst {
		c.Balance.Worst = append(c.Balance.Worst, loaded{named(s, w.Port), w.Paths})
	}
	for _, p := range r.Patterns {
		x := patternLoaded{Name: p.Name, Contention: p.Contention, Bandwidth: p.Bandwidth}
		if p.Worst.Exists() {
			at := named(s, p.Worst)
			x.Worst = &at
		}
		c.Patterns = append(c.Patterns, x)
	}
	for _, f := range r.Findings {
		x := found{What: f.Kind.String(), Count: f.Count}
		for _, p := range f.Places {
			x.Places = append(x.Places, place{named(s, p.Port), uint16(p.LID)})
		}
		c.Findings = append(c.Findings, x)
	}
	return c
}
