package phases

import (
	"encoding/binary"
	"slices"

	"weft/internal/sim/run/executor"
	"weft/internal/sim/run/network"
	"weft/internal/sim/workload"
	"weft/scenario"
)

// Folding: an island is a set of groups of a phase that share links, NICs or nodes with each other
// and with no other group of the phase. Islands that are alike, of one phase or of several, take
// the same times, so that one of them is simulated for all.
//
// Islands are alike if they have the same collective and sizes, their members have the same places
// in nodes and leaves, and the cables between them have the same rates and lengths. In addition,
// the choices of switches make no difference: on every possible path of a packet, each port between
// switches carries the data of one NIC. If that cannot be shown, the phase is simulated as a whole.

// Island is a simulated island. It may represent others.
type Island struct {
	Phase  workload.Phase // its groups alone
	home   int            // its phase
	stands bool           // for others too
	apart  bool           // divided from others by hashed paths
	twin   int32          // its number in the folding with another seed, if the switches' choices make no difference to it; else -1
}

// placed is a group of a phase with the source of its times.
type placed struct {
	island int32
	group  int32 // of the island's
}

// Folding is the division of phases into simulations.
type Folding struct {
	Islands []*Island
	places  [][]placed // by phase and group
	shores  []*shore   // by phase
}

// alikes are the islands that may represent others, by their key.
type alikes struct {
	count  map[string]int
	island map[string]int32
}

// Fold is the folding of phases on a fabric.
func Fold(p *network.Plan, r *scenario.Resolved, phases []workload.Phase) *Folding {
	f := &Folding{shores: make([]*shore, len(phases))}
	planner := executor.NewPlanner(r, p.Fabric)
	for i := range phases {
		f.shores[i] = shoreOf(p, r, planner, &phases[i])
	}
	f.divide(phases)
	return f
}

// divide adds the phases, by their shores.
func (f *Folding) divide(phases []workload.Phase) {
	f.places = make([][]placed, len(phases))
	a := alikes{count: make(map[string]int), island: make(map[string]int32)}
	for _, s := range f.shores {
		for _, key := range s.keys {
			a.count[key]++
		}
	}
	for i := range phases {
		f.take(&phases[i], i, f.shores[i], &a)
	}
}

// shore is the islands of a phase, each with its groups and its key. A phase that cannot be divided
// has none.
type shore struct {
	groups [][]int32
	keys   []string // none if no island is like another
	hashed bool     // divided by hashed paths
}

// same reports whether the switches' choices make no difference to a phase.
func (s *shore) same() bool { return len(s.keys) > 0 }

// shoreOf divides a phase into islands.
func shoreOf(p *network.Plan, r *scenario.Resolved, planner *executor.Planner, phase *workload.Phase) *shore {
	f := &footing{
		plan: p, whole: r, cluster: executor.LayoutOf(&r.Cluster, p.Fabric), planner: planner, carries: make(map[resource]int32), islands: newUnion(len(phase.Groups)),
	}
	forms := make([]*form, len(phase.Groups))
	for i := range phase.Groups {
		var ok bool
		if forms[i], ok = f.footprint(phase, i); !ok {
			return hashedShore(p, r, planner, phase)
		}
	}
	s := &shore{groups: f.islands.all()}
	for _, groups := range s.groups {
		s.keys = append(s.keys, f.key(phase, forms, groups))
	}
	return s
}

// key is equal for islands that are alike. Nodes, NICs and leaves count by the order in which they
// appear, ports by their order at the leaf. The GPU of a member in its node matters only if the
// node's own network is used.
func (f *footing) key(phase *workload.Phase, forms []*form, groups []int32) string {
	nodes, nics, leaves := make(map[int32]int64), make(map[int32]int64), make(map[int32]int64)
	ordinal := func(seen map[int32]int64, x int32) int64 {
		n, known := seen[x]
		if !known {
			n = int64(len(seen))
			seen[x] = n
		}
		return n
	}
	ports := portsOf(forms, groups)
	key := binary.AppendVarint(nil, int64(phase.Kind)<<8|int64(phase.Do))
	for _, g := range groups {
		o := forms[g]
		for _, rank := range o.members {
			key = binary.AppendVarint(key, ordinal(nodes, int32(f.cluster.Node(int(rank)))))
			if o.inside {
				key = binary.AppendVarint(key, int64(f.cluster.Local(int(rank))))
			}
		}
		for i, nic := range o.nics {
			key = binary.AppendVarint(key, ordinal(nodes, nic/int32(f.cluster.Rails())))
			key = binary.AppendVarint(key, ordinal(nics, nic))
			key = binary.AppendVarint(key, ordinal(leaves, o.at[i][0]))
			key = binary.AppendVarint(key, int64(len(ports[o.at[i][0]])))
			key = binary.AppendVarint(key, place(ports, o.at[i]))
		}
		for _, n := range o.numbers {
			key = binary.AppendVarint(key, n)
		}
	}
	return string(key)
}

// portsOf are the ports of leaves that an island uses, in order, by leaf.
func portsOf(forms []*form, groups []int32) map[int32][]int32 {
	ports := make(map[int32][]int32)
	for _, g := range groups {
		for _, at := range forms[g].at {
			ports[at[0]] = append(ports[at[0]], at[1])
		}
	}
	for leaf, list := range ports {
		slices.Sort(list)
		ports[leaf] = slices.Compact(list)
	}
	return ports
}

// place is the index of a port among its leaf's ports.
func place(ports map[int32][]int32, at [2]int32) int64 {
	i, _ := slices.BinarySearch(ports[at[0]], at[1])
	return int64(i)
}

// batchGroups is the minimum number of messages of a simulation that is divided: a smaller
// simulation needs less memory, and others can run beside it.
const batchGroups = 512

// take adds a phase. Of islands that are alike it simulates the first. It simulates the other
// groups together, or in batches of whole islands.
func (f *Folding) take(phase *workload.Phase, number int, s *shore, a *alikes) {
	f.places[number] = make([]placed, len(phase.Groups))
	var rest []int32
	for i, groups := range s.groups {
		if s.hashed || a.count[s.keys[i]] < 2 {
			if rest = append(rest, groups...); s.hashed && len(rest) >= batchGroups {
				f.batch(phase, number, rest, true)
				rest = nil
			}
			continue
		}
		key := s.keys[i]
		at, known := a.island[key]
		if !known {
			at = f.add(phase, number, groups)
			f.Islands[at].stands = true
			a.island[key] = at
		}
		for k, g := range groups {
			f.places[number][g] = placed{at, int32(k)}
		}
	}
	if len(s.groups) == 0 {
		for g := range phase.Groups {
			rest = append(rest, int32(g))
		}
	}
	if len(rest) > 0 {
		f.batch(phase, number, rest, s.hashed)
	}
}

// batch makes an island of several groups of a phase, which represents only itself.
func (f *Folding) batch(phase *workload.Phase, number int, groups []int32, apart bool) {
	slices.Sort(groups)
	at := f.add(phase, number, groups)
	f.Islands[at].apart = apart
	for k, g := range groups {
		f.places[number][g] = placed{at, int32(k)}
	}
}

// add makes an island of some groups of a phase.
func (f *Folding) add(phase *workload.Phase, number int, groups []int32) int32 {
	own := *phase
	own.Groups, own.Bytes = nil, nil
	for _, g := range groups {
		own.Groups, own.Bytes = append(own.Groups, phase.Groups[g]), append(own.Bytes, phase.Bytes[g])
	}
	f.Islands = append(f.Islands, &Island{Phase: own, home: number, twin: -1})
	return int32(len(f.Islands) - 1)
}
