package chakra

import (
	"cmp"
	"fmt"
	"slices"

	"weft/internal/formats/source"
	"weft/internal/sim/collective"
	"weft/internal/sim/engine"
	"weft/internal/sim/workload"
	"weft/units"
)

// builder makes the graph of a job's traces.
type builder struct {
	w      *source.Workload
	traces []*trace
	graph  *workload.Graph
	nodes  [][]int            // by rank: for each operation, the index of the trace node that it came from
	groups map[string]int32   // number of each of the graph's groups, by its members
	all    int32              // the number of the group of all ranks; -1 until it is used
	listed map[string][]int32 // ranks of groups by name, from a file of groups
	// What the traces leave open.
	loose                                                        []loose // messages with an unknown peer
	joined, untimed, barriers, memory, dangling, launches, calls int
}

// build makes a graph of the traces.
func (b *builder) build() *source.Problem {
	b.graph = &workload.Graph{Ranks: make([][]workload.Op, b.w.Ranks)}
	b.w.Graph, b.nodes, b.groups, b.all = b.graph, make([][]int, b.w.Ranks), make(map[string]int32), -1
	byRank := make([]*trace, b.w.Ranks)
	b.w.Where = func(rank, op int) string {
		x := &byRank[rank].nodes[b.nodes[rank][op]]
		return fmt.Sprintf("%s: byte %d (node %d)", byRank[rank].name, x.offset, x.id)
	}
	var first *source.Problem
	for _, t := range b.traces {
		byRank[t.rank] = t
		if t.calls {
			b.calls++
		}
		if p := b.trace(t); p != nil && first == nil {
			first = p
		}
	}
	if first == nil {
		first = b.pair()
	}
	return first
}

// trace makes the operations of a rank, in an order in which they can run. It stops at the first
// node that a graph cannot have.
func (b *builder) trace(t *trace) *source.Problem {
	places := make(map[uint64]int32, len(t.nodes)) // of nodes in the trace, by id
	for i := range t.nodes {
		x := &t.nodes[i]
		if _, twice := places[x.id]; twice {
			t.nodes = t.nodes[:i]
			return cmp.Or(b.operations(t, places), t.problem(x, fmt.Sprintf("a node with an id that no node before it has, not %d", x.id)))
		}
		places[x.id] = int32(i)
	}
	return b.operations(t, places)
}

// operations makes the operations of a rank; places maps its nodes' ids to positions.
func (b *builder) operations(t *trace, places map[uint64]int32) (stopped *source.Problem) {
	streams := make(map[int32]uint8)
	ops := make([]int32, len(t.nodes)) // by node: its operation, or -1
	for i := range ops {
		ops[i] = -1
	}
	for _, i := range t.inOrder(places) {
		x := &t.nodes[i]
		o, p := b.operation(t, x)
		if p == nil && o.Kind == workload.Collective {
			p = stream(t, x, &o, streams)
		}
		if p != nil {
			stopped = p
			break
		}
		ops[i] = int32(len(b.graph.Ranks[t.rank]))
		if (o.Kind == workload.Send || o.Kind == workload.Recv) && o.Peer == unknownPeer {
			b.loose = append(b.loose, loose{t, x, ops[i]})
		}
		b.graph.Ranks[t.rank] = append(b.graph.Ranks[t.rank], o)
		b.nodes[t.rank] = append(b.nodes[t.rank], int(i))
	}
	for at, i := range b.nodes[t.rank] {
		if p := b.dependencies(t, &b.graph.Ranks[t.rank][at], &t.nodes[i], places, ops); p != nil && stopped == nil {
			stopped = p
		}
	}
	return stopped
}

// dependencies makes an operation wait for its node's dependencies. PyTorch's converter drops some
// nodes that control dependencies still name; such dependencies are ignored.
func (b *builder) dependencies(t *trace, o *workload.Op, x *node, places map[uint64]int32, ops []int32) (p *source.Problem) {
	for i, id := range slices.Concat(x.data, t.orders(x)) {
		before, known := places[id]
		switch {
		case known && ops[before] >= 0:
			o.After = append(o.After, ops[before])
		case !known && i < len(x.data):
			p = t.problem(x, fmt.Sprintf("data dependencies on nodes of the file: it has no node %d", id))
		case !known:
			b.dangling++
		}
	}
	return p
}

