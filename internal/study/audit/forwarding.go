package audit

import (
	"fmt"
	"slices"

	"weft/internal/base/topology"
	"weft/internal/ib/partition"
	"weft/internal/sim/routing"
	"weft/scenario"
)

// forwardingMoves are the moves of a packet from a state.
func (w *world) forwardingMoves(search *search, s state, found func(move)) {
	w.throughMachine(s, found)
	n := &w.nodes[s.node]
	switch n.kind {
	case endKind:
		if !s.out {
			return
		}
		if s.node < w.Graph.Endpoints {
			w.fromNIC(search, s.node, found)
		}
		for _, c := range n.cables {
			for _, vlan := range w.cables[c].vlans {
				w.cross(s.node, c, vlan, fmt.Sprintf("VLAN %d", vlan), found)
			}
		}
	case switchKind:
		w.onVLAN(s, found)
	case routerKind:
		w.throughRouter(s, found)
	case fabricSwitchKind:
		if w.segments != nil {
			w.fromSwitch(s, found)
		}
	}
}

// cross is the move over an external cable in a VLAN.
func (w *world) cross(at, c, vlan int, by string, found func(move)) {
	l := &w.cables[c]
	side := l.other(at)
	to := state{node: l.ends[side]}
	if w.nodes[to.node].kind != endKind { // an end has no VLANs
		to.vlan, to.in = vlan, c+1
	}
	found(move{to, w.across(l, side, by)})
}

// onVLAN forwards to all cables that carry the VLAN except the incoming one.
func (w *world) onVLAN(s state, found func(move)) {
	for _, c := range w.nodes[s.node].cables {
		if c+1 != s.in && slices.Contains(w.cables[c].vlans, s.vlan) {
			w.cross(s.node, c, s.vlan, fmt.Sprintf("VLAN %d", s.vlan), found)
		}
	}
}

// throughRouter forwards within the VLAN, and between the VLANs of its VRF and of the VRFs that it
// leaks into. A router without declared VRFs has one.
func (w *world) throughRouter(s state, found func(move)) {
	w.onVLAN(s, found)
	d := w.nodes[s.node].device
	from, routed := routerVRF(d, s.vlan)
	if !routed {
		return
	}
	for _, c := range w.nodes[s.node].cables {
		for _, vlan := range w.cables[c].vlans {
			to, ok := routerVRF(d, vlan)
			switch {
			case !ok || vlan == s.vlan:
			case to == from:
				w.cross(s.node, c, vlan, fmt.Sprintf("VRF %s of %s", from, d.Name), found)
			case leaks(d.Leaks, from, to):
				w.cross(s.node, c, vlan, fmt.Sprintf("the leak from VRF %s to %s of %s", from, to, d.Name), found)
			}
		}
	}
}

// routerVRF is the VRF of a VLAN at a router; ok is false if it has none.
func routerVRF(d *scenario.Device, vlan int) (name string, ok bool) {
	if len(d.VRFs) == 0 {
		return scenario.DefaultVRF, true
	}
	for i := range d.VRFs {
		if slices.Contains(d.VRFs[i].VLANs, vlan) {
			return d.VRFs[i].Name, true
		}
	}
	return "", false
}

func leaks(list []scenario.Leak, from, to string) bool {
	return slices.Contains(list, scenario.Leak{From: from, To: to})
}

// fromNIC are the moves over the fabric from a NIC: to NICs, and on Ethernet to external cables at
// its switches.
func (w *world) fromNIC(search *search, from int, found func(move)) {
	for to := range w.Graph.Endpoints {
		if to != from && !search.ended[to] && w.joined(from, to) && w.routed(from, to) {
			found(move{state{node: to}, func() []Step { return w.route(from, to) }})
		}
	}
	if w.segments == nil {
		return
	}
	s := w.segments[from]
	w.fabricSockets(func(sw, c, vlan int) {
		if by := w.bridgedOrRouted(s, w.leaf[from], w.segmentOf(vlan), sw); by != nil {
			w.walkTo(from, sw, c, vlan, by, found)
		}
	})
}

// joined reports whether two NICs are in one partition, VRF or VLAN.
func (w *world) joined(from, to int) bool {
	switch {
	case w.segments != nil:
		return w.sameSegment(from, to)
	case w.PKeys == nil:
		return true
	}
	_, _, ok := partition.Common(w.PKeys[from], w.PKeys[to])
	return ok
}

// joinedBy names the connection.
func (w *world) joinedBy(from, to int) string {
	switch {
	case w.segments != nil:
		return w.bridgedOrRouted(w.segments[from], w.leaf[from], w.segments[to], w.leaf[to])()
	case w.PKeys == nil:
		return fmt.Sprintf("P_Key %#04x of the default partition, which all NICs have", partition.Default|1<<15)
	}
	own, other, _ := partition.Common(w.PKeys[from], w.PKeys[to])
	return fmt.Sprintf("P_Key %s of %s, %s of %s", keyText(own), w.nodes[from].name, keyText(other), w.nodes[to].name)
}

// keyText is a P_Key with its membership as text.
func keyText(key uint16) string {
	if key>>15 == 1 {
		return fmt.Sprintf("%#04x (full)", key)
	}
	return fmt.Sprintf("%#04x (limited)", key)
}

// routed reports whether the forwarding tables lead from one NIC to another.
func (w *world) routed(from, to int) bool {
	for _, up := range w.up[from] {
		if w.Tables.Static(up.sw, to) != routing.NoPort {
			return true
		}
	}
	return false
}

// route are the ports of the path from one NIC to another, in order.
func (w *world) route(from, to int) (steps []Step) {
	by := w.joinedBy(from, to)
	path, err := routing.Path(w.Graph, w.Tables, from, to, nil)
	if err != nil { // routed has checked its first port, and the tables are checked
		return []Step{{w.nodes[from].name, w.nodes[to].name, by}}
	}
	for _, end := range path {
		steps = append(steps, w.step(end, by))
	}
	return steps
}

// step is the cable at a port of the fabric.
func (w *world) step(end topology.End, by string) Step {
	peer, _, _ := w.Graph.Peer(end)
	return Step{w.portName(int(end.Node), int(end.Port)+1), w.portName(int(peer.Node), int(peer.Port)+1), by}
}
