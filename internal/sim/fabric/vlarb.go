package fabric

// arbitrate chooses among lanes of an output that have packets; there are at least two. The weights
// are charged when a lane is chosen, with the packet at its head.
func (s *infinibandState) arbitrate(p *Partition, out int32, lanes uint16) uint8 {
	st := &p.net.arbiters[out]
	class, by := st.Choose(&s.spec.VLArb, lanes)
	st.Charge(by, s.headSize(p, out, class))
	return class
}

// headSize is the size of an output's next packet on a lane.
func (s *infinibandState) headSize(p *Partition, out int32, class uint8) int32 {
	n := p.net
	nd := &n.nodes[n.ports[out].node]
	w := s.requestsOf(n, nd, out, class)
	input := nextSet(w, int32(n.turns[int(out)*n.classes+int(class)])+1)
	q := s.voqAt(n, nd, out, input, class)
	return int32(p.pool.hot[q.head].size)
}
