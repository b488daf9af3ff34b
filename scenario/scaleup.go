package scenario

// LinksTo is the number of a GPU's links to a given number of other GPUs of its node. In a mesh
// each link leads to one GPU, at most PairLinks to the same one; the other kinds reach any GPU.
func (s *ScaleUp) LinksTo(others int) int {
	if s.Kind != ScaleUpMesh || s.PairLinks == 0 {
		return s.Links
	}
	return min(s.Links, s.PairLinks*max(0, others))
}

// Part is a node with a part of the GPUs, their share of the NICs and the links between them.
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

// deriveScaleUp spreads the links of a mesh evenly over the other GPUs, unless the number of links
// between two is given.
func (r clusterRules) deriveScaleUp() {
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
