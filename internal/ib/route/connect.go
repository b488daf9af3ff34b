package route

import (
	"weft/internal/ib/subnet"
	"weft/units"
)

// connectSwitches gives ports to switches that have none for another switch's LID, and to
// those without hosts for that of a host: engines that go up and down leave out the
// ways between roots, and those from a root to what is not below it. Only switches
// themselves send there, and only management. OpenSM connects roots only when it is
// asked to (connect_roots).
func (j *job) connectSwitches() {
	for to := range j.sw {
		j.connectTo(int32(to), j.sw[to].lid, j.sw[to].width, false)
	}
	j.connectEnds(true)
}

// connectEnds gives ports to switches that have none for the LID of an end, to all or only
// to those without hosts, and returns how many entries that are. Ways up and then down do
// not lead from one host on a root to another.
func (j *job) connectEnds(hostless bool) int {
	filled := 0
	for i := range j.ends {
		if e := &j.ends[i]; e.sw >= 0 {
			filled += j.connectTo(e.sw, e.lid, e.width, hostless)
		}
	}
	return filled
}

// connectTo gives each switch without a port for LIDs at a switch the first port that
// leads nearer to it: from there either the engine's way begins or the next of these
// steps, so that none goes round. It returns how many entries it filled in.
func (j *job) connectTo(to int32, lid units.LID, width int, hostless bool) int {
	filled := 0
	for from, lft := range j.tab.LFT {
		if hostless && j.sw[from].hosts > 0 {
			continue
		}
		for k := range width {
			at := lid + units.LID(k)
			if lft[at] != subnet.NoPort || int32(from) == to {
				continue
			}
			hops := j.shortestPaths().hops[to]
			for p, l := range j.sw[from].ports {
				if l.sw >= 0 && hops[l.sw] < hops[from] {
					lft[at] = uint8(p)
					filled++
					break
				}
			}
		}
	}
	return filled
}
