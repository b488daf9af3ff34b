package chakra

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"weft/internal/formats/source"
	"weft/internal/sim/collective"
	"weft/internal/sim/workload"
	"weft/units"
)

// The traces of these tests are encoded by hand after et_def.proto.

// message is an encoded message in the making.
type message []byte

func (m message) number(field protowire.Number, v uint64) message {
	return protowire.AppendVarint(protowire.AppendTag(m, field, protowire.VarintType), v)
}

func (m message) text(field protowire.Number, s string) message {
	return protowire.AppendString(protowire.AppendTag(m, field, protowire.BytesType), s)
}

func (m message) sub(field protowire.Number, s message) message {
	return protowire.AppendBytes(protowire.AppendTag(m, field, protowire.BytesType), s)
}

// int64Of is an attribute with int64_val.
func int64Of(name string, v int64) message { return message{}.text(1, name).number(9, uint64(v)) }

// nodeOf is a Node.
func nodeOf(id uint64, kind nodeType, deps []uint64, micros uint64, attrs ...message) message {
	m := message{}.number(1, id).text(2, fmt.Sprintf("node %d", id)).number(3, uint64(kind))
	for _, d := range deps {
		m = m.number(5, d)
	}
	m = m.number(7, micros)
	for _, a := range attrs {
		m = m.sub(10, a)
	}
	return m
}

// file is a trace of these nodes.
func file(nodes ...message) []byte {
	out := framed(nil, message{}.text(1, "0.0.4"))
	for _, n := range nodes {
		out = framed(out, n)
	}
	return out
}

func framed(out []byte, m message) []byte {
	return append(binary.AppendUvarint(out, uint64(len(m))), m...)
}

func read(traces ...[]byte) *source.Workload {
	var files []source.File
	for rank, t := range traces {
		files = append(files, source.File{Name: fmt.Sprintf("t.%d.et", rank), Reader: bytes.NewReader(t)})
	}
	return Read(files)
}

// pair is a job of two ranks: computing, an all-gather, a message back.
func pair() [][]byte {
	gather := func(id uint64) message {
		return nodeOf(id, collNode, []uint64{1}, 0, int64Of("comm_type", 2), int64Of("comm_size", 1<<20))
	}
	return [][]byte{
		file(nodeOf(1, computeNode, nil, 30), gather(2), nodeOf(3, recvNode, []uint64{2}, 0, int64Of("comm_src", 1), int64Of("comm_size", 64), int64Of("comm_tag", 5))),
		file(nodeOf(1, computeNode, nil, 20), gather(7), nodeOf(9, sendNode, []uint64{7}, 0, int64Of("comm_dst", 0), int64Of("comm_size", 64), int64Of("comm_tag", 5))),
	}
}

func TestTracesOfTwoRanksBecomeAGraph(t *testing.T) {
	traces := pair()
	if !Recognise(traces[0]) || Recognise([]byte("num_ranks 3\nrank 0 {\n")) {
		t.Error("Recognise refuses a trace, or takes another file")
	}
	w := read(traces...)
	if w.Stopped != nil {
		t.Fatal(w.Stopped)
	}
	if err := w.Graph.Check(); err != nil {
		t.Fatal(err)
	}
	g := w.Graph.Ranks[1]
	if g[0].Time != 20*units.Microsecond || g[1].Do != collective.AllGather || g[1].Bytes != 2<<20 || g[2].Kind != workload.Send || g[2].Tag != 5 || g[2].After[0] != 1 {
		t.Errorf("rank 1 does %+v", g)
	}
	line, err := workload.Replay(w.Graph, nil0)
	if err != nil || line.End != 30*units.Microsecond {
		t.Errorf("%v: it takes %v without a network, want 30 us", err, line.End)
	}
}

