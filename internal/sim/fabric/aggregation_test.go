package fabric_test

import (
	"reflect"
	"slices"
	"testing"

	"weft/internal/base/topology"
	"weft/internal/sim/fabric"
	"weft/internal/sim/fabric/reduction"
	"weft/internal/sim/routing"
	"weft/internal/sim/transport"
	"weft/units"
)

// results notes when each NIC has each result.
type results struct {
	at    map[int32][]units.Time
	bytes int64
}

func (r *results) Complete(p *fabric.Partition, nic int32, c *transport.Completion) {
	if c.Recv {
		r.at[nic] = append(r.at[nic], p.Now())
		r.bytes += int64(c.Bytes)
	}
}

func (r *results) Timer(*fabric.Partition, uint32) {}

const unit = 150 * ns // of the aggregation units in these tests

// reducing makes an InfiniBand network with one tree over all of its NICs, and a
// stream that all have joined.
func reducing(t *testing.T, s topology.Spec, app fabric.App) (n *fabric.Network, senders []units.QPN) {
	t.Helper()
	return streaming(t, s, reduction.All, unit, app)
}

// streaming is reducing with a stream of any kind, and units of any latency.
func streaming(t *testing.T, s topology.Spec, kind reduction.Kind, latency units.Time, app fabric.App) (n *fabric.Network, senders []units.QPN) {
	t.Helper()
	g, err := s.Build()
	if err != nil {
		t.Fatal(err)
	}
	members := make([]topology.End, g.Endpoints)
	for i := range members {
		members[i].Node = topology.NodeID(i)
	}
	tree, err := routing.ReductionTree(g, members, 0, nil)
	if err != nil {
		t.Fatal(err)
	}
	a := &fabric.Aggregation{Latency: latency, Trees: make([]reduction.Tree, 1)}
	for _, nd := range tree {
		a.Trees[0] = append(a.Trees[0], reduction.TreeSwitch{Switch: int32(nd.Switch), Parent: nd.Parent, Children: nd.Children})
	}
	if n, err = buildInfiniBand(g, app, func(b *fabric.Builder) { b.Aggregation = a }); err != nil {
		t.Fatal(err)
	}
	stream := n.Stream(0, kind)
	for i := range members {
		send, _, err := n.Join(stream, int32(i), fabric.Connection{})
		if err != nil {
			t.Fatal(err)
		}
		senders = append(senders, send)
	}
	return n, senders
}

// TestAReductionTakesWhatItsPartsTake compares the time at which results of one packet
// arrive with the sum of the path's parts, to the picosecond.
func TestAReductionTakesWhatItsPartsTake(t *testing.T) {
	for _, c := range []struct {
		spec     topology.Spec
		switches units.Time // from a NIC to the root
		latency  units.Time // of an aggregation unit
	}{{topology.SingleSwitch{Endpoints: 9, Radix: 12}, 1, unit}, {topology.KAry{K: 4}, 3, unit}, {topology.KAry{K: 4}, 3, 0}} {
		r := &results{at: make(map[int32][]units.Time)}
		n, senders := streaming(t, c.spec, reduction.All, c.latency, r)
		const payload = 4096
		for nic, qp := range senders {
			if err := n.Partition(int32(nic)).Post(int32(nic), qp, transport.WorkRequest{Op: transport.OpWriteImm, Length: payload}); err != nil {
				t.Fatal(err)
			}
		}
		if err := n.Run(units.Second, 1, nil); err != nil {
			t.Fatal(err)
		}
		// Cut-through: the bytes count once, at the last NIC. A WRITE with
		// immediate has LRH, BTH, RETH, ImmDt, ICRC and VCRC.
		const wire = payload + 8 + 12 + 16 + 4 + 4 + 2
		hops, pipelines := 2*c.switches, 2*c.switches-1
		want := wire*20 + hops*100*ns + pipelines*200*ns + c.switches*c.latency + 300*ns
		for nic := range senders {
			if got := r.at[int32(nic)]; len(got) != 1 || got[0] != want {
				t.Fatalf("%d switches: NIC %d has results at %v ps, the parts sum to %d ps", c.switches, nic, got, want)
			}
		}
	}
}

// A sum without latency leaves its unit in the instant in which the last contribution came, over whichever link.
func TestAUnitWithoutLatencyReduces(t *testing.T) {
	r := &results{at: make(map[int32][]units.Time)}
	n, senders := streaming(t, topology.Torus{Dims: []int{5}, SwitchEndpoints: 1}, reduction.All, 0, r)
	for nic, qp := range senders {
		if err := n.Partition(int32(nic)).Post(int32(nic), qp, transport.WorkRequest{Op: transport.OpWriteImm, Length: 4096}); err != nil {
			t.Fatal(err)
		}
	}
	if err := n.Run(units.Second, 1, nil); err != nil {
		t.Fatal(err)
	}
	if len(r.at) != len(senders) {
		t.Fatalf("%d of %d members have the result", len(r.at), len(senders))
	}
}

