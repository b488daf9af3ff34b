package workload

import (
	"testing"

	"weft/internal/sim/collective"
)

// An operation without its other end is left out. Operations that waited for it then wait
// for its dependencies.
func TestAnOperationWithoutItsOtherEndIsLeftOut(t *testing.T) {
	pair := []Group{{Name: "pair", Ranks: []int32{0, 1}}}
	g := &Graph{Groups: pair, Ranks: [][]Op{
		{compute(5), onStream(send(1, 8), Unordered, 0), onStream(compute(7), Unordered, 1), reduce(0, 4), reduce(0, 4)},
		{reduce(0, 4)},
	}}
	if g.Check() == nil {
		t.Fatal("the graph is whole")
	}
	out, left := g.Matched()
	if err := out.Check(); err != nil || left != 2 || out.Ops() != 4 {
		t.Fatalf("%v; %d left out, %d stay, want 2 and 4", err, left, out.Ops())
	}
	if o := out.Ranks[0][1]; o.Kind != Compute || len(o.After) != 1 || o.After[0] != 0 {
		t.Errorf("the operation behind the send is %+v, want it to wait for the first", o)
	}
}

// A folded workload, written out, has every rank in its own group.
func TestAFoldedWorkloadIsWrittenOutInItsGroups(t *testing.T) {
	groups := [][]int32{{0, 2}, {1, 3}}
	f := &Folded{
		Graph:  &Graph{Groups: []Group{{Ranks: []int32{0}}}, Ranks: [][]Op{{compute(3), {Kind: Collective, Bytes: 8}, {Kind: Collective, Bytes: 16, Phase: 1}}}},
		Phases: []Phase{{Kind: Collective, Do: collective.AllReduce, Groups: groups}, {Kind: Collective, Groups: groups}},
		Stands: [][]int32{{0, 1, 2, 3}},
	}
	g := f.Whole()
	if err := g.Check(); err != nil {
		t.Fatal(err)
	}
	if len(g.Groups) != 2 || g.Ranks[3][1].Group != 1 || g.Ranks[2][2].Group != 0 {
		t.Errorf("%d groups; rank 3 is in %d, rank 2 in %d", len(g.Groups), g.Ranks[3][1].Group, g.Ranks[2][2].Group)
	}
}

// On the unordered stream two operations run at the same time. A collective needs an
// ordered stream.
func TestWithoutAnOrderOperationsOverlap(t *testing.T) {
	g := &Graph{Ranks: [][]Op{{onStream(compute(5), Unordered), onStream(compute(7), Unordered)}}}
	line, err := Replay(g, nil)
	if err != nil || line.End != 7 {
		t.Errorf("%v: they take %v, want 7 ps", err, line.End)
	}
	g = &Graph{Groups: []Group{{Ranks: []int32{0}}}, Ranks: [][]Op{{onStream(reduce(0, 8), Unordered)}}}
	if g.Check() == nil {
		t.Error("a collective on the unordered stream is accepted")
	}
}

// Data of a kind that moves twice at once counts once; a message counts at its sender.
func TestKindsCountOverlappingDataOnce(t *testing.T) {
	g := &Graph{Ranks: [][]Op{
		{onStream(send(1, 8), Unordered), onStream(send(1, 8), Unordered)},
		{onStream(recv(0, 8), Unordered), onStream(recv(0, 8), Unordered)},
	}}
	line := &Timeline{Spans: [][]Span{{{0, 10}, {5, 15}}, {{0, 10}, {0, 15}}}, End: 15}
	kinds := Kinds(g, line)
	if len(kinds) != 1 || kinds[0].Count != 2 || kinds[0].Bytes != 16 || kinds[0].Moving != 15 {
		t.Errorf("%+v, want 2 messages of 16 bytes moving for 15 ps", kinds)
	}
}
