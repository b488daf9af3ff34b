package inspect

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"weft/internal/base/sorting"
	"weft/internal/ib/subnet"
)

// links counts widths and speeds, and reports links that are slower or narrower than the best link
// of both ends. The best link of an adapter is the best of its model on hosts of the same name: if
// a model is slow everywhere, its links have no fault.
func (in *inspection) links() {
	type count struct{ sort, link string }
	counts := map[count]int{}
	best := map[string]subnet.Link{} // by model
	var cables []subnet.End
	for i := range in.s.Nodes {
		for p := range in.s.Nodes[i].Ports {
			e := subnet.End{Node: int32(i), Port: uint16(p)}
			far := in.s.Peer(e)
			if !far.Exists() || !in.first(e, far) {
				continue
			}
			link := slower(in.s, e)
			counts[count{in.sortOf(e), link.String()}]++
			cables = append(cables, e)
			for _, node := range []int32{e.Node, far.Node} {
				model := in.model(node)
				if link.Rate() > best[model].Rate() {
					best[model] = link
				}
			}
		}
	}
	for c, n := range counts {
		in.report.Links = append(in.report.Links, Links{c.sort, c.link, n})
	}
	sorting.Func(in.report.Links, func(a, b Links) int {
		return cmp.Or(cmp.Compare(a.Sort, b.Sort), b.Count-a.Count, cmp.Compare(a.Link, b.Link))
	})
	in.judgedLinks(cables)
	in.belowSupport(cables)
	for _, e := range cables {
		if !couldBe(in.s, e) {
			in.slowLink(e, best[in.model(e.Node)], best[in.model(in.s.Peer(e).Node)])
		}
	}
	in.states(cables)
	in.mixedHosts()
}

// slowLink reports a cable that is slower than the best link of both its ends.
func (in *inspection) slowLink(e subnet.End, a, b subnet.Link) {
	link, can := slower(in.s, e), a
	if b.Rate() < a.Rate() {
		can = b
	}
	if link.Rate() == 0 || link.Rate() >= can.Rate() {
		return
	}
	what, why := "slow-link", ""
	if link.Width < can.Width {
		what, why = "narrow-link", ": lanes are lost, reseat or replace the cable"
	}
	in.find(Warning, what, []subnet.End{e, in.s.Peer(e)}, "%s to %s runs at %v, both ends do %v elsewhere%s", in.endName(e), in.endName(in.s.Peer(e)), link, can, why)
}

// model names the group of nodes that a node is compared with; a switch is compared with itself
// only.
func (in *inspection) model(node int32) string {
	n := &in.s.Nodes[node]
	if n.Kind == subnet.Switch {
		return fmt.Sprintf("switch %d", node)
	}
	return fmt.Sprintf("adapter %x %x %s", n.VendorID, n.DeviceID, nameFamily(n))
}

// nameFamily is the name of a host without its number: node for node017.
func nameFamily(n *subnet.Node) string {
	name := n.Name
	if m := adapterName.FindStringSubmatch(name); m != nil {
		name = m[1]
	}
	return withoutNumber(name)
}

func withoutNumber(name string) string { return strings.TrimRight(name, "0123456789-_.") }

// first chooses one end of each cable: the adapter's, else the earlier.
func (in *inspection) first(e, far subnet.End) bool {
	a, b := in.s.Nodes[e.Node].Kind == subnet.Switch, in.s.Nodes[far.Node].Kind == subnet.Switch
	if a != b {
		return b
	}
	return e.Node < far.Node || e.Node == far.Node && e.Port < far.Port
}

// sortOf is the sort of the cable with the first end e.
func (in *inspection) sortOf(e subnet.End) string {
	switch n := &in.s.Nodes[e.Node]; {
	case isAggregation(n):
		return "aggregation"
	case n.Kind == subnet.Router:
		return "router"
	case n.Kind != subnet.Switch:
		return "host"
	}
	return "switch"
}

// slower is the slower of the links that the two ends of a cable report, or the one that is known.
func slower(s *subnet.Subnet, e subnet.End) subnet.Link {
	a, b := s.Port(e).Link, s.Port(s.Peer(e)).Link
	if a.Rate() == 0 || b.Rate() > 0 && b.Rate() < a.Rate() {
		return b
	}
	return a
}

// compareLinks orders links by their rate, then by their width.
func compareLinks(a, b subnet.Link) int {
	return cmp.Or(cmp.Compare(a.Rate(), b.Rate()), cmp.Compare(a.Width, b.Width), cmp.Compare(a.Speed, b.Speed))
}

// mixedHosts reports hosts that are slower than most.
func (in *inspection) mixedHosts() {
	count, most, all := map[subnet.Link]int{}, subnet.Link{}, 0
	families := map[subnet.Link]map[string]int{}
	for i := range in.s.Nodes {
		n := &in.s.Nodes[i]
		if n.Kind != subnet.Adapter || isAggregation(n) {
			continue
		}
		for p := range n.Ports {
			e := subnet.End{Node: int32(i), Port: uint16(p)}
			if !in.s.Peer(e).Exists() {
				continue
			}
			link := slower(in.s, e)
			count[link]++
			all++
			if families[link] == nil {
				families[link] = map[string]int{}
			}
			families[link][nameFamily(n)]++
		}
	}
	var slow []subnet.Link
	for link, n := range count {
		if n > count[most] || n == count[most] && compareLinks(link, most) > 0 {
			most = link
		}
	}
	for link := range count {
		if link.Rate() != 0 && link.Rate() < most.Rate() {
			slow = append(slow, link)
		}
	}
	sorting.Func(slow, func(a, b subnet.Link) int { return compareLinks(b, a) })
	for _, link := range slow {
		var who []string
		for _, name := range slices.Sorted(maps.Keys(families[link])) {
			who = append(who, fmt.Sprintf("%d %s*", families[link][name], name))
		}
		in.find(Note, "mixed-speeds", nil, "%d of %s run at %v (%s), %d at %v: jobs on all hosts run at the pace of the slowest",
			count[link], plural(all, "host link"), link, list(who, 6), count[most], most)
	}
}