// A CPU node that calls a collective is no collective: it takes its own time, and the
// GPU's kernel moves the data. An operator ends after the nodes that it calls.
func TestTheCPUsCallOfACollectiveIsNoCollective(t *testing.T) {
	call := nodeOf(1, collNode, nil, 30, int64Of("is_cpu_op", 1), int64Of("rf_id", 7)).number(4, 2)
	kernel := nodeOf(2, collNode, []uint64{1}, 0, int64Of("is_cpu_op", 0), int64Of("comm_type", 0), int64Of("comm_size", 8)).number(4, 1)
	w := read(file(call, kernel), file(call, kernel))
	if w.Stopped != nil {
		t.Fatal(w.Stopped)
	}
	if err := w.Graph.Check(); err != nil {
		t.Fatal(err)
	}
	g := w.Graph.Ranks[0]
	if g[0].Kind == workload.Collective || g[0].Time != 30*units.Microsecond || g[1].Kind != workload.Collective || len(g[0].After) != 0 {
		t.Errorf("rank 0 does %+v", g)
	}
	untyped := nodeOf(1, collNode, nil, 30, int64Of("is_cpu_op", 0))
	if w := read(file(untyped)); w.Stopped == nil || !strings.Contains(w.Stopped.Error(), "comm_type") {
		t.Errorf("a kernel without comm_type: %v", w.Stopped)
	}
}

// Messages of PyTorch's traces do not name the other end. It is found across the files.
func TestMessagesThatNameNoPeerAreMatchedAcrossFiles(t *testing.T) {
	end := func(id uint64, kind nodeType, bytes int64) message {
		return nodeOf(id, kind, nil, 0, int64Of("comm_size", bytes))
	}
	// A pipeline of three stages: each boundary has a size of its own.
	w := read(
		file(end(1, sendNode, 100), end(2, recvNode, 101)),
		file(end(1, recvNode, 100), end(2, sendNode, 200), end(3, recvNode, 201), end(4, sendNode, 101)),
		file(end(1, recvNode, 200), end(2, sendNode, 201)),
	)
	if w.Stopped != nil {
		t.Fatal(w.Stopped)
	}
	if err := w.Graph.Check(); err != nil {
		t.Fatal(err)
	}
	var peers []int32
	for _, ops := range w.Graph.Ranks {
		for _, o := range ops {
			peers = append(peers, o.Peer)
		}
	}
	if want := []int32{1, 1, 0, 2, 2, 0, 1, 1}; !slices.Equal(peers, want) {
		t.Errorf("the peers are %v, want %v", peers, want)
	}
	// If both boundaries have one size, the middle stage may receive from either side.
	w = read(
		file(end(1, sendNode, 100), end(2, recvNode, 100)),
		file(end(1, recvNode, 100), end(2, sendNode, 100), end(3, recvNode, 100), end(4, sendNode, 100)),
		file(end(1, recvNode, 100), end(2, sendNode, 100)),
	)
	if w.Stopped == nil || !strings.Contains(w.Stopped.Error(), "comm_dst of a send") {
		t.Errorf("a message with two possible peers: %v", w.Stopped)
	}
	// In a group of two ranks the peer is the other rank.
	two := func(kinds ...nodeType) []byte {
		nodes := []message{nodeOf(9, metadataNode, nil, 0).sub(8, message{}.text(1, `["[{\"pg_name\": \"7\", \"ranks\": [0, 2]}]"]`))}
		for i, k := range kinds {
			nodes = append(nodes, nodeOf(uint64(i), k, nil, 0, int64Of("comm_size", 8), message{}.text(1, "pg_name").text(29, "7")))
		}
		return file(nodes...)
	}
	w = read(two(sendNode, recvNode), file(), two(recvNode, sendNode))
	if w.Stopped != nil {
		t.Fatal(w.Stopped)
	}
	if err := w.Graph.Check(); err != nil || w.Graph.Ranks[0][1].Peer != 2 || w.Graph.Ranks[2][2].Peer != 0 {
		t.Errorf("%v: rank 0 does %+v", err, w.Graph.Ranks[0])
	}
}

