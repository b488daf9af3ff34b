package routing

import (
	"math/bits"
	"slices"

	"weft/internal/base/cycles"
	"weft/internal/base/topology"
)

// maxSearch bounds the number of edges that the search for the shortest loop follows: seconds. At
// the bound the search returns the shortest loop so far.
const maxSearch = 400 << 20

// CreditLoop looks for a cycle in the channel dependency graph of a graph's tables (Dally and Seitz
// 1987): buffers that can all be full and wait for each other for ever. It returns the ports of the
// shortest cycle, in the order in which packets leave by them, or nil if there is none. Nil proves
// that lossless forwarding cannot deadlock. If there are several strongly connected components, it
// is the shortest cycle of the first ones.
//
// A rule moves packets between virtual lanes; without a rule (nil) they all stay on a single lane.
// Packets use the ports of static routing. With ECMP, spraying or adaptive routing they may use any
// minimal port instead.
//
// Only entries that packets between endpoints can use count: an entry of a switch that no packet
// for the destination passes does not.
func CreditLoop(g *topology.Graph, t *Tables, lanes *Lanes, free bool) []topology.End {
	if lanes == nil {
		lanes = oneLane
	}
	c := newChannels(g, t, lanes)
	switch {
	case free && t.staticIsMinimal():
		// All destinations of a class have the same sets on the way to the last switch, and the
		// last hop depends on nothing.
		for i := range c.w.classes {
			d := int(c.w.classes[i].dests[0])
			c.trace(func(sw int32) []uint16 { return t.Minimal(int(sw), d) })
		}
	default:
		var outs []uint16
		for d := range t.Endpoints {
			c.trace(func(sw int32) []uint16 {
				outs = outs[:0]
				if free {
					outs = append(outs, t.Minimal(int(sw), d)...)
				}
				if port := t.Static(int(sw), d); port != NoPort {
					outs = append(outs, port)
				}
				return outs
			})
		}
	}
	found, _ := cycles.Find(c, 1, maxSearch)
	if len(found) == 0 {
		return nil
	}
	return c.loop(found[0].Vertices)
}

// staticIsMinimal reports whether every port of static routing is minimal.
func (t *Tables) staticIsMinimal() bool {
	for sw := range t.Switches {
		for d := range t.Endpoints {
			if port := t.Static(sw, d); port != NoPort && !slices.Contains(t.Minimal(sw, d), port) {
				return false
			}
		}
	}
	return true
}

// channels is the dependency graph for [cycles.Find]. A channel is an input port of a switch and a
// lane; it depends on the output ports of its packets.
type channels struct {
	g      *topology.Graph
	t      *Tables
	lanes  *Lanes
	w      *wires
	owner  []int32   // by first+port: the switch
	across []uint16  // by first+port: the port at the other side
	waits  []portSet // by channel: the output ports of its packets
	stack  []place
	// Marks of trace, by channel and by switch: the number of the destination
	// that passed last.
	round         int32
	passed, begun []int32
}

func (c *channels) id(sw int32, port uint16, vl uint8) int32 {
	return (c.w.first[sw]+int32(port))*int32(c.lanes.Count) + int32(vl)
}

// hop is the next channel of a packet that leaves sw by out, -1 at an endpoint.
func (c *channels) hop(sw int32, in, out uint16, vl uint8) (next int32, at int32, port uint16, lane uint8) {
	i := c.w.first[sw] + int32(out)
	at = c.w.peer[i]
	if at < 0 {
		return -1, -1, 0, 0
	}
	port, lane = c.across[i], c.lanes.Next(int(sw), in, out, vl, 0)
	return c.id(at, port, lane), at, port, lane
}

func newChannels(g *topology.Graph, t *Tables, lanes *Lanes) *channels {
	c := &channels{g: g, t: t, lanes: lanes, w: newWires(g)}
	c.owner, c.across = make([]int32, len(c.w.peer)), make([]uint16, len(c.w.peer))
	for s := range c.w.switches {
		for p, y := range c.w.peers(s) {
			c.owner[c.w.first[s]+int32(p)] = int32(s)
			if y >= 0 {
				c.across[c.w.first[s]+int32(p)] = c.w.across(int32(s), uint16(p))
			}
		}
	}
	c.waits = make([]portSet, len(c.w.peer)*lanes.Count)
	c.passed, c.begun = make([]int32, len(c.waits)), make([]int32, c.w.switches)
	return c
}

// place is the place of a packet in a switch: its input port and its lane.
type place struct {
	sw int32
	in uint16
	vl uint8
}

// trace follows packets to one destination from all endpoints and records the dependencies.
func (c *channels) trace(outs func(sw int32) []uint16) {
	c.round++
	c.stack = c.stack[:0]
	for e := range int32(c.t.Endpoints) {
		for p := range c.g.Nodes[e].Cables {
			far, _, ok := c.g.Peer(topology.End{Node: topology.NodeID(e), Port: int32(p)})
			sw := int32(far.Node) - int32(c.t.Endpoints)
			if ok && sw >= 0 && c.begun[sw] != c.round {
				c.begun[sw] = c.round // one endpoint represents all endpoints of its switch
				c.stack = append(c.stack, place{sw, uint16(far.Port), 0})
			}
		}
	}
	for len(c.stack) > 0 {
		at := c.stack[len(c.stack)-1]
		c.stack = c.stack[:len(c.stack)-1]
		id := c.id(at.sw, at.in, at.vl)
		for _, out := range outs(at.sw) {
			next, sw, in, vl := c.hop(at.sw, at.in, out, at.vl)
			if next < 0 {
				continue
			}
			if c.waits[id] == nil {
				c.waits[id] = make(portSet, (len(c.w.peers(int(at.sw)))+63)/64)
			}
			c.waits[id].add(out)
			if c.passed[next] != c.round {
				c.passed[next] = c.round
				c.stack = append(c.stack, place{sw, in, vl})
			}
		}
	}
}

// Len is the number of channels.
func (c *channels) Len() int { return len(c.waits) }

// Next is the next channel that packets in channel v wait for. A position is a port.
func (c *channels) Next(v int32, at int) (successor int32, next int) {
	i := v / int32(c.lanes.Count)
	sw := c.owner[i]
	out, ok := c.waits[v].next(at)
	if !ok {
		return -1, at
	}
	successor, _, _, _ = c.hop(sw, uint16(i-c.w.first[sw]), uint16(out), uint8(v%int32(c.lanes.Count)))
	return successor, out + 1
}

// loop is the output ports from each channel of a cycle to the next.
func (c *channels) loop(cycle []int32) []topology.End {
	loop := make([]topology.End, len(cycle))
	for i, v := range cycle {
		to, out := c.Next(v, 0)
		for to != cycle[(i+1)%len(cycle)] {
			to, out = c.Next(v, out)
		}
		sw := c.owner[v/int32(c.lanes.Count)]
		loop[i] = topology.End{Node: topology.NodeID(c.t.Endpoints) + topology.NodeID(sw), Port: int32(out - 1)}
	}
	return loop
}

// portSet is a set of ports of one switch.
type portSet []uint64

func (s portSet) add(p uint16) { s[p/64] |= 1 << (p % 64) }

// next is the lowest member not below p.
func (s portSet) next(p int) (int, bool) {
	for i := p / 64; i < len(s); i++ {
		word := s[i]
		if i == p/64 {
			word &^= 1<<(p%64) - 1
		}
		if word != 0 {
			return i*64 + bits.TrailingZeros64(word), true
		}
	}
	return 0, false
}
