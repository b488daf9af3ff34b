package measure

import (
	"slices"

	"weft/internal/base/topology"
	"weft/internal/sim/run/network"
	"weft/results"
	"weft/units"
)

// hottestLinks is the number of busy links in a result.
const hottestLinks = 8

// Hottest are the busiest links of the scale-out fabric over a period, each with the mean of its
// tier; links are their numbers.
func Hottest(n *network.Network, span units.Time) (hot []results.HotLink, links []int32) {
	var all []int32
	tiers := make(map[tier]*load)
	for link := range int32(n.Links()) {
		if !n.ScaleOut(link) {
			continue
		}
		if n.LinkBytes(link) == 0 && idleHost(n, link) {
			continue
		}
		t := tierOf(n, link)
		if tiers[t] == nil {
			tiers[t] = new(load)
		}
		tiers[t].links++
		tiers[t].bytes += n.LinkBytes(link)
		if n.LinkBytes(link) > 0 {
			all = append(all, link)
		}
	}
	slices.SortStableFunc(all, func(a, b int32) int {
		return int(n.LinkBusy(b)/units.Nanosecond) - int(n.LinkBusy(a)/units.Nanosecond)
	})
	links = all[:min(len(all), hottestLinks)]
	for _, link := range links {
		t := tierOf(n, link)
		hot = append(hot, results.HotLink{
			Name: n.LinkName(link), Bytes: n.LinkBytes(link),
			Busy: min(1, float64(n.LinkBusy(link))/float64(max(1, span))),
			Tier: tierName(n.Plan, t), Mean: tiers[t].bytes / tiers[t].links,
		})
	}
	return hot, links
}

// idleHost reports whether a link is at a host that is no node of the cluster: one that carries no load of the job.
func idleHost(n *network.Network, link int32) bool {
	g := n.Plan.Graph
	a, b := n.LinkEnds(link)
	other := func(node int32) bool { return int(node) >= g.Compute() && int(node) < g.Endpoints }
	return other(a) || other(b)
}

// load is the load of the links of a tier.
type load struct{ links, bytes int64 }

// tier is a set of links that a balanced load would fill alike: the links of one direction between
// two levels of the fabric, within groups or between them.
type tier struct {
	from, to int8 // levels
	across   bool // between groups of a dragonfly
}

func tierOf(n *network.Network, link int32) tier {
	a, b := n.LinkEnds(link)
	t := tier{from: levelAt(n.Plan, a), to: levelAt(n.Plan, b)}
	if t.from == levelMiddlebox || t.to == levelMiddlebox {
		return t
	}
	from, to := &n.Plan.Graph.Nodes[a], &n.Plan.Graph.Nodes[b]
	if f := n.Plan.Graph.Family; f == topology.FamilyDragonfly || f == topology.FamilyDragonflyPlus {
		t.across = t.from > 0 && t.to > 0 && from.Group != to.Group
	}
	return t
}

// levelMiddlebox is the level of inspection middleboxes, which the graph does not have.
const levelMiddlebox = -1

// levelAt is the level of a node of the network.
func levelAt(p *network.Plan, node int32) int8 {
	if int(node) >= len(p.Graph.Nodes) {
		return levelMiddlebox
	}
	return p.Graph.Nodes[node].Level
}

// tierName is the name of a tier.
func tierName(p *network.Plan, t tier) string {
	name := levelName(p, t.from) + " to " + levelName(p, t.to)
	if t.across {
		name += " of another group"
	}
	return name
}

// levelName is the name of the nodes of a level.
func levelName(p *network.Plan, level int8) string {
	switch {
	case level == levelMiddlebox:
		return "NIC's box"
	case level == 0:
		return "NIC"
	case p.Graph.Family == topology.FamilyDragonfly, p.Graph.Family == topology.FamilyTorus, p.Graph.Switches() == p.Graph.Planes:
		return "switch" // the switches are all alike, or there is one
	case level == 1:
		return "leaf"
	case level == 2:
		return "spine"
	}
	return "core"
}
