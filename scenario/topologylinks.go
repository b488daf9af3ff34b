package scenario

import (
	"fmt"
	"slices"

	"weft/units"
)

// TopologyLink is some equal cables of a listed topology between the same two nodes.
type TopologyLink struct {
	// Ends are two nodes by their numbers. Those from 0 on are the cluster's NICs, node
	// by node, and those after them the switches. A NIC has one cable, to a switch.
	Ends []int `yaml:"ends" range:"0..33554431"`
	// Ports are the ports at the two ends, from 1. Empty: the first free ones.
	Ports []int `yaml:"ports,omitzero" range:"1..16384"`
	// Count is the number of cables; 0 is one.
	Count int `yaml:"count,omitzero" range:"0..16384"`
	// Rate is the rate of a cable; 0 is the rate of the fabric's link.
	Rate units.Rate `yaml:"rate,omitzero" range:"0bps..100Tbps"`
	// Length is the length of each cable.
	Length units.Length `yaml:"length" range:"1mm..100km"`
}

// TopologyDevice is a NIC or a switch of a real fabric.
type TopologyDevice struct {
	// Name is its name: host/adapter for a NIC.
	Name string `yaml:"name"`
	// GUID is its NodeGUID on InfiniBand; 0: none is known.
	GUID units.GUID `yaml:"guid,omitzero"`
	// Port is the PortGUID of a NIC; 0: none is known.
	Port units.GUID `yaml:"port,omitzero"`
	// LID is its LID; 0: it has none, and gets one.
	LID int `yaml:"lid,omitzero" range:"0..65535"`
	// Ports is the number of ports of a switch; 0: as many as it has cables.
	Ports int `yaml:"ports,omitzero" range:"0..16384"`
	// PortNames are the names of the ports of a switch, by number, on a fabric whose ports have names, such as Ethernet16.
	PortNames []string `yaml:"port-names,omitzero"`
	// Level is 1 for a leaf and more for a switch above it; 0 for a NIC, and for a switch without hosts below.
	Level int `yaml:"level,omitzero" range:"0..127"`
	// Group is the pod or group of a switch, from 1; 0: none.
	Group int `yaml:"group,omitzero" range:"0..1048576"`
}

// mixedRates reports whether cables between the switches of a listed topology have several rates. The nodes before nics
// are NICs.
func (t *Topology) mixedRates(nics int) bool {
	first := units.Rate(-1)
	return slices.ContainsFunc(t.Links, func(l TopologyLink) bool {
		if len(l.Ends) != 2 || min(l.Ends[0], l.Ends[1]) < nics {
			return false
		}
		if first < 0 {
			first = l.Rate
		}
		return l.Rate != first
	})
}

// cables is the number of cables.
func (l *TopologyLink) cables() int { return max(1, l.Count) }

// maxLinks bounds the links of a listed topology: a fat tree of 16,384 hosts has fifty thousand.
const maxLinks = 1 << 20

// checkLinks checks that the links of a listed topology make a fabric of the cluster's NICs.
func (r topologyRules) checkLinks() {
	t, nics := &r.Topology, r.Cluster.Endpoints()+r.Topology.Others
	if r.NIC.Ports != 1 {
		r.complain("", "NICs of %d ports: in a listed topology each has one; a NIC of several is as many NICs (cluster.node.nics)", r.NIC.Ports)
		return
	}
	if len(t.Links) == 0 || len(t.Links) > maxLinks {
		r.complain("links", "%d links: want the links of all %d NICs and of the switches, at most %d", len(t.Links), nics, maxLinks)
		return
	}
	degree := make(map[int]int)
	last := nics - 1
	for i := range t.Links {
		l, at := &t.Links[i], fmt.Sprintf("links[%d]", i)
		switch {
		case len(l.Ends) != 2 || l.Ends[0] == l.Ends[1]:
			r.complain(at+".ends", "want two different nodes: [0, %d]", nics)
			return
		case max(l.Ends[0], l.Ends[1]) < nics:
			r.complain(at+".ends", "%d and %d are both NICs: switches have the numbers from %d on, and a NIC's link goes to one", l.Ends[0], l.Ends[1], nics)
			return
		case len(l.Ports) != 0 && len(l.Ports) != 2:
			r.complain(at+".ports", "want a port for each of the two ends, such as [1, 36], or none")
			return
		case l.Length <= 0:
			r.complain(at+".length", "want the length of the cable, such as 5m")
			return
		}
		for _, end := range l.Ends {
			degree[end] += l.cables()
			last = max(last, end)
		}
	}
	r.checkDegrees(degree, last)
}

// checkDegrees checks that every node up to the last has cables, and at most as many as ports.
func (r topologyRules) checkDegrees(degree map[int]int, last int) {
	nics, radix := r.Cluster.Endpoints()+r.Topology.Others, r.Topology.Radix
	if devices := len(r.Topology.Devices); devices > 0 && devices != last+1 {
		r.complain("devices", "%d devices, and the links have %d", devices, last+1)
		return
	}
	for node := range last + 1 {
		switch n := degree[node]; {
		case node < nics && n != 1:
			r.complain("links", "NIC %d has %d cables: each of the %d NICs has one", node, n, nics)
			return
		case n == 0:
			r.complain("links", "switch %d has no link, and there is a switch %d: their numbers go from %d on without a gap", node, last, nics)
			return
		case node >= nics && n > radix:
			r.complain("links", "switch %d has %d cables and %d ports (radix): take a switch with more (switch: {ports: %d, max-ports: %[2]d})", node, n, radix, n)
			return
		}
	}
	if len(r.Topology.Devices) > 0 {
		return // a real switch has the ports that it has
	}
	if ports := r.Switch.PortsAt(r.Link.Rate()); radix > ports && ports > 0 {
		r.complain("radix", "a radix of %d: the switch %s has %d ports at %s", radix, r.Switch.Model, ports, r.Link.Rate())
	}
}

// longestLink is the length of the longest cable of a listed topology.
func (t *Topology) longestLink() (most units.Length) {
	for i := range t.Links {
		most = max(most, t.Links[i].Length)
	}
	return most
}

// longestOfLinks is the maximum number of switches on a shortest path of a listed topology between
// two of its nics NICs.
func (t *Topology) longestOfLinks(nics int) int {
	next := make(map[int][]int)
	leaves := make(map[int]bool)
	for _, l := range t.Links {
		if len(l.Ends) != 2 {
			continue
		}
		a, b := l.Ends[0], l.Ends[1]
		switch {
		case min(a, b) < nics:
			leaves[max(a, b)] = true
		default:
			next[a], next[b] = append(next[a], b), append(next[b], a)
		}
	}
	most := 1
	for leaf := range leaves {
		seen := map[int]int{leaf: 1}
		for queue := []int{leaf}; len(queue) > 0; queue = queue[1:] {
			if leaves[queue[0]] {
				most = max(most, seen[queue[0]])
			}
			for _, to := range next[queue[0]] {
				if seen[to] == 0 {
					seen[to] = seen[queue[0]] + 1
					queue = append(queue, to)
				}
			}
		}
	}
	return most
}
