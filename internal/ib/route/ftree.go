package route

import (
	"cmp"
	"fmt"
	"slices"

	"weft/units"
)

// ftree routes fat trees so that the flows of a shift of all hosts do not share links: the hosts of
// a leaf get different paths up, in turn, and each path up has its own paths down. Hosts are routed
// one by one, in the order of the tree's index; each takes the least loaded links so far.
func ftree(j *job) error {
	t, err := newTree(j)
	if err != nil {
		return err
	}
	m := j.shortestPaths()
	r := newTreeRouter(t, m)
	j.hops = r.columns
	r.toComputeNodes()
	r.toOthers()
	r.toSwitches()
	r.out.flush()
	r.noteUnknownOrders()
	return nil
}

// The number of switch levels that OpenSM's ftree accepts.
const (
	minTreeLevels = 2
	maxTreeLevels = 8
)

// refuse is the refusal of a fabric that is no fat tree.
func refuse(reason string, args ...any) error {
	return &Refusal{
		Engine: "ftree", Reason: fmt.Sprintf(reason, args...),
		Remedy: "Name the switches at the top (--roots) to route a tree that is not whole, mend it, or use updn",
	}
}

// tree is a subnet as a fat tree: levels, and the order of switches in them.
type tree struct {
	*job
	byNode    []int32 // ends by NodeGUID read backwards, then by port; routers are no part of the tree
	level     []uint8 // 0 at the top, by switch
	leafLevel uint8
	compute   []bool  // by end: whether it is a compute node
	leaf      []bool  // by switch: whether it has compute nodes
	leaves    []int32 // the switches of the leaves' level from the first leaf to the last, by index

	// Groups of cables by switch: up to neighbours, down to neighbours and hosts, and sideways to
	// neighbours of the same level.
	up, down, side [][]group
	cables         []cable // of all groups
}

// group is the cables from a switch to one neighbour.
type group struct {
	sw    int32 // the far switch, -1: a host
	end   int32 // the far host, -1: a switch
	load  int32 // paths to targets on it so far
	place int32 // place of the far switch in the order of indices; hosts come first
	first int32 // index into tree.cables
	n     uint8 // number of cables
	far   uint8 // far port of the first cable
}

// cable is a cable of a group.
type cable struct {
	port, far uint8 // its near and far port
	load      int32 // paths to targets on it so far; not counted for a single cable
}

// newTree recognises a fat tree, or says why there is none.
func newTree(j *job) (*tree, error) {
	t := &tree{job: j}
	adapters := map[int32]bool{}
	for i := range t.ends {
		if !t.ends[i].router {
			adapters[t.ends[i].at.Node] = true
		}
	}
	switch {
	case t.lmc > 0:
		return nil, &Refusal{Engine: "ftree", Reason: fmt.Sprintf("the LMC is %d, and ftree gives each port one LID", t.lmc), Remedy: "Use LMC 0, or updn"}
	case len(t.sw) < 2:
		return nil, refuse("%d switch is no tree", len(t.sw))
	case len(adapters) < 2:
		return nil, refuse("it has fewer than two hosts")
	}
	if err := t.rank(); err != nil {
		return nil, err
	}
	t.makeGroups()
	if err := t.markLeaves(); err != nil {
		return nil, err
	}
	t.index()
	if len(t.opt.Roots) == 0 {
		if err := t.validate(); err != nil {
			return nil, err
		}
	}
	return t, nil
}

// rank counts levels from the roots. Without named roots, the roots are the switches
// farthest from hosts.
func (t *tree) rank() error {
	var roots []int32
	if len(t.opt.Roots) > 0 {
		if roots = t.namedRoots(); len(roots) == 0 {
			return refuse("none of the %d named roots is a switch of this subnet", len(t.opt.Roots))
		}
	} else {
		var leaves []int32
		for _, i := range t.order {
			if t.sw[i].adapters > 0 {
				leaves = append(leaves, i)
			}
		}
		above := t.ranks(leaves)
		top := slices.Max(above)
		for _, i := range t.order {
			if above[i] == top {
				roots = append(roots, i)
			}
		}
	}
	t.level = t.ranks(roots)
	switch slices.Max(t.level) {
	case 0:
		return refuse("every one of its %d switches has hosts, so none is above another", len(t.sw))
	case noPath:
		return refuse("not all switches can be reached from the roots")
	}
	return nil
}

