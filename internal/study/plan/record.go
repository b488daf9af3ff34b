package plan

import (
	"fmt"

	"weft/internal/base/topology"
)

// Record is a plan as JSON.
type Record struct {
	Name    string         `json:"name"`
	GPUs    int            `json:"gpus"`
	Later   int            `json:"gpus_later,omitempty"`
	Node    string         `json:"node"`
	Designs []DesignRecord `json:"designs"`
	Files   []string       `json:"files,omitempty"` // in the folder; the next plan in it replaces them
}

// DesignRecord is a design as JSON. Power is in watts, latency in nanoseconds.
type DesignRecord struct {
	Name             string         `json:"name"`
	Protocol         string         `json:"protocol"`
	Fabric           string         `json:"fabric"`
	Switch           string         `json:"switch"`
	NIC              string         `json:"nic"`
	Shape            string         `json:"shape"`
	Oversubscription string         `json:"oversubscription"`
	Rate             string         `json:"rate"`
	Rails            int            `json:"rails"`
	Levels           int            `json:"levels"`
	Hops             int            `json:"switches_on_the_longest_way"`
	RailHops         float64        `json:"switches_between_nics_of_a_rail"`
	Planes           int            `json:"planes"`
	Survives         int            `json:"switch_failures_survived"`
	Places           int            `json:"free_leaf_ports"`
	ParetoFront      bool           `json:"pareto_front"`
	Nodes            int            `json:"nodes"`
	Switches         map[string]int `json:"switches"`
	Cables           map[string]int `json:"cables"`
	PortsUsed        int            `json:"switch_ports_used"`
	PortsFree        int            `json:"switch_ports_free"`
	Bill             []lineRecord   `json:"bill"`
	Power            sumRecord      `json:"power_watts"`
	Latency          sumRecord      `json:"switch_latency_ns"`
	Cost             *costRecord    `json:"cost,omitempty"`
	Growth           *growthRecord  `json:"later,omitempty"`
	Proof            *proofRecord   `json:"simulated,omitempty"`
	Scenario         string         `json:"scenario"`
}

type lineRecord struct {
	Line
	LengthText string   `json:"length,omitempty"`
	Watts      *float64 `json:"watts_each"`                    // null: not known
	AtLeast    *float64 `json:"watts_each_at_least,omitempty"` // the bounds, if it is not known
	AtMost     *float64 `json:"watts_each_at_most,omitempty"`
	Tag        string   `json:"watts_tag,omitempty"`
}

// sumRecord is a sum that names its missing parts: at_least is then the known part.
type sumRecord struct {
	Total   *float64 `json:"total"` // null: not known in full
	AtLeast float64  `json:"at_least"`
	AtMost  *float64 `json:"at_most,omitempty"` // the bound, if not known in full and each missing part has one
	Missing []string `json:"missing,omitempty"`
	Softest string   `json:"softest_tag,omitempty"`
}

type costRecord struct {
	Equipment sumRecord `json:"equipment"`
	Energy    sumRecord `json:"energy"`
	Years     int       `json:"years"`
	Currency  string    `json:"currency"`
	Public    bool      `json:"public_prices,omitempty"` // ranges of public prices, without energy
}

type growthRecord struct {
	GPUs     int            `json:"gpus"`
	Levels   int            `json:"levels,omitempty"`
	Switches map[string]int `json:"switches,omitempty"`
	Problem  string         `json:"problem,omitempty"`
	Design   string         `json:"design,omitempty"`
	Holds    int            `json:"present_switches_hold_gpus,omitempty"`
	Ways     []wayRecord    `json:"ways,omitempty"`
}

// wayRecord is a way to the later network.
type wayRecord struct {
	Name   string        `json:"name"`
	Stages []stageRecord `json:"stages"`
}

type stageRecord struct {
	From     int            `json:"from_gpus"`
	To       int            `json:"to_gpus"`
	Switches [3]int         `json:"switches"`
	Added    []Line         `json:"bought"`
	Freed    []Line         `json:"left_over,omitempty"`
	Cables   map[Action]int `json:"cables"`
	Power    sumRecord      `json:"power_watts"`
	Cost     sumRecord      `json:"cost"`
}

// Record is the plan as JSON, with the files of its folder.
func (p *Plan) Record(files ...string) Record {
	out := Record{Name: p.Request.Name, GPUs: p.Request.GPUs, Later: p.Request.Later, Node: p.Request.Node, Files: files}
	for _, d := range p.Designs {
		out.Designs = append(out.Designs, d.Record())
	}
	return out
}

