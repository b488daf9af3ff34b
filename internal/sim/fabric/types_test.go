package fabric

import (
	"cmp"
	"slices"
	"testing"

	"weft/internal/sim/engine"
	"weft/internal/sim/fabric/counts"
	"weft/internal/sim/transport"
	"weft/units"
	"weft/wire"
)

// TestAPortCarriesFractionsOfAPicosecond sends packets of 100 bytes at 440/3 ps a byte: each takes
// 14,666 2/3 ps.
func TestAPortCarriesFractionsOfAPicosecond(t *testing.T) {
	o := port{num: 440, den: 3}
	var got []units.Time
	for range 3 {
		got = append(got, o.occupy(o.freeAt, 100))
	}
	o.occupy(o.freeAt, 50)
	got = append(got, o.occupy(60_000, 100), o.occupy(o.freeAt, 100)) // after a gap
	if want := []units.Time{14_666, 29_333, 44_000, 74_666, 89_333}; !slices.Equal(got, want) {
		t.Errorf("the wire is free at %v ps, want %v", got, want)
	}
	if o.bytes != 550 {
		t.Errorf("%d bytes were sent, want 550", o.bytes)
	}
	if got := o.serialisation(100); got != 14_667 {
		t.Errorf("100 bytes take %d ps, want 14667, rounded up", got)
	}
}

// TestAPortDecidesOnceWhenItsWireIsFree touches a port twice, with a free wire and with a busy one.
func TestAPortDecidesOnceWhenItsWireIsFree(t *testing.T) {
	p := &Partition{net: &Network{wiring: wiring{nodes: make([]node, 1)}}, queue: engine.NewQueue(10, 6), now: 100}
	o := &port{wakeAt: units.Forever}
	o.touch(p, 0)
	o.touch(p, 0)
	if len(p.dirty) != 1 || o.wakeAt != units.Forever {
		t.Errorf("%d decisions at the end of the instant, and one at %v: want one and none", len(p.dirty), o.wakeAt)
	}
	o = &port{wakeAt: units.Forever, freeAt: 300}
	o.touch(p, 1)
	o.touch(p, 1)
	if len(p.dirty) != 1 || p.queue.Len() != 1 || o.wakeAt != 300 {
		t.Errorf("%d ports decide now, %d later, this one at %v: want one each, at 300", len(p.dirty), p.queue.Len(), o.wakeAt)
	}
	o.wake(p, 1, 200)
	if o.wakeAt != 200 || p.queue.NextTime() != 200 {
		t.Errorf("brought forward to 200, the port decides at %v; the first event is at %v", o.wakeAt, p.queue.NextTime())
	}
}

// TestARingKeepsTheOrderOfFlowsWhileItGrows pushes two and pops one, 20 times.
func TestARingKeepsTheOrderOfFlowsWhileItGrows(t *testing.T) {
	var r ring
	next, first := units.QPN(0), units.QPN(0)
	for range 20 {
		for range 2 {
			r.push(&flow{id: next})
			next++
		}
		if f := r.first(); r.pop() != f || f.id != first {
			t.Fatalf("flow %d is first, want %d", f.id, first)
		}
		first++
	}
	if r.n != 20 {
		t.Errorf("%d flows are left, want 20", r.n)
	}
}

func TestFlowsStayWhereTheyAreAsATableGrows(t *testing.T) {
	var table flowTable
	var slab flowSlab
	var at []*flow
	for i := range units.QPN(5 * flowBlock) {
		if q := table.makeRoom(&slab); q != i {
			t.Fatalf("flow %d has the number %d", i, q)
		}
		at = append(at, table.flow(i))
		at[i].order = uint64(i)
	}
	seen := 0
	for f := range table.all {
		if f != at[seen] {
			t.Fatalf("flow %d has moved since it was added", seen)
		}
		if seen++; seen == len(at)-1 {
			break
		}
	}
	if seen != len(at)-1 {
		t.Errorf("%d flows of %d were given before the stop", seen, len(at))
	}
	slices.SortFunc(at, func(a, b *flow) int { return cmp.Compare(a.order, b.order) })
	if apart := len(slices.Compact(at)); apart != seen+1 {
		t.Errorf("%d flows have %d places", seen+1, apart)
	}
}

func TestAListIsFirstInFirstOut(t *testing.T) {
	p := newPool()
	q := emptyList
	for range 2 { // also after it was empty
		var in, out []int32
		for range 5 {
			i := p.get(&p.loose)
			in = append(in, i)
			p.push(&q, i)
		}
		for q.head >= 0 {
			out = append(out, p.pop(&q))
		}
		if !slices.Equal(in, out) {
			t.Errorf("%v went in, and %v came out", in, out)
		}
	}
}

