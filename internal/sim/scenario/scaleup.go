package scenario

// LinksTo is how many of a GPU's links lead to so many others of its node. Those of a
// mesh lead to one GPU each, PairLinks at the most to the same one; the others reach
// whom they want.
func (s *ScaleUp) LinksTo(others int) int {
	if s.Kind != ScaleUpMesh || s.PairLinks == 0 {
		return s.Links
	}
	return min(s.Links, s.PairLinks*max(0, others))
}

// Part is what makes a node of a part of its GPUs, with their share of its NICs and
// with the links that they have between them.
func (n *Node) Part(gpus int, origin string) []Override {
	list := []Override{
		Set("cluster.node.gpus", gpus, origin),
		Set("cluster.node.nics", max(1, n.NICs*gpus/n.GPUs), origin),
	}
	if n.ScaleUp.PairLinks > 0 {
		list = append(list, Set("cluster.node.scale-up.pair-links", n.ScaleUp.PairLinks, origin))
	}
	return list
}

// deriveScaleUp spreads the links of a mesh evenly over the other GPUs, if nothing says
// how many two have between them.
func (r *resolver) deriveScaleUp() {
	s, path := &r.Cluster.Node.ScaleUp, "cluster.node.scale-up.pair-links"
	switch {
	case s.Kind == ScaleUpMesh:
		setZero(&s.PairLinks, ceilDiv(s.Links, r.Cluster.Node.GPUs-1))
	case r.written[path] && s.PairLinks > 0:
		r.complain(path, "a scale-up network of kind %s has no links between two GPUs: only a mesh has", s.Kind)
	default:
		s.PairLinks = 0
	}
}
