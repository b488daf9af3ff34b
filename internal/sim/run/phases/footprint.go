package phases

import (
	"math/bits"
	"slices"

	"weft/internal/base/topology"
	"weft/internal/sim/collective"
	"weft/internal/sim/fabric"
	"weft/internal/sim/protocol"
	"weft/internal/sim/run/executor"
	"weft/internal/sim/run/network"
	"weft/internal/sim/workload"
	"weft/scenario"
	"weft/units"
)

// A footprint is the set of resources of the cluster that a group's communication may use for any
// choice of the switches: the insides of nodes, NICs with their cables, and ports of switches. Two
// groups without a common resource do not slow each other.

// footing computes the footprints of the groups of a phase.
type footing struct {
	plan    *network.Plan
	cluster collective.Layout
	whole   *scenario.Resolved
	planner *executor.Planner
	// carries is, for each port between switches, the NIC whose data it may carry.
	carries map[resource]int32
	islands *union
}

// resource is a part of the cluster that groups may share.
type resource struct {
	kind resourceKind
	at   int32 // number of the rank, node, NIC or switch
	port int32
}

type resourceKind uint8

const (
	ofRank resourceKind = iota
	insideNode
	ofNIC
	ofSwitch
)

// form describes a group without the numbers of nodes and leaves: the places of its members, and
// the cables between them. Groups that are alike have equal forms.
type form struct {
	members []int32    // ranks
	nics    []int32    // the NICs that it uses, in the order of its edges
	numbers []int64    // the rest
	inside  bool       // it uses the network inside of nodes, or their hosts
	at      [][2]int32 // by NIC of nics: leaf and port
}

// footprint adds the resources of a group and returns its form. It returns false if the switches'
// choices, or a difference between NICs, may affect the times.
func (f *footing) footprint(phase *workload.Phase, group int) (*form, bool) {
	if phase.Exchange != workload.NoExchange {
		return f.exchanged(phase, group)
	}
	c := executor.NewCommunicator(int32(group), f.cluster, phase.Groups[group])
	c.FindTrees(f.plan)
	do := phase.Do
	if phase.Kind == workload.Send {
		do = collective.Send
	}
	cp, err := f.planner.Plan(c, do, max(1, int64(phase.Bytes[group])), 0)
	if err != nil {
		return nil, false // the run reports the reason
	}
	edges, ok := cp.Edges()
	if !ok {
		return nil, false
	}
	out := &form{members: c.Members, numbers: []int64{int64(phase.Bytes[group]), int64(len(c.Members))}}
	for _, rank := range c.Members {
		f.islands.touch(group, resource{kind: ofRank, at: rank})
	}
	talked := make(map[[2]int32]bool)
	for i := range edges {
		w := &edges[i]
		from := int32(f.cluster.Node(int(c.Members[w.From])))
		if w.Path.InNetwork() {
			if !f.inTree(group, c, w, talked, out) {
				return nil, false
			}
			continue
		}
		if w.Path != collective.PathAuto || f.cluster.Node(int(c.Members[w.To])) == int(from) {
			f.inside(group, from, out)
			continue
		}
		a, b, relayed := c.Ends(w)
		if relayed || cp.Limits.PerByte.Num > 0 || network.Pooled(f.plan.Node) {
			f.inside(group, from, out)
			f.inside(group, int32(f.cluster.Node(int(c.Members[w.To]))), out)
		}
		if talked[[2]int32{a, b}] {
			continue
		}
		talked[[2]int32{a, b}] = true
		if !f.between(group, a, b, out) {
			return nil, false
		}
	}
	return out, true
}

// inside adds the resources inside a node.
func (f *footing) inside(group int, node int32, out *form) {
	out.inside = true
	f.islands.touch(group, resource{kind: insideNode, at: node})
}

// between adds the resources of the data from one NIC to another. It also adds the resources of the
// acknowledgements on their way back; their bytes are too few to slow anything, but they are
// included.
func (f *footing) between(group int, a, b int32, out *form) bool {
	if unlike(f.plan, f.whole) {
		return false
	}
	for _, nic := range [2]int32{a, b} {
		leaf, port, ok := leafPort(f.plan, nic)
		if !ok {
			return false
		}
		f.islands.touch(group, resource{kind: ofNIC, at: nic})
		out.nics, out.at = append(out.nics, nic), append(out.at, [2]int32{leaf, port})
	}
	cables, ok := f.way(a, b, func(port resource) bool {
		f.islands.touch(group, port)
		carried, known := f.carries[port]
		f.carries[port] = a
		return !known || carried == a
	})
	if !ok {
		return false
	}
	out.numbers = append(out.numbers, cables...)
	_, ok = f.way(b, a, func(port resource) bool {
		f.islands.touch(group, port)
		return true
	})
	return ok
}

