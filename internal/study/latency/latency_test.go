package latency

import (
	"strings"
	"testing"

	"weft/internal/sim/catalog"
	"weft/internal/sim/protocol"
	"weft/internal/test/simtest"
	"weft/scenario"
	"weft/units"
)

func operations3(f *scenario.Fabric) []Op {
	switch {
	case !protocol.Of(f.Kind).RDMA():
		return []Op{Send}
	case f.Host.Path == scenario.PathCPU, !protocol.Of(f.Kind).Reads:
		return []Op{Write, Send}
	}
	return []Op{Write, Send, Read}
}

// On every fabric of the catalog, with every path, message and number of switches, the terms sum to
// the time to the picosecond, no term is negative, and each has a source except the waiting.
func TestTermsSumToTheTimeExactly(t *testing.T) {
	cases := 0
	for _, preset := range catalog.Names(catalog.Fabric) {
		for _, host := range catalog.Names(catalog.Host) {
			if strings.HasPrefix(preset, "iwarp") && host == "cpu" {
				continue // refused: its TCP is in the NIC
			}
			r, f := simtest.OneFabric(t, preset, host, "")
			for _, op := range operations3(f) {
				for _, hops := range []int{0, 1, 2, 3, 5} {
					for _, bytes := range []units.Bytes{1, 2, 4096, 4097, 65536} {
						spec := Spec{Bytes: bytes, Op: op, Hops: hops, Iterations: 2}
						l, err := Measure(r, f, spec)
						if err != nil {
							t.Fatalf("%s, %s, %+v: %v", preset, host, spec, err)
						}
						sumsUp(t, l)
						cases++
					}
				}
			}
		}
	}
	if cases < 1000 {
		t.Errorf("only %d cases", cases)
	}
}

// A message is measured by itself: the receives that a scenario's own workload posts, and its transport, are not its.
func TestTheWorkloadOfTheScenarioIsNotTheMessage(t *testing.T) {
	const cluster = "cluster: {nodes: 2, node: dgx-h100}\nfabrics: [infiniband-ndr]\n"
	for _, workload := range []string{
		"workload: {pattern: uniform, transport: rc, operation: send, receive-queue: 4, repost: 5us, load: 30%, duration: 200us, sizes: [2KiB]}\n",
		"workload: {pattern: uniform, transport: ud, operation: send, load: 30%, duration: 200us, sizes: [2KiB]}\n",
	} {
		for _, op := range []Op{Write, Send, Read} {
			spec := Spec{Bytes: 2, Op: op, Hops: 1, Iterations: 20}
			plain, beside := simtest.Resolve(t, cluster), simtest.Resolve(t, cluster+workload)
			want, err := Measure(plain, &plain.Fabrics[0], spec)
			if err != nil {
				t.Fatal(err)
			}
			got, err := Measure(beside, &beside.Fabrics[0], spec)
			if err != nil || got.OneWay != want.OneWay || len(got.Trips) != len(want.Trips) {
				t.Errorf("%s beside %s: %v, want one of %v", op, workload, err, want.OneWay)
			}
		}
	}
}

// An inline message of host memory is earlier by the NIC's read of the data, and by nothing else.
func TestAnInlineMessageIsEarlierByTheReadOfItsData(t *testing.T) {
	r, f := simtest.OneFabric(t, "roce-v2-400g", "rdma-host", "")
	spec := Spec{Bytes: 64, Op: Write, Hops: 1, Iterations: 2}
	plain, err := Measure(r, f, spec)
	if err != nil {
		t.Fatal(err)
	}
	f.Host.MaxInlineData = 64
	short, err := Measure(r, f, spec)
	if err != nil {
		t.Fatal(err)
	}
	sumsUp(t, short)
	if got, want := plain.OneWay-short.OneWay, 2*r.Cluster.Node.PCIe.Latency+r.Cluster.Node.CPU.MemoryLatency; got != want {
		t.Errorf("earlier by %v, want %v", got, want)
	}
}

func sumsUp(t *testing.T, l *Result) {
	t.Helper()
	total := units.Time(0)
	for _, x := range l.Terms {
		total += x.Time
		if x.Time < 0 {
			t.Errorf("%s, %s: the term %s takes %d ps", l.Fabric, l.Path, x.Name, x.Time)
		}
		if waits := strings.Contains(x.Name, "wait") || strings.Contains(x.Name, "earlier"); len(x.Sources) == 0 && !waits {
			t.Errorf("%s, %s: the term %s has no source", l.Fabric, l.Path, x.Name)
		}
	}
	if total != l.OneWay {
		t.Errorf("%s, %s, %s of %v over %d switches: the terms sum to %d ps, the time is %d ps", l.Fabric, l.Path, l.Op, l.Bytes, l.Hops, total, l.OneWay)
	}
	// Without jitter each way of the ping-pong takes the same time.
	for i, trip := range l.Trips {
		if trip != l.OneWay {
			t.Errorf("%s, %s, %s: trip %d took %d ps, the first way %d ps", l.Fabric, l.Path, l.Op, i, trip, l.OneWay)
		}
	}
}

