package routing

import "slices"

// Levels is the number of service levels.
const Levels = 16

// LevelMap is the SL2VL table of a switch: the lane of each service level by input and output port.
// Ports count from 0. In a nil map a level's lane is its number.
type LevelMap struct {
	ports int
	vl    [][Levels]uint8 // by input, output
}

// NewLevelMap is a map for a number of ports in which all levels are on lane 0.
func NewLevelMap(ports int) *LevelMap {
	return &LevelMap{ports: ports, vl: make([][Levels]uint8, ports*ports)}
}

// Set sets the lanes of the levels from one port to another.
func (m *LevelMap) Set(in, out uint16, lanes *[Levels]uint8) {
	m.vl[int(in)*m.ports+int(out)] = *lanes
}

// Lanes are the lanes of the levels from one port to another.
func (m *LevelMap) Lanes(in, out uint16) [Levels]uint8 { return m.vl[int(in)*m.ports+int(out)] }

func (m *LevelMap) at(in, out uint16, sl uint8) uint8 {
	if m == nil {
		return sl
	}
	return m.vl[int(in)*m.ports+int(out)][sl]
}

// LanesByLevel is the rule of SL2VL tables, by switch. The lanes of levels in use are below count.
func LanesByLevel(count int, maps []*LevelMap) *Lanes {
	return &Lanes{Count: count, levels: maps}
}

// ByLevel reports whether SL2VL tables give the lanes.
func (l *Lanes) ByLevel() bool { return l.levels != nil }

// WithTables is the rule with separate SL2VL tables at the given switches, by the number of their
// ports, so that they can change.
func (l *Lanes) WithTables(ports map[int]int) *Lanes {
	own := *l
	own.levels = slices.Clone(l.levels)
	for sw, n := range ports {
		if old := l.levels[sw]; old != nil {
			own.levels[sw] = &LevelMap{ports: old.ports, vl: slices.Clone(old.vl)}
			continue
		}
		own.levels[sw] = byNumber(n)
	}
	return &own
}

// byNumber is a map in which each level's lane is its number.
func byNumber(ports int) *LevelMap {
	m := NewLevelMap(ports)
	for i := range m.vl {
		for sl := range m.vl[i] {
			m.vl[i][sl] = uint8(sl)
		}
	}
	return m
}

// Map is the SL2VL table of a switch; nil if a level's lane is its number.
func (l *Lanes) Map(sw int) *LevelMap { return l.levels[sw] }
