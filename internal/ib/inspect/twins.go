package inspect

import (
	"maps"
	"slices"
)

// twins reports two switches of one pod below the same switches, where every other pod has one, if
// another pod has two below switches that the first pod lacks: their only cables up are crossed. Their
// pairs have the usual number of cables. So this is all that tells.
func (c *pairing) twins(l int) {
	if l == 0 || len(c.blocks) < 2 {
		return
	}
	pod, count := podsOf(c.g, c.level, l)
	members := make([]map[int32][]int32, len(c.blocks)) // by block and pod: lower switches
	pods := map[int32]bool{}
	sizes := make([]int, 0, count)
	for i := range c.blocks {
		members[i] = map[int32][]int32{}
		for _, sw := range c.blocks[i].lower {
			members[i][pod[sw]] = append(members[i][pod[sw]], sw)
			pods[pod[sw]] = true
		}
	}
	for i := range members {
		for p := range pods {
			sizes = append(sizes, len(members[i][p]))
		}
	}
	if each, ok := usual(sizes); !ok || each != 1 {
		return
	}
	for i := range members {
		for j := i + 1; j < len(members); j++ {
			for _, a := range slices.Sorted(maps.Keys(members[i])) {
				if len(members[i][a]) != 2 || len(members[j][a]) > 0 {
					continue
				}
				for _, b := range slices.Sorted(maps.Keys(members[j])) {
					if len(members[j][b]) == 2 && len(members[i][b]) == 0 {
						c.twin(members[i][a], c.blocks[i].upper, members[j][b], c.blocks[j].upper)
					}
				}
			}
		}
	}
}

// twin reports two pairs of twins, below two groups of switches.
func (c *pairing) twin(two, above, others, alsoAbove []int32) {
	c.in.find(Warning, "crossed-cables", nil, "%s are of one pod and below %s, and %s of another pod below %s, where other pods have one: exchange a cable of each pair at one end",
		c.names(two), c.names(above), c.names(others), c.names(alsoAbove))
}

func (c *pairing) names(switches []int32) string {
	var names []string
	for _, sw := range slices.Sorted(slices.Values(switches)) {
		names = append(names, c.g.name(sw))
	}
	return list(names, 4)
}
