package goal

import (
	"bytes"
	"encoding/binary"
	"reflect"
	"strings"
	"testing"

	"weft/internal/sim/workload"
)

// node is an operation of a binary schedule, as LogGOPSim has it in memory.
type node struct {
	kind       byte
	peer       uint32
	size       uint64
	tag        uint32
	end, start []uint32 // operations that wait for its end, for its beginning
}

// encode writes ranks as Graph::serialize_mmap does.
func encode(ranks [][]node) []byte {
	var out bytes.Buffer
	put := func(x any) { _ = binary.Write(&out, binary.LittleEndian, x) } // a buffer has no errors
	put(uint64(4223))
	put(uint32(len(ranks)))
	put([2]byte{})
	var parts bytes.Buffer
	at := uint64(6 + 16*len(ranks))
	for _, nodes := range ranks {
		p := part(nodes)
		put(at)
		put(at + uint64(len(p)))
		at += uint64(len(p))
		parts.Write(p)
	}
	out.Write(parts.Bytes())
	return out.Bytes()
}

func part(nodes []node) []byte {
	waits := make([]uint32, len(nodes))
	for _, n := range nodes {
		for _, w := range append(append([]uint32{}, n.end...), n.start...) {
			waits[w]++
		}
	}
	var roots []uint32
	for i, w := range waits {
		if w == 0 {
			roots = append(roots, uint32(i))
		}
	}
	var out, lists bytes.Buffer
	put := func(x any) { _ = binary.Write(&out, binary.LittleEndian, x) }
	put(uint32(len(nodes)))
	put(uint32(len(roots)))
	put(roots)
	for i, n := range nodes {
		put(waits[i])
		put(n.kind)
		put(n.peer)
		put(n.size)
		put(n.tag)
		put([2]byte{})
		for _, list := range [][]uint32{n.end, n.start} {
			put(uint32(len(list)))
			put(uint32(lists.Len() / 4))
			_ = binary.Write(&lists, binary.LittleEndian, list)
		}
	}
	out.Write(lists.Bytes())
	return out.Bytes()
}

// The same schedule in both forms: computing, a send that waits for it, a receive from
// any source, and computing that begins with the receive.
const twinText = `num_ranks 2
rank 0 {
a: calc 100
b: send 64b to 1 tag 7
b requires a
}
rank 1 {
a: recv 64b from -1 tag -1
b: calc 5
b irequires a
c: calc 1
c requires a
}
`

var twinBinary = [][]node{
	{{kind: 3, size: 100, end: []uint32{1}}, {kind: 1, peer: 1, size: 64, tag: 7}},
	{{kind: 2, peer: anySource, size: 64, tag: anySource, end: []uint32{2}, start: []uint32{1}}, {kind: 3, size: 5}, {kind: 3, size: 1}},
}

func TestBothFormsAreTheSameGraph(t *testing.T) {
	text := Read("t", strings.NewReader(twinText))
	file := encode(twinBinary)
	if !RecogniseBinary(file) || Recognise(file) || RecogniseBinary([]byte(twinText)) {
		t.Error("a form is taken for the other")
	}
	b := ReadBinary("b", bytes.NewReader(file))
	if text.Stopped != nil || b.Stopped != nil {
		t.Fatalf("%v, %v", text.Stopped, b.Stopped)
	}
	for _, w := range [][][]workload.Op{text.Graph.Ranks, b.Graph.Ranks} {
		for _, ops := range w {
			for i := range ops {
				ops[i].Name = ""
			}
		}
	}
	// The text form puts the beginning of an operation where irequires first names it, the
	// binary form behind all operations.
	want := text.Graph.Ranks[1]
	want[2], want[3] = want[3], want[2] // c and the beginning of a
	for i := range want {
		for k, before := range want[i].After {
			want[i].After[k] = []int32{0, 1, 3, 2}[before]
		}
	}
	if !reflect.DeepEqual(b.Graph.Ranks, text.Graph.Ranks) {
		t.Errorf("binary %+v\ntext %+v", b.Graph.Ranks, text.Graph.Ranks)
	}
	if err := b.Graph.Check(); err != nil {
		t.Error(err)
	}
	if at := b.Where(1, 0); at != "b: byte 152" { // 8 + 6 + 2·16, 8 + 4 + 2·39 + 4 of rank 0, 8 + 4
		t.Errorf("the receive is at %s", at)
	}
}

// Every truncation is reported, and the operations before it are kept.
func TestACutBinaryScheduleIsReportedAndKept(t *testing.T) {
	file := encode(twinBinary)
	for n := range file {
		w := ReadBinary("b", bytes.NewReader(file[:n]))
		if w.Stopped == nil || !w.Stopped.Binary {
			t.Fatalf("%d of %d bytes: %v", n, len(file), w.Stopped)
		}
	}
	w := ReadBinary("b", bytes.NewReader(file[:len(file)-1]))
	if len(w.Graph.Ranks[0]) != 2 || !strings.Contains(w.Stopped.Error(), "the part of rank 1") {
		t.Errorf("%d operations of rank 0 are kept, %v", len(w.Graph.Ranks[0]), w.Stopped)
	}
}

func TestAMistakeInABinaryScheduleHasItsPlace(t *testing.T) {
	for want, change := range map[string]func(b []byte){
		`b: byte 8: "0": expected a number of ranks`:                      func(b []byte) { b[8] = 0 },
		`"9": expected 1 for a send, 2 for a receive`:                     func(b []byte) { b[46+12+4] = 9 },
		`"5": expected a rank from 0 to 1`:                                func(b []byte) { b[46+12+39+5] = 5 },
		`"3": expected an operation from 0 to 1`:                          func(b []byte) { b[46+12+78] = 3 },
		`expected 1, the number of operations that it waits for`:          func(b []byte) { b[46+12+39] = 2 },
		`a list from 0 on, after the previous list, within the 1 entries`: func(b []byte) { b[46+12+23] = 9 },
	} {
		file := encode(twinBinary)
		change(file)
		if w := ReadBinary("b", bytes.NewReader(file)); w.Stopped == nil || !strings.Contains(w.Stopped.Error(), want) {
			t.Errorf("%v, want %q", w.Stopped, want)
		}
	}
}

func FuzzReadBinary(f *testing.F) {
	f.Add(encode(twinBinary))
	f.Fuzz(func(t *testing.T, file []byte) {
		w := ReadBinary("f", bytes.NewReader(file))
		if w.Graph == nil || w.Where == nil {
			t.Fatal("no graph")
		}
		for rank, ops := range w.Graph.Ranks {
			if len(ops) > 2*len(file) {
				t.Fatalf("rank %d has %d operations of %d bytes", rank, len(ops), len(file))
			}
		}
	})
}
