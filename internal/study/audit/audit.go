package audit

import (
	"fmt"

	"weft/scenario"
)

// Report is the result of the audit, fabric by fabric.
type Report struct {
	Scenario string         `json:"scenario"`
	Proved   bool           `json:"proved"` // every requirement, on every fabric
	Fabrics  []FabricReport `json:"fabrics"`
	// Unrequired is the pairs of zones of which nothing is required: they were not judged.
	Unrequired int    `json:"zone_pairs_not_required"`
	Cost       []Cost `json:"cost,omitempty"`
}

// FabricReport is the audit of one fabric with the network beside it.
type FabricReport struct {
	Fabric   string    `json:"fabric"`
	Protocol string    `json:"protocol"`
	Verdicts []Verdict `json:"verdicts"`
	// NICs are the fabric's ports, Outside those of them that are in no zone: they were not judged.
	NICs    int `json:"nics"`
	Outside int `json:"nics_in_no_zone"`
}

// Verdict is the result for two zones.
type Verdict struct {
	Zones  [2]string           `json:"zones"`
	By     scenario.Separation `json:"by"`
	Proved bool                `json:"proved"`
	// Found is the proof or the counterexample in a sentence.
	Found string `json:"found"`
	// Path connects the zones, port by port; for links, the cables that both use.
	Path []Step `json:"path,omitempty"`
	// Machines are machines with ports in both zones.
	Machines []string `json:"machines,omitempty"`
	// SharedCables is the number of the fabric's cables, each direction counted, that can carry the
	// traffic of both.
	SharedCables int `json:"shared_cables"`
}

// Run audits every fabric of a scenario. The error is about the scenario: a zone or a cable does
// not fit the fabric.
func Run(r *scenario.Resolved) (*Report, error) {
	if len(r.Isolation.Zones) == 0 || len(r.Isolation.Apart) == 0 {
		return nil, &FieldError{Path: "isolation", Err: fmt.Errorf("nothing is required to be apart: declare isolation.zones, and isolation.apart where their kinds do not say it")}
	}
	out := &Report{Scenario: r.Name, Proved: true}
	for i := range r.Fabrics {
		f := &r.Fabrics[i]
		w, err := newWorld(r, f)
		if err != nil {
			return nil, err
		}
		one := FabricReport{Fabric: f.Name, Protocol: string(f.Kind), NICs: w.Graph.Endpoints}
		zones, err := w.zones()
		if err != nil {
			return nil, err
		}
		one.Verdicts, one.Outside = w.verdicts(zones), one.NICs-w.inside(zones)
		for i := range one.Verdicts {
			out.Proved = out.Proved && one.Verdicts[i].Proved
		}
		out.Fabrics = append(out.Fabrics, one)
	}
	out.Unrequired = unrequired(r)
	return out, nil
}

// unrequired counts the pairs of zones that no requirement has.
func unrequired(r *scenario.Resolved) int {
	required := map[[2]string]bool{}
	for _, a := range r.Isolation.Apart {
		for i, second := range a.Zones {
			for _, first := range a.Zones[:i] {
				required[[2]string{min(first, second), max(first, second)}] = true
			}
		}
	}
	n := len(r.Isolation.Zones)
	return n*(n-1)/2 - len(required)
}

// zone is a party and the nodes that belong to it, sorted.
type zone struct {
	name    string
	members []int
}

// zones are the scenario's zones by name.
func (w *world) zones() (zones map[string]zone, err error) {
	zones = make(map[string]zone)
	for i := range w.scenario.Isolation.Zones {
		z := zone{name: w.scenario.Isolation.Zones[i].Name}
		if z.members, err = w.members(i); err != nil {
			return nil, err
		}
		zones[z.name] = z
	}
	return zones, nil
}

// inside counts the NICs that are in a zone.
func (w *world) inside(zones map[string]zone) int {
	in := map[int]bool{}
	for _, z := range zones {
		for _, nic := range w.nics(z.members) {
			in[nic] = true
		}
	}
	return len(in)
}

