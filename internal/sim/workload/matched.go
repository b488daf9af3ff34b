package workload

// Matched is the part of an incompletely read graph that can be executed. It leaves out messages
// with one end, and collectives that some member never enters or on which members disagree. An
// operation that waited for a removed operation waits for that operation's dependencies instead.
// left is the number of removed operations. The result may still wait in a circle: Check it.
// Operations must refer to existing groups and operations.
func (g *Graph) Matched() (out *Graph, left int) {
	gone := make([][]bool, len(g.Ranks))
	for rank, ops := range g.Ranks {
		gone[rank] = make([]bool, len(ops))
		for i := range ops {
			gone[rank][i] = ops[i].Kind == Send || ops[i].Kind == Recv // until it is matched
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

// eachUnentered calls f with the collectives that some member never enters, or enters as another
// operation.
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

// agreed is the number of collectives that all members of a group enter alike.
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

// without is the list without the removed operations.
func without(ops []Op, gone []bool) []Op {
	to := make([]int32, len(ops)) // new indices of the remaining operations
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
