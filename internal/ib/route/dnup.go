package route

import (
	"cmp"
	"fmt"
)

// dnup routes as updn does, with other ranks: the distance of a switch from the nearest
// switch with hosts. So it needs no roots, and hosts may be on switches of any level.
// Cables between switches of equal rank count as up and down, and a path may turn there: dnup is
// free of deadlock only without such cables.
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
		j.notes = append(j.notes, fmt.Sprintf("%d cables connect switches at equal distance from hosts; dnup lets paths turn there, which can deadlock: see weft sm check", level/2))
	}
	return nil
}
