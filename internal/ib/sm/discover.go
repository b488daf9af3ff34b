package sm

import (
	"slices"

	"weft/internal/ib/subnet"
	"weft/units"
	"weft/wire/mad"
)

// fabric is what a sweep has found, and what was made of it.
type fabric struct {
	nodes  []*node // in the order in which they were met; the first is the manager's own
	byGUID map[units.GUID]int32

	sub    *subnet.Subnet // of the last sweep that got so far
	tables *subnet.Tables
	owners []subnet.End              // by LID, in sub
	behind []*node                   // by number in sub: what discovery saw
	byPort map[units.GUID]subnet.End // end ports, in sub
	dense  map[*node]int             // a switch's number in tables
	at     []int32                   // by number in sub, in this sweep: the number in nodes
}

// node is a node as discovery sees it.
type node struct {
	info  mad.NodeInfo
	desc  mad.NodeDescription
	sw    mad.SwitchInfo
	path  []uint8 // the way on which it was met first
	ports []port  // by number
	gaps  int     // attributes that were asked for and are not there yet
	// silent says that it left a request of this phase unanswered: the others are spared,
	// and the next sweep asks again.
	silent bool
	key    uint64 // the M_Key that its agent wants, as far as it told; 0: not known, or none
}

// port is a port of a node.
type port struct {
	info mad.PortInfo
	have bool       // info was read
	guid units.GUID // of an end port
	peer end
}

// end is a port of a discovered node.
type end struct {
	node int32
	port uint8
}

var none = end{node: -1}

func (n *node) isSwitch() bool { return n.info.Type == uint8(subnet.Switch) }

// startSweep begins a heavy sweep at the manager's own node.
func (m *Manager) startSweep() {
	m.forget()
	m.phase, m.again, m.moved, m.givenUp, m.settled = discover, false, false, 0, false
	m.sweeping = m.now
	m.nextSweep = units.Forever
	m.nodes, m.byGUID = nil, map[units.GUID]int32{}
	m.ask(request{method: mad.Get, attr: mad.AttrNodeInfo, node: unmet, near: unmet, path: []uint8{}})
}

// tookDiscovery takes in what a node says of itself.
func (m *Manager) tookDiscovery(r *request, d *mad.MAD) {
	data := d.SMPData() // longer than every attribute here
	if r.node == unmet {
		var info mad.NodeInfo
		_ = mad.Parse(data, &info)
		m.met(r, &info)
		return
	}
	if r.method == mad.Set {
		return // the change bit of a switch
	}
	n := m.nodes[r.node]
	n.gaps--
	switch r.attr {
	case mad.AttrNodeDescription:
		_ = mad.Parse(data, &n.desc)
	case mad.AttrSwitchInfo:
		_ = mad.Parse(data, &n.sw)
		if m.state == mad.SMMaster {
			m.clearChange(r.node)
			m.readPorts(r.node)
		}
	case mad.AttrPortInfo:
		p := &n.ports[r.port]
		_ = mad.Parse(data, &p.info)
		p.have = true
		n.tookKey(r.port, &p.info)
		m.look(r.node, r.port)
	}
}

// met says who is behind a port. A node that lies about its type or its ports is
// not taken in.
func (m *Manager) met(r *request, info *mad.NodeInfo) {
	kind := subnet.Kind(info.Type)
	if kind < subnet.Adapter || kind > subnet.Router || info.NumPorts == 0 || info.NumPorts > subnet.MaxPorts ||
		info.LocalPort > info.NumPorts || (kind != subnet.Switch && info.LocalPort == 0) {
		m.event(Event{Kind: Refused, Attr: r.attr, Path: r.path})
		m.givenUp++
		return
	}
	i, known := m.byGUID[info.NodeGUID]
	if !known {
		if r.near != unmet && m.nodes[r.near].ports[r.port].peer != none {
			m.moved = true // someone else was there a moment ago: it changes while it is looked at
			return
		}
		if len(m.nodes) >= maxNodes {
			m.event(Event{Kind: TooLarge, Path: r.path})
			return
		}
		i = m.add(r, info)
	}
	if r.near == unmet {
		m.guid = info.PortGUID
	}
	n := m.nodes[i]
	far := end{i, info.LocalPort}
	if known && (n.info.Type != info.Type || n.info.NumPorts != info.NumPorts || !m.joins(r, far)) {
		m.event(Event{Kind: DuplicateGUID, GUID: info.NodeGUID, Path: r.path})
		return
	}
	if r.near != unmet {
		near := end{r.near, r.port}
		m.nodes[near.node].ports[near.port].peer = far
		n.ports[far.port].peer = near
	}
	if p := &n.ports[far.port]; !n.isSwitch() && p.guid == 0 {
		p.guid = info.PortGUID
		n.gaps++
		m.ask(request{method: mad.Get, attr: mad.AttrPortInfo, modifier: uint32(far.port), node: i, port: far.port, path: r.path})
	}
}

// joins reports whether the near end of a request and a port that is known
// already can be one cable: neither has another.
func (m *Manager) joins(r *request, far end) bool {
	if r.near == unmet {
		return false // the manager's own node was met before
	}
	near := end{r.near, r.port}
	a, b := m.nodes[near.node].ports[near.port].peer, m.nodes[far.node].ports[far.port].peer
	return (a == none || a == far) && (b == none || b == near) && near != far
}

