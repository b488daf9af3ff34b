package sim

import (
	"slices"

	"weft/internal/runstore"
	"weft/internal/topology"
	"weft/units"
)

// hottestLinks is how many busy links a result names.
const hottestLinks = 8

// hottest are the busiest links of the scale-out fabric over a time, each with
// the mean of its tier; links are their numbers.
func (n *network) hottest(span units.Time) (hot []runstore.HotLink, links []int32) {
	var all []int32
	tiers := make(map[tier]*load)
	for link := range int32(n.Links()) {
		if !n.ScaleOut(link) {
			continue
		}
		t := n.tier(link)
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
		t := n.tier(link)
		hot = append(hot, runstore.HotLink{
			Name: n.LinkName(link), Bytes: n.LinkBytes(link),
			Busy: min(1, float64(n.LinkBusy(link))/float64(max(1, span))),
			Tier: n.plan.tierName(t), Mean: tiers[t].bytes / tiers[t].links,
		})
	}
	return hot, links
}

// load is what the links of a tier carry.
type load struct{ links, bytes int64 }

// tier is the links that a balanced load would fill alike: those in one direction
// between two levels of the fabric, within groups or between them.
type tier struct {
	from, to int8 // levels
	across   bool // between groups of a dragonfly
}

func (n *network) tier(link int32) tier {
	a, b := n.LinkEnds(link)
	t := tier{from: n.plan.levelAt(a), to: n.plan.levelAt(b)}
	if t.from == levelBox || t.to == levelBox {
		return t
	}
	from, to := &n.plan.graph.Nodes[a], &n.plan.graph.Nodes[b]
	if f := n.plan.graph.Family; f == topology.FamilyDragonfly || f == topology.FamilyDragonflyPlus {
		t.across = from.Group != to.Group
	}
	return t
}

// levelBox is the level of an inspection's boxes, which the graph does not have.
const levelBox = -1

// levelAt is the level of a node of the network.
func (p *plan) levelAt(node int32) int8 {
	if int(node) >= len(p.graph.Nodes) {
		return levelBox
	}
	return p.graph.Nodes[node].Level
}

// tierName is a tier in words.
func (p *plan) tierName(t tier) string {
	name := p.levelName(t.from) + " to " + p.levelName(t.to)
	if t.across {
		name += " of another group"
	}
	return name
}

// levelName is what the nodes of a level are called.
func (p *plan) levelName(level int8) string {
	switch {
	case level == levelBox:
		return "NIC's box"
	case level == 0:
		return "NIC"
	case p.graph.Family == topology.FamilyDragonfly, p.graph.Family == topology.FamilyTorus, p.graph.Switches() == p.graph.Planes:
		return "switch" // they are all alike, or there is one
	case level == 1:
		return "leaf"
	case level == 2:
		return "spine"
	}
	return "core"
}
