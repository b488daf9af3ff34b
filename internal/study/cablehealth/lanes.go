package cablehealth

import (
	"fmt"

	"weft/internal/base/cabling"
	"weft/internal/base/portstate"
)

// laneCount counts the InfiniBand links by their lanes.
type laneCount struct{ four, all int }

// countLanes counts the links that are up.
func (j *judge) countLanes() {
	seen := map[int]bool{}
	for _, p := range j.ports {
		active, ok := p.active()
		if !ok || !p.isLink() || seen[p.link()] || active.Value.Speed == "" {
			continue
		}
		seen[p.link()] = true
		j.lanes.all++
		if active.Value.Lanes == 4 {
			j.lanes.four++
		}
	}
}

// usualLanes is the link with 4 lanes in place of one that lost some, by what nearly all other links of the fabric
// have. Hosts are planned with 2 lanes, by cables that split; nothing is planned with one.
func (j *judge) usualLanes(p *port, active portstate.Link) (could portstate.Link, why string, ok bool) {
	switches := p.names.Role == cabling.Switch && p.far != nil && p.far.names.Role == cabling.Switch
	if active.Speed == "" || active.Lanes != 1 && (active.Lanes != 2 || !switches) || j.lanes.four < fewPeers || 10*j.lanes.four < 9*(j.lanes.all-1) {
		return could, "", false
	}
	could = active
	could.Lanes = 4
	return could, fmt.Sprintf("%d of the %d links have 4 lanes", j.lanes.four, j.lanes.all), true
}
