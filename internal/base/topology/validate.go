package topology

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"weft/internal/base/wording"
)

// maxProblems bounds the list of problems that Validate reports.
const maxProblems = 20

// Validate checks that a graph is a fabric: every cable is plugged in at both
// ends and nowhere else, every endpoint has one cable (or one to each plane),
// and every pair of endpoints of a plane has a path. All problems come
// together, up to twenty.
func Validate(g *Graph) error {
	v := validator{g: g}
	v.nodes()
	v.cables()
	v.endpoints()
	if len(v.problems) == 0 {
		v.connected()
	}
	return errors.Join(v.problems...)
}

type validator struct {
	g        *Graph
	problems []error
}

func (v *validator) report(format string, args ...any) {
	if len(v.problems) < maxProblems {
		v.problems = append(v.problems, fmt.Errorf(format, args...))
	}
}

func (v *validator) nodes() {
	g := v.g
	if g.Endpoints < 1 || g.Endpoints > len(g.Nodes) || min(g.Services, g.Others) < 0 || g.Compute() < 1 {
		v.report("the graph says that %d of its %d nodes are endpoints and %d of them services: at least one must be a host's", g.Endpoints, len(g.Nodes), g.Services)
	}
	names := make(map[string]int, len(g.Nodes))
	for i := range g.Nodes {
		n := &g.Nodes[i]
		if (n.Kind == Endpoint) != (i < g.Endpoints) {
			v.report("node %d, %s, is in the wrong place: endpoints come first, switches follow", i, n.Name)
		}
		if j, twice := names[n.Name]; twice {
			v.report("nodes %d and %d are both called %s", j, i, n.Name)
		}
		names[n.Name] = i
		for p, c := range n.Cables {
			if c < -1 || int(c) >= len(g.Cables) {
				v.report("port %d of %s has cable %d: the graph has %d cables", p, n.Name, c, len(g.Cables))
			}
		}
	}
}

// cables checks that a cable and the ports at its two ends refer to each other, and no other port
// refers to it.
func (v *validator) cables() {
	g := v.g
	plugged := 0
	for i := range g.Nodes {
		for _, c := range g.Nodes[i].Cables {
			if c >= 0 {
				plugged++
			}
		}
	}
	if plugged != 2*len(g.Cables) {
		v.report("%d ports have a cable, and %d cables have %d ends", plugged, len(g.Cables), 2*len(g.Cables))
	}
	for i, c := range g.Cables {
		for _, e := range [2]End{c.A, c.B} {
			switch {
			case e.Node < 0 || int(e.Node) >= len(g.Nodes):
				v.report("cable %d ends at node %d: the graph has %d nodes", i, e.Node, len(g.Nodes))
			case e.Port < 0 || int(e.Port) >= len(g.Nodes[e.Node].Cables):
				v.report("cable %d ends at port %d of %s, which has %d ports", i, e.Port, g.Nodes[e.Node].Name, len(g.Nodes[e.Node].Cables))
			case g.Nodes[e.Node].Cables[e.Port] != int32(i):
				v.report("cable %d ends at port %d of %s, which has cable %d", i, e.Port, g.Nodes[e.Node].Name, g.Nodes[e.Node].Cables[e.Port])
			}
		}
		if c.A == c.B {
			v.report("both ends of cable %d are the same port", i)
		}
		if c.Length < 0 || c.Rate < 0 {
			v.report("cable %d has length %d mm and rate %d bit/s: neither may be negative", i, c.Length, c.Rate)
		}
	}
}

func (v *validator) endpoints() {
	g := v.g
	for e := range min(g.Endpoints, len(g.Nodes)) {
		n := &g.Nodes[e]
		want, have := 1, 0
		if n.Plane < 0 {
			want = max(1, g.Planes)
		}
		for p := range n.Cables {
			if _, _, ok := g.peerSafe(End{NodeID(e), int32(p)}); ok {
				have++
			}
		}
		if have != want {
			v.report("endpoint %s has %s and should have %d", n.Name, wording.Counted(have, "cable", "cables"), want)
		}
	}
}

// peerSafe is Peer for a graph that may be inconsistent.
func (g *Graph) peerSafe(e End) (End, int32, bool) {
	if c := g.Nodes[e.Node].Cables[e.Port]; int(c) >= len(g.Cables) {
		return End{}, -1, false
	}
	return g.Peer(e)
}

// connected checks with union-find that a plane connects all its endpoints, and all endpoints with
// a port on each plane. Paths do not go through endpoints.
func (v *validator) connected() {
	g := v.g
	parent := make([]int32, len(g.Nodes))
	for i := range parent {
		parent[i] = int32(i)
	}
	find := func(x int32) int32 {
		for parent[x] != x {
			parent[x] = parent[parent[x]]
			x = parent[x]
		}
		return x
	}
	for _, c := range g.Cables {
		if g.KindOf(c) != NodeLeaf {
			parent[find(int32(c.A.Node))] = find(int32(c.B.Node))
		}
	}
	// the parts of each plane: one of the endpoints of each, and their number
	type part struct {
		root     int32
		endpoint int
		size     int
		labels   []string // of the endpoint's host
	}
	parts := map[int32][]part{}
	for e := range g.Endpoints {
		for p := range g.Nodes[e].Cables {
			far, _, ok := g.Peer(End{NodeID(e), int32(p)})
			if !ok {
				continue
			}
			plane := g.Nodes[e].Plane
			if plane < 0 && g.Planes > 1 {
				plane = int32(p)
			}
			root := find(int32(far.Node))
			at := slices.IndexFunc(parts[plane], func(o part) bool { return o.root == root })
			if at < 0 {
				at = len(parts[plane])
				parts[plane] = append(parts[plane], part{root: root, endpoint: e})
			}
			o := &parts[plane][at]
			o.size++
			host, label, _ := strings.Cut(g.Nodes[e].Name, "/")
			if strings.HasPrefix(g.Nodes[o.endpoint].Name, host+"/") && len(o.labels) < 16 {
				o.labels = append(o.labels, label)
			}
		}
	}
	for _, plane := range slices.Sorted(maps.Keys(parts)) {
		for _, o := range parts[plane][1:] {
			first := parts[plane][0]
			v.report("%s has no path to %s: no cable joins their parts of the fabric, of %d and of %d NICs. A job is simulated in one part: if these are rails or planes apart, name the NICs of one, as with cluster.adapters: [%s]",
				g.Nodes[o.endpoint].Name, g.Nodes[first.endpoint].Name, o.size, first.size, strings.Join(first.labels, ", "))
		}
	}
}