// TestReductionsRunAtTheRateOfTheWire streams messages that NICs begin at different
// times: whichever NIC begins last, every NIC gets all results in order, and the last
// one when its wire has carried them all.
func TestReductionsRunAtTheRateOfTheWire(t *testing.T) {
	const messages, size = 20, 256 << 10
	r := &late{results: results{at: make(map[int32][]units.Time)}, size: size, messages: messages}
	n, senders := reducing(t, topology.KAry{K: 4}, r)
	r.n, r.senders = n, senders
	for nic := range senders {
		n.Partition(int32(nic)).At(units.Time(nic)*777*ns, uint32(nic))
	}
	if err := n.Run(units.Second, 1, nil); err != nil {
		t.Fatal(err)
	}
	if r.bytes != int64(len(senders))*messages*size {
		t.Fatalf("%d bytes of results arrived, of %d", r.bytes, int64(len(senders))*messages*size)
	}
	const overhead = 8 + 12 + 4 + 2 // and 20 more with the first and last packet of a message
	wire := units.Time(messages*(size+size/4096*overhead+20)) * 20
	way := 6*100*ns + 5*200*ns + 3*unit + 300*ns
	begin := units.Time(len(senders)-1) * 777 * ns
	for nic := range senders {
		at := r.at[int32(nic)]
		// Credit updates take a little of the wire.
		if last := at[messages-1] - begin; last < wire+way || float64(last) > 1.003*float64(wire+way) {
			t.Errorf("NIC %d has the last result %d ps after the last one began, wire and way take %d ps", nic, last, wire+way)
		}
	}
}

// late posts all messages of a NIC at its time.
type late struct {
	results
	n              *fabric.Network
	senders        []units.QPN
	size, messages int
}

func (l *late) Timer(p *fabric.Partition, nic uint32) {
	for range l.messages {
		if err := p.Post(int32(nic), l.senders[nic], transport.WorkRequest{Op: transport.OpWriteImm, Length: uint32(l.size)}); err != nil {
			panic(err)
		}
	}
}

// TestAReductionWaitsForEveryMember: with one contribution missing, no NIC has a
// result, and the run names the packets that wait.
func TestAReductionWaitsForEveryMember(t *testing.T) {
	r := &results{at: make(map[int32][]units.Time)}
	n, senders := reducing(t, topology.SingleSwitch{Endpoints: 9, Radix: 12}, r)
	for nic, qp := range senders[1:] {
		if err := n.Partition(int32(nic+1)).Post(int32(nic+1), qp, transport.WorkRequest{Op: transport.OpWriteImm, Length: 4096}); err != nil {
			t.Fatal(err)
		}
	}
	if err := n.Run(units.Second, 1, nil); err != nil {
		t.Fatal(err)
	}
	if len(r.at) != 0 {
		t.Errorf("%d NICs have a result of a reduction that lacks a contribution", len(r.at))
	}
	if got, want := n.Waiting(), "no packet waits in the network; packets of reductions that wait in switches for the contributions of others: 1"; got != want {
		t.Errorf("the network says it waits for %q, not %q", got, want)
	}
}

// received notes the lengths of the messages that each NIC gets, in their order.
type received struct{ by map[int32][]uint32 }

func (r *received) Complete(_ *fabric.Partition, nic int32, c *transport.Completion) {
	if c.Recv {
		r.by[nic] = append(r.by[nic], c.Bytes)
	}
}

func (r *received) Timer(*fabric.Partition, uint32) {}

// TestResultsForOneMemberReachNoOther: every NIC contributes to messages of different
// lengths, each for another NIC, some for several in turn; each gets its own, in order.
func TestResultsForOneMemberReachNoOther(t *testing.T) {
	for _, spec := range []topology.Spec{topology.KAry{K: 4}, topology.Torus{Dims: []int{3, 3}, SwitchEndpoints: 2}, topology.Dragonfly{P: 2, A: 4, H: 2}} {
		r := &received{by: make(map[int32][]uint32)}
		n, senders := streaming(t, spec, reduction.One, unit, r)
		want := make(map[int32][]uint32)
		for message := range 3 * len(senders) {
			to, length := int32(message*5%len(senders)), uint32(1+message*577)
			want[to] = append(want[to], length)
			for nic, qp := range senders {
				if err := n.Partition(int32(nic)).Post(int32(nic), qp, transport.WorkRequest{Op: transport.OpWriteImm, Length: length, RemoteVA: uint64(to)}); err != nil {
					t.Fatal(err)
				}
			}
		}
		if err := n.Run(units.Second, 1, nil); err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(r.by, want) {
			t.Errorf("%T: got %v, want %v", spec, r.by, want)
		}
	}
}

// TestCopiesReachAllInOneOrder: each NIC sends messages of lengths of its own; every
// NIC gets all of them, whole, and in the same order as every other.
func TestCopiesReachAllInOneOrder(t *testing.T) {
	for _, spec := range []topology.Spec{topology.KAry{K: 4}, topology.Torus{Dims: []int{3, 3}, SwitchEndpoints: 2}, topology.SingleSwitch{Endpoints: 7, Radix: 8}} {
		r := &received{by: make(map[int32][]uint32)}
		n, senders := streaming(t, spec, reduction.Copy, unit, r)
		var want []uint32
		for nic, qp := range senders {
			for message := range 3 {
				length := uint32(1 + (nic*3+message)*1913)
				want = append(want, length)
				if err := n.Partition(int32(nic)).Post(int32(nic), qp, transport.WorkRequest{Op: transport.OpWriteImm, Length: length, RemoteVA: uint64(nic)}); err != nil {
					t.Fatal(err)
				}
			}
		}
		if err := n.Run(units.Second, 1, nil); err != nil {
			t.Fatal(err)
		}
		slices.Sort(want)
		for nic := range senders {
			got := r.by[int32(nic)]
			if !slices.Equal(got, r.by[0]) {
				t.Fatalf("%T: NIC %d has %v, NIC 0 %v", spec, nic, got, r.by[0])
			}
		}
		got := slices.Sorted(slices.Values(r.by[0]))
		if !slices.Equal(got, want) {
			t.Errorf("%T: got %v, want %v", spec, got, want)
		}
	}
}
