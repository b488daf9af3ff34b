package route

import (
	"bufio"
	"fmt"
	"io"
	"math/bits"

	"weft/internal/ib/subnet"
	"weft/units"
)

// Adaptive is the tables of adaptive routing: groups of ports, and for each LID the group
// that its packets may choose from. A switch takes the least loaded port of the group for
// each packet.
type Adaptive struct {
	tab *subnet.Tables
	sub *subnet.Subnet
	// Groups is the groups of each switch, by Tables.Dense. A group is the ports that begin a
	// shortest path to a switch; equal groups appear once.
	Groups [][]subnet.PortMask
	// Of is the group of each LID, 0 to Tables.Top, by switch: an index into Groups. NoGroup stands
	// for the switch's own LID, the LID of an end on it, and an unreachable LID.
	Of [][]int32
}

// NoGroup is the group of a LID whose packets have no choice.
const NoGroup = -1

// AdaptiveGroups computes, for each switch and LID, the ports that begin a
// shortest path. It fails if LIDs are missing or clash.
//
// The lanes against credit loops are not part of the result: a tree needs none, and for other
// shapes they depend on the switch.
func AdaptiveGroups(s *subnet.Subnet) (*Adaptive, error) {
	f, err := newFabric(s)
	if err != nil {
		return nil, err
	}
	f.tab = subnet.NewTables(s)
	j := &job{fabric: f, cores: 1}
	m := j.shortestPaths()
	choose := m.minimal(f.neighbours())
	a := &Adaptive{tab: f.tab, sub: s, Groups: make([][]subnet.PortMask, len(f.sw)), Of: make([][]int32, len(f.sw))}
	at, ports := f.switchOf(), make([]subnet.PortMask, len(f.sw))
	for u := range f.sw {
		choose(int32(u), ports)
		number := map[subnet.PortMask]int32{}
		of := make([]int32, len(at))
		for lid, sw := range at {
			of[lid] = NoGroup
			if sw < 0 || sw == int32(u) || ports[sw] == (subnet.PortMask{}) {
				continue
			}
			n, known := number[ports[sw]]
			if !known {
				n = int32(len(a.Groups[u]))
				number[ports[sw]] = n
				a.Groups[u] = append(a.Groups[u], ports[sw])
			}
			of[lid] = n
		}
		a.Of[u] = of
	}
	return a, nil
}

// WriteTo writes the groups as text, in weft's own format, which follows
// opensm-lfts.dump: for each switch a heading, its groups with their ports, and
// its LIDs with their groups.
//
//	Adaptive lids [1-24] of switch Lid 3 guid 0x0002c90200400020 ('leaf1'):
//	group 0 : 005 006
//	0x0001 group 0
//	1 groups, 1 lids
func (a *Adaptive) WriteTo(w io.Writer) (int64, error) {
	out := &counter{to: bufio.NewWriter(w)}
	for u, node := range a.tab.Switch {
		n := &a.sub.Nodes[node]
		fmt.Fprintf(out, "Adaptive lids [1-%d] of switch Lid %d guid 0x%016x ('%s'):\n", a.tab.Top, n.Ports[0].LID, uint64(n.GUID), n.Name)
		for i, ports := range a.Groups[u] {
			fmt.Fprintf(out, "group %d :", i)
			for k, word := range ports {
				for ; word != 0; word &= word - 1 {
					fmt.Fprintf(out, " %03d", k<<6+bits.TrailingZeros64(word))
				}
			}
			fmt.Fprintln(out)
		}
		lids := 0
		for lid, group := range a.Of[u] {
			if group != NoGroup {
				fmt.Fprintf(out, "0x%04x group %d\n", units.LID(lid), group)
				lids++
			}
		}
		fmt.Fprintf(out, "%d groups, %d lids\n", len(a.Groups[u]), lids)
	}
	return out.n, out.to.Flush()
}

// counter counts the written bytes.
type counter struct {
	to *bufio.Writer
	n  int64
}

func (c *counter) Write(p []byte) (int, error) {
	n, err := c.to.Write(p)
	c.n += int64(n)
	return n, err
}