func TestAPortThatGoesDownForgetsItsOwnPauses(t *testing.T) {
	p := &Partition{net: &Network{wiring: wiring{classes: 2}}}
	p.net.pauseUntil = []units.Time{1, 2, 3, 4, 5, 6}
	o := &port{blocked: 3}
	o.unpause(p, 1)
	if want := []units.Time{1, 2, 0, 0, 5, 6}; o.blocked != 0 || !slices.Equal(p.net.pauseUntil, want) {
		t.Errorf("classes %b are paused, until %v: want none, %v", o.blocked, p.net.pauseUntil, want)
	}
}

// TestANICWithoutACableLosesPacketsThatHaveLeftTheirQueuePairs has two replies, a packet that
// countWaiting for credits, and in another class a flow that may send.
func TestANICWithoutACableLosesPacketsThatHaveLeftTheirQueuePairs(t *testing.T) {
	p := &Partition{net: &Network{wiring: wiring{classes: 2}}, pool: newPool(), now: 7}
	queues := []nicQueue{{replies: emptyList, held: -1}, {replies: emptyList, held: -1}}
	p.net.nicQueues = queues
	for range 2 {
		p.pool.push(&queues[0].replies, p.pool.get(&p.pool.loose))
	}
	queues[0].held = p.pool.get(&p.pool.loose)
	queues[1].ring.push(&flow{})
	o := &port{nonEmpty: 3}
	for range 2 { // the second finds nothing more to lose
		o.sendDownNIC(p, 0)
	}
	if p.stats.Dropped[counts.DropFault] != 3 || p.pool.live != 0 || p.stats.LastFault != 7 {
		t.Errorf("%d packets are lost, the last at %v, and %d are left: want 3, at 7, and none", p.stats.Dropped[counts.DropFault], p.stats.LastFault, p.pool.live)
	}
	if o.nonEmpty != 2 || queues[1].ring.n != 1 {
		t.Errorf("classes %b have something to send: want the flow's alone", o.nonEmpty)
	}
}

// TestASecondCNPWithinThePeriodIsNotSent has a batch of an acknowledgement and three CNPs.
func TestASecondCNPWithinThePeriodIsNotSent(t *testing.T) {
	nic := &nicState{spec: &NIC{CNPInterval: 100, PayloadPad: 4}}
	p := &Partition{net: &Network{wiring: wiring{classes: 2, ports: make([]port, 1), nodes: make([]node, 1)}}, queue: engine.NewQueue(10, 6), pool: newPool(), now: 50}
	p.net.nicQueues = []nicQueue{{replies: emptyList, held: -1}, {replies: emptyList, held: -1}}
	p.net.cnpAt = make([]units.Time, 1)
	for _, op := range []wire.Opcode{wire.CNP, wire.RCAcknowledge, wire.CNP, wire.CNP} {
		p.batch.Packets = append(p.batch.Packets, transport.Packet{Op: op})
	}
	nic.queueReplies(p, &flow{reply: 0, cnp: 1})
	for class, op := range []wire.Opcode{wire.RCAcknowledge, wire.CNP} {
		q := &p.net.nicQueues[class].replies
		if q.head < 0 || p.pool.hot[q.head].next >= 0 || p.pool.cold[q.head].Op != op {
			t.Errorf("class %d does not have one packet, %v", class, op)
		}
	}
	if p.stats.CNPs != 1 || len(p.batch.Packets) != 0 || p.pool.live != 2 {
		t.Errorf("%d CNPs are counted, %d packets are in the network: want 1 and 2", p.stats.CNPs, p.pool.live)
	}
	cnp := p.pool.cold[p.net.nicQueues[1].replies.head]
	if cnp.VA != 50 {
		t.Errorf("the CNP's send time is %d, want 50", cnp.VA)
	}
}

// TestFlowControlTakesTimeOfTheWireAndCountsAsNoBytes has 200 bytes of flow-control packets to send
// before a packet, on a wire of 10 ps a byte that has just become free, and on an idle wire.
func TestFlowControlTakesTimeOfTheWireAndCountsAsNoBytes(t *testing.T) {
	for free, want := range map[units.Time]units.Time{100: 2100, 50: 100} {
		o := port{num: 10, den: 1, freeAt: free, bytes: 7, debt: 200}
		if start := o.payDebt(100); start != want || o.debt != 0 || o.bytes != 7 {
			t.Errorf("the wire is free at %v: the packet starts at %v, with %d bytes of debt and %d sent: want %v, none, and 7", free, start, o.debt, o.bytes, want)
		}
	}
}
