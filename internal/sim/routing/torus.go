package routing

import "weft/internal/base/topology"

// torusStatic routes in dimension order.
type torusStatic struct {
	w     *wires
	ports [][]uint16 // by switch, dimension and direction (0 up, 1 down)
	c     *class
}

func newTorusStatic(w *wires) *torusStatic {
	st := &torusStatic{w: w, ports: make([][]uint16, w.switches*len(w.g.Dims)*2)}
	for s := range w.switches {
		for p, y := range w.peers(s) {
			if y < 0 {
				continue
			}
			dim, a, b := differ(w.g, s, int(y))
			size := w.g.Dims[dim]
			if b == a+1 || w.g.Ring && b == (a+1)%size {
				st.add(s, dim, 0, p)
			}
			if b == a-1 || w.g.Ring && a == (b+1)%size {
				st.add(s, dim, 1, p)
			}
		}
	}
	return st
}

func (st *torusStatic) add(s, dim, dir, p int) {
	i := (s*len(st.w.g.Dims)+dim)*2 + dir
	st.ports[i] = append(st.ports[i], uint16(p))
}

// differ is the dimension in which two neighbours differ, and their
// coordinates in it.
func differ(g *topology.Graph, x, y int) (dim, a, b int) {
	for i, n := range g.Dims {
		if x%n != y%n {
			return i, x % n, y % n
		}
		x, y = x/n, y/n
	}
	return 0, 0, 0
}

func (st *torusStatic) class(c *class, _ []int32) { st.c = c }

func (st *torusStatic) port(s, k int, set []uint16) uint16 {
	dim, a, b := differ(st.w.g, s, int(st.c.leaves[0]))
	ports := st.ports[(s*len(st.w.g.Dims)+dim)*2+direction(st.w.g, dim, a, b)]
	if len(ports) == 0 {
		ports = set
	}
	return ports[int(st.w.order[st.c.dests[k]])%len(ports)]
}

// direction is the shorter direction from coordinate a to b: 0 up, 1 down.
func direction(g *topology.Graph, dim, a, b int) int {
	if !g.Ring {
		if b > a {
			return 0
		}
		return 1
	}
	n := g.Dims[dim]
	switch up := (b - a + n) % n; {
	case 2*up < n:
		return 0
	case 2*up > n:
		return 1
	}
	return a % 2
}
