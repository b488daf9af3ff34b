package routing

import (
	"fmt"
	"slices"

	"weft/internal/base/topology"
)

// NoPort is the port of a destination that a switch cannot reach.
const NoPort = 0xFFFF

// Tables are the forwarding tables of all switches of a graph. They are flat arrays, switch by
// switch, because the simulator reads them at each hop: switch s is node Endpoints+s of the graph,
// and its entry for destination d is at s*Endpoints+d.
type Tables struct {
	Endpoints int
	Switches  int

	// Port is the port of static routing, NoPort if there is no path.
	Port []uint16
	// Group is the number of the set of minimal ports within the switch; set
	// 0 of each switch is empty.
	Group []uint16

	// Set number k of switch s is SetPorts[SetStart[i]:SetStart[i+1]] with
	// i = SetBase[s]+k; ports ascend.
	SetBase  []int32
	SetStart []int32
	SetPorts []uint16

	// Order is v, the number of each destination in the spreading order of static routing.
	Order []int32
}

// Set is the set of minimal ports with number group of a switch.
func (t *Tables) Set(sw int, group uint16) []uint16 {
	i := t.SetBase[sw] + int32(group)
	return t.SetPorts[t.SetStart[i]:t.SetStart[i+1]:t.SetStart[i+1]]
}

// Minimal is the set of minimal ports of a switch for a destination.
func (t *Tables) Minimal(sw, dst int) []uint16 {
	return t.Set(sw, t.Group[sw*t.Endpoints+dst])
}

// Static is the port of static routing of a switch for a destination.
func (t *Tables) Static(sw, dst int) uint16 { return t.Port[sw*t.Endpoints+dst] }

// Sets is the number of sets of a switch, the empty one included.
func (t *Tables) Sets(sw int) int { return int(t.SetBase[sw+1] - t.SetBase[sw]) }

// Build makes the tables of a graph. It refuses a graph whose numbers of ports or sets per switch
// exceed 16 bits.
func Build(g *topology.Graph) (*Tables, error) {
	for i := range g.Nodes[g.Endpoints:] {
		if n := &g.Nodes[g.Endpoints+i]; len(n.Cables) >= NoPort {
			return nil, fmt.Errorf("switch %s has %d ports: a forwarding table holds at most %d", n.Name, len(n.Cables), NoPort-1)
		}
	}
	w := newWires(g)
	b := &tableBuilder{
		wires: w,
		t: Tables{
			Endpoints: g.Endpoints,
			Switches:  w.switches,
			Port:      make([]uint16, w.switches*g.Endpoints),
			Group:     make([]uint16, w.switches*g.Endpoints),
			Order:     w.order,
		},
		sets: newSetStore(w.switches),
		dist: make([]int32, w.switches),
	}
	b.static = staticFor(w)
	for i := range b.t.Port {
		b.t.Port[i] = NoPort
	}
	for i := range w.classes {
		if err := b.route(&w.classes[i]); err != nil {
			return nil, err
		}
	}
	b.t.SetBase, b.t.SetStart, b.t.SetPorts = b.sets.flatten()
	return &b.t, nil
}

// static chooses the port of a switch for each destination of a class.
type static interface {
	// class is called before port, with the distances of all switches.
	class(c *class, dist []int32)
	// port chooses for the k-th destination of the class at switch s. set is its minimal ports, not
	// empty.
	port(s, k int, set []uint16) uint16
}

func staticFor(w *wires) static {
	switch w.g.Family {
	case topology.FamilyTree:
		return newTreeStatic(w)
	case topology.FamilyTorus:
		return newTorusStatic(w)
	}
	return &spreadStatic{w: w}
}

type tableBuilder struct {
	*wires
	t      Tables
	sets   *setStore
	static static
	dist   []int32
	queue  []int32
	set    []uint16
}

// route fills the entries for the destinations of one class in all switches.
func (b *tableBuilder) route(c *class) error {
	b.queue = b.distances(c, b.dist, b.queue)
	b.static.class(c, b.dist)
	for s := range b.switches {
		row := s * b.g.Endpoints
		switch d := b.dist[s]; {
		case d < 0:
			continue
		case d == 0:
			for _, e := range c.dests {
				b.set = b.portsTo(s, e, b.set[:0])
				id, err := b.sets.id(s, b.set)
				if err != nil {
					return b.tooMany(s)
				}
				b.t.Group[row+int(e)] = id
				b.t.Port[row+int(e)] = b.set[int(b.order[e])%len(b.set)]
			}
		default:
			b.set = b.minimal(s, c, b.dist, b.set[:0])
			id, err := b.sets.id(s, b.set)
			if err != nil {
				return b.tooMany(s)
			}
			for k, e := range c.dests {
				b.t.Group[row+int(e)] = id
				b.t.Port[row+int(e)] = b.static.port(s, k, b.set)
			}
		}
	}
	return nil
}

func (b *tableBuilder) tooMany(s int) error {
	return fmt.Errorf("switch %s needs more than %d different sets of ports: the graph is too irregular for these tables",
		b.g.Nodes[b.g.Endpoints+s].Name, NoPort)
}

// WithSets are the tables with other sets of ports. A set may have a port several times, as a network picks by the number
// in the set; ports that are all the same are one. NoPort in a set makes it empty.
func (t *Tables) WithSets(set func(sw, dst int) []uint16) (*Tables, error) {
	own := *t
	own.Group = make([]uint16, len(t.Group))
	sets := newSetStore(t.Switches)
	for sw := range t.Switches {
		for dst := range t.Endpoints {
			ports := set(sw, dst)
			switch {
			case slices.Contains(ports, NoPort):
				ports = nil
			case len(slices.Compact(slices.Clone(ports))) == 1:
				ports = ports[:1]
			}
			id, err := sets.id(sw, ports)
			if err != nil {
				return nil, fmt.Errorf("switch %d: %w", sw, err)
			}
			own.Group[sw*t.Endpoints+dst] = id
		}
	}
	own.SetBase, own.SetStart, own.SetPorts = sets.flatten()
	return &own, nil
}

// setStore numbers the sets of ports of each switch.
type setStore struct {
	ids  []map[string]uint16
	sets [][][]uint16
	key  []byte
}

var errTooManySets = fmt.Errorf("too many sets of ports")

func newSetStore(switches int) *setStore {
	st := &setStore{ids: make([]map[string]uint16, switches), sets: make([][][]uint16, switches)}
	for s := range st.ids {
		st.ids[s] = map[string]uint16{"": 0}
		st.sets[s] = [][]uint16{nil}
	}
	return st
}

func (st *setStore) id(s int, set []uint16) (uint16, error) {
	st.key = st.key[:0]
	for _, p := range set {
		st.key = append(st.key, byte(p), byte(p>>8))
	}
	if id, ok := st.ids[s][string(st.key)]; ok {
		return id, nil
	}
	n := len(st.sets[s])
	if n > 0xFFFF {
		return 0, errTooManySets
	}
	st.ids[s][string(st.key)] = uint16(n)
	st.sets[s] = append(st.sets[s], append([]uint16(nil), set...))
	return uint16(n), nil
}

func (st *setStore) flatten() (base, start []int32, ports []uint16) {
	base, start = make([]int32, 0, len(st.sets)+1), []int32{0}
	for _, sets := range st.sets {
		base = append(base, int32(len(start)-1))
		for _, set := range sets {
			ports = append(ports, set...)
			start = append(start, int32(len(ports)))
		}
	}
	return append(base, int32(len(start)-1)), start, ports
}
