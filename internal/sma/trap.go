package sma

import (
	"weft/internal/subnet"
	"weft/units"
	"weft/wire/mad"
)

// stateChanged notes that a link went down or came up. Only a switch tells of it
// (IBA vol. 1, 14.2.5.1, trap 128).
func (f *Fabric) stateChanged(at subnet.End) {
	if f.sub.Nodes[at.Node].Kind != subnet.Switch {
		return
	}
	f.nodes[at.Node].sw.PortStateChange = true
	f.trap(at, mad.NoticeUrgent, mad.TrapLinkState, &mad.LinkStateNotice{LID: f.lidAt(at)})
}

// SetManager says whether a Subnet Manager runs on a port: its capabilities then
// show it, which traps 144.
func (f *Fabric) SetManager(at subnet.End, runs bool) {
	q := &f.endport(at).info
	was := q.CapabilityMask
	q.CapabilityMask &^= mad.CapIsSM
	if runs {
		q.CapabilityMask |= mad.CapIsSM
	}
	if q.CapabilityMask != was {
		f.trap(at, mad.NoticeInfo, mad.TrapCapability, &mad.CapabilityNotice{LID: q.LID, CapabilityMask: q.CapabilityMask})
	}
}

// trap queues a trap to the manager that the port knows. A port that knows none
// has nobody to tell.
func (f *Fabric) trap(at subnet.End, kind mad.NoticeType, number mad.TrapNumber, data mad.NoticeData) {
	q := &f.endport(at).info
	if q.MasterSMLID == 0 || q.LID == 0 || len(f.traps) >= maxTraps {
		return
	}
	notice := mad.Notice{Generic: true, Type: kind, Producer: uint32(f.sub.Nodes[at.Node].Kind), Number: number, IssuerLID: q.LID}
	notice.SetData(data)
	s := Sent{From: at, Packet: Packet{DLID: q.MasterSMLID, SLID: q.LID, MAD: mad.New(mad.SubnLID, mad.Trap, mad.AttrNotice, 0, 0)}}
	if f.sub.Nodes[at.Node].Kind == subnet.Switch {
		s.From.Port = 0
	}
	notice.AppendTo(s.Packet.MAD.SMPData()[:0])
	f.traps = append(f.traps, s)
}

// Traps returns the traps that wait to be carried, and forgets them.
func (f *Fabric) Traps() []Sent {
	t := f.traps
	f.traps = nil
	return t
}

// Info is what a port would answer to a Get(PortInfo), which programs on it see.
func (f *Fabric) Info(at subnet.End) mad.PortInfo { return f.nodes[at.Node].ports[at.Port].info }

// LID is the LID of a port: of a switch's, the switch's.
func (f *Fabric) LID(at subnet.End) units.LID { return f.lidAt(at) }

// NodeInfo is what a port would answer to a Get(NodeInfo).
func (f *Fabric) NodeInfo(at subnet.End) mad.NodeInfo {
	return *f.nodeInfo(&request{at: at, n: &f.nodes[at.Node], of: &f.sub.Nodes[at.Node]})
}

// PKeys is the first block of a port's partition keys.
func (f *Fabric) PKeys(at subnet.End) mad.PKeyTable { return f.nodes[at.Node].ports[at.Port].pkeys[0] }
