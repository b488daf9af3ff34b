package inspect

import (
	"fmt"
	"slices"

	"weft/internal/subnet"
)

// hosts counts hosts, looks for those with fewer adapters than the rest, and
// recognises rails.
func (in *inspection) hosts() {
	hosts := hostsOf(in.all)
	in.report.Hosts = len(hosts)
	var counts []int
	for i := range hosts {
		counts = append(counts, len(hosts[i].adapters))
	}
	if each, ok := usual(counts); ok && each > 1 {
		labels := labelsOf(hosts, each)
		for i := range hosts {
			if h := &hosts[i]; len(h.adapters) < each && len(h.adapters) > 0 {
				in.find(Warning, "fewer-adapters", endsOf(h), "%q has %s with a cable, most hosts have %d%s",
					h.name, plural(len(h.adapters), "adapter"), each, lacking(h, labels))
			}
		}
	}
	in.rails(hosts)
}

func endsOf(h *host) []subnet.End {
	var ends []subnet.End
	for _, a := range h.adapters {
		ends = append(ends, a.end)
	}
	return ends
}

// labelsOf are the labels of the adapters that most of the hosts with the usual
// number of them have.
func labelsOf(hosts []host, each int) []string {
	count, of := map[string]int{}, 0
	for i := range hosts {
		if len(hosts[i].adapters) != each {
			continue
		}
		of++
		for _, a := range hosts[i].adapters {
			count[a.label]++
		}
	}
	var labels []string
	for label, n := range count {
		if 2*n > of && label != "" {
			labels = append(labels, label)
		}
	}
	slices.SortFunc(labels, compareLabels)
	return labels
}

// lacking says which adapters a host lacks.
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
// leaves that, for nine tenths of their adapters, serve no other label. It then
// tells of adapters that are on another rail's leaf.
func (in *inspection) rails(hosts []host) {
	leaf := map[int32]map[string]int{} // by switch and label
	labels := map[string]bool{}
	for i := range hosts {
		for _, a := range hosts[i].adapters {
			if a.sw < 0 || a.label == "" || len(hosts[i].adapters) < 2 {
				continue
			}
			if leaf[a.sw] == nil {
				leaf[a.sw] = map[string]int{}
			}
			leaf[a.sw][a.label]++
			labels[a.label] = true
		}
	}
	serves := map[int32]string{}
	pure, all := 0, 0
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
		serves[sw], used[best] = best, true
		islands[in.part[sw]] = true
	}
	if len(labels) < 2 || len(used) < len(labels) || 10*pure < 9*all {
		return
	}
	rails := Rails{Count: len(labels), Islands: len(islands)}
	for label := range labels {
		rails.Labels = append(rails.Labels, label)
	}
	slices.SortFunc(rails.Labels, compareLabels)
	in.report.Rails = &rails
	for i := range hosts {
		for _, a := range hosts[i].adapters {
			if rail, ok := serves[a.sw]; ok && a.label != "" && a.label != rail {
				in.find(Warning, "wrong-rail", []subnet.End{a.end, in.s.Peer(a.end)}, "%s of %q is on %s, which serves %s: are two cables swapped?",
					a.label, hosts[i].name, in.s.EndName(in.s.Peer(a.end)), rail)
			}
		}
	}
}