// Both forms of JSON give the same trace as protobuf.
func TestTracesInJSON(t *testing.T) {
	feeder := `{"workload_graph": [
 {"Id": 1, "Name": "c10d::allreduce_(0)", "NodeType": 7, "ctrlDeps": [3], "data_deps": [], "runtime": 30, "is_cpu_op": true},
 {"Id": 2, "Name": "kernel", "NodeType": 7, "data_deps": [1], "is_cpu_op": false, "comm_type": 0, "comm_size": 4096}
], "ngpus": 2}`
	jsonizer := `{ "version": "0.0.4" }{ "id": "1", "name": "compute", "type": "COMP_NODE", "durationMicros": "30",
  "attr": [{"name": "is_cpu_op", "boolVal": true}] }{ "id": "2", "type": "COMM_COLL_NODE", "dataDeps": ["1"],
  "attr": [{"name": "comm_type", "int64Val": "0"}, {"name": "comm_size", "int64Val": "4096"}, {"name": "involved_dim", "boolList": {"values": [true]}}] }`
	for name, text := range map[string]string{"feeder": feeder, "jsonizer": jsonizer} {
		if !Recognise([]byte(text)) {
			t.Errorf("%s: it is not recognised", name)
		}
		var files []source.File
		for rank := range 2 {
			files = append(files, source.File{Name: fmt.Sprintf("t.%d.json", rank), Reader: strings.NewReader(text)})
		}
		w := Read(files)
		if w.Stopped != nil {
			t.Fatalf("%s: %v", name, w.Stopped)
		}
		if err := w.Graph.Check(); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		g := w.Graph.Ranks[1]
		if len(g) != 2 || g[0].Time != 30*units.Microsecond || g[1].Kind != workload.Collective || g[1].Bytes != 4096 || !slices.Equal(g[1].After, []int32{0}) {
			t.Errorf("%s: rank 1 does %+v", name, g)
		}
		whole := max(0, strings.LastIndex(text, "}{")) + 1 // an object ends there
		for cut := range text {
			w := Read([]source.File{{Name: "t.0.json", Reader: strings.NewReader(text[:cut])}})
			if cut > whole && w.Stopped == nil {
				t.Fatalf("%s: a file cut after %d of %d bytes is accepted", name, cut, len(text))
			}
		}
	}
}

func nil0(int32, int) units.Time { return 0 }

// The process groups of PyTorch's metadata are the groups of collectives.
func TestProcessGroupsOfMetadata(t *testing.T) {
	trace := func(name string) []byte {
		list := message{}.text(1, `["[{"pg_name": "7", "ranks": [0, 2]}, {"pg_name": "8", "ranks": []}]"]`)
		meta := nodeOf(1, metadataNode, nil, 0).sub(8, list)
		reduce := nodeOf(2, collNode, nil, 0, int64Of("comm_type", 0), int64Of("comm_size", 8), message{}.text(1, "pg_name").text(29, name))
		return file(meta, reduce)
	}
	w := read(trace("7"), file(), trace("7"))
	if w.Stopped != nil {
		t.Fatal(w.Stopped)
	}
	if err := w.Graph.Check(); err != nil {
		t.Fatal(err)
	}
	group := w.Graph.Groups[w.Graph.Ranks[2][1].Group].Ranks
	if len(group) != 2 || group[1] != 2 {
		t.Errorf("the group is %v, want 0 and 2", group)
	}
	if w := read(trace("7")); w.Stopped == nil || w.Ranks != 3 || !strings.Contains(w.Stopped.Error(), "each rank from 0 to 2: the file of rank 1 is missing") {
		t.Errorf("the ranks of a group without files: %d ranks, %v", w.Ranks, w.Stopped)
	}
	if w := read(trace("9"), file(), file()); w.Stopped == nil || !strings.Contains(w.Stopped.Error(), "the ranks of process group 9: no metadata node") {
		t.Errorf("a group without a list of ranks: %v", w.Stopped)
	}
}