// Separate arithmetic for the three fabrics that stand side by side.
func TestTwoBytesOverOneSwitch(t *testing.T) {
	const ps = 1000 // in a nanosecond
	hosts := 100*ps + 150*ps + 2*150*ps + 150*ps + /* receiver */ 150*ps + 150*ps + 100*ps
	kernel := 2*1000*ps + 2*200 + 3000*ps + 1000*ps + 150*ps + 2*150*ps + 90*ps + 150*ps +
		/* receiver */ 150*ps + 150*ps + 90*ps + 5000*ps + 3000*ps + 2*1000*ps + 2*200 + 1000*ps
	const perByte = 20 // 400 Gb/s
	for _, c := range []struct {
		preset, host string
		want         int
	}{
		// LRH 8, BTH 12, RETH 16, ImmDt 4, 2 padded to 4, ICRC 4, VCRC 2.
		{"infiniband-ndr", "gpudirect-rdma", hosts + 50*perByte + 2*(25250+31300) + 150*ps},
		// Preamble and gap 20, Ethernet 14, IPv4 20, UDP 8, BTH 12, RETH 16, ImmDt 4, 4, ICRC 4, FCS 4.
		{"roce-v2-400g", "gpudirect-rdma", hosts + 106*perByte + 2*(25250+62600) + 500*ps},
		// Preamble and gap 20, Ethernet 14, IPv4 20, TCP 32, 2, FCS 4.
		{"tcp-400g", "cpu", kernel + 92*perByte + 2*(25250+62600) + 500*ps},
	} {
		r, f := simtest.OneFabric(t, c.preset, c.host, "")
		l, err := Measure(r, f, Spec{Bytes: 2, Op: operations3(f)[0], Hops: 1, Iterations: 1})
		if err != nil {
			t.Fatal(err)
		}
		if int(l.OneWay) != c.want {
			t.Errorf("%s: %d ps, its parts sum to %d ps", c.preset, l.OneWay, c.want)
		}
	}
}

// Copies, kernel and cycles: four copies against one transfer.
func TestWhatAMessageCosts(t *testing.T) {
	for _, c := range []struct {
		preset, host   string
		moves, crosses int
		cycles         int64 // at 2 GHz
	}{
		{"tcp-400g", "cpu", 5, 3, 2 * (2*1000 + 3000 + 1000 + 5000 + 3000 + 1000 + 2*1000)},
		{"infiniband-ndr", "gpudirect-rdma", 1, 0, 2 * 200},
		{"infiniband-ndr", "rdma-host", 3, 0, 2 * 200},
		{"roce-v2-400g", "gpudirect-p2p", 3, 0, 2 * 200},
	} {
		r, f := simtest.OneFabric(t, c.preset, c.host, "")
		l, err := Measure(r, f, Spec{Bytes: 1, Op: Send, Hops: 1, Iterations: 1})
		if err != nil {
			t.Fatal(err)
		}
		k := &l.Cost
		if got := k.Moves(); got != c.moves {
			t.Errorf("%s, %s: the data move %d times, want %d", c.preset, c.host, got, c.moves)
		}
		if got := k.KernelCalls[0] + k.KernelCalls[1] + k.Interrupts[0] + k.Interrupts[1]; got != c.crosses {
			t.Errorf("%s, %s: the kernel is entered %d times, want %d", c.preset, c.host, got, c.crosses)
		}
		if got := k.Cycles[0] + k.Cycles[1]; got < c.cycles || got > c.cycles+10 {
			t.Errorf("%s, %s: %d cycles, want %d and those of four copies of a byte", c.preset, c.host, got, c.cycles)
		}
	}
}

// With store-and-forward the serialisation of every link counts, with cut-through only the last.
func TestForwardingDecidesWhichSerialisationCounts(t *testing.T) {
	for _, forwarding := range []string{"cut-through", "store-and-forward"} {
		r, f := simtest.OneFabric(t, "roce-v2-400g", "gpudirect-rdma", ", switch: {forwarding: "+forwarding+"}")
		l, err := Measure(r, f, Spec{Bytes: 4096, Op: Write, Hops: 2, Iterations: 1})
		if err != nil {
			t.Fatal(err)
		}
		sumsUp(t, l)
		for _, x := range l.Terms {
			link, ok := strings.CutSuffix(x.Name, ": serialisation")
			want := units.Time(0)
			if forwarding == "store-and-forward" || link == "link 3" {
				want = (4096 + 102) * 20
			}
			if ok && x.Time != want {
				t.Errorf("%s, %s: serialisation adds %d ps, want %d ps", forwarding, link, x.Time, want)
			}
		}
	}
}

