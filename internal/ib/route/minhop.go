package route

import "weft/internal/ib/subnet"

// minhop routes along shortest paths and shares destinations evenly among the ports of a switch
// that begin a shortest path.
func minhop(j *job) error {
	m := j.shortestPaths()
	j.hops = m.columns
	j.balance(m.minimal(j.neighbours()), false)
	return nil
}

// minimal is, for a switch, the ports that begin a shortest path, by
// destination.
func (m *shortest) minimal(around [][]neighbour) portChoice {
	return func(from int32, ports []subnet.PortMask) {
		own := m.hops[from]
		clear(ports)
		for _, v := range around[from] {
			for to, hops := range m.hops[v.sw] {
				if hops < own[to] {
					ports[to].Join(v.ports)
				}
			}
		}
	}
}
