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
	want.SubnetTimeOut = subnetTimeout
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
	w.eachLinked(func(n int32, p uint8, here, there *mad.PortInfo) {
		want := *here
		want.NeighborMTU = min(here.MTUCap, there.MTUCap)
		want.OperationalVLs = w.operational(w.nodes[n], p)
		if q := w.lanes.qosOf(w.nodes[n], p); q.HighLimit != nil {
			want.VLHighLimit = *q.HighLimit
		}
		if w.partitions.inUse() && w.nodes[n].isSwitch() {
			enforces := w.partitions.enforces(n, p)
			want.PartitionIn, want.PartitionOut = enforces, enforces
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

// setLifetimes sets how long packets live at the head of a port's queue. Routers forward, too.
func (w *portSetup) setLifetimes(n int32, p uint8, want *mad.PortInfo) {
	switch kind, peer := subnet.Kind(w.nodes[n].info.Type), w.nodes[n].ports[p].peer; {
	case kind == subnet.Router:
		want.HOQLife = leafHeadOfQueueLife
	case kind == subnet.Switch && w.nodes[peer.node].isSwitch():
		want.VLStallCount, want.HOQLife = stallCount, headOfQueueLife
	case kind == subnet.Switch:
		want.VLStallCount, want.HOQLife = stallCount, leafHeadOfQueueLife
	}
}

// The lifetimes of packets in switches, 4.096 µs × 2^n: the defaults of OpenSM (opensm -c
// of 3.3.23). The value after power-on is not specified: a switch may discard a packet
// that has waited for 4 µs.
const (
	packetLifetime      = 18 // of a switch: 1.07 s
	headOfQueueLife     = 18 // of a port to a switch
	leafHeadOfQueueLife = 16 // of a port to an adapter: 0.27 s
	stallCount          = 7  // discards in a row that stall a lane
)

// subnetTimeout is SubnetTimeOut of every port: 4.096 µs × 2^18 = 1.07 s, as OpenSM's.
const subnetTimeout = 18

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
