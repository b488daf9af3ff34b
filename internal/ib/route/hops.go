package route

import (
	"weft/internal/base/cores"
	"weft/internal/ib/subnet"
)

// noPath is the number of hops without a path.
const noPath = 255

// hopColumns computes the columns of a LID matrix. It returns a function for one goroutine, which
// fills in the hops from every switch through every port to one switch: at base[switch]+port, and
// the least of all ports at port 0.
type hopColumns func() func(to int32, column []uint8)

// Hops is the LID matrix. Its size is the square of the number of switches times their ports, so
// only callers that need it make it.
func (r *Result) Hops() *subnet.Hops {
	j := r.job
	if j.hops == nil {
		j.hops = j.shortestPaths().columns
	}
	n := len(j.sw)
	h := &subnet.Hops{At: make([][][]uint8, n)}
	for from := range h.At {
		ports := len(j.sw[from].ports)
		flat := make([]uint8, n*ports)
		h.At[from] = make([][]uint8, n)
		for to := range n {
			h.At[from][to] = flat[to*ports : (to+1)*ports : (to+1)*ports]
		}
	}
	cores.EachOwning(n, j.cores, func() func(int) {
		fill := j.hops()
		column := make([]uint8, j.base[n])
		return func(to int) {
			fill(int32(to), column)
			for from := range h.At {
				copy(h.At[from][to], column[j.base[from]:j.base[from+1]])
			}
		}
	})
	if j.toEnds {
		h.Other = j.hopsToEnds()
	}
	return h
}

// shortest has the hops of shortest paths between all switches.
type shortest struct {
	f    *fabric
	hops [][]uint8 // by pair of switches; symmetric, because cables have both directions
}

// columns is the matrix: a path through a port has one hop more than the neighbour's shortest path,
// even if it leads back. A cable from a switch to itself is no path.
func (m *shortest) columns() func(to int32, column []uint8) {
	return func(to int32, column []uint8) {
		row := m.hops[to]
		for i := range m.f.sw {
			at := m.f.base[i]
			for p, l := range m.f.sw[i].ports {
				switch {
				case p == 0:
					column[at] = row[i]
				case l.sw < 0 || l.sw == int32(i) || row[l.sw] >= noPath-1:
					column[at+p] = noPath
				default:
					column[at+p] = row[l.sw] + 1
				}
			}
		}
	}
}

// shortestPaths counts hops between all switches, with an independent breadth-first search from
// each.
func (j *job) shortestPaths() *shortest {
	if j.shortest != nil {
		return j.shortest
	}
	n := len(j.sw)
	m := &shortest{j.fabric, make([][]uint8, n)}
	j.shortest = m
	next := make([][]int32, n)
	for i, around := range j.neighbours() {
		for k := range around {
			next[i] = append(next[i], around[k].sw)
		}
	}
	cores.EachOwning(n, j.cores, func() func(int) {
		queue := make([]int32, n)
		return func(to int) {
			m.hops[to] = flood(next, int32(to), queue)
		}
	})
	return m
}

// flood counts hops to a switch from all others. A path with too many hops for a count is no path.
// next is each switch's neighbours, queue is scratch space for all switches.
func flood(next [][]int32, to int32, queue []int32) []uint8 {
	hops := make([]uint8, len(next))
	for i := range hops {
		hops[i] = noPath
	}
	hops[to], queue[0] = 0, to
	for head, tail := 0, 1; head < tail && hops[queue[head]] < noPath-1; head++ {
		u := queue[head]
		for _, v := range next[u] {
			if hops[v] == noPath {
				hops[v] = hops[u] + 1
				queue[tail] = v
				tail++
			}
		}
	}
	return hops
}

// neighbour is a switch next to another switch, and the ports of the other that lead there.
type neighbour struct {
	sw    int32
	ports subnet.PortMask
}

// neighbours lists the switches next to each switch, each once, in the order
// of the first port that leads there.
func (f *fabric) neighbours() [][]neighbour {
	around := make([][]neighbour, len(f.sw))
	at := make([]int, len(f.sw)) // index in the list, plus one
	for i := range f.sw {
		for p, l := range f.sw[i].ports {
			if l.sw < 0 {
				continue
			}
			if at[l.sw] == 0 {
				around[i] = append(around[i], neighbour{sw: l.sw})
				at[l.sw] = len(around[i])
			}
			around[i][at[l.sw]-1].ports.Add(uint8(p))
		}
		for _, v := range around[i] {
			at[v.sw] = 0
		}
	}
	return around
}