// Converters have habits beyond the schema: ASTRA-sim's puts its whole input into the
// metadata and writes no id of 0; PyTorch's leaves out nodes that only control
// dependencies name, and calls the group of all ranks 0.
func TestTracesAreReadAsConvertersWriteThem(t *testing.T) {
	attr := func(name, text string) message { return message{}.text(1, name).text(29, text) }
	head := message{}.sub(2, attr("schema", "1.0.2-chakra.0.0.4")).sub(2, attr("input_file", strings.Repeat("<step/>\n", 4096)))
	first := message{}.text(2, "COMP_NODE_tb0_step0").number(3, uint64(computeNode)).number(7, 5)
	second := nodeOf(3, collNode, []uint64{0}, 0, int64Of("comm_type", 0), int64Of("comm_size", 8), attr("pg_name", "0")).number(4, 77)
	trace := framed(framed(framed(nil, head), first), second)
	if !Recognise(trace[:4096]) {
		t.Error("a trace with long metadata is not recognised by its first 4 KiB")
	}
	w := read(trace, trace)
	if w.Stopped != nil {
		t.Fatal(w.Stopped)
	}
	if err := w.Graph.Check(); err != nil {
		t.Fatal(err)
	}
	ops := w.Graph.Ranks[1]
	if len(w.Graph.Groups[ops[1].Group].Ranks) != 2 || len(ops[1].After) != 1 || ops[1].After[0] != 0 {
		t.Errorf("the collective is %+v", ops[1])
	}
	if !slices.ContainsFunc(w.Assumptions, func(s string) bool { return strings.HasPrefix(s, "2 control dependencies name nodes") }) {
		t.Errorf("no assumption names the dependencies on missing nodes: %v", w.Assumptions)
	}
}

// A GPU computes one node at a time; the CPU computes every node without an open dependency.
func TestAGPUComputesOneNodeAtATime(t *testing.T) {
	cpu := message{}.text(1, "is_cpu_op").number(27, 1)
	w := read(file(nodeOf(1, computeNode, nil, 5), nodeOf(2, computeNode, nil, 6), nodeOf(3, computeNode, nil, 7, cpu)))
	line, err := workload.Replay(w.Graph, nil0)
	if err != nil || line.End != 11*units.Microsecond {
		t.Errorf("%v: it takes %v, want the GPU's 5 us and 6 us", err, line.End)
	}
}

// Nodes may stand in any order in a file.
func TestANodeMayComeBeforeItsDependencies(t *testing.T) {
	reduce := func(id uint64, deps ...uint64) message {
		return nodeOf(id, collNode, deps, 0, int64Of("comm_type", 0), int64Of("comm_size", 8))
	}
	w := read(file(reduce(1, 2), reduce(2)), file(reduce(1, 2), reduce(2)))
	if w.Stopped != nil {
		t.Fatal(w.Stopped)
	}
	if err := w.Graph.Check(); err != nil {
		t.Error(err)
	}
	if got := w.Where(0, 0); !strings.Contains(got, "(node 2)") {
		t.Errorf("the first operation is %s, want node 2", got)
	}
}

// Groups may come in a file of their own, as ASTRA-sim takes them.
func TestProcessGroupsInAFile(t *testing.T) {
	reduce := file(nodeOf(1, collNode, nil, 0, int64Of("comm_type", 0), int64Of("comm_size", 8), message{}.text(1, "pg_name").text(29, "5")))
	read := func(groups ...string) *source.Workload {
		files := []source.File{{Name: "t.0.et", Reader: bytes.NewReader(reduce)}, {Name: "t.2.et", Reader: bytes.NewReader(reduce)}, {Name: "t.1.et", Reader: bytes.NewReader(file())}}
		for _, g := range groups {
			if !Recognise([]byte(g)) {
				t.Errorf("%q is not recognised", g)
			}
			files = append(files, source.File{Name: "groups.json", Reader: strings.NewReader(g)})
		}
		return Read(files)
	}
	w := read("{\n\"5\": [0, 2], \"6\": [1]}")
	if w.Stopped != nil {
		t.Fatal(w.Stopped)
	}
	if got := w.Graph.Groups[w.Graph.Ranks[2][0].Group].Ranks; !slices.Equal(got, []int32{0, 2}) {
		t.Errorf("the group has ranks %v, want 0 and 2", got)
	}
	for want, groups := range map[string][]string{
		"no metadata node": {`{"6": [0, 2]}`}, "an object of lists of ranks": {`{"5": [0, 2`}, "is one too": {`{"5": [0]}`, `{"6": [0]}`},
	} {
		if w := read(groups...); w.Stopped == nil || !strings.Contains(w.Stopped.Error(), want) {
			t.Errorf("%q: %v, want %q", groups, w.Stopped, want)
		}
	}
}

