package proof

import (
	"fmt"

	"weft/internal/ib/subnet"
	"weft/units"
)

// block is the number of LIDs processed at a time: the bytes of a cache line and the bits
// of a word.
const block = 64

// checkTables refuses tables that were made for another subnet, and subnets with LIDs out
// of range.
func checkTables(s *subnet.Subnet, t *subnet.Tables) error {
	if err := checkLIDs(s); err != nil {
		return err
	}
	if len(t.Dense) != len(s.Nodes) || len(t.LFT) != len(t.Switch) {
		return fmt.Errorf("the tables are for a subnet of %d nodes, and this one has %d", len(t.Dense), len(s.Nodes))
	}
	for i := range s.Nodes {
		d := t.Dense[i]
		if isSwitch := s.Nodes[i].Kind == subnet.Switch; isSwitch != (d >= 0) || int(d) >= len(t.LFT) {
			return fmt.Errorf("the tables and the subnet disagree on which nodes are switches: node %d, %q", i, s.Nodes[i].Name)
		}
	}
	if t.SL2VL != nil && len(t.SL2VL) != len(t.LFT) {
		return fmt.Errorf("the tables have SL2VL maps of %d switches and forwarding tables of %d", len(t.SL2VL), len(t.LFT))
	}
	return nil
}

// checkLIDs refuses LIDs that no port can have: their paths cannot be judged.
func checkLIDs(s *subnet.Subnet) error {
	for i := range s.Nodes {
		for j := range s.Nodes[i].Ports {
			p := &s.Nodes[i].Ports[j]
			if p.LMC > 7 || p.LID > 0 && int(p.LID)+1<<p.LMC-1 > int(units.LastUnicastLID) {
				return fmt.Errorf("%s has LID %d with LMC %d: unicast LIDs of a subnet end at %d, and an LMC at 7",
					s.EndName(subnet.End{Node: int32(i), Port: uint16(j)}), p.LID, p.LMC, units.LastUnicastLID)
			}
		}
	}
	return nil
}

// columns is the entries of all switches for LIDs first to first+63, one LID after the other.
type columns struct {
	switches int
	port     []uint8
}

func newColumns(n *network) *columns {
	return &columns{switches: len(n.sw), port: make([]uint8, block*len(n.sw))}
}

// read turns the rows of the tables into columns.
func (c *columns) read(n *network, t *subnet.Tables, first int) {
	for u, node := range n.sw {
		row := t.LFT[t.Dense[node]]
		for l := range block {
			p := uint8(subnet.NoPort)
			if first+l < len(row) {
				p = row[first+l]
			}
			c.port[l*c.switches+u] = p
		}
	}
}

// of is the column of the l-th LID.
func (c *columns) of(l int) []uint8 { return c.port[l*c.switches : (l+1)*c.switches] }
