package inspect

import (
	"fmt"
	"maps"
	"slices"

	"weft/internal/base/sorting"
	"weft/internal/ib/subnet"
)

// judgeHosts counts hosts, reports hosts with fewer adapters than the rest, and recognises
// rails.
func (in *inspection) judgeHosts() {
	in.report.Hosts = len(in.hosts)
	families := familiesOf(in.hosts)
	if !in.ethernet { // there each port is an adapter
		in.report.Planes = in.planesOfAdapters(in.hosts)
	}
	for _, family := range families {
		in.fewerAdapters(family)
		in.planes(family)
	}
	in.rails(families)
}

// planesOfAdapters is the number of parts on which the ports of one adapter are: the planes of XDR, or
// two fabrics of adapters with two ports. It is 0 unless most adapters with several ports are so.
func (in *inspection) planesOfAdapters(hosts []host) int {
	ports, on := map[int32]int{}, map[int32]map[int]bool{}
	for i := range hosts {
		for _, a := range hosts[i].adapters {
			if a.sw < 0 || in.part[a.sw] < 0 {
				continue
			}
			if ports[a.end.Node]++; on[a.end.Node] == nil {
				on[a.end.Node] = map[int]bool{}
			}
			on[a.end.Node][in.part[a.sw]] = true
		}
	}
	var counts []int
	for node, n := range ports {
		if n > 1 {
			counts = append(counts, len(on[node]))
		}
	}
	if each, ok := usual(counts); ok && each > 1 {
		return each
	}
	return 0
}

// planes recognises parts of the fabric as planes if hosts are on several of them, and
// reports hosts on fewer planes than most of their family.
func (in *inspection) planes(family []*host) {
	on := make([]map[int]bool, len(family))
	counts := make([]int, len(family))
	all := map[int]bool{}
	for i, h := range family {
		on[i] = map[int]bool{}
		for _, a := range h.adapters {
			if a.sw >= 0 {
				on[i][in.part[a.sw]] = true
				all[in.part[a.sw]] = true
			}
		}
		counts[i] = len(on[i])
	}
	each, ok := usual(counts)
	if !ok || each < 2 {
		return
	}
	whole := 0
	for i, h := range family {
		switch {
		case counts[i] == each:
			whole++
		case counts[i] < each && counts[i] > 0:
			in.find(Warning, "fewer-planes", endsOf(h), "%q is on %d of the %s without a cable between them, most hosts like it are on %d", h.name, counts[i], plural(len(all), "part"), each)
		}
	}
	if in.report.Planes > 0 {
		return // adapters spread their traffic over the planes
	}
	in.find(Note, "planes", nil, "%s on %d of the %s without a cable between them: these are planes, and traffic between them goes through a host", haveAre(whole, withoutNumber(family[0].name)), each, plural(len(all), "part"))
}

func haveAre(n int, family string) string {
	if n == 1 {
		return fmt.Sprintf("1 host (%s*) is", family)
	}
	return fmt.Sprintf("%d hosts (%s*) are", n, family)
}

// familiesOf groups hosts by their names without numbers, the largest family first, so that a login
// node is not compared with compute nodes.
func familiesOf(hosts []host) [][]*host {
	at := map[string]int{}
	var families [][]*host
	for i := range hosts {
		name := withoutNumber(hosts[i].name)
		f, known := at[name]
		if !known {
			f = len(families)
			at[name] = f
			families = append(families, nil)
		}
		families[f] = append(families[f], &hosts[i])
	}
	sorting.StableFunc(families, func(a, b []*host) int { return len(b) - len(a) })
	return families
}

// fewerAdapters reports hosts with fewer adapters than most of their family.
func (in *inspection) fewerAdapters(family []*host) {
	var counts []int
	for _, h := range family {
		counts = append(counts, len(h.adapters))
	}
	each, ok := usual(counts)
	if !ok || each < 2 {
		return
	}
	labels := labelsOf(family, each)
	for _, h := range family {
		if len(h.adapters) < each && len(h.adapters) > 0 {
			in.find(Warning, "fewer-adapters", endsOf(h), "%q has %s with a cable, most hosts like it have %d%s",
				h.name, plural(len(h.adapters), "adapter"), each, lacking(h, labels))
		}
	}
}

func endsOf(h *host) []subnet.End {
	var ends []subnet.End
	for _, a := range h.adapters {
		ends = append(ends, a.end)
	}
	return ends
}

// labelsOf is the adapter labels of most hosts with the usual number of adapters.
func labelsOf(hosts []*host, each int) []string {
	count, of := map[string]int{}, 0
	for _, h := range hosts {
		if len(h.adapters) != each {
			continue
		}
		of++
		for _, a := range h.adapters {
			count[a.label]++
		}
	}
	var labels []string
	for label, n := range count {
		if 2*n > of && label != "" {
			labels = append(labels, label)
		}
	}
	sorting.Func(labels, compareLabels)
	return labels
}

