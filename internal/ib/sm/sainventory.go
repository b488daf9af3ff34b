package sm

import (
	"weft/internal/ib/subnet"
	"weft/wire/mad"
)

// inventoryRecords answers with the nodes, ports and links of the subnet.
type inventoryRecords struct{ *access }

func (r *inventoryRecords) nodes(q *query) {
	var want mad.NodeRecord
	_ = mad.Parse(q.data, &want)
	if !q.only(mad.NodeRecLID | mad.NodeRecType | mad.NodeRecSystemGUID | mad.NodeRecNodeGUID | mad.NodeRecPortGUID | mad.NodeRecDesc) {
		return
	}
	r.eachEndPort(func(at subnet.End, p *subnet.Port) bool {
		n := r.behind[at.Node]
		if !r.shows(q, at) || !wants(q, mad.NodeRecLID, r.base(want.LID), p.LID) || !wants(q, mad.NodeRecType, want.Info.Type, n.info.Type) ||
			!wants(q, mad.NodeRecSystemGUID, want.Info.SystemGUID, n.info.SystemGUID) ||
			!wants(q, mad.NodeRecNodeGUID, want.Info.NodeGUID, n.info.NodeGUID) ||
			!wants(q, mad.NodeRecPortGUID, want.Info.PortGUID, p.GUID) || !wants(q, mad.NodeRecDesc, want.Desc, n.desc) {
			return true
		}
		rec := mad.NodeRecord{LID: p.LID, Info: n.info, Desc: n.desc}
		rec.Info.PortGUID, rec.Info.LocalPort = p.GUID, uint8(at.Port)
		return q.add(&rec)
	})
}

func (r *inventoryRecords) ports(q *query) {
	var want mad.PortInfoRecord
	_ = mad.Parse(q.data, &want)
	if !q.only(mad.PortRecLID | mad.PortRecPort | mad.PortRecCapability) {
		return
	}
	r.eachEndPort(func(at subnet.End, p *subnet.Port) bool {
		if !r.shows(q, at) || !wants(q, mad.PortRecLID, r.base(want.LID), p.LID) {
			return true
		}
		n := r.behind[at.Node]
		for j := range n.ports {
			if !n.ports[j].have || (!n.isSwitch() && uint16(j) != at.Port) || !wants(q, mad.PortRecPort, want.Port, uint8(j)) ||
				!q.wantsCapability(want.Info.CapabilityMask, n.ports[j].info.CapabilityMask) {
				continue
			}
			rec := mad.PortInfoRecord{LID: p.LID, Port: uint8(j), Info: n.ports[j].info}
			rec.Info.MKey = 0 // never given out (IBA vol. 1, 14.2.4)
			if !q.add(&rec) {
				return false
			}
		}
		return true
	})
}

// wantsCapability reports whether the query leaves a port's capabilities open, or asks for these.
func (q *query) wantsCapability(asked, have uint32) bool {
	if q.p.MAD.Modifier()&mad.BitwiseCapability != 0 {
		have &= asked
	}
	return wants(q, mad.PortRecCapability, asked, have)
}

func (r *inventoryRecords) links(q *query) {
	var want mad.LinkRecord
	_ = mad.Parse(q.data, &want)
	if !q.only(mad.LinkRecFromLID | mad.LinkRecFromPort | mad.LinkRecToPort | mad.LinkRecToLID) {
		return
	}
	for i := range r.sub.Nodes {
		for j := range r.sub.Nodes[i].Ports {
			at := subnet.End{Node: int32(i), Port: uint16(j)}
			to := r.sub.Peer(at)
			if !to.Exists() || !r.shows(q, at) || !r.shows(q, to) {
				continue
			}
			rec := mad.LinkRecord{FromLID: r.lidOf(at), FromPort: uint8(at.Port), ToPort: uint8(to.Port), ToLID: r.lidOf(to)}
			if !wants(q, mad.LinkRecFromLID, r.base(want.FromLID), rec.FromLID) || !wants(q, mad.LinkRecFromPort, want.FromPort, rec.FromPort) ||
				!wants(q, mad.LinkRecToPort, want.ToPort, rec.ToPort) || !wants(q, mad.LinkRecToLID, r.base(want.ToLID), rec.ToLID) {
				continue
			}
			if !q.add(&rec) {
				return
			}
		}
	}
}
