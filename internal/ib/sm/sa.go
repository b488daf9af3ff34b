package sm

import (
	"weft/internal/ib/subnet"
	"weft/wire/mad"
)

// administration answers the queries of subnet administration.
type administration struct {
	*routed
	services      *services
	groups        *groups
	subscriptions *subscriptions
	transfers     *transfers
	inventory     inventoryRecords
	paths         pathRecords
	tables        tableRecords
}

// saCapabilities is the optional capabilities of this subnet administration: multicast
// groups, and capability masks of ports matched bit by bit (IBA vol. 1, 15.1.3).
const saCapabilities = 1<<9 | 1<<13

// respTime is the code of the time in which this subnet administration answers, 1.07 s: OpenSM's.
const respTime = 18

// query is a request to subnet administration, and the records of its answer.
type query struct {
	p       *Packet
	mask    uint64
	data    []byte
	records []byte
	bytes   int // size of a record, without padding
	count   int
	status  mad.Status
	regroup bool                // groups have changed
	shown   map[subnet.End]bool // by port: result of access.shows, if known
}

// add adds a record to the answer. It refuses more than maxRecords.
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

// answer answers a request to subnet administration (IBA vol. 1, 15.2.5 and
// 15.4), and reports whether multicast groups have changed. Acknowledgements of answers
// in several segments come here too.
func (a *administration) answer(p *Packet) (regroup bool) {
	d := &p.MAD
	if r := d.RMPP(); r.Active && r.Type != mad.RMPPNone && r.Type != mad.RMPPData {
		a.transfers.acknowledged(p, &r)
		return false
	}
	q := &query{p: p, mask: d.ComponentMask(), data: d.SAData()}
	switch {
	case !d.VersionOK():
		q.status = mad.BadVersion
	case a.sub == nil:
		q.status = mad.Busy
	default:
		a.lookUp(q)
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
	a.transfers.answer(q)
	return q.regroup
}

// lookUp fills in the records of a query.
func (a *administration) lookUp(q *query) {
	d := &q.p.MAD
	reads := d.Method() == mad.Get || d.Method() == mad.GetTable
	switch d.Attribute() {
	case mad.AttrServiceRecord:
		a.services.answer(q)
		return
	case mad.AttrMCMemberRecord:
		a.groups.answer(q)
		return
	case mad.AttrInformInfo:
		a.subscriptions.answer(q)
		return
	}
	if !reads {
		q.status = mad.BadMethod
		return
	}
	switch d.Attribute() {
	case mad.AttrClassPortInfo:
		q.add(&mad.ClassPortInfo{BaseVersion: 1, ClassVersion: 2, CapabilityMask: saCapabilities, RespTime: respTime})
	case mad.AttrNodeRecord:
		a.inventory.nodes(q)
	case mad.AttrPortInfoRecord:
		a.inventory.ports(q)
	case mad.AttrLinkRecord:
		a.inventory.links(q)
	case mad.AttrPathRecord:
		a.paths.answer(q)
	default:
		a.tables.answer(q)
	}
}

// only refuses a query with unknown components: ignoring them would find too many records.
func (q *query) only(known uint64) bool {
	if q.mask&^known != 0 {
		q.status = mad.ReqInvalid
		return false
	}
	return true
}

// wants reports whether the query leaves a component open, or asks for its value.
func wants[T comparable](q *query, component uint64, asked, have T) bool {
	return q.mask&component == 0 || asked == have
}
