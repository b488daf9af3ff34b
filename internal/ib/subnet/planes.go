package subnet

import (
	"fmt"
	"strings"

	"weft/units"
)

// Planes are the parts of a subnet file without a cable between them that have hosts in common.
type Planes struct {
	Each []*Subnet // with the ports of adapters that are on the plane; the other ports have no cable, GUID and LID
	// Aggregated says that ports of one adapter on several planes are one port: they have one LID, or one port GUID. All
	// planes are one subnet then, as in NVIDIA's planarized XDR fabrics, where one Subnet Manager, on an adapter that is on
	// all planes, gives out each LID once (osm_subnet.h of NVIDIA's OpenSM 5: is_planarized, osm_sm_port_data_t,
	// aports_systems_tables; linux-rdma/rdma-core pull request 1398). Otherwise each plane is a subnet of its own, whose
	// LIDs say nothing about those of another (IBA vol. 1, 14.1: a subnet has one master Subnet Manager).
	Aggregated bool
}

// PlanesOf finds the planes of a subnet; nil if it has none. Parts that share no host with another are no planes.
func PlanesOf(s *Subnet) *Planes {
	part, parts := s.parts()
	if parts < 2 {
		return nil
	}
	hosts := map[string]int{}     // by host: the first part it is on
	shared := make([]bool, parts) // by part
	aggregated := false
	for i := range s.Nodes {
		n := &s.Nodes[i]
		if n.Kind == Switch {
			continue
		}
		on := map[int32]*Port{}
		for p := 1; p < len(n.Ports); p++ {
			port := &n.Ports[p]
			if !port.Peer.Exists() || part[port.Peer.Node] < 0 {
				continue
			}
			at := part[port.Peer.Node]
			for other, twin := range on {
				if other != at && (twin.LID != 0 && twin.LID == port.LID || twin.GUID != 0 && twin.GUID == port.GUID) {
					aggregated = true
				}
			}
			on[at] = port
			host := hostOf(n, int32(i))
			if first, seen := hosts[host]; !seen {
				hosts[host] = int(at)
			} else if first != int(at) {
				shared[first], shared[at] = true, true
			}
		}
	}
	x := &Planes{Aggregated: aggregated}
	for k := range parts {
		if shared[k] {
			x.Each = append(x.Each, s.plane(part, int32(k)))
		}
	}
	if len(x.Each) < 2 {
		return nil
	}
	return x
}

// hostOf is the host of an adapter: the first word of «gpu7 mlx5_3»; else the adapter itself.
func hostOf(n *Node, node int32) string {
	if words := strings.Fields(n.Name); len(words) > 1 {
		return words[0]
	}
	return fmt.Sprintf("\x00%d", node)
}

// parts numbers the parts of switches that cables between switches join, by node; -1 for other nodes.
func (s *Subnet) parts() (part []int32, count int) {
	part = make([]int32, len(s.Nodes))
	for i := range part {
		part[i] = -1
	}
	for i := range s.Nodes {
		if s.Nodes[i].Kind != Switch || part[i] >= 0 {
			continue
		}
		queue := []int32{int32(i)}
		part[i] = int32(count)
		for len(queue) > 0 {
			at := queue[0]
			queue = queue[1:]
			for p := range s.Nodes[at].Ports {
				peer := s.Nodes[at].Ports[p].Peer
				if peer.Exists() && s.Nodes[peer.Node].Kind == Switch && part[peer.Node] < 0 {
					part[peer.Node] = int32(count)
					queue = append(queue, peer.Node)
				}
			}
		}
		count++
	}
	return part, count
}

