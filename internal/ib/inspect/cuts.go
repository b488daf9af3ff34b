package inspect

import (
	"fmt"

	"weft/internal/ib/subnet"
)

// cuts reports cables and switches whose loss would cut hosts off from the rest: bridges
// and articulation points of the network of switches. The hosts cabled to a lost switch
// are not counted.
func (in *inspection) cuts(p *island) {
	c := &cutter{g: p.g, seen: make([]int, len(p.g.node)), low: make([]int, len(p.g.node)), hosts: make([]int, len(p.g.node))}
	total := p.g.adapters()
	if len(p.g.node) < 2 || total == 0 {
		return
	}
	c.visit(0, -1)
	for _, b := range c.bridges {
		beyond := c.hosts[b[1]]
		if beyond == 0 || beyond == total {
			continue
		}
		e := subnet.End{Node: p.g.node[b[0]], Port: p.g.ports(b[0], b[1])[0]}
		in.find(Warning, "single-cable", []subnet.End{e, in.s.Peer(e)}, "the cable from %s to %s is the only path between %s and the other %d",
			in.endName(e), in.endName(in.s.Peer(e)), plural(min(beyond, total-beyond), "adapter"), max(beyond, total-beyond))
	}
	for sw, parts := range c.parts {
		rest := total - len(p.g.hosts[sw])
		for _, n := range parts {
			rest -= n
		}
		if sw != 0 {
			parts = append(parts, rest)
		}
		cut, with := 0, 0
		for _, n := range parts {
			if n > 0 {
				with++
				cut = max(cut, n)
			}
		}
		if with > 1 {
			text := fmt.Sprintf("without %s the fabric falls into parts: %s would be cut off from the largest part", p.g.name(int32(sw)), plural(total-len(p.g.hosts[sw])-cut, "adapter"))
			if on := len(p.g.hosts[sw]); on > 0 {
				text += fmt.Sprintf(", besides the %d on it", on)
			}
			in.find(Warning, "single-switch", nil, "%s", text)
		}
	}
}

// cutter searches a graph depth first.
type cutter struct {
	g     *graph
	seen  []int // by switch: order of the first visit, from 1
	low   []int // by switch: the earliest visit that a link of its subtree reaches
	hosts []int // by switch: the adapters in its subtree, its own included
	time  int

	bridges [][2]int32 // links of one cable: the upper switch first
	parts   [][]int    // by switch: adapters of each part that it alone joins to the rest
}

// visit searches from a switch; from is the switch before it, -1 at the beginning.
func (c *cutter) visit(at, from int32) {
	if c.parts == nil {
		c.parts = make([][]int, len(c.g.node))
	}
	c.time++
	c.seen[at], c.low[at] = c.time, c.time
	c.hosts[at] = len(c.g.hosts[at])
	for _, n := range c.g.near[at] {
		switch {
		case n.to == from && len(n.ports) == 1:
		case c.seen[n.to] > 0:
			c.low[at] = min(c.low[at], c.seen[n.to])
		default:
			c.visit(n.to, at)
			c.low[at] = min(c.low[at], c.low[n.to])
			c.hosts[at] += c.hosts[n.to]
			if c.low[n.to] >= c.seen[at] {
				c.parts[at] = append(c.parts[at], c.hosts[n.to])
			}
			if c.low[n.to] > c.seen[at] {
				c.bridges = append(c.bridges, [2]int32{at, n.to})
			}
		}
	}
}
