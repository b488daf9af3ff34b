package workload

// Folded is a workload in which many ranks do the same at the same times: one of them stands for
// all.
type Folded struct {
	// Graph has the ranks that are written out. The group of a collective contains only its members
	// that are written out.
	Graph *Graph
	// Phases are the communications, with the rank numbers of the whole cluster. Phases of the same
	// groups share the slices of their members.
	Phases []Phase
	// Stands are the ranks of the cluster that each rank of Graph stands for.
	Stands [][]int32
}

// Ops is the number of operations of all ranks.
func (f *Folded) Ops() (n int) {
	for rank, ops := range f.Graph.Ranks {
		n += len(ops) * len(f.Stands[rank])
	}
	return n
}

// Whole writes out every rank. A folded workload has collectives only.
func (f *Folded) Whole() *Graph {
	ranks := 0
	for _, stands := range f.Stands {
		ranks += len(stands)
	}
	g := &Graph{Ranks: make([][]Op, ranks)}
	numbers := make(map[*int32]int32)        // group numbers, by their members
	groups := make([][]int32, len(f.Phases)) // by phase and rank: the number of its group
	for i := range f.Phases {
		p := &f.Phases[i]
		groups[i] = make([]int32, ranks)
		for _, members := range p.Groups {
			number, known := numbers[&members[0]]
			if !known {
				number = int32(len(g.Groups))
				numbers[&members[0]] = number
				g.Groups = append(g.Groups, Group{Name: p.Purpose.String(), Ranks: members})
			}
			for _, r := range members {
				groups[i][r] = number
			}
		}
	}
	for at, stands := range f.Stands {
		for _, rank := range stands {
			ops := make([]Op, len(f.Graph.Ranks[at]))
			copy(ops, f.Graph.Ranks[at])
			for i := range ops {
				if o := &ops[i]; o.Kind == Collective {
					o.Group = groups[o.Phase][rank]
				}
			}
			g.Ranks[rank] = ops
		}
	}
	return g
}
