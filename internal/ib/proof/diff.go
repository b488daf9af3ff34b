package proof

import (
	"weft/internal/base/sorting"
	"weft/internal/ib/subnet"
	"weft/units"
)

// Change is an entry that differs between two sets of tables.
type Change struct {
	Switch int32     `json:"-"` // node
	LID    units.LID `json:"lid"`
	Old    uint8     `json:"before"` // port; subnet.NoPort is none
	New    uint8     `json:"after"`  // port; subnet.NoPort is none
}

// SwitchChanges is the number of differing entries of a switch.
type SwitchChanges struct {
	Switch  int32 `json:"-"` // node
	Entries int   `json:"entries"`
}

// LoadChange is a directed cable with the number of its paths before and after.
type LoadChange struct {
	Port subnet.End `json:"-"`
	Old  int64      `json:"before"`
	New  int64      `json:"after"`
}

// Difference is the change from one set of tables to another.
type Difference struct {
	Entries  int             // differing entries, including LIDs without an owner
	Switches []SwitchChanges // by falling number of entries, then by node
	First    []Change        // by LID, then by node; at most maxExamples

	PathChanges

	Loads []LoadChange // cables with the largest change of load, at most maxWorst
}

// PathChanges counts paths: pairs of an end and the LID of an end.
type PathChanges struct {
	Pairs   int64 `json:"paths"`                  // paths that arrive with both
	Moved   int64 `json:"paths_moved"`            // of Pairs: over other cables
	Longer  int64 `json:"paths_longer"`           // of Pairs: with more hops
	Shorter int64 `json:"paths_shorter"`          // of Pairs: with fewer hops
	Gained  int64 `json:"paths_gained"`           // paths that arrive only with the new tables
	Lost    int64 `json:"paths_lost"`             // paths that arrive only with the old tables
	Levels  int64 `json:"service_levels_changed"` // of Pairs: with another service level; 0 if a set has no levels
}

// Diff compares two sets of tables for one subnet. It fails for tables of another subnet.
func Diff(s *subnet.Subnet, before, after *subnet.Tables) (*Difference, error) {
	for _, t := range []*subnet.Tables{before, after} {
		if err := checkTables(s, t); err != nil {
			return nil, err
		}
	}
	n := newNetwork(s)
	d := &differ{
		n: n, out: &Difference{}, bySwitch: make([]int, len(n.sw)), same: make([]bool, len(n.sw)),
		old: newSide(n, before), now: newSide(n, after),
	}
	last := max(len(n.owner)-1, int(before.Top), int(after.Top))
	for first := 0; first <= last; first += block {
		d.old.cols.read(n, before, first)
		d.now.cols.read(n, after, first)
		for l := range block {
			d.lid(first+l, l)
		}
	}
	d.finish()
	return d.out, nil
}

// side is one of the two sets of tables.
type side struct {
	t       *subnet.Tables
	cols    *columns
	tree    *tree
	loads   []int64
	sources []int64
}

func newSide(n *network, t *subnet.Tables) *side {
	return &side{t, newColumns(n), newTree(n), make([]int64, len(n.to)), make([]int64, len(n.sw))}
}

type differ struct {
	n        *network
	old, now *side
	out      *Difference
	bySwitch []int
	same     []bool // by switch: packets take the same cables with both
}

// lid compares the entries of all switches for one LID, the l-th of a block.
func (d *differ) lid(lid, l int) {
	a, b := d.old.cols.of(l), d.now.cols.of(l)
	for u := range a {
		if a[u] == b[u] {
			continue
		}
		d.out.Entries++
		d.bySwitch[u]++
		if len(d.out.First) < maxExamples {
			d.out.First = append(d.out.First, Change{d.n.sw[u], units.LID(lid), a[u], b[u]})
		}
	}
	root, port := d.n.root(lid)
	if root < 0 || d.n.dense[d.n.owner[lid].Node] >= 0 {
		return
	}
	d.old.grow(d.n, a, root, port)
	d.now.grow(d.n, b, root, port)
	d.paths(lid, root)
}

// grow walks the tree of one LID and adds its paths to the loads.
func (x *side) grow(n *network, column []uint8, root int32, port uint8) {
	x.tree.grow(n, column, root, port)
	clear(x.sources)
	for i := len(x.tree.order) - 1; i > 0; i-- {
		u := x.tree.order[i]
		x.sources[u] += int64(len(n.at[u]))
		x.sources[x.tree.next[u]] += x.sources[u]
		x.loads[int(u)*n.stride+int(column[u])] += x.sources[u]
	}
}

// paths compares the paths of all ends to one LID.
func (d *differ) paths(lid int, root int32) {
	a, b, out := d.old.tree, d.now.tree, d.out
	for _, u := range a.order {
		d.same[u] = u == root || b.reaches(u) && a.port[u] == b.port[u] && d.same[a.next[u]]
	}
	for u := range d.same {
		ends := int64(len(d.n.at[u]))
		if int32(u) == root {
			ends-- // the destination itself
		}
		switch oldOK, newOK := a.reaches(int32(u)), b.reaches(int32(u)); {
		case oldOK && newOK:
			out.Pairs += ends
			if !d.same[u] {
				out.Moved += ends
			}
			if b.hops[u] > a.hops[u] {
				out.Longer += ends
			} else if b.hops[u] < a.hops[u] {
				out.Shorter += ends
			}
		case oldOK:
			out.Lost += ends
		case newOK:
			out.Gained += ends
		}
	}
	if d.old.t.SL == nil || d.now.t.SL == nil {
		return
	}
	for i := range d.n.ends {
		src := d.n.ends[i].lid
		if d.n.ends[i].port != d.n.owner[lid] && d.old.t.SL(src, units.LID(lid)) != d.now.t.SL(src, units.LID(lid)) {
			out.Levels++
		}
	}
}

// finish lists the switches and the cables that change most.
func (d *differ) finish() {
	for u, entries := range d.bySwitch {
		if entries > 0 {
			d.out.Switches = append(d.out.Switches, SwitchChanges{d.n.sw[u], entries})
		}
	}
	sorting.StableFunc(d.out.Switches, func(x, y SwitchChanges) int { return y.Entries - x.Entries })
	for c, v := range d.n.to {
		if v >= 0 && d.old.loads[c] != d.now.loads[c] {
			d.out.Loads = append(d.out.Loads, LoadChange{d.n.channelAt(int32(c)), d.old.loads[c], d.now.loads[c]})
		}
	}
	size := func(x LoadChange) int64 { return max(x.New-x.Old, x.Old-x.New) }
	sorting.StableFunc(d.out.Loads, func(x, y LoadChange) int {
		switch {
		case size(x) > size(y):
			return -1
		case size(x) < size(y):
			return 1
		}
		return 0
	})
	d.out.Loads = d.out.Loads[:min(len(d.out.Loads), maxWorst)]
}
