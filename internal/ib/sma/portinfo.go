package sma

import (
	"weft/internal/ib/subnet"
	"weft/units"
	"weft/wire/mad"
)

// fieldsOfExtSpeeds is the bit of PortInfo's modifier that says that the sender knows the fields of
// extended speeds (IBA vol. 1, 14.2.5.6); the other bits are the number of the port.
const fieldsOfExtSpeeds = 1 << 31

// portInfo answers Get and Set of PortInfo (IBA vol. 1, 14.2.5.6). A port of an adapter or a router
// can be written only through itself: as ibsim, which refuses a Set that arrives at another port.
func (f *Fabric) portInfo(r *request) mad.Status {
	q, number, ok := r.selected(r.mod &^ fieldsOfExtSpeeds)
	if !ok || r.set && r.of.Kind != subnet.Switch && uint16(number) != r.at.Port {
		return mad.BadField
	}
	own := r.of.Kind != subnet.Switch || number == 0 // the port has LID and keys
	status := mad.OK
	if r.set {
		var in mad.PortInfo
		_ = mad.Parse(r.data, &in)
		peer := f.sub.Peer(subnet.End{Node: r.at.Node, Port: uint16(number)})
		if status = check(&in, q, own); status == mad.OK && !f.rises(&in, q, peer) {
			status = mad.BadField
		}
		if status == mad.OK {
			f.setPort(subnet.End{Node: r.at.Node, Port: uint16(number)}, &in, own)
		}
	}
	out := q.info
	out.LocalPort = uint8(r.at.Port)
	if !r.set && out.MKeyProtect > 0 && r.key != out.MKey {
		out.MKey = 0 // the sender does not know it (IBA vol. 1, 14.2.4)
	}
	mad.Append(r.blank(), &out)
	return status
}

// check refuses values that a port cannot have; then nothing is set.
func check(in *mad.PortInfo, q *port, own bool) mad.Status {
	now := &q.info
	if own && (in.LID > units.LastUnicastLID || in.LID&(1<<in.LMC-1) != 0) {
		return mad.BadField
	}
	if in.NeighborMTU > now.MTUCap || in.OperationalVLs > now.VLCap {
		return mad.BadField
	}
	if in.LinkWidthEnabled != 0xFF && in.LinkWidthEnabled&^now.LinkWidthSupported != 0 ||
		in.LinkSpeedEnabled != 0xF && in.LinkSpeedEnabled&^now.LinkSpeedSupported != 0 {
		return mad.BadField
	}
	return mad.OK
}

// rises reports whether a port may go to a written state: from Init to Armed, and from Armed to
// Active if its peer is Armed or Active, as ibsim has it. A Set that is repeated, because its answer
// was lost, finds the port in its state already: that is no fault.
func (f *Fabric) rises(in *mad.PortInfo, q *port, peer subnet.End) bool {
	now := q.info.State
	switch in.State {
	case mad.PortNop, mad.PortDown:
		return true
	case mad.PortArmed:
		return now == mad.PortInit || now == mad.PortArmed
	case mad.PortActive:
		there := mad.PortDown
		if peer.Exists() {
			there = f.nodes[peer.Node].ports[peer.Port].info.State
		}
		return now == mad.PortActive || now == mad.PortArmed && there >= mad.PortArmed
	}
	return false
}

// setPort copies the writable fields, then changes the states.
func (f *Fabric) setPort(at subnet.End, in *mad.PortInfo, own bool) {
	q := &f.nodes[at.Node].ports[at.Port]
	now := &q.info
	if own {
		now.MKey, now.GIDPrefix, now.MKeyLease, now.MKeyProtect = in.MKey, in.GIDPrefix, in.MKeyLease, in.MKeyProtect
		now.LID, now.LMC = in.LID, in.LMC
		now.MasterSMLID, now.MasterSMSL = in.MasterSMLID, in.MasterSMSL
		now.SubnetTimeOut, now.ClientReregister = in.SubnetTimeOut, in.ClientReregister
		now.MKeyViolations, now.PKeyViolations, now.QKeyViolations = in.MKeyViolations, in.PKeyViolations, in.QKeyViolations
	}
	now.VLHighLimit, now.VLStallCount, now.HOQLife = in.VLHighLimit, in.VLStallCount, in.HOQLife
	now.PartitionIn, now.PartitionOut = in.PartitionIn, in.PartitionOut
	now.FilterRawIn, now.FilterRawOut = in.FilterRawIn, in.FilterRawOut
	now.LocalPhyErrors, now.OverrunErrors = in.LocalPhyErrors, in.OverrunErrors
	choose(&now.NeighborMTU, in.NeighborMTU, 0xFF, 0)
	choose(&now.OperationalVLs, in.OperationalVLs, 0xFF, 0)
	choose(&now.LinkWidthEnabled, in.LinkWidthEnabled, 0xFF, now.LinkWidthSupported)
	choose(&now.LinkSpeedEnabled, in.LinkSpeedEnabled, 0xF, now.LinkSpeedSupported)
	choose(&now.LinkSpeedExtOn, in.LinkSpeedExtOn, 0x1F, now.LinkSpeedExtCap)
	choose(&now.LinkSpeedExt2On, in.LinkSpeedExt2On, 0x7, now.LinkSpeedExt2Cap)
	choose(&now.LinkDownDefault, in.LinkDownDefault, 0xFF, 0)
	if at.Port == 0 {
		return // a management port has no link
	}
	switch in.PhysState {
	case mad.PhysDisabled:
		f.linkDown(at, mad.PhysDisabled)
		return
	case mad.PhysPolling:
		f.linkDown(at, mad.PhysPolling)
		f.train(at)
		return
	}
	switch in.State {
	case mad.PortDown:
		f.linkDown(at, mad.PhysPolling)
		f.train(at)
	case mad.PortArmed, mad.PortActive:
		now.State = in.State
	}
}

