package engine

import (
	"weft/internal/subnet"
	"weft/units"
)

// connectSwitches gives ports to switches that have none for another switch's
// LID: engines that go up and down leave out the ways between roots. Only
// switches themselves send there, and only management. Each such switch gets
// the first port that leads nearer: from there either the engine's way begins or
// the next of these steps, so that none goes round. OpenSM does so only when it
// is asked to (connect_roots).
func (j *job) connectSwitches() {
	var m *shortest
	for from, lft := range j.tab.LFT {
		for to := range j.sw {
			if lft[j.sw[to].lid] != subnet.NoPort {
				continue
			}
			if m == nil {
				m = j.shortestPaths()
			}
			for p, l := range j.sw[from].ports {
				if l.sw >= 0 && m.hops[to][l.sw] < m.hops[to][from] {
					for k := range j.sw[to].width {
						lft[j.sw[to].lid+units.LID(k)] = uint8(p)
					}
					break
				}
			}
		}
	}
}
