package route

import (
	"cmp"
	"fmt"
)

// dnup routes as updn does, with ranks of its own: how far a switch is from the
// nearest one with hosts. So it needs no roots, and hosts may hang on switches of
// any level. Cables between switches of one rank go either way, and a route may turn
// there: so it is free of deadlock only where there are none.
func dnup(j *job) error {
	var leaves []int32
	for _, i := range j.order {
		if j.sw[i].hosts > 0 {
			leaves = append(leaves, i)
		}
	}
	if len(leaves) == 0 {
		return &Refusal{Engine: "dnup", Reason: "no switch has a host, and ranks are distances from hosts", Remedy: "Use updn with roots"}
	}
	rank := j.ranks(leaves)
	level := 0
	j.directed(func(from, to int32) direction {
		switch cmp.Compare(rank[to], rank[from]) {
		case 1:
			return dirUp
		case 0:
			level++
			return dirLevel
		}
		return dirDown
	})
	if level > 0 {
		j.notes = append(j.notes, fmt.Sprintf("%d cables join switches that are equally far from hosts: dnup lets routes turn there, which can deadlock (weft sm check tells)", level/2))
	}
	return nil
}
