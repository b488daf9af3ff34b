package inspect

import (
	"cmp"
	"maps"
	"slices"
)

// strangeLinks are the pairs of a lower and an upper switch where the upper switch has at least two
// other lower switches, and most of them share at most half of the first one's cables up. A switch
// whose links are all strange is settled where it fits best: its other cables are crossed.
func strangeLinks(g *graph, level []int, l int) map[[2]int32]bool {
	strange := map[[2]int32]bool{}
	var lost []int32 // lower switches all of whose links are strange
	for a := range g.near {
		if level[a] != l {
			continue
		}
		uppers := g.above(level, int32(a))
		if len(uppers) < 2 {
			continue
		}
		cables, shared := 0, g.shared(uppers)
		for _, up := range uppers {
			cables += len(up.ports)
		}
		for _, up := range uppers {
			alike, others := 0, 0
			for _, low := range g.near[up.to] {
				if low.to == int32(a) || level[low.to] != l {
					continue
				}
				others++
				if 2*shared[low.to] > cables {
					alike++
				}
			}
			if others >= 2 && 2*alike < others {
				strange[pairOf(int32(a), up.to)] = true
			}
		}
		if !slices.ContainsFunc(uppers, func(up neighbour) bool { return !strange[pairOf(int32(a), up.to)] }) {
			lost = append(lost, int32(a))
		}
	}
	settle(g, level, l, strange, lost)
	return strange
}

// settle chooses the block of each lost switch: the one to which it has the most cables. Of several
// it is one without a switch of the same pod, then the one with the fewest lower switches.
func settle(g *graph, level []int, l int, strange map[[2]int32]bool, lost []int32) {
	if len(lost) == 0 {
		return
	}
	pod, _ := podsOf(g, level, l)
	block, _ := g.components(func(a, b int32) bool {
		return min(level[a], level[b]) == l && max(level[a], level[b]) == l+1 && !strange[pairOf(a, b)]
	})
	size, ofPod := map[int32]int{}, map[[2]int32]int{} // lower switches by block; by block and pod
	join := func(sw, block int32) {
		size[block]++
		ofPod[[2]int32{block, pod[sw]}]++
	}
	for sw := range g.near {
		if level[sw] == l {
			join(int32(sw), block[sw])
		}
	}
	for _, a := range lost {
		var homes []int32
		cables := map[int32]int{}
		for _, up := range g.above(level, a) {
			if home := block[up.to]; size[home] > 0 {
				homes = append(homes, home)
				cables[home] += len(up.ports)
			}
		}
		if len(homes) == 0 {
			continue
		}
		home := slices.MinFunc(homes, func(x, y int32) int {
			return cmp.Or(cables[y]-cables[x], ofPod[[2]int32{x, pod[a]}]-ofPod[[2]int32{y, pod[a]}], size[x]-size[y])
		})
		for _, up := range g.above(level, a) {
			if block[up.to] == home {
				delete(strange, pairOf(a, up.to))
			}
		}
		join(a, home)
	}
}

// podsOf numbers the connected parts of the levels up to l, without crossed cables and cables within a
// level.
func podsOf(g *graph, level []int, l int) (of []int32, count int) {
	strange := map[[2]int32]bool{}
	for below := range l {
		maps.Copy(strange, strangeLinks(g, level, below))
	}
	return g.components(func(a, b int32) bool {
		return level[a] <= l && level[b] <= l && level[a] != level[b] && !strange[pairOf(a, b)]
	})
}

// above are the neighbours of a switch one level up.
func (g *graph) above(level []int, sw int32) (up []neighbour) {
	for _, n := range g.near[sw] {
		if level[n.to] == level[sw]+1 {
			up = append(up, n)
		}
	}
	return up
}

// shared is, by switch, how many of the cables to some neighbours another switch has as well.
func (g *graph) shared(near []neighbour) map[int32]int {
	shared := map[int32]int{}
	for _, n := range near {
		for _, m := range g.near[n.to] {
			shared[m.to] += min(len(n.ports), len(m.ports))
		}
	}
	return shared
}
