package subnet

// Reachable is the part of a subnet that its manager reaches: the nodes that cables and switches
// connect to Origin. Adapters and routers do not forward, so their ports on another fabric count as
// unplugged. Nodes keep their order. Without an Origin it is a copy of the whole subnet.
func (s *Subnet) Reachable() *Subnet {
	if !s.Origin.Exists() {
		return s.Clone()
	}
	seen := make([]bool, len(s.Nodes))
	queue := []End{s.Origin}
	seen[s.Origin.Node] = true
	var ports []End // ports of adapters and routers with a cable into this part
	for len(queue) > 0 {
		e := queue[0]
		queue = queue[1:]
		first, last := int(e.Port), int(e.Port)
		if s.Nodes[e.Node].Kind == Switch {
			first, last = 1, s.Nodes[e.Node].NumPorts()
		} else {
			ports = append(ports, e)
		}
		for p := first; p <= last; p++ {
			peer := s.Nodes[e.Node].Ports[p].Peer
			if !peer.Exists() {
				continue
			}
			if s.Nodes[peer.Node].Kind != Switch {
				if peer != s.Origin {
					ports = append(ports, peer)
				}
				seen[peer.Node] = true
			} else if !seen[peer.Node] {
				seen[peer.Node] = true
				queue = append(queue, peer)
			}
		}
	}
	return s.keep(seen, ports)
}

// keep is a copy with the given nodes only, and cables only at the given ports of adapters and
// routers.
func (s *Subnet) keep(nodes []bool, ports []End) *Subnet {
	c := &Subnet{Origin: None}
	at := make([]int32, len(s.Nodes))
	for i := range s.Nodes {
		at[i] = -1
		if nodes[i] {
			at[i] = int32(len(c.Nodes))
			n := s.Nodes[i]
			n.Ports = append([]Port(nil), n.Ports...)
			c.Nodes = append(c.Nodes, n)
		}
	}
	cabled := map[End]bool{}
	for _, e := range ports {
		cabled[e] = true
	}
	for i := range s.Nodes {
		if at[i] < 0 {
			continue
		}
		for p := range s.Nodes[i].Ports {
			port := &c.Nodes[at[i]].Ports[p]
			if !port.Peer.Exists() {
				continue
			}
			if s.Nodes[i].Kind != Switch && !cabled[End{int32(i), uint16(p)}] {
				port.Peer, port.LID = None, 0
				continue
			}
			port.Peer.Node = at[port.Peer.Node]
		}
	}
	if s.Origin.Exists() {
		c.Origin = End{at[s.Origin.Node], s.Origin.Port}
	}
	return c
}
