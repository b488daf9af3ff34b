package draw

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"weft/internal/base/sorting"
	"weft/internal/base/topology"
	"weft/internal/ib/inspect"
	"weft/internal/ib/subnet"
)

// Subnet draws a subnet: trees level by level, tori as a grid, dragonflies as
// a circle of groups.
func Subnet(to io.Writer, s *subnet.Subnet) error {
	l := inspect.Lay(s)
	if len(l.Report.Islands) == 0 {
		return fmt.Errorf("there is nothing to draw: the subnet has no switch")
	}
	title := l.Report.Islands[0].What
	if n := len(l.Report.Islands); n > 1 {
		title = fmt.Sprintf("%d parts, the largest of them %s", n, title)
	}
	title = strings.ToUpper(title[:1]) + fmt.Sprintf("%s, %d hosts", title[1:], l.Report.Hosts)
	_, err := to.Write(Graph(graphOf(s, l), title))
	return err
}

// graphOf is the subnet as a graph that can be drawn.
func graphOf(s *subnet.Subnet, l *inspect.Layout) *topology.Graph {
	b := &graphBuilder{s: s, l: l, g: &topology.Graph{Planes: 1}, at: map[subnet.End]topology.NodeID{}, node: map[int32]topology.NodeID{}}
	b.endpoints()
	b.family()
	b.switches()
	b.cables()
	return b.g
}

type graphBuilder struct {
	s    *subnet.Subnet
	l    *inspect.Layout
	g    *topology.Graph
	at   map[subnet.End]topology.NodeID // by port of a host
	node map[int32]topology.NodeID      // by switch
}

// endpoints puts the ports of hosts first, host by host.
func (b *graphBuilder) endpoints() {
	alike := 0
	for i, h := range b.l.Hosts {
		if i == 0 {
			alike = len(h.Ports)
		}
		if len(h.Ports) != alike {
			alike = 0
			break
		}
	}
	b.g.NodeNICs = alike
	hosts := slices.Clone(b.l.Hosts) // in the order of their leaves, so that their cables do not cross
	sorting.StableFunc(hosts, func(x, y inspect.Host) int {
		return cmp.Compare(b.s.Peer(x.Ports[0]).Node, b.s.Peer(y.Ports[0]).Node)
	})
	for _, h := range hosts {
		for p, e := range h.Ports {
			if b.s.Nodes[b.s.Peer(e).Node].Kind != subnet.Switch {
				continue
			}
			name := printable(h.Name)
			if len(h.Ports) > 1 {
				name = fmt.Sprintf("%s/%d", name, p)
			}
			b.at[e] = topology.NodeID(len(b.g.Nodes))
			b.g.Nodes = append(b.g.Nodes, topology.Node{Kind: topology.Endpoint, Name: name, Group: -1, Rail: -1, Plane: -1, Cables: []int32{-1}})
		}
	}
	b.g.Endpoints = len(b.g.Nodes)
}

// family is the kind of drawing for the graph.
func (b *graphBuilder) family() {
	if len(b.l.Report.Islands) > 1 {
		return
	}
	switch b.l.Report.Islands[0].Family {
	case inspect.Dragonfly:
		b.g.Family = topology.FamilyDragonfly
	case inspect.DragonflyUp:
		b.g.Family = topology.FamilyDragonflyPlus
	case inspect.Torus, inspect.Mesh:
		b.g.Family, b.g.Dims = topology.FamilyTorus, b.l.Size
		b.g.Ring = !slices.Contains(b.l.Ring, false)
	}
}

// label is the distinguishing part of a switch's description, in the place where makers put it:
// MF0;leaf01:MQM9700/U1, Voltaire 4036 # 4036-8C9E, or the first word of a text that is too long
// for a box.
func label(name string) string {
	name = printable(name)
	if _, after, ok := strings.Cut(name, ";"); ok {
		if host, _, ok := strings.Cut(after, ":"); ok && host != "" {
			return host
		}
	}
	if _, after, ok := strings.Cut(name, " # "); ok && after != "" {
		return after
	}
	if first, _, ok := strings.Cut(name, " "); ok && len(name) > 16 && first != "" {
		return first
	}
	return name
}

// printable is a name without characters that XML cannot hold: a NodeDescription is any bytes.
func printable(name string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0xfffe || r == 0xffff {
			return '\uFFFD'
		}
		return r
	}, strings.ToValidUTF8(name, "\uFFFD"))
}

func (b *graphBuilder) switches() {
	var order []int32
	for i := range b.s.Nodes {
		if b.s.Nodes[i].Kind == subnet.Switch {
			order = append(order, int32(i))
		}
	}
	if b.g.Family == topology.FamilyTorus {
		sorting.Func(order, func(x, y int32) int {
			for dim := len(b.l.At) - 1; dim >= 0; dim-- {
				if c := cmp.Compare(b.l.At[dim][x], b.l.At[dim][y]); c != 0 {
					return c
				}
			}
			return 0
		})
	}
	for _, i := range order {
		n := &b.s.Nodes[i]
		b.node[i] = topology.NodeID(len(b.g.Nodes))
		cables := make([]int32, n.NumPorts())
		for p := range cables {
			cables[p] = -1
		}
		b.g.Nodes = append(b.g.Nodes, topology.Node{
			Kind: topology.Switch, Name: label(n.Name), Level: int8(min(max(b.l.Level[i], 0)+1, 100)),
			Group: b.l.Group[i], Rail: -1, Plane: -1, Cables: cables,
		})
	}
}

func (b *graphBuilder) cables() {
	for i := range b.s.Nodes {
		for p := range b.s.Nodes[i].Ports {
			e := subnet.End{Node: int32(i), Port: uint16(p)}
			far := b.s.Peer(e)
			if !far.Exists() || far.Node < e.Node || far.Node == e.Node && far.Port <= e.Port {
				continue
			}
			x, okX := b.end(e)
			y, okY := b.end(far)
			if !okX || !okY {
				continue // of a router or an aggregation node, which are not drawn
			}
			c := int32(len(b.g.Cables))
			b.g.Nodes[x.Node].Cables[x.Port], b.g.Nodes[y.Node].Cables[y.Port] = c, c
			b.g.Cables = append(b.g.Cables, topology.Cable{A: x, B: y, Rate: b.s.Port(e).Link.Rate()})
		}
	}
}

func (b *graphBuilder) end(e subnet.End) (topology.End, bool) {
	if id, ok := b.node[e.Node]; ok {
		return topology.End{Node: id, Port: int32(e.Port) - 1}, true
	}
	id, ok := b.at[e]
	return topology.End{Node: id}, ok
}
