package sma

import (
	"weft/internal/ib/subnet"
	"weft/units"
	"weft/wire/mad"
)

// Outcome is the fate of a datagram.
type Outcome uint8

// The outcomes.
const (
	Lost     Outcome = iota // lost on a link, or dropped by an agent
	Taken                   // an agent processed it, and it needs no answer
	Answered                // the datagram is now the answer, at the sender's port
	Arrived                 // it is for a program at its last port
)

// Carry carries a datagram from a port to its destination. If an agent answers, the datagram
// becomes the answer. The end is the port of its arrival, or the port that answered.
func (f *Fabric) Carry(from subnet.End, p *Packet) (subnet.End, Outcome) {
	m := &p.MAD
	if p.PKey == 0 && !m.Class().Subnet() {
		p.PKey = f.firstKey(from)
	}
	at, ok := from, true
	directed := m.Class() == mad.SubnDirected
	if p.DLID != units.PermissiveLID || !directed {
		if p.SLID == 0 || p.SLID == units.PermissiveLID {
			p.SLID = f.lidAt(from)
		}
		at, ok = f.byLID(from, p)
	} else {
		p.SLID = units.PermissiveLID
	}
	if ok && directed {
		at, ok = f.byPath(at, m)
	}
	if !ok || !f.accepts(at, p) {
		return subnet.None, Lost
	}
	if forProgram(m) {
		return at, Arrived
	}
	if m.Answers() {
		f.repressed(at, m)
		return at, Taken
	}
	if f.ignores(at, m) || f.answer(at, m) == Lost {
		return at, Lost
	}
	return at, f.back(at, from, p)
}

// back carries an answer to the sender of the request: along the directed route, by LID, or both.
// It can be lost: the tables may lead in one direction only, or the request may have taken down a
// port on the path.
func (f *Fabric) back(at, to subnet.End, p *Packet) Outcome {
	ok, directed := true, p.MAD.Class() == mad.SubnDirected
	if directed {
		at, ok = f.byPath(at, &p.MAD)
	}
	if p.DLID != units.PermissiveLID || !directed {
		p.DLID, p.SLID = p.SLID, f.lidAt(at)
		if ok {
			at, ok = f.byLID(at, p)
		}
	}
	if !ok || !f.accepts(at, p) || at.Node != to.Node || (at.Port != to.Port && f.sub.Nodes[to.Node].Kind != subnet.Switch) {
		return Lost
	}
	return Answered
}

// forProgram reports whether a datagram is for a program and not for the agents:
// subnet administration, datagrams between managers, traps, and every answer.
func forProgram(m *mad.MAD) bool {
	switch m.Class() {
	case mad.SubnLID, mad.SubnDirected:
		if m.Method() == mad.TrapRepress {
			return false
		}
		return m.Method()&mad.Response != 0 || m.Method() == mad.Trap || m.Attribute() == mad.AttrSMInfo
	case mad.Perf, mad.Congestion:
		return m.Method()&mad.Response != 0
	}
	return true
}

// byPath follows a directed route: forward along the initial path, or back along the
// return path.
func (f *Fabric) byPath(at subnet.End, m *mad.MAD) (subnet.End, bool) {
	hops := m.HopCount()
	if hops > mad.MaxHops {
		return at, false
	}
	if m.Returning() {
		for hop := hops; hop > 0; hop-- {
			var ok bool
			if at, ok = f.cross(at, m.ReturnPath(hop), hop == hops, m); !ok {
				return at, false
			}
		}
		m.SetHopPointer(0)
		return at, true
	}
	if m.HopPointer() != 0 {
		return at, false
	}
	for hop := uint8(1); hop <= hops; hop++ {
		var ok bool
		if at, ok = f.cross(at, m.InitialPath(hop), hop == 1, m); !ok {
			return at, false
		}
		m.SetReturnPath(hop, uint8(at.Port))
	}
	m.SetHopPointer(hops)
	return at, true
}

