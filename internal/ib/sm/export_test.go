package sm

import (
	"maps"

	"weft/units"
)

// Sweep begins a heavy sweep, at once or after the current sweep. A manager that is not master does
// nothing.
func (m *Manager) Sweep(now units.Time, out *Batch) {
	m.enter(now, out)
	m.changed()
	m.leave()
}

// LIDs is the LIDs of all ports ever discovered, by port GUID.
func (m *Manager) LIDs() map[units.GUID]units.LID { return maps.Clone(m.lids.lids) }
