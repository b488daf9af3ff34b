package workload

import (
	"strings"
	"testing"

	"weft/internal/sim/collective"
	"weft/units"
)

func compute(t units.Time) Op { return Op{Kind: Compute, Time: t} }

func send(to int32, bytes units.Bytes) Op { return Op{Kind: Send, Peer: to, Bytes: bytes} }

func recv(from int32, bytes units.Bytes) Op { return Op{Kind: Recv, Peer: from, Bytes: bytes} }

func reduce(group int32, bytes units.Bytes) Op {
	return Op{Kind: Collective, Group: group, Bytes: bytes, Do: collective.AllReduce}
}

func onStream(o Op, stream uint8, after ...int32) Op {
	o.Stream, o.After = stream, after
	return o
}

// Every inconsistency of a workload is refused with its place.
func TestAWorkloadThatMakesNoSenseIsRefused(t *testing.T) {
	pair := []Group{{Name: "pair", Ranks: []int32{0, 1}}}
	for _, c := range []struct {
		name string
		g    Graph
		want string
	}{
		{"no rank", Graph{}, "no rank"},
		{"a peer that is missing", Graph{Ranks: [][]Op{{send(3, 8)}, nil}}, "rank 0, operation 0: send with rank 3, which is missing"},
		{"to itself", Graph{Ranks: [][]Op{{send(0, 8)}}}, "rank 0, operation 0: send with itself"},
		{"never received", Graph{Ranks: [][]Op{{compute(1), send(1, 8)}, nil}}, "rank 0, operation 1: it sends 8 bytes to rank 1 with tag 0, which that rank never receives"},
		{"never sent", Graph{Ranks: [][]Op{{recv(1, 8)}, nil}}, "rank 0, operation 0: it waits for 8 bytes from rank 1 with tag 0, which that rank never sends"},
		{"two lengths", Graph{Ranks: [][]Op{{send(1, 8)}, {recv(0, 9)}}}, "rank 0, operation 0: it sends 8 bytes to rank 1 with tag 0, which expects 9"},
		{"a member that is missing", Graph{Groups: []Group{{Name: "far", Ranks: []int32{0, 7}}}, Ranks: [][]Op{nil}}, "group 0 (far): there is no rank 7"},
		{"no member", Graph{Groups: pair, Ranks: [][]Op{{reduce(0, 8)}, {reduce(0, 8)}, {reduce(0, 8)}}}, "rank 2, operation 0: all-reduce on group 0 (pair), but it is not a member"},
		{"never entered", Graph{Groups: pair, Ranks: [][]Op{{reduce(0, 8)}, nil}}, "rank 1: it never enters collective 0 of group 0 (pair), all-reduce of 8 bytes, that rank 0 enters with its operation 0"},
		{"members that disagree", Graph{Groups: pair, Ranks: [][]Op{{reduce(0, 8)}, {reduce(0, 16)}}}, "rank 1, operation 0: collective 0 of group 0 (pair) is all-reduce of 16 bytes from 0 here, and all-reduce of 8 bytes from 0 at rank 0"},
		{"two streams", Graph{Groups: pair[:1], Ranks: [][]Op{{reduce(0, 8), onStream(reduce(0, 8), 1)}, {reduce(0, 8), reduce(0, 8)}}}, "rank 0, operation 1: it is on stream 1"},
		{"after a missing operation", Graph{Ranks: [][]Op{{onStream(compute(1), 0, 4)}}}, "rank 0, operation 0: it is to begin after operation 4"},
		{"a circle in a rank", Graph{Ranks: [][]Op{{onStream(compute(1), 0, 1), onStream(compute(1), 1, 0)}}}, "rank 0, operation 0 waits for operations of its own rank that depend on it"},
		{"a circle of receives", Graph{Ranks: [][]Op{{recv(1, 8), send(1, 8)}, {recv(0, 8), send(0, 8)}}}, "rank 0, operation 0 waits for rank 1 to send (its operation 1); rank 1, operation 0 waits for rank 0 to send (its operation 1); and so on round"},
		{"a circle of groups", Graph{
			Groups: []Group{pair[0], {Name: "again", Ranks: []int32{1, 0}}},
			Ranks:  [][]Op{{reduce(0, 8), reduce(1, 8)}, {reduce(1, 8), reduce(0, 8)}},
		}, "rank 0, operation 0 waits for rank 1 to enter collective 0 of group 0 (pair)"},
		{"computations on two streams that share multiprocessors", Graph{Multiprocessors: 132, Ranks: [][]Op{{compute(1), onStream(compute(1), 1)}}}, "rank 0, operation 1: it may run beside an earlier computation"},
		{"computations without a stream that share multiprocessors", Graph{Multiprocessors: 132, Ranks: [][]Op{{onStream(compute(1), Unordered), onStream(compute(1), Unordered)}}}, "rank 0, operation 1: it may run beside an earlier computation"},
		{"time that runs backwards", Graph{Ranks: [][]Op{{compute(-1)}}}, "rank 0, operation 0: it computes for"},
	} {
		err := c.g.Check()
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}

// Receives in another order than the sends are no circle, and tags tell them apart.
func TestMessagesMeetByTagAndOrder(t *testing.T) {
	tagged := func(o Op, tag int32) Op { o.Tag = tag; return o }
	g := Graph{Ranks: [][]Op{
		{tagged(send(1, 1), 5), tagged(send(1, 2), 6), tagged(send(1, 3), 5)},
		{tagged(recv(0, 2), 6), tagged(recv(0, 1), 5), tagged(recv(0, 3), 5)},
	}}
	if err := g.Check(); err != nil {
		t.Fatal(err)
	}
	numbers, n := g.Messages()
	if n != 3 || numbers[0][0] != numbers[1][1] || numbers[0][1] != numbers[1][0] || numbers[0][2] != numbers[1][2] {
		t.Errorf("%d messages: %v", n, numbers)
	}
}

// Computations that share the multiprocessors with communication are taken if they take turns.
func TestComputationsThatTakeTurnsMayShareMultiprocessors(t *testing.T) {
	onUnit := Op{Kind: Compute, Time: 1, Stream: Unordered, Unit: Multiprocessors}
	for _, ops := range [][]Op{{compute(1), compute(1)}, {onUnit, onUnit}} {
		if err := (&Graph{Multiprocessors: 132, Ranks: [][]Op{ops}}).Check(); err != nil {
			t.Error(err)
		}
	}
}
