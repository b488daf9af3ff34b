package sm

import (
	"slices"

	"weft/internal/ib/subnet"
	"weft/units"
	"weft/wire/mad"
)

// discovery finds the nodes of the fabric by directed routes, and reads their attributes.
type discovery struct {
	*requests
	master bool // the manager is master, which clears the change bits of switches
	moved  bool // the peer of a port changed during this sweep
}

// start forgets all nodes, and begins at the manager's own node.
func (d *discovery) start(master bool) {
	d.master, d.moved, d.givenUp = master, false, 0
	d.nodes, d.byGUID = nil, map[units.GUID]int32{}
	d.ask(request{method: mad.Get, attr: mad.AttrNodeInfo, node: unmet, near: unmet, path: []uint8{}})
}

// took handles a node's answer.
func (d *discovery) took(r *request, answer *mad.MAD) {
	data := answer.SMPData() // 64 bytes, more than any attribute here
	if r.node == unmet {
		var info mad.NodeInfo
		_ = mad.Parse(data, &info)
		d.met(r, &info)
		return
	}
	if r.method == mad.Set {
		return // answer to clearing a switch's change bit
	}
	n := d.nodes[r.node]
	if r.attr != mad.AttrPortInfo || n.isSwitch() {
		n.gaps--
	}
	switch r.attr {
	case mad.AttrNodeDescription:
		_ = mad.Parse(data, &n.desc)
	case mad.AttrSwitchInfo:
		_ = mad.Parse(data, &n.sw)
		if d.master {
			d.clearChange(r.node)
			d.readPorts(r.node)
		}
	case mad.AttrPortInfo:
		p := &n.ports[r.port]
		_ = mad.Parse(data, &p.info)
		p.have = true
		n.tookKey(r.port, &p.info)
		d.look(r.node, r.port)
	}
}

// met adds the node behind a port. A node with an impossible type or number of ports is refused.
func (d *discovery) met(r *request, info *mad.NodeInfo) {
	kind := subnet.Kind(info.Type)
	if kind < subnet.Adapter || kind > subnet.Router || info.NumPorts == 0 || info.NumPorts > subnet.MaxPorts ||
		info.LocalPort > info.NumPorts || (kind != subnet.Switch && info.LocalPort == 0) {
		d.complain(Event{Kind: Refused, Attr: r.attr, Path: r.path})
		d.givenUp++
		return
	}
	i, known := d.byGUID[info.NodeGUID]
	if !known {
		if r.near != unmet && d.nodes[r.near].ports[r.port].peer != none {
			d.moved = true // another node was there a moment ago: the fabric changes during discovery
			return
		}
		if len(d.nodes) >= maxNodes {
			d.complain(Event{Kind: TooLarge, Path: r.path})
			return
		}
		i = d.add(r, info)
	}
	if r.near == unmet {
		d.guid = info.PortGUID
	}
	n := d.nodes[i]
	far := end{i, info.LocalPort}
	if known && (n.info.Type != info.Type || n.info.NumPorts != info.NumPorts || !d.joins(r, far)) {
		d.complain(Event{Kind: DuplicateGUID, GUID: info.NodeGUID, Path: r.path})
		return
	}
	if r.near != unmet {
		near := end{r.near, r.port}
		d.nodes[near.node].ports[near.port].peer = far
		n.ports[far.port].peer = near
	}
	if p := &n.ports[far.port]; !n.isSwitch() && p.guid == 0 {
		p.guid, p.agent.path = info.PortGUID, r.path
		d.get(i, mad.AttrPortInfo, uint32(far.port), far.port)
	}
}

// joins reports whether one cable can connect the near end of a request and a known port: neither
// port has another cable.
func (d *discovery) joins(r *request, far end) bool {
	if r.near == unmet {
		return false // the manager's own node is known already
	}
	near := end{r.near, r.port}
	a, b := d.nodes[near.node].ports[near.port].peer, d.nodes[far.node].ports[far.port].peer
	return (a == none || a == far) && (b == none || b == near) && near != far
}

// add adds a new node and queues the requests for its attributes.
func (d *discovery) add(r *request, info *mad.NodeInfo) int32 {
	i := int32(len(d.nodes))
	n := &node{info: *info, ports: make([]port, int(info.NumPorts)+1)}
	for p := range n.ports {
		n.ports[p].peer = none
	}
	d.nodes = append(d.nodes, n)
	d.byGUID[info.NodeGUID] = i
	n.agentOf(info.LocalPort).path = r.path
	n.gaps = 1
	d.get(i, mad.AttrNodeDescription, 0, info.LocalPort)
	if !n.isSwitch() {
		return i
	}
	n.ports[0].guid = info.PortGUID
	n.gaps += 1 + len(n.ports)
	d.get(i, mad.AttrSwitchInfo, 0, 0)
	if !d.master {
		d.readPorts(i)
	}
	return i
}

// readPorts asks a switch for its ports. A master clears the change bit first: a later
// change sets the bit again, and the next sweep finds it even if the trap is lost. A
// manager that is not master leaves the bit alone.
func (d *discovery) readPorts(i int32) {
	for p := range d.nodes[i].ports {
		d.get(i, mad.AttrPortInfo, uint32(p), uint8(p))
	}
}

// look asks for the node behind a port with a link and an unknown peer. Adapters do not pass
// datagrams on, except the manager's own.
func (d *discovery) look(i int32, p uint8) {
	n := d.nodes[i]
	q := &n.ports[p]
	if p == 0 || q.peer != none || q.info.State < mad.PortInit || (!n.isSwitch() && i != 0) {
		return
	}
	way := n.agentOf(p).path
	if len(way) >= mad.MaxHops {
		d.complain(Event{Kind: TooLarge, Path: way})
		return
	}
	path := slices.Concat(way, []uint8{p})
	d.ask(request{method: mad.Get, attr: mad.AttrNodeInfo, node: unmet, port: p, near: i, path: path})
}
