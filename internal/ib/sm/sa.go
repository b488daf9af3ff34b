package sm

import (
	"weft/internal/ib/subnet"
	"weft/units"
	"weft/wire/mad"
)

// admin is what subnet administration remembers besides the subnet itself.
type admin struct {
	services  []service
	groups    []*group
	regroup   bool                      // groups have changed since trees were planted
	trees     []map[int]subnet.PortMask // by group, in the subnet as it is: ports by switch
	transfers []transfer

	subscribers []subscriber
	ports       []units.GUID // end ports of the last sweep, sorted
}

// saCapabilities is what this subnet administration can do beside what all must:
// multicast groups, and capabilities of ports matched bit by bit (IBA vol. 1, 15.1.3).
const saCapabilities = 1<<9 | 1<<13

// query is a request to subnet administration, and the records that it gets.
type query struct {
	p       *Packet
	mask    uint64
	data    []byte
	records []byte
	bytes   int // size of a record, without padding
	count   int
	status  mad.Status
	shown   map[subnet.End]bool // ports of which it is known whether the one who asks may learn of them
}

// add puts a record into the answer. It refuses more than one answer may hold.
func (q *query) add(r mad.Structure) bool {
	if q.count >= maxRecords {
		q.status = mad.TooManyRecords
		return false
	}
	before := len(q.records)
	q.records = mad.Append(q.records, r)
	q.bytes = len(q.records) - before
	for len(q.records)%8 != 0 {
		q.records = append(q.records, 0)
	}
	q.count++
	return true
}

// administer answers a request to subnet administration (IBA vol. 1, 15.2.5 and
// 15.4). Acknowledgements of what it sent in several pieces come here too.
func (m *Manager) administer(p *Packet) {
	d := &p.MAD
	if r := d.RMPP(); r.Active && r.Type != mad.RMPPNone && r.Type != mad.RMPPData {
		m.acknowledged(p, &r)
		return
	}
	q := &query{p: p, mask: d.ComponentMask(), data: d.SAData()}
	switch {
	case !d.VersionOK():
		q.status = mad.BadVersion
	case m.sub == nil:
		q.status = mad.Busy
	default:
		m.lookUp(q)
	}
	if q.status == mad.OK && q.count == 0 && d.Method() != mad.GetTable {
		q.status = mad.NoRecords
	}
	if q.status == mad.OK && q.count > 1 && d.Method() == mad.Get {
		q.status = mad.TooManyRecords
	}
	if q.status != mad.OK {
		q.records, q.count = nil, 0
	}
	m.answerQuery(q)
}

// lookUp fills in the records of a query.
func (m *Manager) lookUp(q *query) {
	d := &q.p.MAD
	reads := d.Method() == mad.Get || d.Method() == mad.GetTable
	switch d.Attribute() {
	case mad.AttrServiceRecord:
		m.services(q)
		return
	case mad.AttrMCMemberRecord:
		m.multicast(q)
		return
	case mad.AttrInformInfo:
		m.inform(q)
		return
	}
	if !reads {
		q.status = mad.BadMethod
		return
	}
	switch d.Attribute() {
	case mad.AttrClassPortInfo:
		q.add(&mad.ClassPortInfo{BaseVersion: 1, ClassVersion: 2, CapabilityMask: saCapabilities, RespTime: subnetTimeout})
	case mad.AttrNodeRecord:
		m.nodeRecords(q)
	case mad.AttrPortInfoRecord:
		m.portInfoRecords(q)
	case mad.AttrLinkRecord:
		m.linkRecords(q)
	case mad.AttrPathRecord:
		m.pathRecords(q)
	default:
		m.lookUpTables(q)
	}
}

// only refuses components that a query cannot be answered by: passing over them
// would find too much.
func (q *query) only(known uint64) bool {
	if q.mask&^known != 0 {
		q.status = mad.ReqInvalid
		return false
	}
	return true
}

// wants reports whether a component is not asked for, or has the value asked
// for.
func wants[T comparable](q *query, component uint64, asked, have T) bool {
	return q.mask&component == 0 || asked == have
}

// eachEndPort calls f for every port that has a LID, in the order of nodes, until
// it returns false.
func (m *Manager) eachEndPort(f func(at subnet.End, p *subnet.Port) bool) {
	for i := range m.sub.Nodes {
		for j := range m.sub.Nodes[i].Ports {
			if p := &m.sub.Nodes[i].Ports[j]; p.LID != 0 && !f(subnet.End{Node: int32(i), Port: uint8(j)}, p) {
				return
			}
		}
	}
}