// choose sets a field. The value 0 means no change, and the value all means everything that
// is supported.
func choose(field *uint8, to, all, supported uint8) {
	switch to {
	case 0:
	case all:
		*field = supported
	default:
		*field = to
	}
}

// linkDown takes both ends of a link down.
func (f *Fabric) linkDown(at subnet.End, phys mad.PhysState) {
	f.portDown(at, phys)
	if peer := f.sub.Peer(at); peer.Exists() && f.nodes[peer.Node].ports[peer.Port].info.PhysState != mad.PhysDisabled {
		f.portDown(peer, mad.PhysPolling)
	}
}

func (f *Fabric) portDown(at subnet.End, phys mad.PhysState) {
	q := &f.nodes[at.Node].ports[at.Port]
	was := q.info.State
	q.info.State, q.info.PhysState = mad.PortDown, phys
	if was != mad.PortDown {
		sum(&q.counters.short.LinkDowned, 1)
		f.stateChanged(at)
	}
}

// train trains a link: if its cable works, neither port is disabled, and both have a width and a speed
// enabled, both ports become Init.
func (f *Fabric) train(at subnet.End) {
	peer := f.sub.Peer(at)
	if !peer.Exists() {
		return
	}
	ends := [2]subnet.End{at, peer}
	for _, e := range ends {
		if q := &f.nodes[e.Node].ports[e.Port]; q.cut || q.info.PhysState != mad.PhysPolling {
			return
		}
	}
	if !f.negotiate(at, peer) {
		return
	}
	for _, e := range ends {
		q := &f.nodes[e.Node].ports[e.Port]
		q.info.State, q.info.PhysState = mad.PortInit, mad.PhysLinkUp
		f.stateChanged(e)
	}
}

// SetLink makes the cable at a port work or fail. It reports whether there is a cable.
func (f *Fabric) SetLink(at subnet.End, works bool) bool {
	if at.Node < 0 || int(at.Node) >= len(f.sub.Nodes) || int(at.Port) >= len(f.sub.Nodes[at.Node].Ports) {
		return false
	}
	peer := f.sub.Peer(at)
	if !peer.Exists() {
		return false
	}
	f.nodes[at.Node].ports[at.Port].cut = !works
	f.nodes[peer.Node].ports[peer.Port].cut = !works
	if works {
		f.train(at)
	} else {
		f.linkDown(at, mad.PhysPolling)
	}
	return true
}

// extPortInfo answers the vendor's attribute that distinguishes FDR10 from QDR.
func (r *request) extPortInfo() mad.Status {
	q, _, ok := r.selected(r.mod)
	if !ok {
		return mad.BadField
	}
	var out mad.MlnxExtPortInfo
	if q.fdr10 {
		out = mad.MlnxExtPortInfo{LinkSpeedSupported: 1, LinkSpeedEnabled: 1}
		if q.info.LinkSpeedExtActive == 0 && q.info.LinkSpeedActive == 1<<2 {
			out.LinkSpeedActive = 1
		}
	}
	mad.Append(r.blank(), &out)
	return mad.OK
}

// Restart resets a node, as after a power cut. Its links go down and come up again.
func (f *Fabric) Restart(i int32) {
	for p := range f.sub.Nodes[i].Ports {
		if p > 0 {
			f.linkDown(subnet.End{Node: i, Port: uint16(p)}, mad.PhysPolling)
		}
	}
	cut := make([]bool, len(f.nodes[i].ports))
	for p := range cut {
		cut[p] = f.nodes[i].ports[p].cut
	}
	f.nodes[i] = f.powerOn(i)
	for p := 1; p < len(cut); p++ {
		q := &f.nodes[i].ports[p]
		q.cut = cut[p]
		q.info.State, q.info.PhysState = mad.PortDown, mad.PhysPolling
		f.train(subnet.End{Node: i, Port: uint16(p)})
	}
}
