package sm

import (
	"weft/wire/mad"
)

// enterArm takes every port with a link from Initialize to Armed, and tells it
// what both ends can do.
func (m *Manager) enterArm() {
	m.phase = arm
	m.eachLinked(func(n int32, p uint8, here, there *mad.PortInfo) {
		want := *here
		want.NeighborMTU = min(here.MTUCap, there.MTUCap)
		want.OperationalVLs = min(here.VLCap, there.VLCap)
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
		if n.isSwitch() && n.complete() && n.sw.PortStateChange {
			clear := n.sw // writing the bit clears it
			n.sw.PortStateChange = false
			m.ask(m.set(int32(i), mad.AttrSwitchInfo, 0, 0, &clear))
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

// tookSet notes what a node now holds.
func (m *Manager) tookSet(r *request, d *mad.MAD) {
	switch r.attr {
	case mad.AttrPortInfo:
		var got mad.PortInfo
		_ = got.Parse(d.SMPData())
		m.nodes[r.node].ports[r.port].info = got
	case mad.AttrLinearFDB:
		m.wroteBlock(r)
	}
}
