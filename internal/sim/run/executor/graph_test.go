package executor

import (
	"context"
	"testing"

	"weft/internal/sim/collective"
	"weft/internal/sim/run/control"
	"weft/internal/sim/run/network"
	"weft/internal/sim/workload"
	"weft/internal/test/simtest"
	"weft/results"
	"weft/scenario"
	"weft/units"
)

// execute runs a workload on the first fabric of a scenario.
func execute(t *testing.T, text string, g *workload.Graph) *Execution {
	t.Helper()
	if err := g.Check(); err != nil {
		t.Fatal(err)
	}
	r := simtest.Resolve(t, text)
	p, err := control.NewPlan(r, &r.Fabrics[0])
	if err != nil {
		t.Fatal(err)
	}
	x, err := Execute(context.Background(), p, r, g, true, nil)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// carriedOut runs the collective of a scenario, at its first size, on its first fabric.
func carriedOut(t *testing.T, r *scenario.Resolved) results.Point {
	t.Helper()
	p, err := control.NewPlan(r, &r.Fabrics[0])
	if err != nil {
		t.Fatal(err)
	}
	point := results.Point{}
	job := network.Task{Plan: p, Scenario: r, Bytes: r.Workload.Sizes[0], Cores: 1, Parts: 1, Stop: nil, Started: func(*network.Network) {}}
	if err := RunCollective(&job, &point); err != nil {
		t.Fatal(err)
	}
	return point
}

// strided are the groups of size ranks i, i+stride, …; every rank is in one group.
func strided(ranks, size, stride int) (groups []workload.Group) {
	for block := 0; block < ranks; block += size * stride {
		for i := range stride {
			g := workload.Group{}
			for j := range size {
				g.Ranks = append(g.Ranks, int32(block+i+j*stride))
			}
			groups = append(groups, g)
		}
	}
	return groups
}

// on is a graph in which every rank does the same operations on its group.
func on(ranks int, groups []workload.Group, ops ...workload.Op) *workload.Graph {
	g := &workload.Graph{Ranks: make([][]workload.Op, ranks), Groups: groups}
	for i := range groups {
		for _, r := range groups[i].Ranks {
			for _, o := range ops {
				o.Group = int32(i)
				g.Ranks[r] = append(g.Ranks[r], o)
			}
		}
	}
	return g
}

// A collective of all ranks takes as long in a workload as by itself, but for the
// rate of the kernels' stores, which bounds them at the sender alone.
func TestACollectiveInAWorkloadTakesWhatItTakesAlone(t *testing.T) {
	for _, bytes := range []units.Bytes{64 * units.KiB, 64 * units.MiB} {
		g := on(32, strided(32, 32, 1), workload.Op{Kind: workload.Collective, Do: collective.AllGather, Bytes: bytes})
		x := execute(t, simtest.FourNodes, g)
		r := simtest.Resolve(t, simtest.FourNodes+"workload: {collective: all-gather, sizes: ["+bytes.String()+"]}\nrun: {iterations: 1, warmup: 0}")
		alone := carriedOut(t, r).Time
		if diff := x.Timeline.End - alone; diff.Seconds() > 0.01*alone.Seconds() || -diff.Seconds() > 0.01*alone.Seconds() {
			t.Errorf("%v: %v in a workload, %v alone", bytes, x.Timeline.End, alone)
		}
	}
}

// Groups inside nodes share no link, groups on rails share no link either, and so
// each takes as long beside all others as by itself.
func TestGroupsWithoutACommonLinkDoNotSlowEachOther(t *testing.T) {
	for name, groups := range map[string][]workload.Group{"inside nodes": strided(32, 8, 1), "half nodes": strided(32, 4, 1), "on rails": strided(32, 4, 8)} {
		op := workload.Op{Kind: workload.Collective, Do: collective.ReduceScatter, Bytes: 16 * units.MiB}
		all := execute(t, simtest.FourNodes, on(32, groups, op)).Timeline
		one := execute(t, simtest.FourNodes, on(32, groups[:1], op)).Timeline
		if name == "half nodes" { // two halves share a switch, not its ports
			name += " of one switch"
		}
		if d := (all.End - one.End).Seconds() / one.End.Seconds(); d > 0.001 || d < -0.001 {
			t.Errorf("%s: %v with all, %v with one", name, all.End, one.End)
		}
	}
}

// Two ranks of one NIC share its wire: messages of both take twice as long.
func TestMessagesOfOneNICShareItsWire(t *testing.T) {
	const bytes = 64 * units.MiB
	message := func(to int32) workload.Op { return workload.Op{Kind: workload.Send, Peer: to, Bytes: bytes} }
	take := workload.Op{Kind: workload.Recv, Peer: 0, Bytes: bytes}
	one := make([][]workload.Op, 32)
	one[0], one[8] = []workload.Op{message(8)}, []workload.Op{take}
	second := message(16)
	second.Stream = 1
	two := make([][]workload.Op, 32)
	two[0], two[8], two[16] = []workload.Op{message(8), second}, []workload.Op{take}, []workload.Op{take}
	a := execute(t, simtest.FourNodes, &workload.Graph{Ranks: one}).Timeline.End
	b := execute(t, simtest.FourNodes, &workload.Graph{Ranks: two}).Timeline.End
	wire := units.Time(float64(bytes) * 8 / 400e9 * 1e12)
	if a < wire || a > wire*11/10 {
		t.Errorf("one message takes %v, the wire %v", a, wire)
	}
	if b < 2*wire || b > 2*wire*11/10 {
		t.Errorf("two messages take %v, the wire %v", b, 2*wire)
	}
}

// A message that arrives before its receive begins waits for it; a receive that begins
// first waits for the message.
func TestAMessageAndItsReceiveMeetInEitherOrder(t *testing.T) {
	const late = 10 * units.Millisecond
	pause := workload.Op{Kind: workload.Compute, Time: late}
	message := workload.Op{Kind: workload.Send, Peer: 8, Bytes: units.MiB}
	take := workload.Op{Kind: workload.Recv, Peer: 0, Bytes: units.MiB}
	ranks := make([][]workload.Op, 32)
	ranks[0], ranks[8] = []workload.Op{message}, []workload.Op{pause, take}
	early := execute(t, simtest.FourNodes, &workload.Graph{Ranks: ranks}).Timeline
	if over := early.Spans[8][1].End; over < late || over > late+units.Microsecond {
		t.Errorf("a receive of a message that has arrived ends at %v, begun at %v", over, late)
	}
	ranks[0], ranks[8] = []workload.Op{pause, message}, []workload.Op{take}
	x := execute(t, simtest.FourNodes, &workload.Graph{Ranks: ranks}).Timeline
	if over := x.Spans[8][0].End; over < late+20*units.Microsecond || over != x.Spans[0][1].End {
		t.Errorf("the receive is over at %v, the send at %v, begun at %v", over, x.Spans[0][1].End, late)
	}
}

// A sender runs far ahead of its receivers in tiny messages.
func TestASenderMayRunAhead(t *testing.T) {
	g := &workload.Graph{Ranks: make([][]workload.Op, 32), Groups: []workload.Group{{Ranks: []int32{0, 8, 16}}}}
	for range 50 {
		for _, r := range g.Groups[0].Ranks {
			g.Ranks[r] = append(g.Ranks[r], workload.Op{Kind: workload.Collective, Do: collective.Broadcast, Bytes: 8})
		}
	}
	g.Ranks[16] = append([]workload.Op{{Kind: workload.Compute, Time: units.Millisecond}}, g.Ranks[16]...)
	x := execute(t, simtest.FourNodes, g)
	if first, last := x.Timeline.Spans[0][49].End, x.Timeline.Spans[16][1].End; first > last {
		t.Errorf("the root is done at %v, the late receiver with its first at %v", first, last)
	}
}
