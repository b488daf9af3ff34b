package sm

import (
	"slices"

	"weft/internal/ib/subnet"
	"weft/units"
	"weft/wire/mad"
)

// fabric is the nodes that the current sweep has found.
type fabric struct {
	nodes  []*node // in the order of discovery; the first is the manager's own
	byGUID map[units.GUID]int32
	guid   units.GUID // of the manager's port; 0 before its own node has answered
	maxVLs uint8      // code of the most data lanes; 0: all
}

// node is a node as discovery sees it.
type node struct {
	info  mad.NodeInfo
	desc  mad.NodeDescription
	sw    mad.SwitchInfo
	ports []port // by number
	gaps  int    // requested attributes of the node and of a switch's ports without an answer
}

// port is a port of a node.
type port struct {
	info  mad.PortInfo
	have  bool       // info was read
	guid  units.GUID // of an end port
	peer  end
	agent agent // of an end port
}

// agent is the way to the agent of an end port. Each port of an adapter or a router has an agent of
// its own, which answers for this port alone (IBA vol. 1, 14.2.5.6 to 14.2.5.9). A switch has one
// agent, at port 0.
type agent struct {
	path []uint8 // directed route of the port's discovery; it ends at this port
	key  uint64  // the M_Key that the agent reported; 0: unknown, or none
	// hides: the agent's PortInfo has a protection level and no key: either there is none, or this
	// manager does not know it.
	hides bool
	// silent: the agent left a request of this phase unanswered. Other requests to it are not sent;
	// the next sweep asks again.
	silent bool
}

// end is a port of a discovered node.
type end struct {
	node int32
	port uint8
}

var none = end{node: -1}

func (n *node) isSwitch() bool { return n.info.Type == uint8(subnet.Switch) }

// complete reports whether a node has answered all requests about itself. A port of an adapter that
// did not answer is left out alone, if another did.
func (n *node) complete() bool {
	return n.gaps == 0 && slices.ContainsFunc(n.ports, func(p port) bool { return p.have })
}

// agentOf is the agent that answers for a port.
func (n *node) agentOf(p uint8) *agent {
	if n.isSwitch() {
		p = 0
	}
	return &n.ports[p].agent
}

// tookKey notes the M_Key of an agent, if the PortInfo of its port has it.
func (n *node) tookKey(p uint8, info *mad.PortInfo) {
	if p != 0 && n.isSwitch() {
		return
	}
	a := n.agentOf(p)
	if info.MKey != 0 {
		a.key = info.MKey
	}
	a.hides = info.MKey == 0 && info.MKeyProtect > 0
}

// capabilities is the PortInfo with the capabilities of a port: a switch's port 0 has them for all.
func (n *node) capabilities(p uint8) *mad.PortInfo {
	if n.isSwitch() {
		p = 0
	}
	return &n.ports[p].info
}

// own is the port that the manager runs on.
func (f *fabric) own() end {
	if len(f.nodes) == 0 {
		return none
	}
	if f.nodes[0].isSwitch() {
		return end{0, 0}
	}
	return end{0, f.nodes[0].info.LocalPort}
}

// holder is the end port that has a LID, as its agent said or this manager wrote.
func (f *fabric) holder(lid units.LID) end {
	for i, n := range f.nodes {
		for p := range n.ports {
			if q := &n.ports[p]; q.guid != 0 && q.info.LID == lid {
				return end{int32(i), uint8(p)}
			}
		}
	}
	return none
}

// portAt is the port at an end.
func (f *fabric) portAt(e end) *port { return &f.nodes[e.node].ports[e.port] }

// guidOf is the GUID of a node, 0 for an unmet node.
func (f *fabric) guidOf(n int32) units.GUID {
	if n == unmet || int(n) >= len(f.nodes) {
		return 0
	}
	return f.nodes[n].info.NodeGUID
}

// operational is the PortInfo code for the lanes that both a port and its peer have. As with
// OpenSM, qos_max_vls does not lower it, and max_op_vls does.
func (f *fabric) operational(n *node, p uint8) uint8 {
	code := n.ports[p].info.VLCap
	if f.maxVLs > 0 {
		code = min(code, f.maxVLs)
	}
	if peer := n.ports[p].peer; peer != none {
		code = min(code, f.portAt(peer).info.VLCap)
	}
	return code
}

// build makes a subnet of the nodes that answered all requests, with the links between them. at is
// the index into nodes, by node of the subnet.
func (f *fabric) build() (s *subnet.Subnet, at []int32) {
	s = &subnet.Subnet{Origin: subnet.None}
	number := make([]int32, len(f.nodes))
	for i, n := range f.nodes {
		number[i] = -1
		if !n.complete() {
			continue
		}
		number[i] = s.Add(subnet.Node{
			Kind: subnet.Kind(n.info.Type), GUID: n.info.NodeGUID, SystemGUID: n.info.SystemGUID,
			VendorID: n.info.VendorID, DeviceID: n.info.DeviceID, Revision: n.info.Revision,
			Name: n.desc.String(), Enhanced: n.sw.EnhancedPort0,
		}, int(n.info.NumPorts))
		at = append(at, int32(i))
		for p := range n.ports {
			s.Nodes[number[i]].Ports[p].GUID = n.ports[p].guid
		}
	}
	for i, n := range f.nodes {
		for p := range n.ports {
			here, peer := end{int32(i), uint8(p)}, n.ports[p].peer
			if peer == none || number[i] < 0 || number[peer.node] < 0 || s.Nodes[number[i]].Ports[p].Peer.Exists() ||
				f.portAt(peer).peer != here || !n.ports[p].have || !f.portAt(peer).have {
				continue
			}
			s.Connect(subnet.End{Node: number[i], Port: uint16(p)}, subnet.End{Node: number[peer.node], Port: uint16(peer.port)}, linkOf(&n.ports[p].info))
		}
	}
	if own := f.own(); own != none && number[0] >= 0 {
		s.Origin = subnet.End{Node: number[0], Port: uint16(own.port)}
	}
	return s, at
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