// discovered is the node behind a number of the subnet.
func (m *Manager) discovered(at int32) *node { return m.behind[at] }

func (m *Manager) nodeRecords(q *query) {
	var want mad.NodeRecord
	_ = mad.Parse(q.data, &want)
	if !q.only(mad.NodeRecLID | mad.NodeRecType | mad.NodeRecSystemGUID | mad.NodeRecNodeGUID | mad.NodeRecPortGUID | mad.NodeRecDesc) {
		return
	}
	m.eachEndPort(func(at subnet.End, p *subnet.Port) bool {
		n := m.discovered(at.Node)
		if !m.shows(q, at) || !wants(q, mad.NodeRecLID, m.base(want.LID), p.LID) || !wants(q, mad.NodeRecType, want.Info.Type, n.info.Type) ||
			!wants(q, mad.NodeRecSystemGUID, want.Info.SystemGUID, n.info.SystemGUID) ||
			!wants(q, mad.NodeRecNodeGUID, want.Info.NodeGUID, n.info.NodeGUID) ||
			!wants(q, mad.NodeRecPortGUID, want.Info.PortGUID, p.GUID) || !wants(q, mad.NodeRecDesc, want.Desc, n.desc) {
			return true
		}
		r := mad.NodeRecord{LID: p.LID, Info: n.info, Desc: n.desc}
		r.Info.PortGUID, r.Info.LocalPort = p.GUID, at.Port
		return q.add(&r)
	})
}

// base is the base LID of the port that answers to a LID.
func (m *Manager) base(lid units.LID) units.LID {
	if int(lid) < len(m.owners) && m.owners[lid].Exists() {
		return m.sub.Port(m.owners[lid]).LID
	}
	return lid
}

func (m *Manager) portInfoRecords(q *query) {
	var want mad.PortInfoRecord
	_ = mad.Parse(q.data, &want)
	if !q.only(mad.PortRecLID | mad.PortRecPort | mad.PortRecCapability) {
		return
	}
	m.eachEndPort(func(at subnet.End, p *subnet.Port) bool {
		if !m.shows(q, at) || !wants(q, mad.PortRecLID, m.base(want.LID), p.LID) {
			return true
		}
		n := m.discovered(at.Node)
		for j := range n.ports {
			if !n.ports[j].have || (!n.isSwitch() && uint8(j) != at.Port) || !wants(q, mad.PortRecPort, want.Port, uint8(j)) ||
				!q.wantsCapability(want.Info.CapabilityMask, n.ports[j].info.CapabilityMask) {
				continue
			}
			r := mad.PortInfoRecord{LID: p.LID, Port: uint8(j), Info: n.ports[j].info}
			r.Info.MKey = 0 // told to nobody (IBA vol. 1, 14.2.4)
			if !q.add(&r) {
				return false
			}
		}
		return true
	})
}

// wantsCapability reports whether a port's capabilities are not asked for, or are
// as asked for.
func (q *query) wantsCapability(asked, have uint32) bool {
	if q.p.MAD.Modifier()&mad.BitwiseCapability != 0 {
		have &= asked
	}
	return wants(q, mad.PortRecCapability, asked, have)
}

func (m *Manager) linkRecords(q *query) {
	var want mad.LinkRecord
	_ = mad.Parse(q.data, &want)
	if !q.only(mad.LinkRecFromLID | mad.LinkRecFromPort | mad.LinkRecToPort | mad.LinkRecToLID) {
		return
	}
	for i := range m.sub.Nodes {
		for j := range m.sub.Nodes[i].Ports {
			at := subnet.End{Node: int32(i), Port: uint8(j)}
			to := m.sub.Peer(at)
			if !to.Exists() || !m.shows(q, at) || !m.shows(q, to) {
				continue
			}
			r := mad.LinkRecord{FromLID: m.lidOf(at), FromPort: at.Port, ToPort: to.Port, ToLID: m.lidOf(to)}
			if !wants(q, mad.LinkRecFromLID, m.base(want.FromLID), r.FromLID) || !wants(q, mad.LinkRecFromPort, want.FromPort, r.FromPort) ||
				!wants(q, mad.LinkRecToPort, want.ToPort, r.ToPort) || !wants(q, mad.LinkRecToLID, m.base(want.ToLID), r.ToLID) {
				continue
			}
			if !q.add(&r) {
				return
			}
		}
	}
}

// lidOf is the LID of a port: of a switch's, the switch's.
func (m *Manager) lidOf(at subnet.End) units.LID {
	if m.sub.Nodes[at.Node].Kind == subnet.Switch {
		at.Port = 0
	}
	return m.sub.Port(at).LID
}
