package proof

import (
	"fmt"

	"weft/internal/ib/subnet"
	"weft/units"
)

// NoHops is the entry of a LID matrix if no path leads through the port.
const NoHops = 255

// Matrix is the comparison of a LID matrix with the cables and the tables.
type Matrix struct {
	// Entries is the number of compared hop counts: each is for a switch, a destination switch and
	// a port with a path by the cables or by the matrix. Equal entries have the least hops that the
	// cables allow through that port. Longer entries have more. Closed entries have no path though
	// the cables have one; engines such as updn make longer and closed entries by their rules.
	// Shorter entries have fewer hops than the cables allow: the matrix belongs to another fabric.
	Entries int64 `json:"entries"`
	Equal   int64 `json:"least_hops"`
	Longer  int64 `json:"more_hops"`
	Closed  int64 `json:"no_way_where_a_cable_leads"`
	Shorter int64 `json:"fewer_than_the_cables_allow"`
	// Paths is the number of paths from a switch to a LID that arrive with the tables. Agree is the
	// number of paths with the hops that the matrix has at the first port.
	Paths int64 `json:"paths"`
	Agree int64 `json:"paths_that_agree"`
	// Impossible is the first places of Shorter, Disagree of the paths that do not agree, both in
	// the order of destinations and at most maxExamples.
	Impossible []HopsAt `json:"-"`
	Disagree   []HopsAt `json:"-"`
}

// HopsAt is a wrong entry of a LID matrix.
type HopsAt struct {
	Port subnet.End `json:"-"`             // port of the switch
	To   subnet.End `json:"-"`             // the destination: a switch's port 0, or an end
	LID  units.LID  `json:"lid,omitempty"` // of the destination; 0 if it has none
	Says int        `json:"says"`          // hops in the matrix; 255 is no path
	Is   int        `json:"is"`            // least hops that the cables allow, or the hops of the path
}

// Refuted reports whether the matrix cannot belong to this fabric. Paths that disagree with
// it do not refute it: engines that route round a fault, such as torus-2QoS, leave the matrix
// unchanged.
func (m *Matrix) Refuted() bool { return m.Shorter > 0 }

// CheckMatrix compares a LID matrix with the cables of a subnet and with its
// tables. It fails only for tables or a matrix that were made for another subnet.
func CheckMatrix(s *subnet.Subnet, t *subnet.Tables, h *subnet.Hops) (*Matrix, error) {
	if err := checkTables(s, t); err != nil {
		return nil, err
	}
	n := newNetwork(s)
	if len(h.At) != len(n.sw) {
		return nil, fmt.Errorf("the LID matrix is for %d switches, and the subnet has %d", len(h.At), len(n.sw))
	}
	m := &Matrix{}
	d := newDistances(n)
	for first := 0; first < len(n.sw); first += block {
		var roots [block]int32
		for l := range roots {
			roots[l] = -1
			if first+l < len(n.sw) {
				roots[l] = int32(first + l)
			}
		}
		d.search(n, &roots)
		for l := 0; l < block && first+l < len(n.sw); l++ {
			m.cables(n, h, int32(first+l), d.of(l))
		}
	}
	cols, walk := newColumns(n), newTree(n)
	for first := 0; first < len(n.owner); first += block {
		cols.read(n, t, first)
		for l := 0; l < block && first+l < len(n.owner); l++ {
			if root, port := n.root(first + l); root >= 0 {
				walk.grow(n, cols.of(l), root, port)
				m.paths(n, h, walk, first+l)
			}
		}
	}
	return m, nil
}

// cables compares the entries for a destination switch with the least hops.
func (m *Matrix) cables(n *network, h *subnet.Hops, to int32, least []uint16) {
	for u := range n.sw {
		for p, says := range h.At[u][to] {
			is := uint16(NoHops)
			switch c := n.to[u*n.stride+p]; {
			case p == 0:
				is = min(least[u], NoHops)
			case c >= 0 && c != int32(u) && least[c] < NoHops-1:
				is = least[c] + 1
			}
			if says == NoHops && is == NoHops {
				continue
			}
			m.Entries++
			switch {
			case uint16(says) == is:
				m.Equal++
			case says == NoHops:
				m.Closed++
			case uint16(says) > is:
				m.Longer++
			default:
				m.Shorter++
				m.Impossible = example(m.Impossible, HopsAt{
					n.switchAt(int32(u), uint8(p)), n.switchAt(to, 0), n.s.Nodes[n.sw[to]].Ports[0].LID, int(says), int(is),
				})
			}
		}
	}
}

// paths compares the paths to one LID with the entries of the ports that they take. If
// the matrix has a row for the LID, its entries count the cable to the adapter too.
// Otherwise the row of the last switch is used; that switch itself needs no entry.
func (m *Matrix) paths(n *network, h *subnet.Hops, t *tree, lid int) {
	for u := range n.sw {
		hops := t.hops[u]
		if int32(u) == t.root || hops >= states {
			continue
		}
		m.Paths++
		says := h.At[u][t.root][t.port[u]]
		if rows := h.Other[units.LID(lid)]; len(rows) > u && rows[u] != nil {
			says = rows[u][t.port[u]]
			if n.dense[n.owner[lid].Node] < 0 {
				hops++
			}
		}
		if uint16(says) == hops {
			m.Agree++
			continue
		}
		m.Disagree = example(m.Disagree, HopsAt{n.switchAt(int32(u), t.port[u]), n.owner[lid], units.LID(lid), int(says), int(hops)})
	}
}

func example(list []HopsAt, h HopsAt) []HopsAt {
	if len(list) < maxExamples {
		list = append(list, h)
	}
	return list
}
