package collective

// oneRail is a program of nodes with one GPU, which stands for all GPUs of its node: they do the same,
// each on its own rail.
type oneRail struct {
	looped
	l Layout
}

// OneRail is the program of the first GPU of each node, if all GPUs of a node do the same; nil if
// they do not. What a GPU sends to the others, the first one sends to itself. Rails are counted from
// the own one.
func OneRail(p Program) Program {
	switch t := p.(type) {
	case *nvlsTreeAllReduce:
		if t.heads.n == t.l.PerNode && t.l.Rails() == t.l.PerNode { // each with its own slices
			return &oneRail{t, t.l}
		}
	case *allToAll:
		if t.l.Rails() == t.l.PerNode {
			return &oneRail{t.even(), t.l}
		}
	}
	return nil
}

func (p *oneRail) Ranks() int { return p.l.Nodes }

func (p *oneRail) Step(rank, lane, k int, s *Step) bool {
	if !p.looped.Step(rank*p.l.PerNode, lane, k, s) {
		return false
	}
	for i := range s.Sends {
		if t := &s.Sends[i]; t.Peer >= 0 {
			t.Peer /= int32(p.l.PerNode)
		}
	}
	return true
}
