package collective

// oneRail is an NVLS tree of nodes with one GPU, which stands for all GPUs of its node: they do the
// same, each with its own slices and on its own rail.
type oneRail struct{ *nvlsTreeAllReduce }

// OneRail is the program of the first GPU of each node, if all GPUs of a node do the same; nil if
// they do not. What a GPU sends to the others, the first one sends to itself.
func OneRail(p Program) Program {
	t, is := p.(*nvlsTreeAllReduce)
	if is && t.heads.n == t.l.PerNode && t.l.Rails() == t.l.PerNode {
		return oneRail{t}
	}
	return nil
}

func (p oneRail) Ranks() int { return p.l.Nodes }

func (p oneRail) Step(rank, lane, k int, s *Step) bool {
	if !p.nvlsTreeAllReduce.Step(rank*p.l.PerNode, lane, k, s) {
		return false
	}
	for i := range s.Sends {
		t := &s.Sends[i]
		if t.Peer >= 0 {
			t.Peer /= int32(p.l.PerNode)
		}
		t.Rail = min(t.Rail, 1)
	}
	return true
}
