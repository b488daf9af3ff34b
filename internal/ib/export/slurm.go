package export

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"weft/internal/base/sorting"
	"weft/internal/ib/inspect"
	"weft/internal/ib/subnet"
	"weft/units"
)

// WriteSlurm writes a topology.conf for Slurm's topology/tree.
//
// Slurm has trees with each node on one switch and each switch under one other. So leaves that
// share hosts, as leaves of rails do, become one switch of the file. All spines of a pod become
// one, and all cores too. A comment lists the switches behind a name. If the fabric is no tree, all
// switches are under one root.
func WriteSlurm(to io.Writer, s *subnet.Subnet) error {
	l := inspect.Lay(s)
	w := bufio.NewWriter(to)
	t := newSlurmTree(s, l)
	fmt.Fprintf(w, "# topology.conf for topology/tree, made by weft from the cables\n")
	for _, leaf := range t.leaves {
		t.write(w, leaf, "Nodes", hostlist(t.hosts[leaf]))
	}
	for _, upper := range t.uppers {
		var below []string
		for _, b := range t.below[upper] {
			below = append(below, t.name[b])
		}
		t.write(w, upper, "Switches", hostlist(below))
	}
	return w.Flush()
}

// slurmTree is the switches of the file. Each stands for one or more switches of the fabric, and
// has the least of their node numbers. Roots that stand for no switch have numbers below 0.
type slurmTree struct {
	name   map[int32]string
	stands map[int32][]string
	leaves []int32
	uppers []int32
	hosts  map[int32][]string
	below  map[int32][]int32
}

func newSlurmTree(s *subnet.Subnet, l *inspect.Layout) *slurmTree {
	t := &slurmTree{name: map[int32]string{}, stands: map[int32][]string{}, hosts: map[int32][]string{}, below: map[int32][]int32{}}
	unit := t.units(s, l)
	group := func(node int32) int32 { return unit[node] }
	taken := map[string]int{}
	for i := range s.Nodes {
		node := int32(i)
		if s.Nodes[i].Kind != subnet.Switch {
			continue
		}
		g := group(node)
		if g == node {
			t.name[node] = unique(taken, slurmName(s.Nodes[i].Name, s.Nodes[i].GUID))
		}
		t.stands[g] = append(t.stands[g], s.Nodes[i].Name)
	}
	named := map[string]int{}
	for _, h := range l.Hosts {
		far := s.Peer(h.Ports[0])
		if s.Nodes[far.Node].Kind != subnet.Switch {
			continue
		}
		at := group(far.Node)
		if len(t.hosts[at]) == 0 {
			t.leaves = append(t.leaves, at)
		}
		t.hosts[at] = append(t.hosts[at], unique(named, slurmName(h.Name, s.Port(h.Ports[0]).GUID)))
	}
	t.link(s, l, unit)
	return t
}

// units returns, by switch, the file's switch that it belongs to. Leaves that share a host are one;
// so are higher switches that share a switch below.
func (t *slurmTree) units(s *subnet.Subnet, l *inspect.Layout) []int32 {
	unit := make([]int32, len(s.Nodes))
	for i := range unit {
		unit[i] = int32(i)
	}
	root := func(x int32) int32 {
		for unit[x] != x {
			unit[x] = unit[unit[x]]
			x = unit[x]
		}
		return x
	}
	join := func(a, b int32) {
		a, b = root(a), root(b)
		unit[max(a, b)] = min(a, b)
	}
	for _, h := range l.Hosts {
		first := s.Peer(h.Ports[0]).Node
		for _, p := range h.Ports[1:] {
			if far := s.Peer(p).Node; s.Nodes[far].Kind == subnet.Switch && s.Nodes[first].Kind == subnet.Switch {
				join(first, far)
			}
		}
	}
	top := slices.Max(append([]int{0}, l.Level...))
	for level := 1; level <= top; level++ {
		above := map[int32]int32{} // by unit: a switch above it
		for i := range s.Nodes {
			if l.Level[i] != level {
				continue
			}
			for p := range s.Nodes[i].Ports {
				far := s.Nodes[i].Ports[p].Peer
				if !far.Exists() || s.Nodes[far.Node].Kind != subnet.Switch || l.Level[far.Node] != level-1 {
					continue
				}
				b := root(far.Node)
				if before, ok := above[b]; ok {
					join(before, int32(i))
				}
				above[b] = int32(i)
			}
		}
	}
	for i := range unit {
		unit[i] = root(int32(i))
	}
	return unit
}

