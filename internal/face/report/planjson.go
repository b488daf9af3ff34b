package report

import (
	"bytes"
	"encoding/json"
	"fmt"

	"weft/internal/base/topology"
	"weft/internal/sim/runstore"
	"weft/internal/study/plan"
)

// PlanResult is the file of a folder that has a plan as data.
const PlanResult = "plan.json"

type planJSON struct {
	Name    string       `json:"name"`
	GPUs    int          `json:"gpus"`
	Later   int          `json:"gpus_later,omitempty"`
	Node    string       `json:"node"`
	Designs []designJSON `json:"designs"`
	Files   []string     `json:"files,omitempty"` // of the folder: those that the next plan in it replaces
}

type designJSON struct {
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
	ParetoFront      bool           `json:"pareto_front"`
	Nodes            int            `json:"nodes"`
	Switches         map[string]int `json:"switches"`
	Cables           map[string]int `json:"cables"`
	PortsUsed        int            `json:"switch_ports_used"`
	PortsFree        int            `json:"switch_ports_free"`
	Bill             []lineJSON     `json:"bill"`
	Power            sumJSON        `json:"power_watts"`
	Latency          sumJSON        `json:"switch_latency_ns"`
	Cost             *costJSON      `json:"cost,omitempty"`
	Growth           *growthJSON    `json:"later,omitempty"`
	Scenario         string         `json:"scenario"`
}

type lineJSON struct {
	plan.Line
	LengthText string   `json:"length,omitempty"`
	Watts      *float64 `json:"watts_each"` // null: not known
	Tag        string   `json:"watts_tag,omitempty"`
}

// sumJSON is a sum of which the parts that are missing are named: at_least is then
// what is known of it.
type sumJSON struct {
	Total   *float64 `json:"total"` // null: not known in full
	AtLeast float64  `json:"at_least"`
	Missing []string `json:"missing,omitempty"`
	Softest string   `json:"softest_tag,omitempty"`
}

type costJSON struct {
	Equipment sumJSON `json:"equipment"`
	Energy    sumJSON `json:"energy"`
	Years     int     `json:"years"`
	Currency  string  `json:"currency"`
}

type growthJSON struct {
	GPUs     int            `json:"gpus"`
	Levels   int            `json:"levels,omitempty"`
	Switches map[string]int `json:"switches,omitempty"`
	Problem  string         `json:"problem,omitempty"`
}

// PlanJSON is a plan as data.
func PlanJSON(p *plan.Plan) any { return planData(p) }

func planData(p *plan.Plan) planJSON {
	out := planJSON{Name: p.Request.Name, GPUs: p.Request.GPUs, Later: p.Request.Later, Node: p.Request.Node}
	for _, d := range p.Designs {
		out.Designs = append(out.Designs, designData(p, d))
	}
	return out
}

func designData(p *plan.Plan, d *plan.Design) designJSON {
	out := designJSON{
		Name: d.Name, Protocol: string(d.Kind), Fabric: d.Preset, Switch: d.Switch, NIC: d.NIC, Shape: string(d.Shape),
		Oversubscription: fmt.Sprintf("%d:%d", d.Oversubscription.Num, d.Oversubscription.Den), Rate: d.Rate.Exact(), Rails: d.Rails,
		Levels: d.Levels, Hops: d.Hops, ParetoFront: d.Front, Nodes: d.Count.Nodes,
		Switches: switchCounts(d.Count), Cables: map[string]int{"total": d.Count.TotalCables()},
		PortsUsed: d.Count.PortsUsed, PortsFree: d.Count.PortsFree,
		Power: sumData(d.Power, 1000), Latency: sumData(d.Latency, 1000), Scenario: string(d.Scenario),
	}
	for kind, n := range d.Count.Cables {
		out.Cables[topology.CableKind(kind).String()] = n
	}
	for _, l := range d.Bill {
		line := lineJSON{Line: l}
		if l.Length > 0 {
			line.LengthText = l.Length.Exact()
		}
		if l.Power.Known {
			w := float64(l.Power.Value) / 1000
			line.Watts, line.Tag = &w, string(l.Power.Tag)
		}
		out.Bill = append(out.Bill, line)
	}
	if d.Cost != nil {
		out.Cost = &costJSON{sumData(d.Cost.Equipment, plan.PerUnit), sumData(d.Cost.Energy, plan.PerUnit), d.Cost.Years, p.Prices.Currency}
	}
	if g := d.Growth; g != nil {
		out.Growth = &growthJSON{GPUs: g.GPUs, Problem: g.Problem}
		if g.Problem == "" {
			out.Growth.Levels, out.Growth.Switches = g.Levels, switchCounts(g.Count)
		}
	}
	return out
}

func switchCounts(c topology.Count) map[string]int {
	return map[string]int{"leaf": c.Switches[0], "spine": c.Switches[1], "core": c.Switches[2], "total": c.TotalSwitches()}
}

func sumData(s plan.Sum, scale float64) sumJSON {
	out := sumJSON{AtLeast: float64(s.Known) / scale, Missing: s.Missing, Softest: string(s.Softest)}
	if s.Complete() {
		out.Total = &out.AtLeast
	}
	return out
}

// PlanFiles are a scenario of each design and one of the first of each protocol, the
// plan as data, and the page.
func PlanFiles(p *plan.Plan) ([]runstore.File, error) {
	var files []runstore.File
	for _, d := range p.Designs {
		files = append(files, runstore.File{Name: d.Name + ".yaml", Text: d.Scenario})
	}
	if both := p.SideBySide(); both != nil {
		files = append(files, runstore.File{Name: "side-by-side.yaml", Text: both})
	}
	data := planData(p)
	data.Files = append(namesOf(files), PlanResult, runstore.ReportFile)
	text, err := json.MarshalIndent(data, "", "  ")
	if err != nil {
		return nil, err
	}
	var page bytes.Buffer
	if err := Plan(p, false).HTML(&page); err != nil {
		return nil, err
	}
	return append(files, runstore.File{Name: PlanResult, Text: append(text, '\n')}, runstore.File{Name: runstore.ReportFile, Text: page.Bytes()}), nil
}

func namesOf(files []runstore.File) (names []string) {
	for _, f := range files {
		names = append(names, f.Name)
	}
	return names
}
