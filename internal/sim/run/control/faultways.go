package control

import (
	"slices"

	"weft/internal/base/topology"

	"weft/internal/sim/fabric/fault"
	"weft/internal/sim/routing"
	"weft/internal/sim/run/network"
	"weft/results"
	"weft/units"
)

// waysOpen follows the tables of a fabric through a run with faults, and finds the time after each
// fault at which every path is open again: from each leaf with hosts to each host, for any choice
// of the switches among their ports. Tables continue to change after that, when routes are
// rebalanced.
type waysOpen struct {
	*network.Plan
	down    []bool
	entries [][]uint16 // by switch and endpoint, current
	state   []wayState // by switch: state of the current endpoint
	marks   []int32    // switches whose state is known
}

type wayState uint8

const (
	wayUnknown wayState = iota
	wayBegun            // returns to itself: a loop
	wayOpen
	wayBroken
)

// mostChecks bounds the work: switches times changes. Beyond it the last change is taken as the
// time at which all paths are open; the true time is not later.
const mostChecks = 1 << 28

// open fills in the times at which all paths are open after each fault.
func open(p *network.Plan, fp *network.Faults) {
	w := &waysOpen{Plan: p, entries: make([][]uint16, len(p.Tables.Port)), state: make([]wayState, p.Graph.Switches())}
	for sw := range p.Tables.Switches {
		for dst := range p.Tables.Endpoints {
			set := p.Tables.Minimal(sw, dst)
			if at := sw*p.Tables.Endpoints + dst; static(p) && len(set) > 0 {
				set = p.Tables.Port[at : at+1]
			}
			w.entries[sw*p.Tables.Endpoints+dst] = set
		}
	}
	changes, k := fp.Changes, 0
	for i := range fp.Turns {
		t, until := &fp.Turns[i], units.Forever
		if i+1 < len(fp.Turns) {
			until = fp.Turns[i+1].At
		}
		first := k
		for k < len(changes) && changes[k].At < until {
			k++
		}
		rec := recoveryAt(fp, t)
		if rec != nil && !t.Repaired && !t.Manager {
			w.down = t.Down
			w.turn(rec, changes[first:k])
		}
		for _, c := range changes[first:k] {
			w.apply(&c)
		}
	}
}

// recoveryAt finds the recovery of a turn.
func recoveryAt(fp *network.Faults, t *network.Turn) *results.Recovery {
	for i := range fp.Control.Recoveries {
		if r := &fp.Control.Recoveries[i]; r.What == t.What && r.At == t.At && r.Repaired == t.Repaired {
			return r
		}
	}
	return nil
}

func (w *waysOpen) apply(c *fault.TableChange) {
	ports := c.Ports
	if static(w.Plan) && len(ports) > 0 {
		ports = []uint16{c.Port}
	}
	w.entries[int(c.Row)*w.Tables.Endpoints+int(c.Dst)] = ports
}

// turn follows each endpoint's entries through the changes after a fault. It applies the changes
// only for this purpose.
func (w *waysOpen) turn(rec *results.Recovery, changes []fault.TableChange) {
	if len(changes)*w.Tables.Switches > mostChecks {
		rec.Open = rec.Last
		return
	}
	of := make([][]fault.TableChange, w.Tables.Endpoints)
	for _, c := range changes {
		of[c.Dst] = append(of[c.Dst], c)
	}
	saved := make([][]uint16, w.Tables.Switches)
	for dst := range w.Tables.Endpoints {
		for sw := range saved {
			saved[sw] = w.entries[sw*w.Tables.Endpoints+dst]
		}
		w.follow(rec, dst, of[dst])
		for sw := range saved {
			w.entries[sw*w.Tables.Endpoints+dst] = saved[sw]
		}
	}
}

// follow finds the time at which the paths to an endpoint are open, among the paths that are open
// in the end.
func (w *waysOpen) follow(rec *results.Recovery, dst int, changes []fault.TableChange) {
	leaves := slices.DeleteFunc(w.leaves(), func(sw int32) bool { // nothing leads there
		_, ok := routing.EndpointIn(w.Graph, dst, w.Graph.Nodes[w.Graph.Endpoints+int(sw)].Plane, w.down)
		return !ok
	})
	openAt := make([]units.Time, len(leaves))
	note := func(at units.Time) {
		w.forget()
		for i, leaf := range leaves {
			switch {
			case !w.walk(leaf, dst):
				openAt[i] = results.Never
			case openAt[i] == results.Never:
				openAt[i] = at - rec.At
			}
		}
	}
	note(rec.At)
	for i := range changes {
		w.apply(&changes[i])
		if i+1 == len(changes) || changes[i+1].At > changes[i].At {
			note(changes[i].At)
		}
	}
	for _, t := range openAt {
		if t == results.Never {
			rec.Cut++
		}
		rec.Open = max(rec.Open, t)
	}
}

// leaves are the switches with working cables to hosts.
func (w *waysOpen) leaves() (leaves []int32) {
	for sw := range int32(w.Tables.Switches) {
		for port, c := range w.Graph.Nodes[w.Graph.Endpoints+int(sw)].Cables {
			if c < 0 || w.down[c] {
				continue
			}
			far, _, _ := w.Graph.Peer(topology.End{Node: topology.NodeID(w.Graph.Endpoints) + topology.NodeID(sw), Port: int32(port)})
			if int(far.Node) < w.Graph.Endpoints {
				leaves = append(leaves, sw)
				break
			}
		}
	}
	return leaves
}

func (w *waysOpen) forget() {
	for _, sw := range w.marks {
		w.state[sw] = wayUnknown
	}
	w.marks = w.marks[:0]
}

// walk reports whether all paths from a switch end at an endpoint.
func (w *waysOpen) walk(sw int32, dst int) bool {
	switch w.state[sw] {
	case wayOpen:
		return true
	case wayBegun, wayBroken:
		return false
	}
	w.marks = append(w.marks, sw)
	w.state[sw] = wayBegun
	ports := w.entries[int(sw)*w.Tables.Endpoints+dst]
	open := len(ports) > 0
	for _, port := range ports {
		if !w.leads(sw, port, dst) {
			open = false
			break
		}
	}
	w.state[sw] = wayBroken
	if open {
		w.state[sw] = wayOpen
	}
	return open
}

// leads reports whether a port of a switch leads to an endpoint.
func (w *waysOpen) leads(sw int32, port uint16, dst int) bool {
	if port == routing.NoPort {
		return false
	}
	end := topology.End{Node: topology.NodeID(w.Graph.Endpoints) + topology.NodeID(sw), Port: int32(port)}
	far, cable, ok := w.Graph.Peer(end)
	switch {
	case !ok || w.down[cable]:
		return false
	case int(far.Node) < w.Graph.Endpoints:
		return int(far.Node) == dst
	}
	return w.walk(int32(far.Node)-int32(w.Graph.Endpoints), dst)
}