// link puts each of the file's switches under the switch above it. The switches of an
// island that have no switch above them go under one root.
func (t *slurmTree) link(s *subnet.Subnet, l *inspect.Layout, unit []int32) {
	parent := map[int32]int32{}
	for i := range s.Nodes {
		if l.Level[i] < 0 {
			continue
		}
		for p := range s.Nodes[i].Ports {
			far := s.Nodes[i].Ports[p].Peer
			if !far.Exists() || s.Nodes[far.Node].Kind != subnet.Switch || l.Level[far.Node] != l.Level[i]+1 {
				continue
			}
			if below := unit[i]; below != unit[far.Node] {
				if _, ok := parent[below]; !ok {
					parent[below] = unit[far.Node]
				}
			}
		}
	}
	needed := map[int32]bool{}
	for _, leaf := range t.leaves {
		at := leaf
		for {
			needed[at] = true
			up, ok := parent[at]
			if !ok || needed[up] {
				break
			}
			at = up
		}
	}
	loose := map[int][]int32{} // by island: the switches without a switch above
	var order []int32
	for at := range needed {
		order = append(order, at)
	}
	sorting.Func(order, func(a, b int32) int { return cmp.Or(cmp.Compare(l.Level[a], l.Level[b]), cmp.Compare(a, b)) })
	for _, at := range order {
		if up, ok := parent[at]; ok && needed[up] {
			if len(t.below[up]) == 0 {
				t.uppers = append(t.uppers, up)
			}
			t.below[up] = append(t.below[up], at)
		} else {
			loose[l.Island[at]] = append(loose[l.Island[at]], at)
		}
	}
	sorting.Func(t.uppers, func(a, b int32) int { return cmp.Or(cmp.Compare(l.Level[a], l.Level[b]), cmp.Compare(a, b)) })
	for i := range l.Report.Islands {
		if len(loose[i]) > 1 {
			root := int32(-1 - i)
			t.name[root] = fmt.Sprintf("fabric%d", i)
			t.uppers = append(t.uppers, root)
			t.below[root] = loose[i]
		}
	}
}

func (t *slurmTree) write(w io.Writer, at int32, key, value string) {
	if stands := t.stands[at]; len(stands) > 1 {
		fmt.Fprintf(w, "# %s is %s\n", t.name[at], strings.Join(stands, ", "))
	} else if len(stands) == 1 && stands[0] != t.name[at] {
		fmt.Fprintf(w, "# %s is %s\n", t.name[at], stands[0])
	}
	fmt.Fprintf(w, "SwitchName=%s %s=%s\n", t.name[at], key, value)
}

// slurmName is a name without the characters that Slurm's lists cannot hold, or the GUID
// if nothing is left of it.
func slurmName(name string, guid units.GUID) string {
	var b strings.Builder
	for _, r := range name {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '-', r == '_', r == '.':
			b.WriteRune(r)
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "_"):
			b.WriteByte('_')
		}
	}
	if out := strings.Trim(b.String(), "_"); out != "" {
		return out
	}
	return "guid-" + guid.Digits()
}

// unique appends to a name that is taken already.
func unique(taken map[string]int, name string) string {
	taken[name]++
	if n := taken[name]; n > 1 {
		return unique(taken, fmt.Sprintf("%s_%d", name, n))
	}
	return name
}