// The source of a number that the scenario states is the scenario.
func TestTheScenarioIsTheSourceOfItsNumbers(t *testing.T) {
	r, f := simtest.OneFabric(t, "infiniband-ndr", "gpudirect-rdma", ", switch: {latency: 160ns}")
	l, err := Measure(r, f, Spec{Bytes: 2, Op: Write, Hops: 1, Iterations: 1})
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, x := range l.Terms {
		for _, s := range x.Sources {
			if s.Field == "switch qm9700 latency" {
				found++
				if s.Tag != "scenario" || s.Value != "160ns" || x.Time != 160*units.Nanosecond {
					t.Errorf("%s takes %v, from %+v", x.Name, x.Time, s)
				}
			} else if s.Tag == "scenario" {
				t.Errorf("%s: %+v is said to be the scenario's", x.Name, s)
			}
		}
	}
	if found != 1 {
		t.Errorf("%d terms name the switch's latency", found)
	}
}

func TestNonsenseIsRefused(t *testing.T) {
	_, ib := simtest.OneFabric(t, "infiniband-ndr", "gpudirect-rdma", "")
	_, cpu := simtest.OneFabric(t, "infiniband-ndr", "cpu", "")
	_, tcp := simtest.OneFabric(t, "tcp-400g", "cpu", "")
	good := Spec{Bytes: 2, Op: Write, Hops: 1, Iterations: 1}
	if err := good.Check(ib); err != nil {
		t.Error(err)
	}
	for _, c := range []struct {
		f    *scenario.Fabric
		spec Spec
		want string
	}{
		{ib, Spec{0, Write, 1, 1}, "a message of 0B"},
		{ib, Spec{units.MiB, Write, 1, 1}, "weft bench"},
		{ib, Spec{2, Write, -1, 1}, "over -1 switches"},
		{ib, Spec{2, Write, 17, 1}, "over 17 switches"},
		{ib, Spec{2, Write, 1, 0}, "0 iterations"},
		{ib, Spec{2, "atomic", 1, 1}, `"atomic" is no operation`},
		{tcp, Spec{2, Read, 1, 1}, "tcp-400g has no read"},
		{cpu, Spec{2, Read, 1, 1}, "no RDMA READ"},
	} {
		if err := c.spec.Check(c.f); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %q", c.spec, err, c.want)
		}
	}
}

// Published measurements are simulated. Figures without a source stand beside the requested size.
func TestFiguresStandBesideLatencies(t *testing.T) {
	r, f := simtest.OneFabric(t, "infiniband-ndr", "rdma-host", "")
	l, err := Measure(r, f, Spec{Bytes: 2, Op: Write, Hops: 1, Iterations: 1})
	if err != nil {
		t.Fatal(err)
	}
	figures, err := Figures([]*Result{l})
	if err != nil {
		t.Fatal(err)
	}
	if want := 2 + len(publishedLatencies); len(figures) != want {
		t.Fatalf("%d figures, want %d", len(figures), want)
	}
	if figures[0].Weft != l.OneWay || l.OneWay-figures[1].Weft < 2*units.Microsecond {
		t.Errorf("between applications %v and at the verbs %v; the copies take two microseconds", figures[0].Weft, figures[1].Weft)
	}
	for _, f := range figures {
		if f.Why == "" || f.Source == "" || f.Weft <= 0 || f.Low > f.High {
			t.Errorf("%+v", f)
		}
	}
}

// Jitter slows a ping-pong down, spreads it, and is a term of its own; without
// it nothing changes.
func TestJitterIsATerm(t *testing.T) {
	r, f := simtest.OneFabric(t, "tcp-400g", "cpu", "")
	spec := Spec{Bytes: 2, Op: Send, Hops: 1, Iterations: 200}
	exact, err := Measure(r, f, spec)
	if err != nil {
		t.Fatal(err)
	}
	r.Run.Jitter = true
	l, err := Measure(r, f, spec)
	if err != nil {
		t.Fatal(err)
	}
	drawn, terms := units.Time(0), 0
	for _, x := range l.Terms {
		if strings.Contains(x.Name, "jitter") {
			drawn += x.Time
			terms++
		}
	}
	if terms != 3 || l.OneWay != exact.OneWay+drawn {
		t.Errorf("%d terms of jitter take %v: %v, without them %v", terms, drawn, l.OneWay, exact.OneWay)
	}
	different := map[units.Time]bool{}
	for _, x := range l.Trips {
		if x < exact.OneWay {
			t.Errorf("a trip of %v, without jitter %v", x, exact.OneWay)
		}
		different[x] = true
	}
	if len(different) < 150 {
		t.Errorf("%d trips have %d times", len(l.Trips), len(different))
	}
}
