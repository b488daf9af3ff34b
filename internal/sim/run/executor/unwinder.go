package executor

import (
	"cmp"
	"slices"

	"weft/internal/base/topology"
	"weft/internal/sim/collective"
	"weft/internal/sim/routing"
	"weft/internal/sim/run/network"
)

// unwinder compares the links of a ring with those of its first ranks.
type unwinder struct {
	plan        *network.Plan
	comm        *Communicator
	program     collective.Circular
	part        int // ranks
	image       map[topology.End]topology.End
	carried     map[carried]bool
	ring, wound traffic
}

// way is a direction of a connection between two ranks of the part.
type way struct {
	from, channel int32
	replies       bool
}

// carried is a way of the part, of which a link of the ring carries a copy.
type carried struct {
	link topology.End
	way  way
}

// traffic is the use of links by connections.
type traffic struct {
	ways  map[topology.End]int     // by link
	turns map[[2]topology.End]bool // from a link to the next
	to    map[choice]bool
}

// choice is a switch that sends packets to a NIC.
type choice struct{ at, to int32 }

func newTraffic() traffic {
	return traffic{map[topology.End]int{}, map[[2]topology.End]bool{}, map[choice]bool{}}
}

// add counts a path to a NIC.
func (t *traffic) add(path []topology.End, to int32) {
	for i, link := range path {
		t.ways[link]++
		if i > 0 {
			t.turns[[2]topology.End{path[i-1], link}] = true
			t.to[choice{int32(link.Node), to}] = true
		}
	}
}

// covers reports whether the ring is the part, several times over.
func (u *unwinder) covers() bool {
	u.image, u.carried = map[topology.End]topology.End{}, map[carried]bool{}
	u.ring, u.wound = newTraffic(), newTraffic()
	var step collective.Step
	for member := range u.program.Ranks() {
		for channel := range u.program.Channels() {
			if !u.program.Step(member, channel, 0, &step) {
				return false
			}
			for i := range step.Sends {
				if t := &step.Sends[i]; !u.leg(&Leg{int32(member), t.Peer, int32(channel), t.Rail, t.Path}) {
					return false
				}
			}
		}
	}
	for link, image := range u.image {
		if u.ring.ways[link] != u.wound.ways[image] {
			return false
		}
	}
	return u.ordered() && u.free(&u.ring) && u.free(&u.wound)
}

// leg compares the connection of a leg with that of its image in the part.
func (u *unwinder) leg(w *Leg) bool {
	l := &u.comm.layout
	if w.Path != collective.PathAuto {
		return false
	}
	if l.Node(int(w.From)) == l.Node(int(w.To)) {
		return true
	}
	own := *w
	own.From, own.To = w.From%int32(u.part), w.To%int32(u.part)
	if l.Node(int(own.From)) == l.Node(int(own.To)) {
		return false
	}
	a, b, relayed := u.comm.Ends(w)
	x, y, too := u.comm.Ends(&own)
	if relayed != too {
		return false
	}
	for _, replies := range []bool{false, true} {
		path, copied := u.path(a, b), u.path(x, y)
		if !u.same(path, copied, way{own.From, own.Channel, replies}) {
			return false
		}
		u.ring.add(path, b)
		if w.From == own.From {
			u.wound.add(copied, y)
		}
		a, b, x, y = b, a, y, x
	}
	return true
}

// path is the static path between two NICs; nil if they have several ports.
func (u *unwinder) path(from, to int32) []topology.End {
	if len(u.plan.Graph.Nodes[from].Cables) != 1 {
		return nil
	}
	path, err := routing.Path(u.plan.Graph, u.plan.Tables, int(from), int(to), nil)
	if err != nil {
		return nil
	}
	return path
}

// same makes the links of a path in the part the images of those of a path in the ring. It returns false if they cannot be.
func (u *unwinder) same(path, own []topology.End, by way) bool {
	if len(path) == 0 || len(path) != len(own) {
		return false
	}
	for i, link := range path {
		image, known := u.image[link]
		if known && image != own[i] || u.carried[carried{link, by}] || !u.alike(link, own[i]) {
			return false
		}
		u.image[link] = own[i]
		u.carried[carried{link, by}] = true
	}
	return true
}

// alike reports whether two links have the same cables, and lead from and to the same kinds of nodes.
func (u *unwinder) alike(a, b topology.End) bool {
	if a == b {
		return true
	}
	g := u.plan.Graph
	farA, x, _ := g.Peer(a)
	farB, y, _ := g.Peer(b)
	return g.Cables[x].Length == g.Cables[y].Length && u.plan.CableRate(&g.Cables[x]) == u.plan.CableRate(&g.Cables[y]) &&
		u.kind(a) == u.kind(b) && u.kind(farA) == u.kind(farB)
}

// nodeKind is on what the times of packets at a node depend but for its links.
type nodeKind struct {
	kind          topology.Kind
	level         int8
	ports, cabled int
}

func (u *unwinder) kind(at topology.End) nodeKind {
	nd := &u.plan.Graph.Nodes[at.Node]
	return nodeKind{nd.Kind, nd.Level, len(nd.Cables), nd.Cabled()}
}

// side is a link at one of its ends.
type side struct {
	link topology.End
	in   bool
}

// ordered reports whether links whose packets meet in a switch, directly or by others, have images in the same order.
func (u *unwinder) ordered() bool {
	group := map[side]side{} // to another side of its group; the last has itself
	find := func(s side) side {
		for {
			next, known := group[s]
			if !known || next == s {
				return s
			}
			s = next
		}
	}
	join := func(a, b side) {
		a, b = find(a), find(b)
		group[a], group[b] = b, b
	}
	for turn := range u.ring.turns {
		join(side{turn[0], true}, side{turn[1], false})
	}
	for link := range u.image { // flow-control packets go over the cables of NICs
		if far, _, _ := u.plan.Graph.Peer(link); int(far.Node) < u.plan.Graph.Endpoints {
			join(side{far, true}, side{link, false})
		}
	}
	type half struct {
		of side
		in bool
	}
	meet := map[half][]topology.End{}
	for s := range group {
		at := half{find(s), s.in}
		meet[at] = append(meet[at], s.link)
	}
	for _, links := range meet {
		slices.SortFunc(links, byNumber)
		for i := 1; i < len(links); i++ {
			if byNumber(u.image[links[i-1]], u.image[links[i]]) >= 0 {
				return false
			}
		}
	}
	return true
}

// byNumber orders links as the simulation numbers them.
func byNumber(a, b topology.End) int {
	return cmp.Or(cmp.Compare(a.Node, b.Node), cmp.Compare(a.Port, b.Port))
}

// free reports whether each switch that chooses among ports has one that no packet takes.
func (u *unwinder) free(t *traffic) bool {
	for c := range t.to {
		ports := choicesOf(u.plan, c)
		if len(ports) > 1 && !slices.ContainsFunc(ports, func(port uint16) bool {
			return t.ways[topology.End{Node: topology.NodeID(c.at), Port: int32(port)}] == 0
		}) {
			return false
		}
	}
	return true
}

// choicesOf are the ports that a switch may take.
func choicesOf(p *network.Plan, c choice) []uint16 {
	return p.Tables.Minimal(int(c.at)-p.Graph.Endpoints, int(c.to))
}
