package sm

import (
	"weft/internal/ib/subnet"
	"weft/wire/mad"
)

// portSetup writes PortInfo: LIDs and keys to end ports, then states, MTU and lanes to
// every port with a link.
type portSetup struct {
	*writer
	mkey       *MKey
	settings   *Settings
	partitions *partitions
	lanes      *laneTables
}

// writeEndPorts writes to all end ports.
func (w *portSetup) writeEndPorts() {
	for i := range w.sub.Nodes {
		for p := range w.sub.Nodes[i].Ports {
			if q := &w.sub.Nodes[i].Ports[p]; q.LID != 0 {
				w.writeEndPort(w.at[i], uint8(p), q)
			}
		}
	}
}

// writeEndPort writes the LID and M_Key of an end port if they differ, and its partition keys.
func (w *portSetup) writeEndPort(n int32, p uint8, q *subnet.Port) {
	r := &w.nodes[n].ports[p]
	want := r.info
	want.LID, want.LMC = q.LID, q.LMC
	want.MasterSMLID, want.MasterSMSL = w.managerLID(), 0
	want.GIDPrefix = mad.DefaultPrefix
	want.SubnetTimeOut = w.settings.SubnetTimeout
	if k := w.mkey; k.Key != 0 {
		want.MKey, want.MKeyProtect, want.MKeyLease = k.Key, k.Level, k.Lease
	}
	if want != r.info {
		r.info = want
		unchanged(&want)
		want.ClientReregister = r.info.CapabilityMask&mad.CapReregister != 0
		w.ask(w.set(n, mad.AttrPortInfo, uint32(p), p, &want))
	}
	w.partitions.readTables(n, p)
}

// took takes an answer with the PortInfo of a port. A port that has got an M_Key is asked once more,
// with that key, because the answer to the Set may hide it.
func (w *portSetup) took(r *request, d *mad.MAD) {
	n := w.nodes[r.node]
	info := &n.ports[r.port].info
	_ = mad.Parse(d.SMPData(), info)
	var wrote mad.PortInfo
	_ = mad.Parse(r.data[:], &wrote)
	key, a := w.mkey.Key, n.agentOf(r.port)
	switch {
	case r.again && (info.MKey != key || info.MKeyProtect != w.mkey.Level):
		w.complain(w.about(r, Unprotected, mad.OK))
	case r.method == mad.Set && key != 0 && a.key != key && wrote.MKey == key:
		a.key = key
		again := *r
		again.method, again.data, again.again = mad.Get, [mad.SMPDataBytes]byte{}, true
		w.ask(again)
		return
	}
	n.tookKey(r.port, info)
}

// unchanged sets to 0 the components of a PortInfo that a Set leaves unchanged at 0.
func unchanged(p *mad.PortInfo) {
	p.State, p.PhysState, p.LinkDownDefault = mad.PortNop, mad.PhysNop, 0
	p.LinkWidthEnabled, p.LinkSpeedEnabled, p.LinkSpeedExtOn, p.LinkSpeedExt2On = 0, 0, 0, 0
}

// arm takes every port with a link from Init to Armed, and writes the common MTU and lanes of both
// ends.
func (w *portSetup) arm() {
	w.writeWidthsAndSpeeds()
	w.eachLinked(func(n int32, p uint8, here, there *mad.PortInfo) {
		want := *here
		want.NeighborMTU = min(here.MTUCap, there.MTUCap)
		want.OperationalVLs = w.operational(w.nodes[n], p)
		if q := w.lanes.qosOf(w.nodes[n], p); q.HighLimit != nil {
			want.VLHighLimit = *q.HighLimit
		}
		if w.partitions.inUse() && w.nodes[n].isSwitch() {
			enforces := w.partitions.enforces(n, p)
			want.PartitionIn, want.PartitionOut = enforces && w.settings.CheckIn, enforces && w.settings.CheckOut
		}
		w.setLifetimes(n, p, &want)
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
		w.ask(w.set(n, mad.AttrPortInfo, uint32(p), p, &want))
	})
}

// setLifetimes sets how long packets live at the head of a port's queue, and the thresholds of
// errors. Routers forward, too.
func (w *portSetup) setLifetimes(n int32, p uint8, want *mad.PortInfo) {
	s := w.settings
	if s.LocalPhyErrors > 0 {
		want.LocalPhyErrors = s.LocalPhyErrors
	}
	if s.OverrunErrors > 0 {
		want.OverrunErrors = s.OverrunErrors
	}
	switch kind, peer := subnet.Kind(w.nodes[n].info.Type), w.nodes[n].ports[p].peer; {
	case kind == subnet.Router:
		want.HOQLife = s.LeafHOQLife
	case kind == subnet.Switch && w.nodes[peer.node].isSwitch():
		want.VLStallCount, want.HOQLife = s.StallCount, s.HOQLife
	case kind == subnet.Switch:
		want.VLStallCount, want.HOQLife = s.LeafStallCount, s.LeafHOQLife
	}
}

// activate takes every Armed port to Active.
func (w *portSetup) activate() {
	w.eachLinked(func(n int32, p uint8, here, _ *mad.PortInfo) {
		if here.State != mad.PortArmed {
			return
		}
		want := *here
		unchanged(&want)
		want.State = mad.PortActive
		w.ask(w.set(n, mad.AttrPortInfo, uint32(p), p, &want))
	})
	for i, n := range w.nodes {
		if n.isSwitch() && n.complete() {
			w.clearChange(int32(i)) // left by a sweep that began before this manager was master
		}
	}
}