// A cut at any byte of a trace is reported with its place, unless it is between two
// messages. Operations before the cut are kept.
func TestACutTraceIsReportedWithItsPlace(t *testing.T) {
	whole := file(nodeOf(1, computeNode, nil, 5), nodeOf(2, computeNode, []uint64{1}, 6))
	between := map[int]int{len(file()): 0, len(file(nodeOf(1, computeNode, nil, 5))): 1}
	for n := range whole {
		w := read(whole[:n])
		if ops, clean := between[n]; clean || n == 0 {
			if w.Stopped != nil || w.Ops() != ops {
				t.Errorf("cut at %d, between messages: %v, %d operations, want %d", n, w.Stopped, w.Ops(), ops)
			}
			continue
		}
		if w.Stopped == nil || !strings.Contains(w.Stopped.Error(), "t.0.et: byte ") {
			t.Errorf("cut at %d: %v", n, w.Stopped)
		}
	}
}

// A node that a graph cannot have is reported with its place.
func TestAMistakeHasItsPlace(t *testing.T) {
	size, kind := int64Of("comm_size", 8), int64Of("comm_type", 0)
	for _, c := range []struct {
		name string
		node message
		want string
	}{
		{"of no known type", nodeOf(1, 10, nil, 0), `t.0.et: byte 8: "node 1": expected a node of computing`},
		{"a dependency on a missing node", nodeOf(1, computeNode, []uint64{4}, 0), "it has no node 4"},
		{"no size", nodeOf(1, collNode, nil, 0, kind), "comm_size with a number"},
		{"no such collective", nodeOf(1, collNode, nil, 0, size, int64Of("comm_type", 3)), "not 3"},
		{"no peer", nodeOf(1, sendNode, nil, 0, size), "the rank at the other end"},
		{"another's send", nodeOf(1, sendNode, nil, 0, size, int64Of("comm_src", 3)), "comm_src 0, the rank of the file, not 3"},
		{"some of the dimensions", nodeOf(1, collNode, nil, 0, size, kind, message{}.text(1, "involved_dim").sub(28, message{}.number(1, 1).number(1, 0))), "involved_dim with true only"},
	} {
		w := read(file(c.node))
		if w.Stopped == nil || !strings.Contains(w.Stopped.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, w.Stopped, c.want)
		}
	}
	missing := Read([]source.File{{Name: "t.2.et", Reader: bytes.NewReader(file())}})
	if missing.Stopped == nil || !strings.Contains(missing.Stopped.Error(), "the file of rank 0 is missing") {
		t.Errorf("a missing rank: %v", missing.Stopped)
	}
	unnamed := Read([]source.File{{Name: "t.et", Reader: bytes.NewReader(file())}})
	if unnamed.Stopped == nil || !strings.Contains(unnamed.Stopped.Error(), "does not say whose it is") {
		t.Errorf("a name without a rank: %v", unnamed.Stopped)
	}
}

func FuzzRead(f *testing.F) {
	traces := pair()
	f.Add(traces[0], traces[1])
	f.Fuzz(func(t *testing.T, a, b []byte) {
		_ = Recognise(a)
		w := read(a, b)
		_ = w.Graph.Check() // may find problems, must not fail itself
		g, left := w.Graph.Matched()
		if g.Ops()+left != w.Ops() {
			t.Fatalf("%d operations of %d are left, and %d left out", g.Ops(), w.Ops(), left)
		}
	})
}