// inOrder are the positions of the nodes, each after its dependencies, otherwise as in the file.
// Nodes in a cycle come last.
func (t *trace) inOrder(places map[uint64]int32) []int32 {
	nodes := t.nodes
	waits := make([]int32, len(nodes))
	dependents := make([][]int32, len(nodes))
	for i := range nodes {
		for _, id := range slices.Concat(nodes[i].data, t.orders(&nodes[i])) {
			if before, known := places[id]; known {
				waits[i]++
				dependents[before] = append(dependents[before], int32(i))
			}
		}
	}
	var ready engine.Heap[place, *place]
	for i := range nodes {
		if waits[i] == 0 {
			ready.Push(place(i))
		}
	}
	order := make([]int32, 0, len(nodes))
	for len(ready) > 0 {
		i := int32(ready.Pop())
		order = append(order, i)
		for _, next := range dependents[i] {
			if waits[next]--; waits[next] == 0 {
				ready.Push(place(next))
			}
		}
	}
	for i := range nodes {
		if waits[i] > 0 {
			order = append(order, int32(i))
		}
	}
	return order
}

// orders are the control dependencies that a node waits for. In a trace of PyTorch they are the
// calling operators, which end after it: Chakra's feeder waits for data dependencies alone.
func (t *trace) orders(x *node) []uint64 {
	if t.calls {
		return nil
	}
	return x.control
}

// place is the position of a node in its file.
type place int32

// Before orders by position in the file.
func (p *place) Before(o *place) bool { return *p < *o }

func (t *trace) problem(x *node, want string) *source.Problem {
	return &source.Problem{File: t.name, Offset: x.offset, Binary: true, Value: x.name, Want: want}
}

// stream gives a collective the stream of its group at the rank.
func stream(t *trace, x *node, o *workload.Op, streams map[int32]uint8) *source.Problem {
	s, known := streams[o.Group]
	if !known {
		if len(streams) == maxGroups {
			return t.problem(x, fmt.Sprintf("a rank in at most %d process groups", maxGroups))
		}
		s = uint8(len(streams))
		streams[o.Group] = s
	}
	o.Stream = s
	return nil
}

// operation makes the operation of a node.
func (b *builder) operation(t *trace, x *node) (o workload.Op, p *source.Problem) {
	o.Name, o.Stream = x.name, workload.Unordered
	if x.duration > maxNumber {
		return o, t.problem(x, fmt.Sprintf("a duration of at most %d microseconds", int64(maxNumber)))
	}
	switch x.kind {
	case invalidNode, metadataNode:
		return o, nil
	case memLoadNode, memStoreNode, computeNode:
		o.Time = units.Time(x.duration) * microsecond
		if x.kind == computeNode && x.attrs["is_cpu_op"].number == 0 {
			o.Unit = workload.Multiprocessors
		}
		if x.kind != computeNode {
			b.memory++
		} else if x.duration == 0 && x.attrs["num_ops"].number > 0 {
			b.untimed++
		}
		return o, nil
	case sendNode, recvNode:
		p = b.message(t, x, &o)
		return o, p
	case collNode:
		if x.launches() {
			o.Time = units.Time(x.duration) * microsecond
			b.launches++
			return o, nil
		}
		p = b.collective(t, x, &o)
		return o, p
	}
	return o, t.problem(x, fmt.Sprintf("a node of computing, memory, metadata, a send, a receive or a collective, not of type %d", x.kind))
}

// launches reports whether a node is the CPU's call of a collective, such as PyTorch's
// c10d::allreduce_: the kernel has a node of its own.
func (x *node) launches() bool {
	_, typed := x.attrs["comm_type"]
	return !typed && x.attrs["is_cpu_op"].number != 0
}

// message is a send or a receive.
func (b *builder) message(t *trace, x *node, o *workload.Op) *source.Problem {
	o.Kind = workload.Send
	own, other := "comm_src", "comm_dst"
	if x.kind == recvNode {
		o.Kind, own, other = workload.Recv, other, own
	}
	if v, given := x.attrs[own]; given && int(v.number) != t.rank {
		return t.problem(x, fmt.Sprintf("%s %d, the rank of the file, not %d", own, t.rank, v.number))
	}
	peer, given := x.attrs[other]
	if !given { // Chakra's converter of PyTorch traces does not write it
		peer.number = unknownPeer
	} else if peer.number < 0 || peer.number > 1<<30 {
		return t.problem(x, other+" with a rank")
	}
	tag := x.attrs["comm_tag"].number
	if tag < 0 || tag >= 1<<31 {
		return t.problem(x, "comm_tag from 0 to 2147483647")
	}
	o.Peer, o.Tag = int32(peer.number), int32(tag)
	return b.size(t, x, o)
}

