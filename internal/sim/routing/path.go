package routing

import (
	"fmt"

	"weft/internal/base/topology"
)

// Choose picks one of the minimal output ports of a packet at node. At an endpoint with ports on
// several planes it picks the plane.
type Choose func(node topology.NodeID, ports []uint16) uint16

// maxHops bounds a path: a longer path has a loop.
const maxHops = 1 << 16

// Path is the output ports of a packet from endpoint src to endpoint dst, the NIC's first: one End
// for each cable, none if src is dst. A nil choose follows static routing. At a NIC on several
// planes it uses the port with the source's number in the order of spreading, so that the NICs of a
// leaf divide between the planes.
func Path(g *topology.Graph, t *Tables, src, dst int, choose Choose) ([]topology.End, error) {
	return appendPath(nil, g, t, src, dst, choose)
}

func appendPath(path []topology.End, g *topology.Graph, t *Tables, src, dst int, choose Choose) ([]topology.End, error) {
	if src < 0 || src >= t.Endpoints || dst < 0 || dst >= t.Endpoints {
		return nil, fmt.Errorf("no path from endpoint %d to %d: endpoints are 0 to %d", src, dst, t.Endpoints-1)
	}
	if src == dst {
		return path, nil
	}
	ports := firstPorts(g, t, src, dst, nil)
	if len(ports) == 0 {
		return nil, fmt.Errorf("%s has no path to %s", g.Nodes[src].Name, g.Nodes[dst].Name)
	}
	out := ports[int(t.Order[src])%len(ports)]
	if choose != nil {
		out = choose(topology.NodeID(src), ports)
	}
	at := topology.End{Node: topology.NodeID(src), Port: int32(out)}
	for hops := 0; ; hops++ {
		path = append(path, at)
		far, _, ok := g.Peer(at)
		switch {
		case !ok:
			return nil, fmt.Errorf("from %s to %s, %s sends to its port %d, which has no cable",
				g.Nodes[src].Name, g.Nodes[dst].Name, g.Nodes[at.Node].Name, at.Port)
		case int(far.Node) == dst:
			return path, nil
		case int(far.Node) < t.Endpoints:
			return nil, fmt.Errorf("from %s to %s, the path ends at %s", g.Nodes[src].Name, g.Nodes[dst].Name, g.Nodes[far.Node].Name)
		case hops > t.Switches || hops > maxHops:
			return nil, fmt.Errorf("from %s to %s, the path goes round in circles: it passes %s after %d hops",
				g.Nodes[src].Name, g.Nodes[dst].Name, g.Nodes[far.Node].Name, hops)
		}
		sw := int(far.Node) - t.Endpoints
		out := t.Static(sw, dst)
		if choose != nil {
			if set := t.Minimal(sw, dst); len(set) > 0 {
				out = choose(far.Node, set)
			} else {
				out = NoPort
			}
		}
		if out == NoPort {
			return nil, fmt.Errorf("%s has no path to %s: %s knows no port for it", g.Nodes[src].Name, g.Nodes[dst].Name, g.Nodes[far.Node].Name)
		}
		at = topology.End{Node: far.Node, Port: int32(out)}
	}
}

// firstPorts is the ports of a NIC whose switch has a route to a destination: one, or one per
// plane.
func firstPorts(g *topology.Graph, t *Tables, src, dst int, buf []uint16) []uint16 {
	for p := range g.Nodes[src].Cables {
		far, _, ok := g.Peer(topology.End{Node: topology.NodeID(src), Port: int32(p)})
		if sw := int(far.Node) - t.Endpoints; ok && sw >= 0 && t.Static(sw, dst) != NoPort {
			buf = append(buf, uint16(p))
		}
	}
	return buf
}

// Hops is the number of switches on the static path, -1 if there is no path and 0 from an endpoint
// to itself.
func Hops(g *topology.Graph, t *Tables, src, dst int) int {
	var buf [16]topology.End
	path, err := appendPath(buf[:0], g, t, src, dst, nil)
	if err != nil {
		return -1
	}
	return max(0, len(path)-1)
}

// CheckReachable proves that static and minimal routing deliver. From every switch with endpoints,
// static ports lead to every known destination without passing a switch twice. Every minimal port
// leads closer to the destination, and the static port is minimal. All endpoints of a plane know
// each other.
func CheckReachable(g *topology.Graph, t *Tables) error {
	left := make([]int32, t.Switches)
	sites := sitesOf(g, t)
	for d := range t.Endpoints {
		for s := range left {
			left[s] = -1
		}
		for s := range left {
			if err := settle(g, t, s, d, left); err != nil {
				return err
			}
		}
		for s := range left {
			if err := checkSet(g, t, s, d, left); err != nil {
				return err
			}
		}
		for i := range sites {
			if e := sites[i].without(t, d); e >= 0 {
				return fmt.Errorf("%s has no path to %s", g.Nodes[e].Name, g.Nodes[d].Name)
			}
		}
	}
	return nil
}

