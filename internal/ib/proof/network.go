package proof

import (
	"slices"

	"weft/internal/ib/subnet"
	"weft/units"
)

// network is a subnet, indexed for the proofs. A channel is the sending side of a switch's port,
// numbered switch*stride+port.
type network struct {
	s      *subnet.Subnet
	sw     []int32 // node of each switch
	dense  []int32 // by node: its switch number; -1: not a switch
	stride int     // one more than the highest port number of any switch
	to     []int32 // switch that a channel leads to; notASwitch, noCable or noSuchPort
	in     []uint8 // by channel: input port at that switch

	neighbours [][]int32 // by switch: its neighbours, each once
	ends       []end     // ports of adapters and routers that have a LID, in the order of LIDs
	at         [][]int32 // ends at each switch
	adrift     int64     // ends that are cabled to no switch
	owner      []subnet.End
	wide       bool // an end has more than one LID
}

// end is a port of an adapter or router.
type end struct {
	port subnet.End
	lid  units.LID
	sw   int32 // switch it is cabled to, -1: none
	in   uint8 // port of that switch
}

const (
	notASwitch = -1 - iota
	noCable
	noSuchPort
)

func newNetwork(s *subnet.Subnet) *network {
	n := &network{s: s, dense: make([]int32, len(s.Nodes)), stride: 1, owner: s.Owners()}
	for i := range s.Nodes {
		n.dense[i] = -1
		if s.Nodes[i].Kind == subnet.Switch {
			n.dense[i] = int32(len(n.sw))
			n.sw = append(n.sw, int32(i))
			n.stride = max(n.stride, len(s.Nodes[i].Ports))
		}
	}
	n.to = make([]int32, len(n.sw)*n.stride)
	n.in = make([]uint8, len(n.to))
	n.neighbours = make([][]int32, len(n.sw))
	for i := range n.sw {
		n.cable(int32(i))
	}
	n.findEnds()
	return n
}

// cable fills in the channels of a switch.
func (n *network) cable(u int32) {
	node := &n.s.Nodes[n.sw[u]]
	row := int(u) * n.stride
	for p := range n.stride {
		n.to[row+p] = noSuchPort
		if p == 0 || p >= len(node.Ports) {
			continue
		}
		peer := node.Ports[p].Peer
		switch {
		case !peer.Exists():
			n.to[row+p] = noCable
		case n.dense[peer.Node] < 0:
			n.to[row+p] = notASwitch
		default:
			v := n.dense[peer.Node]
			n.to[row+p], n.in[row+p] = v, uint8(peer.Port)
			if !slices.Contains(n.neighbours[u], v) {
				n.neighbours[u] = append(n.neighbours[u], v)
			}
		}
	}
}

// findEnds lists the ends by LID. A port whose LID another port claims first is not an
// end: no table can lead to it.
func (n *network) findEnds() {
	n.at = make([][]int32, len(n.sw))
	for lid, e := range n.owner {
		if !e.Exists() || n.s.Nodes[e.Node].Kind == subnet.Switch {
			continue
		}
		p := n.s.Port(e)
		if int(p.LID) != lid {
			n.wide = n.wide || p.LMC > 0
			continue
		}
		x := end{port: e, lid: p.LID, sw: -1}
		if p.Peer.Exists() && n.dense[p.Peer.Node] >= 0 {
			x.sw, x.in = n.dense[p.Peer.Node], uint8(p.Peer.Port)
			n.at[x.sw] = append(n.at[x.sw], int32(len(n.ends)))
		} else {
			n.adrift++
		}
		n.ends = append(n.ends, x)
	}
}

// root is the end of a LID's tree: the switch and its port that lead to the LID's owner. A
// switch's own LID ends at its port 0. The switch is -1 if the LID has no owner, or its
// owner is cabled to no switch.
func (n *network) root(lid int) (sw int32, port uint8) {
	if lid >= len(n.owner) || !n.owner[lid].Exists() {
		return -1, 0
	}
	e := n.owner[lid]
	if d := n.dense[e.Node]; d >= 0 {
		return d, 0
	}
	peer := n.s.Peer(e)
	if !peer.Exists() || n.dense[peer.Node] < 0 {
		return -1, 0
	}
	return n.dense[peer.Node], uint8(peer.Port)
}

// switchAt is the port of a switch, as findings name it.
func (n *network) switchAt(u int32, port uint8) subnet.End {
	return subnet.End{Node: n.sw[u], Port: uint16(port)}
}

// channelAt is the sending port of a channel.
func (n *network) channelAt(c int32) subnet.End {
	return n.switchAt(c/int32(n.stride), uint8(int(c)%n.stride))
}