// plane is one part with the adapters on it.
func (s *Subnet) plane(part []int32, k int32) *Subnet {
	nodes := make([]bool, len(s.Nodes))
	var ports []End
	for i := range s.Nodes {
		if s.Nodes[i].Kind == Switch {
			nodes[i] = part[i] == k
			continue
		}
		for p := 1; p < len(s.Nodes[i].Ports); p++ {
			if peer := s.Nodes[i].Ports[p].Peer; peer.Exists() && part[peer.Node] == k {
				nodes[i] = true
				ports = append(ports, End{int32(i), uint16(p)})
			}
		}
	}
	whole := *s
	whole.Origin = None
	c := whole.keep(nodes, ports)
	if o := s.Origin; o.Exists() && nodes[o.Node] {
		at := int32(0)
		for i := range o.Node {
			if nodes[i] {
				at++
			}
		}
		if s.Nodes[o.Node].Kind == Switch || c.Nodes[at].Ports[o.Port].Peer.Exists() {
			c.Origin = End{at, o.Port}
		}
	}
	for i := range c.Nodes {
		for p := 1; p < len(c.Nodes[i].Ports) && c.Nodes[i].Kind != Switch; p++ {
			if port := &c.Nodes[i].Ports[p]; !port.Peer.Exists() {
				port.GUID, port.LID = 0, 0
			}
		}
	}
	return c
}

// AssignLIDs gives the ports of aggregated planes their LIDs as AssignLIDs of one subnet does: switches of all planes have
// different LIDs, and the ports of an adapter on all planes have one.
func (x *Planes) AssignLIDs(lmc uint8) error {
	all := &Subnet{Origin: None}
	at := map[units.GUID]int32{} // by adapter
	index := make([][]int32, len(x.Each))
	for k, s := range x.Each {
		for i := range s.Nodes {
			n := s.Nodes[i]
			if before, twice := at[n.GUID]; twice && n.Kind != Switch {
				index[k] = append(index[k], before)
				continue
			}
			n.Ports = append([]Port(nil), n.Ports...)
			index[k] = append(index[k], int32(len(all.Nodes)))
			if n.Kind != Switch {
				at[n.GUID] = int32(len(all.Nodes))
			}
			if s.Origin.Exists() && int(s.Origin.Node) == i && !all.Origin.Exists() {
				all.Origin = End{int32(len(all.Nodes)), s.Origin.Port}
			}
			all.Nodes = append(all.Nodes, n)
		}
	}
	if err := all.AssignLIDs(lmc); err != nil {
		return err
	}
	for k, s := range x.Each {
		for i := range s.Nodes {
			from := &all.Nodes[index[k][i]]
			base := &from.Ports[from.Base()]
			for p := range s.Nodes[i].Ports {
				if port := &s.Nodes[i].Ports[p]; p == 0 && from.Kind == Switch || p > 0 && from.Kind != Switch && port.Peer.Exists() {
					port.LID, port.LMC = base.LID, base.LMC
				}
			}
		}
	}
	return nil
}

// Differ names an adapter whose ports on two aggregated planes have different LIDs; "" if there is none.
func (x *Planes) Differ() string {
	type seen struct {
		lid   units.LID
		plane int
	}
	first := map[units.GUID]seen{}
	for k, s := range x.Each {
		for i := range s.Nodes {
			n := &s.Nodes[i]
			if n.Kind == Switch {
				continue
			}
			lid := n.Ports[n.Base()].LID
			if before, twice := first[n.GUID]; twice && before.lid != lid {
				return fmt.Sprintf("%s has LID %d on plane %d and LID %d on plane %d", s.NodeName(int32(i)), before.lid, before.plane+1, lid, k+1)
			}
			first[n.GUID] = seen{lid, k}
		}
	}
	return ""
}

// onePort reports whether two ports are parts of one aggregated port: of one adapter, on planes that no cable between
// switches joins. part is the parts of the subnet, nil before the first use.
func (s *Subnet) onePort(part *[]int32, a, b End) bool {
	if a.Node != b.Node || a.Port == b.Port || s.Nodes[a.Node].Kind == Switch {
		return false
	}
	x, y := s.Peer(a), s.Peer(b)
	if !x.Exists() || !y.Exists() || x.Node == y.Node {
		return false
	}
	if *part == nil {
		*part, _ = s.parts()
	}
	at := *part
	return at[x.Node] >= 0 && at[y.Node] >= 0 && at[x.Node] != at[y.Node]
}