// markLeaves finds the level of the leaves: with named roots the level of the first compute
// node, otherwise the lowest level. All compute nodes must be on it.
func (t *tree) markLeaves() error {
	t.compute = make([]bool, len(t.ends))
	named := make(map[units.GUID]bool, len(t.opt.ComputeNodes))
	for _, guid := range t.opt.ComputeNodes {
		named[guid] = true
	}
	t.leafLevel = noPath
	t.byNode = t.endsByNode()
	for _, i := range t.byNode {
		t.compute[i] = t.ends[i].sw >= 0 && !t.ends[i].router && (len(named) == 0 || named[t.ends[i].guid])
		if t.compute[i] && t.leafLevel == noPath {
			t.leafLevel = t.level[t.ends[i].sw]
		}
	}
	if t.leafLevel == noPath {
		return refuse("it has no compute node")
	}
	if len(t.opt.Roots) == 0 {
		t.leafLevel = slices.Max(t.level)
	}
	if levels := int(t.leafLevel) + 1; levels < minTreeLevels || levels > maxTreeLevels {
		return refuse("it has %d levels of switches, and ftree takes %d to %d", levels, minTreeLevels, maxTreeLevels)
	}
	t.leaf = make([]bool, len(t.sw))
	for i := range t.ends {
		e := &t.ends[i]
		if !t.compute[i] {
			continue
		}
		if t.level[e.sw] != t.leafLevel {
			return refuse("host %v hangs on switch %v, %d levels below the top, and leaves are %d below",
				e.guid, t.sw[e.sw].guid, t.level[e.sw], t.leafLevel)
		}
		t.leaf[e.sw] = true
	}
	return t.severalLeaves()
}

// severalLeaves refuses a tree with all compute nodes on one switch, as OpenSM does: it finds no
// leaves then.
func (t *tree) severalLeaves() error {
	leaves := 0
	for _, is := range t.leaf {
		if is {
			leaves++
		}
	}
	if leaves < 2 {
		return refuse("all its compute nodes are on one switch, and a tree has at least two leaves")
	}
	return nil
}

// endsByNode is the ends in the order of their hosts, then of their ports.
func (t *tree) endsByNode() []int32 {
	order := make([]int32, len(t.ends))
	for i := range order {
		order[i] = int32(i)
	}
	node := func(i int32) uint64 { return backwards(t.sub.Nodes[t.ends[i].at.Node].GUID) }
	slices.SortStableFunc(order, func(a, b int32) int {
		return cmp.Or(cmp.Compare(node(a), node(b)), cmp.Compare(t.ends[a].at.Port, t.ends[b].at.Port))
	})
	return order
}

// validate refuses an irregular tree: without named roots, all switches of a level must have
// the same number of neighbours above and below, and the same number of cables to each.
func (t *tree) validate() error {
	var first [maxTreeLevels + 1]int32
	for i := range first {
		first[i] = -1
	}
	for _, i := range t.order {
		level := t.level[i]
		if first[level] < 0 {
			first[level] = i
			continue
		}
		if err := t.alike(first[level], i, t.up, "above"); err != nil {
			return err
		}
		if level == t.leafLevel {
			continue
		}
		if err := t.alike(first[level], i, t.down, "below"); err != nil {
			return err
		}
	}
	return nil
}

// alike refuses two switches of a level whose groups differ.
func (t *tree) alike(a, b int32, groups [][]group, where string) error {
	if len(groups[a]) != len(groups[b]) {
		return refuse("switches %v and %v are on one level and have %d and %d neighbours %s",
			t.sw[a].guid, t.sw[b].guid, len(groups[a]), len(groups[b]), where)
	}
	for i := range groups[b] {
		if want := groups[a][0].n; groups[b][i].n != want {
			return refuse("switches %v and %v are on one level and have %d and %d cables to a neighbour %s",
				t.sw[a].guid, t.sw[b].guid, want, groups[b][i].n, where)
		}
	}
	return nil
}
