package topology

import (
	"cmp"
	"fmt"
	"strings"
)

// Torus is a torus or a mesh of any number of dimensions: a switch at each point of a grid,
// connected to its neighbours. A dimension of two switches has one bundle between them, not two.
//
// Ports of a switch: endpoints, then for each dimension the bundle up and the bundle down.
type Torus struct {
	Dims            []int // switches along each dimension, the fastest first
	SwitchEndpoints int   // endpoints of a switch
	Bundle          int   // cables between neighbours; 0 is 1
	// Mesh omits the cables between the ends of each dimension.
	Mesh     bool
	NodeNICs int // endpoints of a host; 0 is 1
	Lengths  Lengths
}

func (s Torus) sizes() (Torus, int, error) {
	s.Bundle, s.NodeNICs = cmp.Or(s.Bundle, 1), cmp.Or(s.NodeNICs, 1)
	err := firstError(
		checkSizes(size{"the number of dimensions", len(s.Dims), 1, 8},
			size{"the number of endpoints of a switch", s.SwitchEndpoints, 1, maxRadix},
			size{"the number of cables between neighbours", s.Bundle, 1, 1024},
			size{"the number of NICs of a node", s.NodeNICs, 1, maxEndpoints}),
		s.Lengths.check())
	if err != nil {
		return s, 0, err
	}
	n := 1
	for i, d := range s.Dims {
		if d < 2 {
			return s, 0, fmt.Errorf("dimension %d of the torus has %d switches: it must have at least 2; leave out a dimension of 1", i, d)
		}
		if n *= d; n*s.SwitchEndpoints > maxEndpoints {
			return s, 0, fmt.Errorf("a torus of %s switches with %d endpoints each has more than %d endpoints: take a smaller one", s.shape(), s.SwitchEndpoints, maxEndpoints)
		}
	}
	return s, n, nil
}

func (s Torus) shape() string {
	return strings.Trim(strings.ReplaceAll(fmt.Sprint(s.Dims), " ", "×"), "[]")
}

// bundles is the number of bundles along a dimension through one line of
// switches.
func (s Torus) bundles(d int) int {
	if s.Mesh || d == 2 {
		return d - 1
	}
	return d
}

func (s Torus) radix() int { return s.SwitchEndpoints + 2*len(s.Dims)*s.Bundle }

// Count implements Spec.
func (s Torus) Count() (Count, error) {
	s, n, err := s.sizes()
	if err != nil {
		return Count{}, err
	}
	c := Count{Endpoints: n * s.SwitchEndpoints, Switches: [3]int{n}}
	c.Nodes = ceilDiv(c.Endpoints, s.NodeNICs)
	c.Cables[NodeLeaf] = c.Endpoints
	for _, d := range s.Dims {
		c.Cables[Local] += n / d * s.bundles(d) * s.Bundle
	}
	c.PortsUsed = c.Endpoints + 2*c.Cables[Local]
	c.PortsFree = n*s.radix() - c.PortsUsed
	return c, nil
}

// Build implements Spec.
func (s Torus) Build() (*Graph, error) {
	s, n, err := s.sizes()
	if err != nil {
		return nil, err
	}
	c, _ := s.Count()
	b := newBuilder(s.Lengths)
	b.grow(c)
	b.add(Endpoint, 0, 1, c.Endpoints, func(e int, n *Node) { n.Name = nicName(e, s.NodeNICs) })
	first := b.add(Switch, 1, s.radix(), n, func(i int, n *Node) { n.Name = "switch" + s.coordinates(i) })
	for e := range c.Endpoints {
		b.join(NodeLeaf, End{NodeID(e), 0}, End{first + NodeID(e/s.SwitchEndpoints), int32(e % s.SwitchEndpoints)})
	}
	stride := 1
	for dim, d := range s.Dims {
		up := int32(s.SwitchEndpoints + 2*dim*s.Bundle)
		for i := range n {
			far := i + stride
			if x := i / stride % d; x == d-1 {
				if s.Mesh || d == 2 {
					continue
				}
				far = i - x*stride
			}
			for k := range int32(s.Bundle) {
				b.join(Local, End{first + NodeID(i), up + k}, End{first + NodeID(far), up + int32(s.Bundle) + k})
			}
		}
		stride *= d
	}
	b.g.Family, b.g.NodeNICs = FamilyTorus, s.NodeNICs
	b.g.Dims, b.g.Ring = append([]int(nil), s.Dims...), !s.Mesh
	return &b.g, nil
}

// coordinates is the position of a switch, as (2,0,1).
func (s Torus) coordinates(i int) string {
	var xs []string
	for _, d := range s.Dims {
		xs = append(xs, fmt.Sprint(i%d))
		i /= d
	}
	return "(" + strings.Join(xs, ",") + ")"
}
