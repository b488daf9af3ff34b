package route

import (
	"weft/internal/ib/subnet"
	"weft/units"
)

// connectSwitches fills in missing entries of switches: entries for LIDs of other switches
// and, on switches without hosts, for LIDs of hosts. Engines that go up and then down leave
// out the paths between roots, and the paths from a root to nodes that are not below it.
// Only management packets from the switches themselves take these paths. OpenSM needs its option
// connect_roots to connect roots.
func (j *job) connectSwitches() {
	for to := range j.sw {
		j.connectTo(int32(to), j.sw[to].lid, j.sw[to].width, false)
	}
	j.connectEnds(true)
}

// connectEnds fills in missing entries for LIDs of ends, on all switches or only on switches
// without hosts, and returns their number. Paths up and then down do not lead from a host
// on one root to a host on another.
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
// leads nearer to it: from there either the engine's path or the next of these steps begins, so no
// path loops. It returns the number of entries filled in.
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
