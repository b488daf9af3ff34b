package sm

import (
	"weft/wire/mad"
)

// enterArm takes every port with a link from Init to Armed, and tells it
// what both ends can do.
func (m *Manager) enterArm() {
	m.phase = arm
	m.eachLinked(func(n int32, p uint8, here, there *mad.PortInfo) {
		want := *here
		want.NeighborMTU = min(here.MTUCap, there.MTUCap)
		want.OperationalVLs = m.operational(m.nodes[n], p)
		if q := m.qosOf(m.nodes[n], p); q.HighLimit != nil {
			want.VLHighLimit = *q.HighLimit
		}
		if m.cfg.Partitions != nil && m.nodes[n].isSwitch() {
			enforces := m.enforces(n, p)
			want.PartitionIn, want.PartitionOut = enforces, enforces
		}
		if m.nodes[n].isSwitch() {
			want.VLStallCount, want.HOQLife = stallCount, headOfQueueLife
			if !m.nodes[m.nodes[n].ports[p].peer.node].isSwitch() {
				want.HOQLife = leafHeadOfQueueLife
			}
		}
		rises := here.State == mad.PortInit
		if want == *here && !rises {
			return
		}
		state := mad.PortNop
		if rises {
			state = mad.PortArmed
		}
		kept := here.State
		*here = want
		unchanged(&want)
		want.State = state
		here.State = kept
		m.ask(m.set(n, mad.AttrPortInfo, uint32(p), p, &want))
	})
}

// How long packets live in switches, which what a port has after power-on does not
// say: 4.096 µs × 2^n, OpenSM's own (opensm -c of 3.3.23). Without them a switch
// may discard what waits for 4 µs.
const (
	packetLifetime      = 18 // of a switch: 1.07 s
	headOfQueueLife     = 18 // of a port to a switch
	leafHeadOfQueueLife = 16 // of a port to an adapter: 0.27 s
	stallCount          = 7  // discards in a row that stall a lane
)

// enforces reports whether a port of a switch checks partition keys: those with
// an adapter do, if the switch can.
func (m *Manager) enforces(n int32, p uint8) bool {
	peer := m.nodes[n].ports[p].peer
	return peer != none && !m.nodes[peer.node].isSwitch() && m.nodes[n].sw.PartitionEnforcementCap > 0
}

// enterActivate takes every Armed port to Active.
func (m *Manager) enterActivate() {
	m.phase = activate
	m.eachLinked(func(n int32, p uint8, here, _ *mad.PortInfo) {
		if here.State != mad.PortArmed {
			return
		}
		want := *here
		unchanged(&want)
		want.State = mad.PortActive
		m.ask(m.set(n, mad.AttrPortInfo, uint32(p), p, &want))
	})
	for i, n := range m.nodes {
		if n.isSwitch() && n.complete() {
			m.clearChange(int32(i)) // of a sweep that began before this manager was master
		}
	}
}

// eachLinked calls f for both ends of every link of the subnet.
func (m *Manager) eachLinked(f func(n int32, p uint8, here, there *mad.PortInfo)) {
	for i := range m.sub.Nodes {
		for p := range m.sub.Nodes[i].Ports {
			peer := m.sub.Nodes[i].Ports[p].Peer
			if !peer.Exists() {
				continue
			}
			here := m.portAt(end{m.at[i], uint8(p)})
			there := m.portAt(end{m.at[peer.Node], peer.Port})
			if here.have && there.have {
				f(m.at[i], uint8(p), &here.info, &there.info)
			}
		}
	}
}
