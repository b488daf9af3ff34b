package source

import (
	"errors"
	"fmt"
	"slices"

	"weft/units"
)

// Listed is a fabric of any form, cable by cable. Hosts are the NICs of nodes, perNode on a node; a
// host with several links becomes as many NICs.
type Listed struct {
	Nodes, NICs int        // NICs is the number of NICs of a node
	Rate        units.Rate // of the fastest NIC
	Links       []Link     // between NICs, from 0 on, and switches after them
	fastest     units.Rate // of all links
	ports       int        // of a host
	degree      int        // maximum number of cables at a switch
}

// ListLinks takes a topology as it is, cable by cable. All numbers that are not hosts are switches.
// The error names a property that no fabric of a scenario has.
func ListLinks(hosts []int, perNode int, links []Link) (*Listed, error) {
	if len(hosts) == 0 {
		return nil, errors.New("there is no host")
	}
	f := &Listed{Nodes: len(hosts) / perNode}
	place := make(map[int]int, len(hosts))
	for i, id := range hosts {
		place[id] = i
	}
	used := make([]int, len(hosts))
	for _, l := range links {
		a, hostA := place[l.A]
		b, hostB := place[l.B]
		if hostA && hostB {
			return nil, fmt.Errorf("nodes %d and %d are joined without a switch", l.A, l.B)
		}
		if hostA {
			used[a]++
		}
		if hostB {
			used[b]++
		}
	}
	f.ports = used[0]
	for i, n := range used {
		if n != f.ports || n == 0 {
			return nil, fmt.Errorf("node %d has %d links to switches, and node %d %d: all hosts have the same number, at least one", hosts[i], n, hosts[0], used[0])
		}
	}
	f.NICs = perNode * f.ports
	f.number(place, len(hosts)*f.ports, links)
	return f, nil
}

// number gives NICs and switches their numbers in the scenario: NICs host by host, in the order of
// their links, and switches in the order of the file.
func (f *Listed) number(place map[int]int, first int, links []Link) {
	var switches []int
	for _, l := range links {
		for _, id := range [2]int{l.A, l.B} {
			if _, host := place[id]; !host {
				switches = append(switches, id)
			}
		}
	}
	slices.Sort(switches)
	number := make(map[int]int)
	for i, id := range slices.Compact(switches) {
		number[id] = first + i
	}
	next := make(map[int]int) // by host: the NIC of its next link
	degree := make(map[int]int)
	for _, l := range links {
		f.fastest = max(f.fastest, l.Rate)
		for _, end := range [2]*int{&l.A, &l.B} {
			host, isHost := place[*end]
			if !isHost {
				*end = number[*end]
				degree[*end]++
				f.degree = max(f.degree, degree[*end])
				continue
			}
			*end = host*f.ports + next[host]
			next[host]++
			f.Rate = max(f.Rate, l.Rate)
		}
		f.Links = append(f.Links, l)
	}
}

// Scenario adds the topology and two fabrics on it to a cluster's fields.
func (f *Listed) Scenario(c *Cluster) {
	c.Field("topology:")
	c.Field("  shape: listed")
	c.Field("  radix: %d", f.degree)
	c.Field("  links:")
	for i := 0; i < len(f.Links); {
		l, n := f.Links[i], 1
		for i++; i < len(f.Links) && f.Links[i] == l; i++ {
			n++
		}
		line := fmt.Sprintf("ends: [%d, %d], length: %s", l.A, l.B, cable(l.Latency))
		if l.Rate != f.Rate {
			line += ", rate: " + l.Rate.Exact()
		}
		if n > 1 {
			line += fmt.Sprintf(", count: %d", n)
		}
		c.Field("    - {%s}", line)
	}
	fabrics(c, f.Rate, Switch(f.degree, f.fastest))
	if f.ports > 1 {
		c.Assume("the %d links of a host are as many NICs, between which NCCL's channels divide", f.ports)
	}
	assumePresets(c)
}