// Record is the design as JSON.
func (d *Design) Record() DesignRecord {
	out := DesignRecord{
		Name: d.Name, Protocol: string(d.Kind), Fabric: d.Preset, Switch: d.Switch, NIC: d.NIC, Shape: string(d.Shape),
		Oversubscription: fmt.Sprintf("%d:%d", d.Oversubscription.Num, d.Oversubscription.Den), Rate: d.Rate.Exact(), Rails: d.Rails,
		Levels: d.Levels, Hops: d.Hops, RailHops: d.Merits.RailHops, Planes: d.Merits.Planes, Survives: d.Merits.Survives, Places: d.Merits.Places, ParetoFront: d.Front, Nodes: d.Count.Nodes,
		Switches: switchCounts(d.Count), Cables: map[string]int{"total": d.Count.TotalCables()},
		PortsUsed: d.Count.PortsUsed, PortsFree: d.Count.PortsFree,
		Power: recordOf(d.Power, 1000), Latency: recordOf(d.Latency, 1000), Scenario: string(d.Scenario),
	}
	for kind, n := range d.Count.Cables {
		out.Cables[topology.CableKind(kind).String()] = n
	}
	for _, l := range d.Bill {
		line := lineRecord{Line: l}
		if l.Length > 0 {
			line.LengthText = l.Length.Exact()
		}
		if least, most := l.Power.Range(); !l.Power.Known && most > 0 {
			low, high := float64(least)/1000, float64(most)/1000
			line.AtLeast, line.AtMost = &low, &high
		}
		if l.Power.Known {
			w := float64(l.Power.Value) / 1000
			line.Watts, line.Tag = &w, string(l.Power.Tag)
		}
		out.Bill = append(out.Bill, line)
	}
	out.Cost = &costRecord{recordOf(d.Cost.Equipment, PerUnit), recordOf(d.Cost.Energy, PerUnit), d.Cost.Years, d.Cost.Currency, d.Cost.Public}
	out.Proof = d.Proof.record()
	if g := d.Growth; g != nil {
		out.Growth = &growthRecord{GPUs: g.GPUs, Problem: g.Problem}
		if g.Problem == "" {
			out.Growth.Levels, out.Growth.Switches, out.Growth.Design, out.Growth.Holds = g.Levels, switchCounts(g.Count), g.Name, g.Holds
		}
		for _, w := range g.Ways {
			out.Growth.Ways = append(out.Growth.Ways, w.record())
		}
	}
	return out
}

// record is the way as JSON.
func (w Way) record() wayRecord {
	out := wayRecord{Name: w.Name}
	for _, s := range w.Stages {
		x := stageRecord{From: s.From, To: s.To, Switches: s.Switches, Added: s.Added, Freed: s.Freed, Cables: map[Action]int{}, Power: recordOf(s.Power, 1000), Cost: recordOf(s.Cost.Equipment, PerUnit)}
		for _, c := range s.Cables {
			x.Cables[c.Action]++
		}
		out.Stages = append(out.Stages, x)
	}
	return out
}

func switchCounts(c topology.Count) map[string]int {
	return map[string]int{"leaf": c.Switches[0], "spine": c.Switches[1], "core": c.Switches[2], "total": c.TotalSwitches()}
}

func recordOf(s Sum, scale float64) sumRecord {
	out := sumRecord{AtLeast: float64(s.Known) / scale, Missing: s.Missing, Softest: string(s.Softest)}
	if s.Complete() {
		out.Total = &out.AtLeast
	} else if s.Bounded() {
		most := float64(s.Most()) / scale
		out.AtMost = &most
	}
	return out
}

// proofRecord is a proof as JSON. Times are in nanoseconds.
type proofRecord struct {
	Nodes     int     `json:"nodes"`
	Radix     int     `json:"ports_of_a_switch"`
	Shift     float64 `json:"shift_share_of_rate,omitempty"`
	Bytes     int64   `json:"all_reduce_bytes,omitempty"`
	AllReduce float64 `json:"all_reduce_ns,omitempty"`
	Broken    string  `json:"broken_uplink,omitempty"`
	Whole     float64 `json:"shift_ns,omitempty"`
	Failed    float64 `json:"shift_with_broken_uplink_ns,omitempty"`
	Problem   string  `json:"problem,omitempty"`
}

// record is the proof as JSON, nil without one.
func (p *Proof) record() *proofRecord {
	if p == nil {
		return nil
	}
	const ns = 1000 // picoseconds
	return &proofRecord{p.Model.Nodes, p.Model.Radix, p.Shift, int64(p.Bytes), float64(p.Time) / ns, p.Broken, float64(p.Whole) / ns, float64(p.Failed) / ns, p.Problem}
}