// lacking names the adapters that a host lacks.
func lacking(h *host, labels []string) string {
	var missing []string
	for _, label := range labels {
		if !slices.ContainsFunc(h.adapters, func(a adapter) bool { return a.label == label }) {
			missing = append(missing, label)
		}
	}
	if len(missing) == 0 {
		return ""
	}
	return fmt.Sprintf(": %s %s missing", list(missing, 8), isAre(len(missing)))
}

// rails recognises a rail-optimised fabric: the adapters of one label are on
// leaves that, for nine tenths of their adapters, serve no other label. It then reports adapters on the
// leaf of another rail. Only the labels of the largest family with several adapters count, as managers
// may be on any leaf. A few gateways with two ports make no rails: the adapters of the rails are at
// least a tenth of all, and half of those on their leaves. Ports of one adapter on several planes are
// one rail.
func (in *inspection) rails(families [][]*host) {
	label := func(a *adapter) string {
		if in.report.Planes > 0 {
			return a.card
		}
		return a.label
	}
	labels := railLabels(families, label)
	leaf := map[int32]map[string]int{} // by switch and label
	for i := range in.hosts {
		for j := range in.hosts[i].adapters {
			a := &in.hosts[i].adapters[j]
			if a.sw < 0 || !labels[label(a)] || len(in.hosts[i].adapters) < 2 {
				continue
			}
			if leaf[a.sw] == nil {
				leaf[a.sw] = map[string]int{}
			}
			leaf[a.sw][label(a)]++
		}
	}
	serves := map[int32]string{}
	pure, all, onLeaves := 0, 0, 0
	used := map[string]bool{}
	islands := map[int]bool{}
	for sw, count := range leaf {
		best := ""
		for label, n := range count {
			if n > count[best] || n == count[best] && compareLabels(label, best) < 0 {
				best = label
			}
			all += n
		}
		pure += count[best]
		onLeaves += len(in.all.hosts[sw])
		serves[sw], used[best] = best, true
		islands[in.part[sw]] = true
	}
	if len(labels) < 2 || len(used) < len(labels) || 10*pure < 9*all || 2*all < onLeaves || 10*all < in.all.adapters() {
		return
	}
	rails := Rails{Count: len(labels), Islands: len(islands), Labels: sorting.Sorted(maps.Keys(labels), compareLabels)}
	in.report.Rails = &rails
	for _, family := range families {
		railOf := func(a *adapter) (own, rail string) {
			if own = label(a); labels[own] {
				rail = serves[a.sw]
			}
			return own, rail
		}
		if in.wrongRails(family, railOf) {
			in.wrongUnits(family, railOf)
		}
	}
}

// wrongRails reports the adapters of a family on the leaf of another rail. A family is on the rails if
// most of its hosts have several adapters, and most of their adapters are on the rail of their label.
// railOf is an adapter's label and the rail of its leaf, which is empty if one of them is no rail's.
func (in *inspection) wrongRails(family []*host, railOf func(*adapter) (own, rail string)) (onRails bool) {
	var wrong []*adapter
	var of []*host
	all := 0
	for _, h := range family {
		for i := range h.adapters {
			own, rail := railOf(&h.adapters[i])
			if rail != "" {
				all++
			}
			if rail != "" && rail != own {
				wrong, of = append(wrong, &h.adapters[i]), append(of, h)
			}
		}
	}
	if 2*severalAdapters(family) <= len(family) || 2*len(wrong) >= all {
		return false
	}
	for i, a := range wrong {
		_, rail := railOf(a)
		in.find(Warning, "wrong-rail", []subnet.End{a.end, in.s.Peer(a.end)}, "%s of %q is on %s, which serves %s: are two cables swapped?",
			a.label, of[i].name, in.endName(in.s.Peer(a.end)), rail)
	}
	return true
}

// severalAdapters is the number of hosts of a family with more than one adapter.
func severalAdapters(family []*host) (n int) {
	for _, h := range family {
		if len(h.adapters) > 1 {
			n++
		}
	}
	return n
}

// railLabels is the labels of the adapters of the largest family whose hosts have several. One host
// is no rail.
func railLabels(families [][]*host, label func(*adapter) string) map[string]bool {
	for _, family := range families {
		several := severalAdapters(family)
		if several < 2 || 2*several <= len(family) {
			continue
		}
		labels := map[string]bool{}
		for _, h := range family {
			if len(h.adapters) < 2 {
				continue
			}
			for i := range h.adapters {
				if l := label(&h.adapters[i]); l != "" {
					labels[l] = true
				}
			}
		}
		return labels
	}
	return nil
}