// add takes in a node and asks it for what it has.
func (m *Manager) add(r *request, info *mad.NodeInfo) int32 {
	i := int32(len(m.nodes))
	n := &node{info: *info, path: r.path, ports: make([]port, int(info.NumPorts)+1)}
	for p := range n.ports {
		n.ports[p].peer = none
	}
	m.nodes = append(m.nodes, n)
	m.byGUID[info.NodeGUID] = i
	n.gaps = 1
	m.get(i, mad.AttrNodeDescription, 0, 0)
	if !n.isSwitch() {
		return i
	}
	n.ports[0].guid = info.PortGUID
	n.gaps += 1 + len(n.ports)
	m.get(i, mad.AttrSwitchInfo, 0, 0)
	if m.state != mad.SMMaster {
		m.readPorts(i)
	}
	return i
}

// readPorts asks a switch for its ports. A master clears the change bit before it does:
// what changes from then on sets it again, for the next sweep to find, also where the
// trap is lost. Others leave the bit to the master.
func (m *Manager) readPorts(i int32) {
	for p := range m.nodes[i].ports {
		m.get(i, mad.AttrPortInfo, uint32(p), uint8(p))
	}
}

// clearChange clears the change bit of a switch that has it.
func (m *Manager) clearChange(i int32) {
	n := m.nodes[i]
	if !n.sw.PortStateChange {
		return
	}
	want := n.sw // writing the bit clears it
	n.sw.PortStateChange = false
	m.ask(m.set(i, mad.AttrSwitchInfo, 0, 0, &want))
}

// look asks who is behind a port, if it has a link and is not yet known to lead
// somewhere. Adapters do not pass datagrams on, except the manager's own.
func (m *Manager) look(i int32, p uint8) {
	n := m.nodes[i]
	q := &n.ports[p]
	if p == 0 || q.peer != none || q.info.State < mad.PortInit || (!n.isSwitch() && i != 0) {
		return
	}
	if len(n.path) >= mad.MaxHops {
		m.event(Event{Kind: TooLarge, Path: n.path})
		return
	}
	path := slices.Concat(n.path, []uint8{p})
	m.ask(request{method: mad.Get, attr: mad.AttrNodeInfo, node: unmet, port: p, near: i, path: path})
}

// complete reports whether all that a node was asked for is there.
func (n *node) complete() bool { return n.gaps == 0 }

// own is the port that the manager runs on.
func (m *Manager) own() end {
	if len(m.nodes) == 0 {
		return none
	}
	if m.nodes[0].isSwitch() {
		return end{0, 0}
	}
	return end{0, m.nodes[0].info.LocalPort}
}

// portAt is the port at an end.
func (m *Manager) portAt(e end) *port { return &m.nodes[e.node].ports[e.port] }

// build makes a subnet of the nodes that answered everything, and of the links
// between them.
func (m *Manager) build() *subnet.Subnet {
	s := &subnet.Subnet{Origin: subnet.None}
	number := make([]int32, len(m.nodes))
	m.at = m.at[:0]
	for i, n := range m.nodes {
		number[i] = -1
		if !n.complete() {
			continue
		}
		number[i] = s.Add(subnet.Node{
			Kind: subnet.Kind(n.info.Type), GUID: n.info.NodeGUID, SystemGUID: n.info.SystemGUID,
			VendorID: n.info.VendorID, DeviceID: n.info.DeviceID, Revision: n.info.Revision,
			Name: n.desc.String(), Enhanced: n.sw.EnhancedPort0,
		}, int(n.info.NumPorts))
		m.at = append(m.at, int32(i))
		for p := range n.ports {
			s.Nodes[number[i]].Ports[p].GUID = n.ports[p].guid
		}
	}
	for i, n := range m.nodes {
		for p := range n.ports {
			here, peer := end{int32(i), uint8(p)}, n.ports[p].peer
			if peer == none || number[i] < 0 || number[peer.node] < 0 || s.Nodes[number[i]].Ports[p].Peer.Exists() || m.portAt(peer).peer != here {
				continue
			}
			s.Connect(subnet.End{Node: number[i], Port: uint8(p)}, subnet.End{Node: number[peer.node], Port: peer.port}, linkOf(&n.ports[p].info))
		}
	}
	if own := m.own(); own != none && number[0] >= 0 {
		s.Origin = subnet.End{Node: number[0], Port: own.port}
	}
	return s
}

// linkOf is the width and speed that a port reports.
func linkOf(p *mad.PortInfo) subnet.Link {
	var l subnet.Link
	switch p.LinkWidthActive {
	case 1:
		l.Width = 1
	case 2:
		l.Width = 4
	case 4:
		l.Width = 8
	case 8:
		l.Width = 12
	case 16:
		l.Width = 2
	}
	switch {
	case p.LinkSpeedExt2Active >= 1:
		l.Speed = subnet.XDR
	case p.LinkSpeedExtActive >= 8:
		l.Speed = subnet.NDR
	case p.LinkSpeedExtActive >= 4:
		l.Speed = subnet.HDR
	case p.LinkSpeedExtActive >= 2:
		l.Speed = subnet.EDR
	case p.LinkSpeedExtActive == 1:
		l.Speed = subnet.FDR
	case p.LinkSpeedActive >= 4:
		l.Speed = subnet.QDR
	case p.LinkSpeedActive >= 2:
		l.Speed = subnet.DDR
	case p.LinkSpeedActive == 1:
		l.Speed = subnet.SDR
	}
	return l
}
