package sma

import (
	"weft/internal/ib/subnet"
	"weft/wire/mad"
)

// request is a Get or Set that arrived at an agent: its data become the answer's.
type request struct {
	at   subnet.End // the port of its arrival; port 0 of a switch that it is addressed to
	n    *node
	of   *subnet.Node
	mod  uint32
	set  bool
	key  uint64 // its M_Key
	data []byte
}

// answer lets the agent at a port answer a request in place.
func (f *Fabric) answer(at subnet.End, m *mad.MAD) Outcome {
	r := request{at: at, n: &f.nodes[at.Node], of: &f.sub.Nodes[at.Node], mod: m.Modifier(), set: m.Method() == mad.Set}
	var status mad.Status
	switch {
	case !m.VersionOK():
		status = mad.BadVersion
	case m.Method() != mad.Get && m.Method() != mad.Set:
		status = mad.BadMethod
	case m.Class() == mad.Perf:
		r.data = m.PerfData()
		status = f.answerPerf(&r, m.Attribute())
	case m.Class() == mad.Congestion:
		if r.data = m.PerfData(); m.Attribute() == attrCongestionLog {
			r.data = m.LogData()
		}
		status = f.answerCongestion(&r, m.Attribute())
	default:
		r.data, r.key = m.SMPData(), m.MKey()
		if !f.admit(&r, m) {
			return Lost
		}
		status = f.answerSMP(&r, m.Attribute())
	}
	m.SetMethod(m.Method().Answer())
	if m.Class() == mad.SubnDirected {
		m.SetReturning()
		m.SetHopPointer(0)
	}
	m.SetStatus(status)
	return Answered
}

// answerSMP answers subnet management: 14.2.5 of IBA vol. 1.
func (f *Fabric) answerSMP(r *request, attr mad.Attribute) mad.Status {
	isSwitch := r.of.Kind == subnet.Switch
	switch attr {
	case mad.AttrNodeInfo:
		return r.readOnly(f.nodeInfo(r))
	case mad.AttrNodeDescription:
		return r.readOnly(&r.n.desc)
	case mad.AttrPortInfo:
		return f.portInfo(r)
	case mad.AttrPKeyTable:
		return r.pkeys()
	case mad.AttrSLToVL:
		return r.slToVL()
	case mad.AttrVLArb:
		return r.vlArb()
	case mad.AttrGUIDInfo:
		return f.guidInfo(r)
	case mad.AttrMlnxExtPortInfo:
		return r.extPortInfo()
	}
	if !isSwitch {
		return mad.BadAttribute
	}
	switch attr {
	case mad.AttrSwitchInfo:
		return r.switchInfo()
	case mad.AttrLinearFDB:
		return r.linear()
	case mad.AttrMulticastFDB:
		return r.multicast()
	}
	return mad.BadAttribute
}

// readOnly answers a Get, and refuses a Set.
func (r *request) readOnly(s mad.Structure) mad.Status {
	if r.set {
		return mad.BadAttribute
	}
	mad.Append(r.blank(), s)
	return mad.OK
}

// blank clears the data, and returns the empty slice for the answer.
func (r *request) blank() []byte {
	clear(r.data)
	return r.data[:0]
}

func (f *Fabric) nodeInfo(r *request) *mad.NodeInfo {
	system := r.of.SystemGUID
	if system == 0 {
		system = r.of.GUID
	}
	return &mad.NodeInfo{
		BaseVersion: 1, ClassVersion: 1, Type: uint8(r.of.Kind), NumPorts: uint8(r.of.NumPorts()),
		SystemGUID: system, NodeGUID: r.of.GUID, PortGUID: portGUID(r.of, uint8(r.at.Port)),
		PartitionCap: partitions, DeviceID: r.of.DeviceID, Revision: r.of.Revision,
		LocalPort: uint8(r.at.Port), VendorID: r.of.VendorID,
	}
}

func (r *request) switchInfo() mad.Status {
	if r.set {
		var in mad.SwitchInfo
		_ = mad.Parse(r.data, &in) // the data of a datagram is always long enough
		if int(in.LinearFDBTop) >= linearEntries {
			return mad.BadField
		}
		sw := &r.n.sw
		sw.LinearFDBTop, sw.MulticastFDBTop = in.LinearFDBTop, in.MulticastFDBTop
		sw.DefaultPort = in.DefaultPort
		sw.DefaultMulticastPrimary, sw.DefaultMulticastNotPrimary = in.DefaultMulticastPrimary, in.DefaultMulticastNotPrimary
		sw.LifeTime = in.LifeTime
		if in.PortStateChange {
			sw.PortStateChange = false
		}
	}
	mad.Append(r.blank(), &r.n.sw)
	return mad.OK
}

// selected is the port that the low byte of a modifier selects: 0 is the receiving port of an
// adapter, or port 0 of a switch.
func (r *request) selected(number uint32) (*port, uint8, bool) {
	p := number
	if p == 0 && r.of.Kind != subnet.Switch {
		p = uint32(r.at.Port)
	}
	if p >= uint32(len(r.n.ports)) {
		return nil, 0, false
	}
	return &r.n.ports[p], uint8(p), true
}
