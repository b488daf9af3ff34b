package llm

import "weft/internal/sim/workload/pipeline"

// coord is a GPU's coordinates in the grid of parallelism.
type coord struct{ tensor, context, data, stage int }

// grid numbers the GPUs of a job in Megatron-LM's default order: tensor first, then context, data,
// pipeline. A grid may stand for a larger grid, whose first GPUs it has in some dimensions.
type grid struct {
	tensor, context, data, stages int
	twice                         bool // opposite stages have the same parameters
	whole                         bool // expert parallelism is over tensor, context and data together
}

func (p *Parallel) grid() grid {
	return grid{p.Tensor, p.Context, p.Data, p.Pipeline, p.Schedule == pipeline.DualPipe, p.WholeExperts}
}

func (g grid) size() int { return g.tensor * g.context * g.data * g.stages }

func (g grid) rank(x coord) int32 {
	return int32(x.tensor + g.tensor*(x.context+g.context*(x.data+g.data*x.stage)))
}

func (g grid) at(rank int) coord {
	x := coord{tensor: rank % g.tensor}
	rank /= g.tensor
	x.context = rank % g.context
	rank /= g.context
	x.data, x.stage = rank%g.data, rank/g.data
	return x
}

// family is a kind of group: the dimension in which its members differ.
type family uint8

const (
	tensorGroups family = iota
	contextGroups
	dataGroups         // parameters of every replica: over data and context
	expertGroups       // GPUs with different experts
	expertDataGroups   // GPUs with the same experts
	gatherGroups       // as dataGroups and expertDataGroups: the communicators of ZeRO 3's gatherings, which
	expertGatherGroups // go on beside the reductions
	numFamilies
)

var familyNames = [numFamilies]string{"tensor", "context", "data", "expert", "expert data", "data", "expert data"}

// first is the member of a GPU's group that is first in all dimensions.
func (g grid) first(f family, x coord, expert int) coord {
	if g.twice && f != tensorGroups && f != contextGroups && f != expertGroups {
		x.stage = min(x.stage, g.stages-1-x.stage)
	}
	switch f {
	case tensorGroups:
		x.tensor = 0
	case contextGroups:
		x.context = 0
	case dataGroups, gatherGroups:
		x.context, x.data = 0, 0
	case expertGroups, expertDataGroups, expertGatherGroups:
		if g.whole {
			return g.firstWhole(f, x, expert)
		}
		if f == expertGroups {
			x.data -= x.data % expert
		} else {
			x.context, x.data = 0, x.data%expert
		}
	}
	return x
}

// firstWhole is first for experts that tensor parallelism does not divide: the GPUs of a stage hold
// them one after the other.
func (g grid) firstWhole(f family, x coord, expert int) coord {
	own := x
	own.stage = 0
	place := int(g.rank(own))
	if f == expertGroups {
		place -= place % expert
	} else {
		place %= expert
	}
	first := g.at(place)
	first.stage = x.stage
	return first
}

// experts is the number of GPUs of a grid over which the experts of the whole grid's are divided.
func (g grid) experts(whole grid, expert int) int {
	if !g.whole {
		return expert
	}
	return max(1, expert*g.tensor*g.context/(whole.tensor*whole.context))
}

// groups are the groups of a family in a grid, each in the order of ranks, and the
// group of each rank.
func (g grid) groups(f family, expert int) (groups [][]int32, of []int32) {
	number := make(map[coord]int32)
	of = make([]int32, g.size())
	for rank := range of {
		first := g.first(f, g.at(rank), expert)
		n, known := number[first]
		if !known {
			n = int32(len(groups))
			number[first] = n
			groups = append(groups, nil)
		}
		groups[n] = append(groups[n], int32(rank))
		of[rank] = n
	}
	return groups, of
}
