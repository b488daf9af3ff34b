package route

import (
	"bufio"
	"fmt"
	"io"

	"weft/internal/ib/inspect"
	"weft/internal/ib/subnet"
	"weft/units"
)

// NewTorusConf is the torus-2QoS.conf of a known grid: its dimensions, at most three, which of them
// are open, and the NodeGUIDs of its switches, with the first dimension running fastest. Each
// switch is a seed with its position and the directions of its cables, so the grid stays the same
// after any failure.
func NewTorusConf(radix []int, open []bool, switches []units.GUID) *TorusConf {
	c := &TorusConf{Radix: [3]int{1, 1, 1}}
	copy(c.Radix[:], radix)
	copy(c.Open[:], open)
	for cell, guid := range switches {
		seed, stride := TorusSeed{From: guid}, 1
		for dim, n := range radix {
			x := cell / stride % n
			seed.Dateline[dim] = -x
			round := n > 2 && !c.Open[dim]
			if x < n-1 || round {
				seed.Plus[dim] = switches[cell+((x+1)%n-x)*stride]
			}
			if x > 0 || round {
				seed.Minus[dim] = switches[cell+((x+n-1)%n-x)*stride]
			}
			stride *= n
		}
		c.Seeds = append(c.Seeds, seed)
	}
	return c
}

// torusOf is the torus-2QoS.conf of a torus of two or three dimensions, even if cables are missing;
// nil for any other subnet. On a ring OpenSM 3.3.23 finds only the neighbours of the seed, and
// takes minhop.
func torusOf(s *subnet.Subnet, l *inspect.Layout) *TorusConf {
	if len(l.Report.Islands) != 1 || l.Report.Islands[0].Family != inspect.Torus || len(l.Size) < 2 || len(l.Size) > 3 {
		return nil
	}
	open, switches := make([]bool, len(l.Size)), make([]units.GUID, s.Switches())
	for dim, ring := range l.Ring {
		open[dim] = !ring
	}
	for i := range s.Nodes {
		if s.Nodes[i].Kind != subnet.Switch {
			continue
		}
		cell, stride := 0, 1
		for dim, n := range l.Size {
			cell += int(l.At[dim][i]) * stride
			stride *= n
		}
		switches[cell] = s.Nodes[i].GUID
	}
	return NewTorusConf(l.Size, open, switches)
}

// WriteTorusConf writes the torus-2QoS.conf of a torus (see torus-2QoS.conf(5)). It fails with a
// *Refusal for any other subnet.
func WriteTorusConf(to io.Writer, s *subnet.Subnet) error {
	c := torusOf(s, inspect.Lay(s))
	if c == nil {
		return &Refusal{
			Engine: "torus-2QoS", Reason: "its switches form no whole torus of two or three dimensions",
			Remedy: "See its family with weft fabric inspect",
		}
	}
	w := bufio.NewWriter(to)
	fmt.Fprint(w, "torus")
	for dim, n := range c.Radix {
		fmt.Fprintf(w, " %d", n)
		if c.Open[dim] {
			fmt.Fprint(w, "m")
		}
	}
	fmt.Fprintf(w, "\nportgroup_max_ports %d\n", mostPorts(s))
	for i := range c.Seeds {
		if i > 0 {
			fmt.Fprintln(w, "next_seed")
		}
		c.Seeds[i].write(w)
	}
	return w.Flush()
}

// mostPorts is the largest number of ports of a switch, port 0 included: an upper bound of a port
// group.
func mostPorts(s *subnet.Subnet) int {
	most := 0
	for i := range s.Nodes {
		if n := &s.Nodes[i]; n.Kind == subnet.Switch {
			most = max(most, len(n.Ports))
		}
	}
	return most
}

func (s *TorusSeed) write(w io.Writer) {
	for dim, name := range "xyz" {
		for _, link := range []struct {
			sign string
			to   units.GUID
		}{{"p", s.Plus[dim]}, {"m", s.Minus[dim]}} {
			if link.to != 0 {
				fmt.Fprintf(w, "%c%s_link %v %v\n", name, link.sign, s.From, link.to)
			}
		}
		if s.Plus[dim] != 0 || s.Minus[dim] != 0 {
			fmt.Fprintf(w, "%c_dateline %d\n", name, s.Dateline[dim])
		}
	}
}