// site is the endpoints with cables to the same switches: they know the same destinations.
type site struct {
	switches []int  // rows of the tables
	first    [2]int // the two endpoints with the lowest numbers; -1 for none
}

// sitesOf groups the endpoints into sites, in the order of their first endpoints.
func sitesOf(g *topology.Graph, t *Tables) (sites []site) {
	known := make(map[string]int)
	for e := range t.Endpoints {
		own := site{first: [2]int{e, -1}}
		for p := range g.Nodes[e].Cables {
			if far, _, ok := g.Peer(topology.End{Node: topology.NodeID(e), Port: int32(p)}); ok && int(far.Node) >= t.Endpoints {
				own.switches = append(own.switches, int(far.Node)-t.Endpoints)
			}
		}
		key := fmt.Sprint(own.switches)
		i, seen := known[key]
		switch {
		case !seen:
			known[key] = len(sites)
			sites = append(sites, own)
		case sites[i].first[1] < 0:
			sites[i].first[1] = e
		}
	}
	return sites
}

// without is an endpoint of the site, other than the destination itself, without the path to a
// destination that it should have; -1 if there is no such endpoint.
func (s *site) without(t *Tables, d int) int {
	for _, sw := range s.switches {
		if t.Static(sw, d) != NoPort {
			return -1
		}
	}
	if s.first[0] == d {
		return s.first[1]
	}
	return s.first[0]
}

// settle fills left with the hops from s to the destination and from all
// switches on the way; it reports a loop and a dead end.
func settle(g *topology.Graph, t *Tables, s, d int, left []int32) error {
	var trail []int
	hops := int32(0)
	for at := s; left[at] < 0; {
		port := t.Static(at, d)
		if port == NoPort {
			if len(trail) == 0 {
				return nil
			}
			return fmt.Errorf("%s is sent to %s, which has no route", g.Nodes[d].Name, g.Nodes[t.Endpoints+at].Name)
		}
		trail = append(trail, at)
		if len(trail) > t.Switches {
			return fmt.Errorf("packets to %s go round in circles through %s", g.Nodes[d].Name, g.Nodes[t.Endpoints+at].Name)
		}
		far, _, ok := g.Peer(topology.End{Node: topology.NodeID(t.Endpoints + at), Port: int32(port)})
		if !ok {
			return fmt.Errorf("%s sends to %s through its port %d, which has no cable", g.Nodes[t.Endpoints+at].Name, g.Nodes[d].Name, port)
		}
		if int(far.Node) == d {
			break
		}
		if int(far.Node) < t.Endpoints {
			return fmt.Errorf("%s sends packets for %s to %s", g.Nodes[t.Endpoints+at].Name, g.Nodes[d].Name, g.Nodes[far.Node].Name)
		}
		at = int(far.Node) - t.Endpoints
		hops = max(left[at], 0)
	}
	for i := len(trail) - 1; i >= 0; i-- {
		hops++
		left[trail[i]] = hops
	}
	return nil
}

// checkSet checks that every minimal port is one hop closer.
func checkSet(g *topology.Graph, t *Tables, s, d int, left []int32) error {
	port, found := t.Static(s, d), false
	for _, p := range t.Minimal(s, d) {
		found = found || p == port
		far, _, ok := g.Peer(topology.End{Node: topology.NodeID(t.Endpoints + s), Port: int32(p)})
		if !ok {
			return fmt.Errorf("the minimal ports of %s for %s have port %d, which has no cable", g.Nodes[t.Endpoints+s].Name, g.Nodes[d].Name, p)
		}
		after := int32(0)
		if int(far.Node) != d {
			if int(far.Node) < t.Endpoints {
				return fmt.Errorf("the minimal ports of %s for %s lead to %s", g.Nodes[t.Endpoints+s].Name, g.Nodes[d].Name, g.Nodes[far.Node].Name)
			}
			after = left[int(far.Node)-t.Endpoints]
		}
		if after != left[s]-1 {
			return fmt.Errorf("%s is %d hops from %s and port %d of its minimal ports leads to %s, %d hops away",
				g.Nodes[t.Endpoints+s].Name, left[s], g.Nodes[d].Name, p, g.Nodes[far.Node].Name, after)
		}
	}
	if !found && port != NoPort {
		return fmt.Errorf("%s sends to %s through port %d, which is not a minimal one", g.Nodes[t.Endpoints+s].Name, g.Nodes[d].Name, port)
	}
	return nil
}
