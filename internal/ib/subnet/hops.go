package subnet

import "weft/units"

// Row is the hops from a switch to a LID through each port; column 0 is the least. dense is
// Tables.Dense, owner the port with the LID. The row is nil if the matrix has none.
func (h *Hops) Row(s *Subnet, dense []int32, from int32, lid units.LID, owner End) []uint8 {
	if !owner.Exists() {
		return nil
	}
	if s.Nodes[owner.Node].Kind == Switch && s.Port(owner).LID == lid {
		return h.At[dense[from]][dense[owner.Node]]
	}
	if rows := h.Other[lid]; rows != nil {
		return rows[dense[from]]
	}
	return nil
}

// LeastHops is the LID matrix of the shortest paths: through each port to a switch, one hop more
// than from that switch, as in OpenSM's minhop.
func LeastHops(s *Subnet) *Hops {
	h := NewHops(s)
	dense := NewTablesTo(s, 0).Dense
	var switches []int32
	for i := range s.Nodes {
		if s.Nodes[i].Kind == Switch {
			switches = append(switches, int32(i))
		}
	}
	distance := make([]uint8, len(switches))
	queue := make([]int32, 0, len(switches))
	for to, root := range switches {
		for i := range distance {
			distance[i] = 255
		}
		distance[to] = 0
		queue = append(queue[:0], root)
		for head := 0; head < len(queue); head++ {
			next := distance[dense[queue[head]]] + 1
			for p := range s.Nodes[queue[head]].Ports {
				far := s.Nodes[queue[head]].Ports[p].Peer
				if far.Exists() && dense[far.Node] >= 0 && next < distance[dense[far.Node]] && next < 255 {
					distance[dense[far.Node]] = next
					queue = append(queue, far.Node)
				}
			}
		}
		for from, node := range switches {
			row := h.At[from][to]
			row[0] = distance[from]
			for p := 1; p < len(row); p++ {
				far := s.Nodes[node].Ports[p].Peer
				if far.Exists() && dense[far.Node] >= 0 && distance[dense[far.Node]] < 254 {
					row[p] = distance[dense[far.Node]] + 1
				}
			}
		}
	}
	return h
}
