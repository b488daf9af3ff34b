package topology

import (
	"fmt"
	"strconv"

	"weft/units"
)

// Spec describes one shape of fabric. A Spec is a plain value: Count and Build read it and do not
// change it. Both check it first; their error is a sentence. Build can build every Spec that Count
// accepts.
type Spec interface {
	// Count counts the parts of the fabric without building it: a million endpoints cost as little
	// as ten.
	Count() (Count, error)
	// Build makes the graph.
	Build() (*Graph, error)
}

// CableKind is the kind of a cable, by the nodes at its ends.
type CableKind uint8

// The kinds of cable.
const (
	NodeLeaf  CableKind = iota // an endpoint and its switch
	LeafSpine                  // level 1 and level 2
	SpineCore                  // level 2 and level 3
	Local                      // two switches of one dragonfly group, or neighbours in a torus
	Global                     // two dragonfly groups
	cableKinds
)

var cableKindNames = [cableKinds]string{"node-leaf", "leaf-spine", "spine-core", "local", "global"}

// String is the name of the kind in a bill of materials.
func (k CableKind) String() string {
	if k < cableKinds {
		return cableKindNames[k]
	}
	return "cable kind " + strconv.Itoa(int(k))
}

// Count is the parts of a fabric.
type Count struct {
	Nodes     int             // hosts
	Endpoints int             // network ports of hosts; in a graph of planes one endpoint may have several cables
	Services  int             // ports of the fabric's management, on top of Endpoints
	Others    int             // ports of other hosts than the cluster's, on top of them
	Switches  [3]int          // by level: leaves, spines, cores
	Cables    [cableKinds]int // by CableKind
	PortsUsed int             // ports of switches with a cable
	PortsFree int             // ports of switches without
}

// TotalSwitches is the number of switches of all levels.
func (c Count) TotalSwitches() int { return c.Switches[0] + c.Switches[1] + c.Switches[2] }

// TotalCables is the number of cables of all kinds.
func (c Count) TotalCables() int {
	n := 0
	for _, k := range c.Cables {
		n += k
	}
	return n
}

// KindOf is the kind of a cable of the graph.
func (g *Graph) KindOf(c Cable) CableKind {
	a, b := &g.Nodes[c.A.Node], &g.Nodes[c.B.Node]
	lo, hi := min(a.Level, b.Level), max(a.Level, b.Level)
	switch {
	case lo == 0:
		return NodeLeaf
	case lo == 1 && hi == 2:
		return LeafSpine
	case lo == 2 && hi == 3:
		return SpineCore
	case a.Group == b.Group:
		return Local
	}
	return Global
}

// Tally counts the parts of a built graph. It equals the Count of the graph's Spec.
func Tally(g *Graph) Count {
	c := Count{Endpoints: g.Compute(), Services: g.Services, Others: g.Others}
	if g.NodeNICs > 0 {
		c.Nodes = ceilDiv(c.Endpoints, g.NodeNICs)
	}
	for _, k := range g.Cables {
		c.Cables[g.KindOf(k)]++
	}
	for i := range g.Nodes[g.Endpoints:] {
		n := &g.Nodes[g.Endpoints+i]
		if n.Level >= 1 && n.Level <= 3 {
			c.Switches[n.Level-1]++
		}
		for _, p := range n.Cables {
			if p < 0 {
				c.PortsFree++
			} else {
				c.PortsUsed++
			}
		}
	}
	return c
}

// Ratio is an oversubscription, Down ports for every Up ports: {3, 1} is 3:1.
// The zero Ratio is 1:1.
type Ratio struct{ Down, Up int }

// String is the ratio as 3:1.
func (r Ratio) String() string {
	r = r.orEven()
	return fmt.Sprintf("%d:%d", r.Down, r.Up)
}

func (r Ratio) orEven() Ratio {
	if r == (Ratio{}) {
		return Ratio{1, 1}
	}
	return r
}

func (r Ratio) check(what string) error {
	if r.Down < 0 || r.Up < 0 || (r.Down == 0) != (r.Up == 0) {
		return fmt.Errorf("the %s oversubscription %d:%d is not a ratio of positive numbers: write for example 3:1", what, r.Down, r.Up)
	}
	return nil
}

// split divides a switch's ports by the ratio: the most ports down that leave the ratio's share up.
func (r Ratio) split(radix int) (down int) {
	r = r.orEven()
	return radix * r.Down / (r.Down + r.Up)
}

// up is the number of uplinks that down ports need.
func (r Ratio) up(down int) int {
	r = r.orEven()
	return ceilDiv(down*r.Up, r.Down)
}

// Lengths are the lengths of cables by kind. A zero takes the default:
// 5 m from node to leaf (the rack and its neighbours), 30 m from leaf to spine
// and 50 m from spine to core (across a hall); 10 m inside a dragonfly group or
// between neighbours of a torus, 50 m between groups.
type Lengths struct {
	NodeLeaf, LeafSpine, SpineCore, Local, Global units.Length
}

// defaultLengths are the lengths that stand for zeros in Lengths.
var defaultLengths = Lengths{
	NodeLeaf:  5 * units.Metre,
	LeafSpine: 30 * units.Metre,
	SpineCore: 50 * units.Metre,
	Local:     10 * units.Metre,
	Global:    50 * units.Metre,
}

func (l Lengths) kinds() [cableKinds]units.Length {
	return [cableKinds]units.Length{l.NodeLeaf, l.LeafSpine, l.SpineCore, l.Local, l.Global}
}

// byKind is the lengths with the defaults filled in.
func (l Lengths) byKind() [cableKinds]units.Length {
	ks, ds := l.kinds(), defaultLengths.kinds()
	for i := range ks {
		if ks[i] == 0 {
			ks[i] = ds[i]
		}
	}
	return ks
}

func (l Lengths) check() error {
	for k, v := range l.kinds() {
		if v < 0 {
			return fmt.Errorf("the length of %s cables is %d mm: a length is positive, or 0 for the default of %d m",
				CableKind(k), v, defaultLengths.kinds()[k]/units.Metre)
		}
	}
	return nil
}

// size is a number of a Spec with its bounds, for checking all of them alike.
type size struct {
	name     string
	value    int
	min, max int
}

// Bounds on a Spec, so that a typing error causes an error and does not exhaust the memory: ids are
// 32 bits wide and a port number is 16.
const (
	maxEndpoints = 1 << 24
	maxRadix     = 1 << 14
)

func checkSizes(ss ...size) error {
	for _, s := range ss {
		if s.value < s.min || s.value > s.max {
			return fmt.Errorf("%s is %d: it must be from %d to %d", s.name, s.value, s.min, s.max)
		}
	}
	return nil
}

// firstError is the first error that is not nil.
func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

func ceilDiv(a, b int) int { return (a + b - 1) / b }
