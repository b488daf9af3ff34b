package cablediff

import (
	"regexp"
	"strings"

	"weft/internal/base/cabling"
)

// layout is the units and the rails of the plan.
type layout struct {
	unit map[*site]string // by switch with hosts; empty if there are no units
	rail map[*site]string
}

// unitName is the part of a switch's name that says its unit.
var unitName = regexp.MustCompile(`(?i)(?:^|[^a-z])((?:su|pod|unit|block)[-_]?\d+)`)

// layoutOf finds units and rails from the planned cables of hosts.
func layoutOf(plan *side) *layout {
	l := &layout{unit: map[*site]string{}, rail: map[*site]string{}}
	leaves := map[*site]map[string]int{} // cables by the NIC's name
	of := map[*site][]*site{}            // switches of a host
	for _, c := range plan.cables {
		for i, e := range c.ends {
			far := c.ends[1-i]
			if roleOf(e.site) != cabling.Host || roleOf(far.site) != cabling.Switch {
				continue
			}
			of[e.site] = append(of[e.site], far.site)
			if leaves[far.site] == nil {
				leaves[far.site] = map[string]int{}
			}
			if len(e.keys) > 0 {
				leaves[far.site][e.keys[0]]++
			}
		}
	}
	l.units(plan, of, leaves)
	l.rails(leaves)
	return l
}

// units joins switches that share a host. A unit has at least two.
func (l *layout) units(plan *side, of map[*site][]*site, leaves map[*site]map[string]int) {
	root := map[*site]*site{}
	find := func(t *site) *site {
		for root[t] != nil {
			if root[root[t]] != nil {
				root[t] = root[root[t]]
			}
			t = root[t]
		}
		return t
	}
	for _, host := range plan.sites {
		for _, t := range of[host] {
			if a, b := find(of[host][0]), find(t); a != b {
				root[b] = a
			}
		}
	}
	size, first := map[*site]int{}, map[*site]string{}
	for _, t := range plan.sites {
		if leaves[t] == nil {
			continue
		}
		r := find(t)
		if size[r]++; size[r] == 1 {
			first[r] = t.name
		}
	}
	for t := range leaves {
		if m := unitName.FindStringSubmatch(t.name); m != nil {
			l.unit[t] = strings.ToLower(m[1])
		} else if size[find(t)] > 1 {
			l.unit[t] = "the unit of " + first[find(t)]
		}
	}
}

// rails gives a switch the NIC that nine tenths of its hosts' cables are of, if switches have different ones.
func (l *layout) rails(leaves map[*site]map[string]int) {
	names := map[string]bool{}
	for t, nics := range leaves {
		best, all := "", 0
		for nic, n := range nics {
			all += n
			if n > nics[best] || n == nics[best] && nic < best {
				best = nic
			}
		}
		if 10*nics[best] >= 9*all && all > 1 {
			l.rail[t] = best
			names[best] = true
		}
	}
	if len(names) < 2 {
		clear(l.rail)
	}
}

// other says whether a host's cable on one switch in place of another is in another unit, or on another rail.
func (l *layout) other(is, should *site) string {
	a, b := l.unit[is], l.unit[should]
	if a != "" && b != "" && a != b {
		return "unit"
	}
	if a, b := l.rail[is], l.rail[should]; a != "" && b != "" && a != b {
		return "rail"
	}
	return ""
}
