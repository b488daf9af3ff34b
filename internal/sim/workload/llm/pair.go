package llm

import (
	"slices"

	"weft/internal/sim/workload"
)

// zip puts the operations of the two pieces of work of a pair into one order: those from a on are of
// the first, those from b on of the second. They take turns, so that one computes while the tokens of
// the other are on their way to experts or back, in the order of DeepSeek-V3's figure 4: the
// feed-forward part of one beside the attention of the other.
func (r *rankBuilder) zip(a, b int) {
	first, second := r.turns(a, b), r.turns(b, len(r.ops))
	place := make([]int32, len(r.ops)-a) // by old index: the new one
	next := int32(a)
	for i := range max(len(first), len(second)) {
		for _, turns := range [][][2]int{second, first} {
			if i < len(turns) {
				for at := turns[i][0]; at < turns[i][1]; at++ {
					place[at-a] = next
					next++
				}
			}
		}
	}
	moved := func(list []int32) []int32 {
		list = slices.Clone(list)
		for i, op := range list {
			if int(op) >= a {
				list[i] = place[int(op)-a]
			}
		}
		return list
	}
	old := slices.Clone(r.ops[a:])
	for i := range old {
		old[i].After = moved(old[i].After)
		r.ops[place[i]] = old[i]
	}
	r.reduced = moved(r.reduced)
	for p, ends := range r.turned {
		r.turned[p] = moved(ends)
	}
}

// turns are the parts [from, to) of a piece of work: a part begins with a computation that waits for
// tokens.
func (r *rankBuilder) turns(from, to int) (parts [][2]int) {
	for at := from; at < to; at++ {
		waits := r.ops[at].Kind == workload.Compute && slices.ContainsFunc(r.ops[at].After, func(before int32) bool {
			return int(before) >= from && r.ops[before].Purpose == workload.Expert
		})
		if waits && at > from {
			parts = append(parts, [2]int{from, at})
			from = at
		}
	}
	return append(parts, [2]int{from, to})
}
