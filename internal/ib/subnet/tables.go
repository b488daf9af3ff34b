package subnet

import (
	"math/bits"

	"weft/units"
)

// NoPort is the entry of a forwarding table for a LID that a switch does not
// forward (IBA vol. 1, 14.2.5.10).
const NoPort = 255

// Tables is the result of routing a subnet: linear forwarding tables of the switches, and
// the virtual lanes that keep them free of deadlock. Slices by switch are indexed by the number of the switch in Dense.
type Tables struct {
	// Switch lists the switches as indices into Subnet.Nodes; Dense is its inverse, -1 for other
	// nodes.
	Switch []int32
	Dense  []int32

	// Top is the highest LID of the tables.
	Top units.LID
	// LFT is the port by LID, 0 to Top, for each switch; NoPort if the switch drops the packet.
	// Port 0 is the switch itself.
	LFT [][]uint8
	// MFT is the mask of ports, by multicast LID from FirstMulticastLID on,
	// for each switch; nil without multicast groups.
	MFT []map[units.LID]PortMask

	// Lanes is the number of data lanes that the tables use, at least 1.
	Lanes int
	// SL is the service level that a path must use; nil if any level is allowed.
	SL PathSL
	// SL2VL is the lane by switch, input port, output port and service level;
	// nil if service levels and lanes are the same.
	SL2VL []SLMap
}

// PathSL is the service level of the path from one LID to another, as in path records.
type PathSL func(src, dst units.LID) units.SL

// SLMap is a switch's SL2VL table: the lane by input port, output port and service level (IBA vol.
// 1, 14.2.5.8). Lane 15 means that the packet is dropped.
type SLMap struct {
	Ports int // highest port number
	VL    []units.VL
}

// NewSLMap makes a map for ports 0 to ports with all levels on lane 0.
func NewSLMap(ports int) SLMap {
	return SLMap{Ports: ports, VL: make([]units.VL, (ports+1)*(ports+1)*16)}
}

// At is the lane of level sl from port in to port out.
func (m *SLMap) At(in, out uint8, sl units.SL) units.VL {
	return m.VL[(int(in)*(m.Ports+1)+int(out))*16+int(sl)]
}

// Set sets the lane of level sl from port in to port out.
func (m *SLMap) Set(in, out uint8, sl units.SL, vl units.VL) {
	m.VL[(int(in)*(m.Ports+1)+int(out))*16+int(sl)] = vl
}

// PortMask is a set of port numbers 0 to 255.
type PortMask [4]uint64

// Add puts a port into the set.
func (m *PortMask) Add(port uint8) { m[port>>6] |= 1 << (port & 63) }

// Has reports whether a port is in the set.
func (m *PortMask) Has(port uint8) bool { return m[port>>6]>>(port&63)&1 == 1 }

// Join puts all ports of another set into the set.
func (m *PortMask) Join(o PortMask) {
	for i := range m {
		m[i] |= o[i]
	}
}

// Ports appends the ports of the set to list, ascending.
func (m *PortMask) Ports(list []uint8) []uint8 {
	for w, word := range m {
		for ; word != 0; word &= word - 1 {
			list = append(list, uint8(w<<6+bits.TrailingZeros64(word)))
		}
	}
	return list
}

// NewTables makes tables without entries. Top is the highest LID in the subnet.
func NewTables(s *Subnet) *Tables { return NewTablesTo(s, s.TopLID()) }

// NewTablesTo is NewTables with the highest LID top.
func NewTablesTo(s *Subnet, top units.LID) *Tables {
	t := &Tables{Dense: make([]int32, len(s.Nodes)), Top: top, Lanes: 1}
	for i := range s.Nodes {
		t.Dense[i] = -1
		if s.Nodes[i].Kind == Switch {
			t.Dense[i] = int32(len(t.Switch))
			t.Switch = append(t.Switch, int32(i))
		}
	}
	entries := int(t.Top) + 1
	flat := make([]uint8, entries*len(t.Switch)) // one piece: 47,824 LIDs × 3,920 switches are 188 MB
	for i := range flat {
		flat[i] = NoPort
	}
	t.LFT = make([][]uint8, len(t.Switch))
	for i := range t.LFT {
		t.LFT[i] = flat[i*entries : (i+1)*entries : (i+1)*entries]
	}
	return t
}

// Hops is a LID matrix: the least number of hops from each switch to each switch through each port,
// as in opensm-lid-matrix.dump.
type Hops struct {
	// At is indexed by switch, then by destination switch (both in Dense),
	// then by port; column 0 is the least of all. 255 is no path.
	At [][][]uint8
	// Other is the rows of LIDs that are not the base LID of a switch, by switch and port. Some of
	// OpenSM's engines (ftree, sssp, dfsssp, nue) count hops to adapters too; for others it is nil.
	Other map[units.LID][][]uint8
}

// NewHops makes a LID matrix without paths.
func NewHops(s *Subnet) *Hops {
	var switches []int32
	width := 0
	for i := range s.Nodes {
		if s.Nodes[i].Kind == Switch {
			switches = append(switches, int32(i))
			width += len(s.Nodes[i].Ports)
		}
	}
	flat := make([]uint8, width*len(switches))
	for i := range flat {
		flat[i] = 255
	}
	h := &Hops{At: make([][][]uint8, len(switches))}
	for i, node := range switches {
		ports := len(s.Nodes[node].Ports)
		h.At[i] = make([][]uint8, len(switches))
		for j := range switches {
			h.At[i][j], flat = flat[:ports:ports], flat[ports:]
		}
	}
	return h
}
