package route

import "weft/internal/ib/subnet"

// dor routes along shortest paths, dimension by dimension: of the ports that begin a shortest path,
// only ports to the first port's neighbour are used. It is free of deadlock on meshes and
// hypercubes with ports in the order of dimensions, but not on a torus.
func dor(j *job) error {
	m := j.shortestPaths()
	j.hops = m.columns
	minimal := m.minimal(j.neighbours())
	j.balance(func(from int32, ports []subnet.PortMask) {
		minimal(from, ports)
		for to := range ports {
			ports[to] = oneNeighbour(j.sw[from].ports, ports[to])
		}
	}, true)
	return nil
}

// oneNeighbour keeps the ports to the neighbour of the first port.
func oneNeighbour(links []link, ports subnet.PortMask) subnet.PortMask {
	var list [256]uint8
	var kept subnet.PortMask
	first := int32(-1)
	for _, p := range ports.Ports(list[:0]) {
		if first < 0 {
			first = links[p].sw
		}
		if links[p].sw == first {
			kept.Add(p)
		}
	}
	return kept
}