// cross sends a datagram out of a port. Only switches forward datagrams of others.
func (f *Fabric) cross(at subnet.End, out uint8, first bool, m *mad.MAD) (subnet.End, bool) {
	n := &f.sub.Nodes[at.Node]
	if n.Kind != subnet.Switch && (!first || uint16(out) != at.Port) {
		return at, false
	}
	if out == 0 || int(out) >= len(n.Ports) {
		return at, false
	}
	return f.over(subnet.End{Node: at.Node, Port: uint16(out)}, m)
}

// over carries a datagram over the link at a port, if the states of its ports allow it.
func (f *Fabric) over(out subnet.End, m *mad.MAD) (subnet.End, bool) {
	peer := f.sub.Peer(out)
	if !peer.Exists() {
		return out, false
	}
	here, there := &f.nodes[out.Node].ports[out.Port], &f.nodes[peer.Node].ports[peer.Port]
	if m.Class().Subnet() {
		if here.info.State < mad.PortInit || there.info.State < mad.PortInit {
			return out, false
		}
	} else if !f.open(out, peer) {
		sum(&here.counters.short.XmitDiscards, 1)
		here.counters.addDetail(attrDiscardDetails, inactiveDiscards)
		return out, false
	}
	if f.onCross != nil {
		f.onCross(out)
	}
	here.counters.sent()
	if f.drops(there) {
		return out, false
	}
	there.counters.received()
	return peer, true
}

// open reports whether the states of both ports of a link allow data.
func (f *Fabric) open(out, peer subnet.End) bool {
	here, there := &f.nodes[out.Node].ports[out.Port].info, &f.nodes[peer.Node].ports[peer.Port].info
	return here.State == mad.PortActive && there.State >= mad.PortArmed
}

// byLID follows the forwarding tables.
func (f *Fabric) byLID(at subnet.End, p *Packet) (subnet.End, bool) {
	if p.DLID == 0 || p.DLID > units.LastUnicastLID {
		return at, false
	}
	n := &f.sub.Nodes[at.Node]
	if n.Kind != subnet.Switch {
		if f.answersTo(at, p.DLID) {
			return at, true
		}
		var ok bool
		if at, ok = f.over(at, &p.MAD); !ok || !f.enforced(at, true, p) {
			return at, false
		}
	}
	for range maxHops {
		if f.sub.Nodes[at.Node].Kind != subnet.Switch {
			return at, f.answersTo(at, p.DLID)
		}
		out := f.nodes[at.Node].forward(p.DLID)
		switch {
		case out == 0:
			at.Port = 0
			return at, true
		case int(out) >= len(f.sub.Nodes[at.Node].Ports):
			sum(&f.nodes[at.Node].ports[at.Port].counters.short.RcvSwitchErrors, 1)
			return at, false
		}
		var ok bool
		leaves := subnet.End{Node: at.Node, Port: uint16(out)}
		if !f.enforced(leaves, false, p) {
			return at, false
		}
		if at, ok = f.over(leaves, &p.MAD); !ok || !f.enforced(at, true, p) {
			return at, false
		}
	}
	return at, false
}

// forward is a switch's port for a LID, NoPort if the switch drops the packet.
func (n *node) forward(lid units.LID) uint8 {
	if lid > n.sw.LinearFDBTop {
		return subnet.NoPort
	}
	block := n.lft[lid/mad.LIDsPerBlock]
	if block == nil {
		return subnet.NoPort
	}
	return block[lid%mad.LIDsPerBlock]
}

// answersTo reports whether a port has a LID.
func (f *Fabric) answersTo(at subnet.End, lid units.LID) bool {
	q := &f.nodes[at.Node].ports[at.Port].info
	return q.LID != 0 && lid >= q.LID && int(lid) < int(q.LID)+1<<q.LMC
}

// lidAt is the LID of a port; a switch's ports have the LID of the switch.
func (f *Fabric) lidAt(at subnet.End) units.LID { return f.endport(at).info.LID }

// endport is the port with the LID and the keys for the port at an end: on a switch, port 0.
func (f *Fabric) endport(at subnet.End) *port {
	if f.sub.Nodes[at.Node].Kind == subnet.Switch {
		return &f.nodes[at.Node].ports[0]
	}
	return &f.nodes[at.Node].ports[at.Port]
}
