package fault

import "weft/internal/sim/routing"

// PortSets are the sets of ports of each switch, beginning with the sets of its tables.
type PortSets struct {
	ports [][][]uint16
	known []map[string]uint16
}

// NewPortSets are the sets of tables.
func NewPortSets(t *routing.Tables) *PortSets {
	s := &PortSets{ports: make([][][]uint16, t.Switches), known: make([]map[string]uint16, t.Switches)}
	for row := range t.Switches {
		s.known[row] = map[string]uint16{}
		for k := range t.Sets(row) {
			s.append(row, t.Set(row, uint16(k)))
		}
	}
	return s
}

func (s *PortSets) append(row int, ports []uint16) uint16 {
	k := uint16(len(s.ports[row]))
	s.ports[row] = append(s.ports[row], ports)
	s.known[row][setKey(ports)] = k
	return k
}

// Number is the number of a set at a switch; a new set is added.
func (s *PortSets) Number(row int, ports []uint16) uint16 {
	if k, ok := s.known[row][setKey(ports)]; ok {
		return k
	}
	return s.append(row, ports)
}

func setKey(ports []uint16) string {
	key := make([]byte, 0, 2*len(ports))
	for _, p := range ports {
		key = append(key, byte(p), byte(p>>8))
	}
	return string(key)
}

// WriteTo writes the sets to tables.
func (s *PortSets) WriteTo(t *routing.Tables) {
	t.SetBase, t.SetStart, t.SetPorts = nil, []int32{0}, nil
	for _, of := range s.ports {
		t.SetBase = append(t.SetBase, int32(len(t.SetStart)-1))
		for _, ports := range of {
			t.SetPorts = append(t.SetPorts, ports...)
			t.SetStart = append(t.SetStart, int32(len(t.SetPorts)))
		}
	}
	t.SetBase = append(t.SetBase, int32(len(t.SetStart)-1))
}