// way follows all possible paths of packets from one NIC to another, and calls each for every port
// between switches; it ends when each returns false. It returns the rates and lengths of the cables
// and the ports of the switches. They must be the same on all paths; it returns false if they are
// not, or if a cable is slower than the NIC's.
//
// Adaptive routing leaves the static port only when a queue builds up. With a single sending NIC,
// not faster than the port, there is no queue: so the packets stay on the static port.
func (f *footing) way(a, b int32, each func(port resource) bool) (cables []int64, ok bool) {
	p := f.plan
	leaf, _, _ := leafPort(p, a)
	first := formOf(p, p.Graph.Nodes[a].Cables[0], a)
	cables = first.numbers(cables)
	for at := []int32{leaf}; len(at) > 0; {
		var next []int32
		var same cableForm
		for i, s := range at {
			for j, port := range choices(p, s, b) {
				number := p.Graph.Nodes[s].Cables[port]
				own := formOf(p, number, s)
				if i+j == 0 {
					same = own
				}
				far := far(p, number, s)
				arrived := far == b
				if own != same || !arrived && slower(own.rate, first.rate) {
					return nil, false
				}
				if arrived {
					continue
				}
				if p.Graph.Nodes[far].Kind != topology.Switch || !each(resource{ofSwitch, s, int32(port)}) {
					return nil, false
				}
				if !slices.Contains(next, far) {
					next = append(next, far)
				}
			}
		}
		cables = same.numbers(cables)
		at = next
	}
	return cables, true
}

// cableForm is the properties of a cable that affect times: its rate and length, and the number of
// cabled ports at both its ends.
type cableForm struct {
	rate      units.PerByte
	length    units.Length
	near, far int
}

func (c *cableForm) numbers(list []int64) []int64 {
	return append(list, c.rate.Num, c.rate.Den, int64(c.length), int64(c.near), int64(c.far))
}

// formOf is the form of a cable from a node's view.
func formOf(p *network.Plan, cable, node int32) cableForm {
	c := &p.Graph.Cables[cable]
	return cableForm{p.CableRate(c), c.Length, p.Graph.Nodes[node].Cabled(), p.Graph.Nodes[far(p, cable, node)].Cabled()}
}

// slower reports whether a byte takes longer at one rate than at another.
func slower(a, b units.PerByte) bool {
	high, low := bits.Mul64(uint64(a.Num), uint64(b.Den))
	other, rest := bits.Mul64(uint64(b.Num), uint64(a.Den))
	return high > other || high == other && low > rest
}

// far is the node at the other end of a cable.
func far(p *network.Plan, cable, node int32) int32 {
	c := &p.Graph.Cables[cable]
	if c.A.Node == topology.NodeID(node) {
		return int32(c.B.Node)
	}
	return int32(c.A.Node)
}

// choices are the ports that a switch may choose for a NIC.
func choices(p *network.Plan, sw, nic int32) []uint16 {
	row := int(sw) - p.Graph.Endpoints
	mode := p.Routing()
	if mode == fabric.Static || mode == fabric.Adaptive && !protocol.Of(p.Fabric.Kind).Ethernet() {
		return []uint16{p.Tables.Static(row, int(nic))}
	}
	return p.Tables.Minimal(row, int(nic))
}

// unlike reports whether NICs or their connections may differ in more than their footprints: by
// random draws, faults, partitions, lanes, or other traffic.
func unlike(p *network.Plan, r *scenario.Resolved) bool {
	return r.Run.Jitter || !steady(p) || p.Keys.Tables != nil || p.Segments != nil || p.OwnLevels ||
		p.Lanes != nil || p.Paths != nil || p.Fabric.Inspection.On() || p.Fabric.Link.HasErrors() || p.Fabric.NIC.Contexts > 0
}

// leafPort is the switch of a NIC, and the switch's port; false if it has several cables or none.
func leafPort(p *network.Plan, nic int32) (leaf, port int32, ok bool) {
	nd := &p.Graph.Nodes[nic]
	if len(nd.Cables) != 1 || nd.Cables[0] < 0 {
		return 0, 0, false
	}
	c := &p.Graph.Cables[nd.Cables[0]]
	end := c.A
	if end.Node == topology.NodeID(nic) {
		end = c.B
	}
	return int32(end.Node), end.Port, p.Graph.Nodes[end.Node].Kind == topology.Switch
}

// union merges groups with a common resource.
type union struct {
	of    []int32 // by group: another group of its island, in the end the first
	first map[resource]int32
}

func newUnion(groups int) *union {
	u := &union{of: make([]int32, groups), first: make(map[resource]int32)}
	for i := range u.of {
		u.of[i] = int32(i)
	}
	return u
}

// touch records that a group uses a resource.
func (u *union) touch(group int, r resource) {
	other, used := u.first[r]
	if !used {
		u.first[r] = int32(group)
		return
	}
	a, b := u.island(int32(group)), u.island(other)
	u.of[max(a, b)] = min(a, b)
}

// island is the first group of a group's island.
func (u *union) island(group int32) int32 {
	for u.of[group] != group {
		u.of[group] = u.of[u.of[group]]
		group = u.of[group]
	}
	return group
}

// all are the groups of each island, in order of their first.
func (u *union) all() (islands [][]int32) {
	number := make(map[int32]int)
	for i := range u.of {
		first := u.island(int32(i))
		n, known := number[first]
		if !known {
			n = len(islands)
			number[first] = n
			islands = append(islands, nil)
		}
		islands[n] = append(islands[n], int32(i))
	}
	return islands
}
