package fault

import (
	"slices"
	"testing"

	"weft/internal/sim/routing"
)

// TestSetsOfPortsHaveOneNumberEach adds a known set and two new ones to tables of two switches.
func TestSetsOfPortsHaveOneNumberEach(t *testing.T) {
	tables := &routing.Tables{Switches: 2, SetBase: []int32{0, 2, 3}, SetStart: []int32{0, 0, 2, 3}, SetPorts: []uint16{1, 2, 9}}
	s := NewPortSets(tables)
	for _, c := range []struct {
		row   int
		ports []uint16
		want  uint16
	}{{0, []uint16{1, 2}, 1}, {0, []uint16{2, 1}, 2}, {0, []uint16{2, 1}, 2}, {1, []uint16{2, 1}, 1}, {1, []uint16{9}, 0}} {
		if got := s.Number(c.row, c.ports); got != c.want {
			t.Errorf("ports %v of switch %d are set %d, want %d", c.ports, c.row, got, c.want)
		}
	}
	s.WriteTo(tables)
	if tables.Sets(0) != 3 || tables.Sets(1) != 2 {
		t.Errorf("the switches have %d and %d sets, want 3 and 2", tables.Sets(0), tables.Sets(1))
	}
	for _, c := range []struct {
		row   int
		set   uint16
		ports []uint16
	}{{0, 0, nil}, {0, 1, []uint16{1, 2}}, {0, 2, []uint16{2, 1}}, {1, 0, []uint16{9}}, {1, 1, []uint16{2, 1}}} {
		if got := tables.Set(c.row, c.set); !slices.Equal(got, c.ports) {
			t.Errorf("set %d of switch %d is %v, want %v", c.set, c.row, got, c.ports)
		}
	}
}
