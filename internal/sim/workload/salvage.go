package workload

// Salvage is what can be carried out of a graph that was read in part: messages with
// one end, and collectives that not every member enters or that members do not agree
// on, are left out. What waited for them waits for what they waited for. left is how
// many operations that are. The result may still wait in a circle: Check it.
// Operations must name groups and operations that exist.
func (g *Graph) Salvage() (out *Graph, left int) {
	gone := make([][]bool, len(g.Ranks))
	for rank, ops := range g.Ranks {
		gone[rank] = make([]bool, len(ops))
		for i := range ops {
			gone[rank][i] = ops[i].Kind == Send || ops[i].Kind == Recv // until it is met
		}
	}
	g.eachMessage(func(send, recv place) {
		if g.at(send).Bytes == g.at(recv).Bytes && send.rank != recv.rank {
			gone[send.rank][send.op], gone[recv.rank][recv.op] = false, false
		}
	})
	g.eachUnentered(func(p place) { gone[p.rank][p.op] = true })
	out = &Graph{Ranks: make([][]Op, len(g.Ranks)), Groups: g.Groups, Sender: g.Sender}
	for rank, ops := range g.Ranks {
		out.Ranks[rank] = without(ops, gone[rank])
		left += len(ops) - len(out.Ranks[rank])
	}
	return out, left
}

// eachUnentered calls f with the collectives that some member never enters, or enters
// as another operation.
func (g *Graph) eachUnentered(f func(place)) {
	lists := make([]map[int32][]place, len(g.Groups)) // by group and rank
	for i := range lists {
		lists[i] = make(map[int32][]place)
	}
	for rank, ops := range g.Ranks {
		for i := range ops {
			if o := &ops[i]; o.Kind == Collective {
				lists[o.Group][int32(rank)] = append(lists[o.Group][int32(rank)], place{int32(rank), int32(i)})
			}
		}
	}
	for i, members := range lists {
		whole := g.agreed(g.Groups[i].Ranks, members)
		for _, list := range members {
			for _, p := range list[min(whole, len(list)):] {
				f(p)
			}
		}
	}
}

// agreed is how many collectives all members of a group enter alike.
func (g *Graph) agreed(ranks []int32, lists map[int32][]place) int {
	first := lists[ranks[0]]
	n := len(first)
	for _, r := range ranks {
		list := lists[r]
		n = min(n, len(list))
		for k := range n {
			a, b := g.at(first[k]), g.at(list[k])
			if a.Do != b.Do || a.Bytes != b.Bytes || a.Root != b.Root {
				n = k
				break
			}
		}
	}
	return n
}

// without are the operations that are not gone.
func without(ops []Op, gone []bool) []Op {
	to := make([]int32, len(ops)) // the new place of what stays
	kept := int32(0)
	for i := range ops {
		to[i] = kept
		if !gone[i] {
			kept++
		}
	}
	out := make([]Op, 0, kept)
	for i := range ops {
		if gone[i] {
			continue
		}
		o := ops[i]
		o.After = nil
		seen := make(map[int32]bool)
		todo := append([]int32(nil), ops[i].After...)
		for len(todo) > 0 {
			a := todo[len(todo)-1]
			todo = todo[:len(todo)-1]
			switch {
			case seen[a]:
			case gone[a]:
				todo = append(todo, ops[a].After...)
			default:
				o.After = append(o.After, to[a])
			}
			seen[a] = true
		}
		out = append(out, o)
	}
	return out
}