// verdicts judges every pair of every requirement.
func (w *world) verdicts(zones map[string]zone) (all []Verdict) {
	for _, a := range w.scenario.Isolation.Apart {
		for i, second := range a.Zones {
			for _, first := range a.Zones[:i] {
				v := Verdict{Zones: [2]string{first, second}, By: a.By}
				w.judge(&v, zones[first], zones[second])
				all = append(all, v)
			}
		}
	}
	return all
}

// judge proves that two zones are apart, or finds a counterexample.
func (w *world) judge(v *Verdict, a, b zone) {
	shared := w.shared(a, b)
	v.SharedCables = len(shared)
	inB := set(b.members)
	for _, at := range a.members {
		if inB[at] {
			v.Found = fmt.Sprintf("%s is a member of both", w.nodes[at].name)
			return
		}
	}
	v.Machines = w.common(a.members, b.members)
	states := 0
	for _, d := range []struct {
		from   []int
		target map[int]bool
	}{{a.members, inB}, {b.members, set(a.members)}} {
		s := &search{next: w.forwardingMoves, ended: make([]bool, len(w.nodes))}
		starts := w.forwardingStarts(d.from)
		if v.By == scenario.ByCables {
			s.next, starts = w.cableMoves, cableStarts(d.from)
		}
		v.Path = s.find(starts, d.target)
		states += s.states
		if v.Path != nil {
			v.Found = fmt.Sprintf("%s is reached from %s", v.Path[len(v.Path)-1].To, v.Path[0].From)
			return
		}
	}
	if v.By == scenario.ByLinks && len(shared) > 0 {
		v.Found = fmt.Sprintf("no packet gets from one to the other, but %d cables carry the traffic of both", len(shared))
		v.Path = shared
		return
	}
	v.Proved = true
	v.Found = w.proof(v.By, a.members, b.members, states)
}

// proof states the extent of a search that found nothing.
func (w *world) proof(by scenario.Separation, a, b []int, states int) string {
	if by == scenario.ByCables {
		return fmt.Sprintf("no cable and nothing that forwards joins the %d ports and devices of one with the %d of the other (%d places searched)", len(a), len(b), states)
	}
	from, to := w.nics(a), w.nics(b)
	pairs := len(from) * len(to)
	if pairs == 0 {
		return fmt.Sprintf("no packet gets from one to the other (%d states searched)", states)
	}
	text := fmt.Sprintf("of %d pairs of NICs %d have a route, and none shares a partition (%d states searched); %s", pairs, w.routes(from, to), states, w.enforcement())
	if w.segments != nil {
		text = fmt.Sprintf("of %d pairs of NICs %d have a route, and none shares a VRF, or a VLAN of one switch, or has a leak between its VRFs (%d states searched)", pairs, w.routes(from, to), states)
	}
	return text
}

// routes is the number of pairs with a route.
func (w *world) routes(from, to []int) (n int) {
	for _, a := range from {
		for _, b := range to {
			if w.routed(a, b) {
				n++
			}
		}
	}
	return n
}

// enforcement states where members of different partitions are kept apart.
func (w *world) enforcement() string {
	const hca = "the HCA that receives checks P_Keys"
	switch w.fabric.IB.PartitionEnforcement {
	case scenario.EnforceBoth:
		return hca + ", and the switch ports to NICs check what comes in and what goes out"
	case scenario.EnforceIn:
		return hca + ", and the switch ports to NICs check what comes in"
	case scenario.EnforceOut:
		return hca + ", and the switch ports to NICs check what goes out; a host that claims another's P_Key is not stopped"
	case scenario.EnforceOff:
	}
	return hca + " and no switch does: a host that claims another's P_Key is not stopped"
}

// common are the machines with members of both zones.
func (w *world) common(a, b []int) (names []string) {
	of := make(map[string]bool)
	for _, at := range a {
		of[w.nodes[at].machine] = true
	}
	for _, at := range b {
		if m := w.nodes[at].machine; of[m] {
			names = append(names, m)
			of[m] = false
		}
	}
	return names
}

func set(nodes []int) map[int]bool {
	in := make(map[int]bool, len(nodes))
	for _, at := range nodes {
		in[at] = true
	}
	return in
}
