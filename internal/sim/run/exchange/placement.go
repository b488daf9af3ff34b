package exchange

import (
	"slices"

	"weft/scenario"
)

// placement is where the copies of experts are. The first copy of each expert has the expert's
// number; replicas follow.
type placement struct {
	ranks   []int   // by copy
	copies  [][]int // by expert
	perNode int     // ranks
}

// node is the node of an expert's first copy.
func (p *placement) node(expert int) int { return p.ranks[expert] / p.perNode }

// held are the copies of each rank.
func (p *placement) held(ranks int) [][]int {
	held := make([][]int, ranks)
	for c, rank := range p.ranks {
		held[rank] = append(held[rank], c)
	}
	return held
}

// placementOf divides experts and replicas among ranks, the same number to each.
func placementOf(x *scenario.Experts, weights []float64, ranks, perNode int) *placement {
	p := &placement{perNode: perNode}
	load := make([]float64, 0, x.Copies()) // by copy
	for e := range x.Count {
		p.copies = append(p.copies, []int{e})
		load = append(load, weights[e])
	}
	for range x.Replicas {
		e := busiest(p.copies, weights)
		p.copies[e] = append(p.copies[e], len(load))
		load = append(load, 0)
		for _, c := range p.copies[e] {
			load[c] = weights[e] / float64(len(p.copies[e]))
		}
	}
	per := len(load) / ranks
	p.ranks = make([]int, len(load))
	switch x.Placement {
	case scenario.PlacementBalanced:
		p.balance(load, ranks, per)
	case scenario.PlacementStriped:
		for c := range p.ranks {
			p.ranks[c] = c % ranks
		}
	default:
		for c := range p.ranks {
			p.ranks[c] = c / per
		}
	}
	return p
}

// busiest is the expert whose copies have the most load, the first of equals.
func busiest(copies [][]int, weights []float64) (most int) {
	for e := range copies {
		if weights[e]/float64(len(copies[e])) > weights[most]/float64(len(copies[most])) {
			most = e
		}
	}
	return most
}

// balance gives the heaviest copy that is left to the rank with the least load that has room.
func (p *placement) balance(load []float64, ranks, per int) {
	order := make([]int, len(load))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case load[a] > load[b]:
			return -1
		case load[a] < load[b]:
			return 1
		}
		return 0
	})
	sum, held := make([]float64, ranks), make([]int, ranks)
	for _, c := range order {
		least := -1
		for r := range ranks {
			if held[r] < per && (least < 0 || sum[r] < sum[least]) {
				least = r
			}
		}
		p.ranks[c] = least
		sum[least] += load[c]
		held[least]++
	}
}
