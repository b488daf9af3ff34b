package audit

import (
	"fmt"
)

// bridgedOrRouted names the connection of two ports of an Ethernet fabric: a VLAN of one switch, a
// VRF, or a leak between VRFs; nil if there is none.
func (w *world) bridgedOrRouted(a segment, at int, b segment, bt int) (by func() string) {
	switch {
	case a.vrf != "" && a.vrf == b.vrf:
		return func() string { return "VRF " + a.vrf }
	case a.vlan == b.vlan && at == bt && at >= 0:
		return func() string { return fmt.Sprintf("VLAN %d", a.vlan) }
	case a.vrf != "" && b.vrf != "" && leaks(w.scenario.Isolation.Leaks, a.vrf, b.vrf):
		return func() string { return fmt.Sprintf("the leak from VRF %s to %s", a.vrf, b.vrf) }
	}
	return nil
}

// sameSegment reports whether bridgedOrRouted connects two NICs.
func (w *world) sameSegment(from, to int) bool {
	a, b := w.segments[from], w.segments[to]
	return a == b || w.bridgedOrRouted(a, w.leaf[from], b, w.leaf[to]) != nil
}

// segmentOf is the segment of a VLAN at a switch of the fabric. A VLAN without a segment is bridged
// and not routed.
func (w *world) segmentOf(vlan int) segment { return segment{vlan, w.vrfOf[vlan]} }

// fabricSockets are the external cables plugged into the fabric's switches, with each VLAN that
// they carry.
func (w *world) fabricSockets(each func(sw, cable, vlan int)) {
	for i := range w.cables {
		for _, at := range w.cables[i].ends {
			if at >= w.Graph.Endpoints && at < len(w.Graph.Nodes) {
				for _, vlan := range w.cables[i].vlans {
					each(at, i, vlan)
				}
			}
		}
	}
}

// fromSwitch are the moves of a packet that entered a switch of the fabric from an external cable,
// in a VLAN.
func (w *world) fromSwitch(s state, found func(move)) {
	own := w.segmentOf(s.vlan)
	for nic := range w.Graph.Endpoints {
		if by := w.bridgedOrRouted(own, s.node, w.segments[nic], w.leaf[nic]); by != nil {
			found(move{state{node: nic}, func() []Step { return w.walk(s.node, nic, by()) }})
		}
	}
	w.fabricSockets(func(sw, c, vlan int) {
		if by := w.bridgedOrRouted(own, s.node, w.segmentOf(vlan), sw); by != nil {
			w.walkTo(s.node, sw, c, vlan, by, found)
		}
	})
}

// walkTo is the move to a switch of the fabric and out over an external cable.
func (w *world) walkTo(from, sw, c, vlan int, by func() string, found func(move)) {
	w.cross(sw, c, vlan, fmt.Sprintf("VLAN %d", vlan), func(m move) {
		out := m.steps
		m.steps = func() []Step { return append(w.walk(from, sw, by()), out()...) }
		found(m)
	})
}

// walk is a shortest chain of the fabric's cables between two of its nodes: the
// tables lead to NICs only.
func (w *world) walk(from, to int, by string) []Step {
	s := search{ended: make([]bool, len(w.nodes)), next: func(_ *search, at state, found func(move)) {
		if at.node < w.Graph.Endpoints && at.node != from {
			return
		}
		w.fabricCables(at.node, func(next int, step func() []Step) {
			found(move{state{node: next}, step})
		})
	}}
	steps := s.find([]state{{node: from}}, map[int]bool{to: true})
	for i := range steps {
		steps[i].By = by
	}
	return steps
}

// forwardingStarts are the start states of a search: for a forwarding device one for each VLAN of
// its cables.
func (w *world) forwardingStarts(members []int) (starts []state) {
	for _, at := range members {
		if w.nodes[at].kind == endKind {
			starts = append(starts, state{node: at, out: true})
			continue
		}
		for _, c := range w.nodes[at].cables {
			for _, vlan := range w.cables[c].vlans {
				starts = append(starts, state{node: at, vlan: vlan})
			}
		}
	}
	return starts
}
