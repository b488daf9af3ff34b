package control

import (
	"fmt"

	"weft/internal/base/topology"
	"weft/internal/ib/sma"
	"weft/internal/ib/subnet"
	"weft/internal/sim/run/network"
	"weft/scenario"
	"weft/units"
	"weft/wire/mad"
)

// Management is the management of an InfiniBand fabric for programs at its NICs: the agents of all nodes, and the
// Subnet Manager that has brought the fabric up. Of several planes it has the first. It has a clock of its own, which
// goes on only as far as an answer takes, so that one request is under way at a time.
type Management struct {
	m      *managedSubnet
	number map[topology.NodeID]int32 // of the subnet, by node of the graph
	down   map[int32]bool            // cables
	sweep  units.Time
}

// answerTime is how long a program's request may take on the management's clock: as long as programs wait by default.
const answerTime = units.Second

// NewManagement brings the management of a fabric up.
func NewManagement(p *network.Plan, spec *scenario.Control) (*Management, error) {
	m, err := newManagedSubnet(p, spec, 0)
	if err != nil {
		return nil, err
	}
	if _, err := m.bringUp(); err != nil {
		return nil, fmt.Errorf("fabric %s: %w", p.Fabric.Name, err)
	}
	g := &Management{m: m, number: map[topology.NodeID]int32{}, down: map[int32]bool{}, sweep: spec.SM.Sweep}
	for i, node := range m.nodes {
		g.number[node] = int32(i)
	}
	return g, nil
}

// asking is a program's request.
type asking struct {
	at      subnet.End
	request mad.MAD // as it is sent
	tid     uint64  // the program's
	from    units.LID
	pieces  []byte // of an answer in several segments
	answer  []byte // nil: none yet
}

// ours marks the transaction of a program's request. A manager counts its own from 1.
const ours = 1 << 63

// Ask carries a program's datagram from a NIC to a LID, and returns the answer with its sender. Subnet administration
// may answer with more than a datagram: then the records of all segments follow the first header, as Linux gives
// them to programs. nil is no answer. Programs change no settings: their Set of subnet management has no answer, as if a
// key protected the ports.
func (g *Management) Ask(nic int32, to units.LID, d *mad.MAD) (from units.LID, answer []byte) {
	node, known := g.number[topology.NodeID(nic)]
	if !known || d.Answers() || d.Class().Subnet() && d.Method() == mad.Set {
		return 0, nil
	}
	at := subnet.End{Node: node, Port: g.m.sub.Nodes[node].Base()}
	a := &asking{at: at, request: *d, tid: d.TID()}
	a.request.SetTID(a.tid | ours)
	device := g.portFor(at, &a.request)
	g.m.asked = a
	defer func() { g.m.asked = nil }()
	packet := sma.Packet{DLID: to, MAD: a.request}
	switch end, outcome := g.m.agents.Carry(at, &packet); outcome {
	case sma.Answered:
		a.take(&packet)
	case sma.Arrived:
		g.m.hand(end, &packet, g.m.now)
		g.m.runUntil(g.m.now+answerTime, func() bool { return a.answer != nil })
	}
	if r, is := member(a.answer); is && device != (mad.GID{}) {
		r.PortGID = device
		whole := mad.MAD(a.answer)
		mad.Append(whole.SAData()[:0], &r)
		a.answer = whole[:]
	}
	return a.from, a.answer
}

// portFor puts the port's GID into a request about a member of a multicast group in place of the GID of a program's
// device, of which the Subnet Manager does not know, and returns the device's. It is zero if the request names a port of
// the subnet, or none.
func (g *Management) portFor(at subnet.End, d *mad.MAD) (device mad.GID) {
	r, is := member(d[:])
	if !is || d.ComponentMask()&mad.MCPortGID == 0 || g.hasPort(r.PortGID.GUID) {
		return mad.GID{}
	}
	device = r.PortGID
	r.PortGID.GUID = g.m.agents.NodeInfo(at).PortGUID
	mad.Append(d.SAData()[:0], &r)
	return device
}

// hasPort reports whether a port of the subnet has a GUID.
func (g *Management) hasPort(guid units.GUID) bool {
	for i := range g.m.sub.Nodes {
		for port := range g.m.sub.Nodes[i].Ports {
			if g.m.agents.NodeInfo(subnet.End{Node: int32(i), Port: uint16(port)}).PortGUID == guid {
				return true
			}
		}
	}
	return false
}

// member is the record of a multicast group's member in a datagram; false if it has another record.
func member(datagram []byte) (r mad.MCMemberRecord, is bool) {
	if len(datagram) != len(mad.MAD{}) {
		return r, false // none, or a table in several segments
	}
	d, err := mad.FromBytes(datagram)
	if err != nil || d.Class() != mad.SubnAdm || d.Attribute() != mad.AttrMCMemberRecord {
		return r, false
	}
	return r, mad.Parse(d.SAData(), &r) == nil
}

// Cut takes a cable out of service, or mends it. The Subnet Manager reacts before the next request.
func (g *Management) Cut(p *network.Plan, cable int32, down bool) {
	end := p.Graph.Cables[cable].A
	node, known := g.number[end.Node]
	if !known || g.down[cable] == down {
		return
	}
	g.down[cable] = down
	g.m.agents.SetLink(subnet.End{Node: node, Port: uint16(end.Port + 1)}, !down)
	g.m.carryTraps()
	_ = g.m.run(g.m.now + 2*g.sweep) // its failure shows in requests that stay without an answer
}

// hand gives a datagram to the managers at a port.
func (m *managedSubnet) hand(end subnet.End, p *sma.Packet, at units.Time) {
	for i, h := range m.hosts {
		if h.at == end && !h.ended {
			m.post(at, i, p)
		}
	}
}

// arrived takes a datagram that is for the program that asks; false: it is for others.
func (m *managedSubnet) arrived(end subnet.End, p *sma.Packet) bool {
	a := m.asked
	if a == nil || end != a.at || !p.MAD.Answers() || p.MAD.TID() != a.request.TID() {
		return false
	}
	if a.take(p) {
		m.acknowledge(a, p)
	}
	return true
}

// take takes a datagram of the answer, and reports whether it is a segment to acknowledge.
func (a *asking) take(p *sma.Packet) bool {
	d, r := p.MAD, p.MAD.RMPP()
	d.SetTID(a.tid)
	segment := d.Class() == mad.SubnAdm && r.Active && r.Type == mad.RMPPData
	switch {
	case a.answer != nil:
		return false
	case !segment:
		a.answer = d[:]
	case a.pieces == nil:
		a.pieces = append(a.pieces, d[:d.Length()]...)
	default:
		a.pieces = append(a.pieces, d.SAData()[:d.Records()]...)
	}
	if segment && r.Last {
		a.answer = a.pieces
	}
	a.from = p.SLID
	return segment
}

// acknowledge asks for the next segments of an answer.
func (m *managedSubnet) acknowledge(a *asking, p *sma.Packet) {
	packet := sma.Packet{DLID: p.SLID, MAD: a.request}
	n := p.MAD.RMPP().Segment
	packet.MAD.SetRMPP(mad.RMPP{Version: 1, Type: mad.RMPPAck, Active: true, Segment: n, Length: n + 1})
	if end, outcome := m.agents.Carry(a.at, &packet); outcome == sma.Arrived {
		m.hand(end, &packet, m.now)
	}
}
