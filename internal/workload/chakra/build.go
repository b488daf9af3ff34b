package chakra

import (
	"encoding/json"
	"fmt"
	"slices"

	"weft/internal/collective"
	"weft/internal/workload"
	"weft/internal/workload/source"
	"weft/units"
)

// builder makes the graph of a job's traces.
type builder struct {
	w      *source.Workload
	traces []*trace
	graph  *workload.Graph
	nodes  [][]int          // by rank: the trace's node of each operation
	groups map[string]int32 // of the graph, by their members
	all    int32            // the number of the group of all ranks; -1 until it is used
	named  map[string]int32 // of the open trace: the groups by their names there
	// What is said of the traces.
	untimed, barriers, memory int
}

// build makes what was read a graph.
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
		if p := b.trace(t); p != nil && first == nil {
			first = p
		}
	}
	return first
}

// trace makes the operations of a rank, up to the first node that a graph cannot have.
func (b *builder) trace(t *trace) *source.Problem {
	b.named = make(map[string]int32)
	streams := make(map[int32]uint8)
	places := make(map[uint64]int32, len(t.nodes))
	var stopped *source.Problem
	for i := range t.nodes {
		x := &t.nodes[i]
		if _, twice := places[x.id]; twice {
			stopped = t.problem(x, fmt.Sprintf("a node with an id of its own: %d was there before", x.id))
			break
		}
		o, p := b.operation(t, x)
		if p == nil && o.Kind == workload.Collective {
			p = stream(t, x, &o, streams)
		}
		if p != nil {
			stopped = p
			break
		}
		places[x.id] = int32(len(b.graph.Ranks[t.rank]))
		b.graph.Ranks[t.rank] = append(b.graph.Ranks[t.rank], o)
		b.nodes[t.rank] = append(b.nodes[t.rank], i)
	}
	for at, i := range b.nodes[t.rank] {
		x := &t.nodes[i]
		for _, id := range x.deps {
			before, known := places[id]
			if !known && stopped == nil {
				stopped = t.problem(x, fmt.Sprintf("dependencies on nodes of the file: it has no node %d", id))
			}
			if known {
				b.graph.Ranks[t.rank][at].After = append(b.graph.Ranks[t.rank][at].After, before)
			}
		}
	}
	return stopped
}

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

// operation is what a node does.
func (b *builder) operation(t *trace, x *node) (o workload.Op, p *source.Problem) {
	o.Name, o.Stream = x.name, workload.Unordered
	if x.duration > maxNumber {
		return o, t.problem(x, fmt.Sprintf("a duration of at most %d microseconds", int64(maxNumber)))
	}
	switch x.kind {
	case metadataNode:
		b.processGroups(x)
		return o, nil
	case memLoadNode, memStoreNode, computeNode:
		o.Time = units.Time(x.duration) * microsecond
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
		p = b.collective(t, x, &o)
		return o, p
	}
	return o, t.problem(x, fmt.Sprintf("a node of computing, memory, metadata, a send, a receive or a collective, not of type %d", x.kind))
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
	if !given || peer.number < 0 || peer.number > 1<<30 {
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

// barrier is the number of a barrier in CollectiveCommType, and barrierBytes what one
// reduces.
const (
	barrier      = 9
	barrierBytes = 4
)

// operations are the collectives by their numbers in CollectiveCommType.
var operations = map[int64]collective.Op{
	0: collective.AllReduce, 2: collective.AllGather, 5: collective.Broadcast, 6: collective.AllToAll,
	7: collective.ReduceScatter, 8: collective.ReduceScatter, barrier: collective.AllReduce,
}

// collective is one on the process group that the node names, or on all ranks.
func (b *builder) collective(t *trace, x *node, o *workload.Op) *source.Problem {
	kind, given := x.attrs["comm_type"]
	do, known := operations[kind.number]
	if !given || !known {
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
	if do == collective.AllGather { // what a rank brings, where weft counts the whole
		o.Bytes *= units.Bytes(len(b.graph.Groups[o.Group].Ranks))
	}
	return nil
}

// groupOf is the number of a collective's group.
func (b *builder) groupOf(t *trace, x *node) (int32, *source.Problem) {
	name := x.attrs["pg_name"].text
	if name == "" {
		return b.everyone(), nil
	}
	group, known := b.named[name]
	if !known {
		return 0, t.problem(x, fmt.Sprintf("the process group %s: no metadata node before it lists its ranks", name))
	}
	return group, nil
}

// everyone is the number of the group of all ranks.
func (b *builder) everyone() int32 {
	if b.all < 0 {
		members := make([]int32, b.w.Ranks)
		for i := range members {
			members[i] = int32(i)
		}
		b.all = b.group(members)
	}
	return b.all
}

// group is the number of a group in the graph.
func (b *builder) group(members []int32) int32 {
	key := fmt.Sprint(members)
	n, known := b.groups[key]
	if !known {
		n = int32(len(b.graph.Groups))
		b.groups[key] = n
		b.graph.Groups = append(b.graph.Groups, workload.Group{Name: fmt.Sprintf("%d ranks from %d on", len(members), members[0]), Ranks: members})
	}
	return n
}

// processGroups reads the list of a metadata node of PyTorch: a list in JSON, inside a
// list of one string. Other metadata has none. A group without ranks is of all.
func (b *builder) processGroups(x *node) {
	text := x.values
	var outer []string
	if json.Unmarshal([]byte(text), &outer) == nil && len(outer) == 1 {
		text = outer[0]
	} else if len(text) > 4 { // its quotes are not escaped
		text = text[2 : len(text)-2]
	}
	var list []struct {
		Name  string  `json:"pg_name"`
		Ranks []int32 `json:"ranks"`
	}
	if json.Unmarshal([]byte(text), &list) != nil {
		return
	}
	for _, g := range list {
		if len(g.Ranks) == 0 {
			b.named[g.Name] = b.everyone()
		} else {
			b.named[g.Name] = b.group(g.Ranks)
		}
	}
}

// describe says what the numbers mean and what the traces leave open.
func (b *builder) describe() {
	w := b.w
	w.Units = []string{"duration_micros: microseconds", "comm_size: bytes; of an all-gather what each rank brings, as in ASTRA-sim, of the others the whole vector"}
	w.Assume("rank i is the i-th GPU of the cluster, node by node; the number in a file's name is the rank")
	w.Assume("what depends on what decides, not the times at which a trace was recorded; nodes that do not depend on each other overlap, but collectives of a group take turns in the order of the file")
	w.Assume("computing and memory nodes take their durations; algorithms and protocols of collectives are NCCL's choice for the scenario's cluster")
	if b.untimed > 0 {
		w.Assume(fmt.Sprintf("%d computing nodes have num_ops and no duration: they take no time here, where ASTRA-sim needs a roofline for them", b.untimed))
	}
	if b.memory > 0 {
		w.Assume(fmt.Sprintf("%d memory nodes take their durations, and move nothing over the fabric", b.memory))
	}
	if b.barriers > 0 {
		w.Assume(fmt.Sprintf("a barrier is an all-reduce of %d bytes", barrierBytes))
	}
}