// size is the attribute comm_size.
func (b *builder) size(t *trace, x *node, o *workload.Op) *source.Problem {
	v, given := x.attrs["comm_size"]
	if !given || v.number < 0 || v.number > maxNumber {
		return t.problem(x, fmt.Sprintf("comm_size with a number of bytes from 0 to %d", int64(maxNumber)))
	}
	o.Bytes = units.Bytes(v.number)
	return nil
}

// barrier is the number of a barrier in CollectiveCommType. barrierBytes is the size of the
// all-reduce that stands for it.
const (
	barrier      = 9
	barrierBytes = 4
)

// operations are the collectives by their numbers in CollectiveCommType.
var operations = map[int64]collective.Op{
	0: collective.AllReduce, 2: collective.AllGather, 5: collective.Broadcast, 6: collective.AllToAll,
	7: collective.ReduceScatter, 8: collective.ReduceScatter, barrier: collective.AllReduce,
}

// collective makes the collective of a node, on its process group or on all ranks.
func (b *builder) collective(t *trace, x *node, o *workload.Op) *source.Problem {
	kind, given := x.attrs["comm_type"]
	do, known := operations[kind.number]
	if !given {
		return t.problem(x, "comm_type with the number of an operation: the node has none, and is not the CPU's call of one (is_cpu_op)")
	}
	if !known {
		return t.problem(x, fmt.Sprintf("comm_type 0 (all-reduce), 2 (all-gather), 5 (broadcast), 6 (all-to-all), 7 or 8 (reduce-scatter) or 9 (barrier), not %d", kind.number))
	}
	if slices.Contains(x.attrs["involved_dim"].flags, false) {
		return t.problem(x, "involved_dim with true only: the ranks of a part of the dimensions are not in the trace")
	}
	o.Kind, o.Do = workload.Collective, do
	var p *source.Problem
	if o.Group, p = b.groupOf(t, x); p != nil {
		return p
	}
	if kind.number == barrier {
		b.barriers++
		o.Bytes = barrierBytes
		return nil
	}
	if p := b.size(t, x, o); p != nil {
		return p
	}
	if do == collective.AllGather { // a rank's share; weft counts the whole
		o.Bytes *= units.Bytes(len(b.graph.Groups[o.Group].Ranks))
	}
	return nil
}

// describe states the meaning of the numbers and the assumptions.
func (b *builder) describe() {
	w := b.w
	w.Units = []string{"duration_micros: microseconds", "comm_size: bytes; of an all-gather what each rank brings, as in ASTRA-sim, of the others the whole vector"}
	w.Assume("rank i is the i-th GPU of the cluster, node by node; the number in a file's name is the rank")
	w.Assume("dependencies decide when an operation begins; recorded times do not")
	w.Assume("collectives of a group take turns in the order of the file")
	w.Assume("a GPU computes one node at a time, in the order in which they may begin; other nodes that do not depend on each other overlap")
	w.Assume("computing and memory nodes take their durations; algorithms and protocols of collectives are NCCL's choice for the scenario's cluster")
	for _, x := range []struct {
		count int
		text  string
	}{
		{b.untimed, "%d computing nodes have num_ops and no duration: they take no time here, where ASTRA-sim needs a roofline for them"},
		{b.calls, "control dependencies of %d traces of PyTorch are calls, for which nothing waits, as in Chakra's feeder"},
		{b.joined, "%d sends and receives do not name the other end: it is the rank that has the other half, by process group, tag and size, in their order"},
		{b.launches, "%d collective nodes of the CPU have no comm_type: they are calls, which take their durations, and the GPU's nodes move the data"},
		{b.memory, "%d memory nodes take their durations, and move nothing over the fabric"},
		{b.dangling, "%d control dependencies name nodes that the traces do not have: nothing waits for those"},
	} {
		if x.count > 0 {
			w.Assume(fmt.Sprintf(x.text, x.count))
		}
	}
	if b.barriers > 0 {
		w.Assume(fmt.Sprintf("a barrier is an all-reduce of %d bytes", barrierBytes))
	}
}
