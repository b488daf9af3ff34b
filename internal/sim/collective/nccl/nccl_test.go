package nccl

import (
	"math"
	"strings"
	"testing"

	"weft/internal/sim/collective"
	"weft/units"
)

// dgxH100 is a cluster of nodes with eight H100 and eight 400 Gb/s NICs each.
func dgxH100(nodes int) Cluster {
	return Cluster{Nodes: nodes, PerNode: 8, GPU: Hopper, NVLinkGBps: 18 * 20.6, NICs: 8, NICGBps: 50, NVSwitch: true, NVLS: true, CPU: Intel, Reckoned: true}
}

func dgxA100(nodes int) Cluster {
	return Cluster{Nodes: nodes, PerNode: 8, GPU: Ampere, NVLinkGBps: 12 * 20, NICs: 8, NICGBps: 25, NVSwitch: true, CPU: AMD, Reckoned: true}
}

// b200 is one node of eight B200.
var b200 = Cluster{Nodes: 1, PerNode: 8, GPU: Blackwell, NVLinkGBps: 18 * 40.1, NVSwitch: true, NVLS: true}

// nvl72 are racks of 72 GB200.
func nvl72(racks int) Cluster {
	return Cluster{Nodes: racks, PerNode: 72, GPU: Blackwell, NVLinkGBps: 18 * 40.1, NICs: 72, NICGBps: 50, NVSwitch: true, NVLS: true}
}

// of is a cluster with another release of NCCL.
func of(c Cluster, r Release) Cluster {
	c.Release = r
	return c
}

// fourNICs are two nodes of eight A100 with four NICs of 200 Gb/s each, and an older release.
func fourNICs(r Release) Cluster {
	return Cluster{Nodes: 2, PerNode: 8, GPU: Ampere, NVLinkGBps: 12 * r.LinkGBps(Ampere, 25), NICs: 4, NICGBps: 25, NVSwitch: true, CPU: AMD, Release: r, Reckoned: true}
}

func near(a, b, tolerance float64) bool { return math.Abs(a-b) <= tolerance*math.Abs(b) }

func TestGraphsAgreeWithTheLogs(t *testing.T) {
	for name, c := range map[string]struct {
		got, want Graph
	}{
		"8 A100":                {dgxA100(1).ringGraph(), Graph{12, 20, 20}},
		"8 H100":                {dgxH100(1).ringGraph(), Graph{12, 30, 30}},
		"8 H100, NVLS":          {dgxH100(1).nvlsGraph(), Graph{8, 40, 40}},
		"8 B200, NVLS":          {b200.nvlsGraph(), Graph{8, 90, 90}},
		"72 GB200, NVLS":        {nvl72(1).nvlsGraph(), Graph{32, 20, 20}},
		"8 B200":                {b200.ringGraph(), Graph{16, 45, 45}},
		"2x8 H100":              {dgxH100(2).ringGraph(), Graph{8, 48, 48}},
		"4x8 A100, 200 Gb/s":    {dgxA100(4).ringGraph(), Graph{8, 24, 24}},
		"16 A100, one a node":   {Cluster{Nodes: 16, PerNode: 1, GPU: Ampere, NICs: 1, NICGBps: 25}.ringGraph(), Graph{1, 24, 24}},
		"4x8 A100 without NVLS": {dgxA100(4).nvlsGraph(), Graph{}},
		// Of trees no log is known: the search, worked out by hand.
		"2x8 A100 with 16 of 100 Gb/s, trees": {Cluster{Nodes: 2, PerNode: 8, GPU: Ampere, NVLinkGBps: 240, NICs: 16, NICGBps: 12.5}.treeGraph(), Graph{16, 15, 12}},
		"2x8 A100 with 4 of 100 Gb/s, trees":  {Cluster{Nodes: 2, PerNode: 8, GPU: Ampere, NVLinkGBps: 240, NICs: 4, NICGBps: 12.5}.treeGraph(), Graph{4, 24, 12}},
		"2x8 H100, trees":                     {dgxH100(2).treeGraph(), Graph{8, 48, 48}},
		"8 H100, trees":                       {dgxH100(1).treeGraph(), Graph{12, 30, 30}},
	} {
		if c.got != c.want {
			t.Errorf("%s: %+v, not %+v", name, c.got, c.want)
		}
	}
	for nodes, want := range map[int]int{1: 24, 2: 16, 3: 16} {
		if got := dgxH100(nodes).Channels(); got != want {
			t.Errorf("%d nodes of 8 H100 run %d channels, not %d", nodes, got, want)
		}
	}
}

// Costs worked out by hand from the published constants.
func TestCostsAreTheFormulas(t *testing.T) {
	for _, c := range []struct {
		cluster   Cluster
		op        collective.Op
		algo      Algo
		proto     Proto
		lat, bus2 float64 // µs; GB/s of algorithm bandwidth
	}{
		{dgxH100(1), collective.AllReduce, Ring, Simple, 8.4 + 14*3.4, 360. * 8 / 14},
		{dgxH100(1), collective.AllReduce, Ring, LL, 6.6 + 14*.6, 141. * 8 / 14},
		{dgxH100(1), collective.AllReduce, Ring, LL128, 14 + 14*1.9, 360 * .92 * 8 / 14},
		{dgxH100(1), collective.AllReduce, Tree, Simple, 8.4 + 2*7*4, 360 * .92 / 2},
		{dgxH100(1), collective.AllReduce, NVLS, Simple, 25, 476. * 8 / 14},
		{dgxH100(2), collective.AllReduce, Ring, Simple, 8.4 + 28*3.4 + 2*14, 384. * 16 / 30},
		{dgxH100(2), collective.AllReduce, Tree, LL, 6.8 + 2*(7*.6+5), 39 * .85 / 2},
		{dgxH100(2), collective.AllReduce, NVLSTree, Simple, 25 + 2*20.9, 8 * 57.7 * 16 / 30},
		{dgxH100(32), collective.AllReduce, NVLSTree, Simple, 25 + 2*5*20.9, 8 * 45.5 * 256 / 510},
		{dgxA100(2), collective.AllReduce, Ring, Simple, 8.4 + 28*6 + 2*14, 192. * 16 / 30}, // AMD: 3 · 2 µs a step
		{dgxH100(4), collective.AllGather, Ring, Simple, 8.4 + 28*3.4 + 3*14, 384. * 32 / 31},
		{dgxH100(1), collective.Broadcast, Ring, Simple, 8.4 + 3.4, 360},
		// Older releases.
		{of(dgxH100(1), 28), collective.AllReduce, NVLS, Simple, 25, 476. * 8 / 14},
		{of(dgxH100(1), 27), collective.AllReduce, NVLS, Simple, 25, 8 * 40 * 5. / 6},
		{of(dgxH100(1), 27), collective.AllGather, NVLS, Simple, 25, 8 * 40 * 7. / 8},
		{of(dgxH100(1), 26), collective.AllGather, NVLS, Simple, 25, 8 * 40},
		{of(dgxH100(1), 22), collective.AllGather, NVLS, Simple, 25, 8 * 40 * 5. / 6},
		{of(dgxH100(1), 20), collective.AllReduce, NVLS, Simple, 23, 8 * 40 * 5. / 6},
		{of(dgxH100(1), 22), collective.AllReduce, Tree, Simple, 2 * 7 * 28, 360 * .92 / 2},
		{of(dgxH100(1), 21), collective.AllReduce, Ring, LL, 6.6 + 14*.6, 141. * 8 / 14},
		{of(dgxH100(1), 20), collective.AllReduce, Ring, LL, 6.6 + 14*.6, 87.7 * 8 / 14},
		{of(dgxH100(2), 20), collective.AllReduce, Ring, LL, 6.6 + 26 + 4*2.7, 39. * 16 / 30},
		{of(dgxH100(2), 28), collective.AllReduce, NVLSTree, Simple, 25 + 2*14, 8 * 57.7 * 16 / 30},
		{of(dgxH100(4), 27), collective.AllReduce, NVLSTree, Simple, 25 + 4*14, 8 * 48 / 2 * 5. / 6},
		{of(dgxH100(4), 18), collective.AllReduce, NVLSTree, Simple, 23 + 6*19, 8 * 48 / 2 * .7 * 4 / 6},
		{of(b200, 29), collective.AllReduce, Ring, LL128, 14 + 14*1.9, 16 * 34.5 * 8 / 14},
		{of(b200, 28), collective.AllReduce, Ring, LL128, 14 + 14*1.9, 720 * .92 * 8 / 14},
		{of(dgxH100(2), 23), collective.AllReduce, Ring, LL, 6.6 + 28 + 2*2.7, 39. * 16 / 30},
		{fourNICs(17), collective.AllReduce, Ring, Simple, 8.4 + 26*3.4 + 4*9.6, 96. * 16 / 30},
		{fourNICs(13), collective.AllReduce, Ring, Simple, 8.4 + 26*3.4 + 4*28, 96. * 16 / 30},
		{fourNICs(11), collective.AllReduce, Ring, Simple, 8.4 + 28*3.4 + 2*9.6, 96. * 16 / 30},
		{fourNICs(17), collective.AllReduce, Ring, LL128, 10 + 26*1.9 + 4*4, 80. * 16 / 30},
		{fourNICs(9), collective.AllReduce, Ring, LL128, 10 + 28*1.9 + 2*4, 4 * 16.9 * 16 / 30},
		{fourNICs(9), collective.AllGather, Ring, LL128, 10 + 14*1.9 + 4, 4 * 18.3 * 16 / 15},
		{fourNICs(9), collective.AllReduce, Ring, LL, 3.6 + 28*.47*1.8 + 2*2.7, 22.5 * 16 / 30},
		{fourNICs(17), collective.AllReduce, Tree, Simple, 2 * (7*28 + 28), 4 * 23.6 / 2},
		{Cluster{Nodes: 1, PerNode: 8, GPU: Hopper, NVLinkGBps: 18 * 22, NVSwitch: true, NVLS: true, Release: 17}, collective.AllReduce, NVLS, Simple, 40, 370 * .75},
	} {
		cluster := c.cluster
		cluster.Only = func(a Algo, p Proto) bool { return a == c.algo && p == c.proto }
		costs, err := cluster.Costs(c.op, 1<<30)
		if err != nil || len(costs) != 1 {
			t.Errorf("%v %v %v on %d nodes: costs %v, error %v", c.op, c.algo, c.proto, cluster.Nodes, costs, err)
			continue
		}
		if got := costs[0]; !near(got.LatencyUs, c.lat, 1e-9) || !near(got.AlgBWGBps, c.bus2, 1e-9) {
			t.Errorf("%v %v %v on %d nodes: %.2f µs, %.2f GB/s, not %.2f, %.2f", c.op, c.algo, c.proto, cluster.Nodes, got.LatencyUs, got.AlgBWGBps, c.lat, c.bus2)
		}
	}
}

func TestChoicesFollowTheSize(t *testing.T) {
	for _, c := range []struct {
		cluster  Cluster
		op       collective.Op
		bytes    int64
		algo     Algo
		proto    Proto
		channels int
	}{
		{dgxH100(1), collective.AllReduce, 8, Ring, LL, 1},
		{dgxH100(1), collective.AllReduce, 1 << 30, NVLS, Simple, 16},
		{dgxH100(2), collective.AllReduce, 8, Tree, LL, 1},
		{dgxH100(2), collective.AllReduce, 1 << 30, NVLSTree, Simple, 16},
		{dgxH100(32), collective.AllReduce, 64 << 10, Tree, LL, 16},
		{dgxH100(2), collective.AllGather, 1 << 30, Ring, Simple, 16},
		{dgxH100(2), collective.Broadcast, 1 << 30, Ring, Simple, 16},
		{dgxA100(1), collective.AllReduce, 1 << 30, Ring, Simple, 24},
		{dgxH100(2), collective.AllToAll, 1 << 30, Direct, Simple, 4},
		{dgxH100(2), collective.SendRecv, 1 << 10, Direct, LL, 1},
		{dgxH100(2), collective.SendRecv, 1 << 20, Direct, Simple, 4},
		// The channels of send/recv on 8 B200 double at 128, 256 and 512 MiB: 84.6, 159, 319, 625 GB/s in
		// table T1.
		{b200, collective.SendRecv, 64 << 20, Direct, Simple, 4},
		{b200, collective.SendRecv, 128 << 20, Direct, Simple, 8},
		{b200, collective.SendRecv, 512 << 20, Direct, Simple, 32},
		// Before 2.29 LL ends at 16 KiB for each of the 32 channels that a pair may have, where T1's
		// all-to-all gets faster; since then for each channel that it has.
		{of(b200, 28), collective.AllToAll, 4 << 20, Direct, LL, 4},
		{of(b200, 28), collective.AllToAll, 8 << 20, Direct, Simple, 4},
		{b200, collective.AllToAll, 128 << 10, Direct, LL, 1},
		{b200, collective.AllToAll, 256 << 10, Direct, Simple, 1},
		// Between nodes a pair has two channels before 2.29, and then one for each 14 GB/s.
		{of(dgxH100(2), 28), collective.SendRecv, 1 << 20, Direct, Simple, 2},
		{Cluster{Nodes: 8, PerNode: 1, GPU: Hopper, NICs: 1, NICGBps: 50}, collective.SendRecv, 1 << 20, Direct, Simple, 4},
		{of(dgxH100(8), 28), collective.SendRecv, 1 << 20, Direct, Simple, 1},
		{dgxH100(8), collective.SendRecv, 1 << 20, Direct, Simple, 2},
	} {
		got, err := c.cluster.Choose(c.op, c.bytes)
		if err != nil || got.Algo != c.algo || got.Proto != c.proto || got.Channels != c.channels {
			t.Errorf("%v of %d bytes on %d nodes: %v %v with %d channels (error %v), not %v %v with %d", c.op, c.bytes, c.cluster.Nodes, got.Algo, got.Proto, got.Channels, err, c.algo, c.proto, c.channels)
		}
	}
}

// The rule of NCCL's maintainers (nccl-tests issue 169), by the model.
func TestOnlyTwoNodesBeatTheNICs(t *testing.T) {
	const bytes = 16 << 30
	for nodes := 2; nodes <= 64; nodes *= 2 {
		c := dgxH100(nodes)
		ch, err := c.Choose(collective.AllReduce, bytes)
		if err != nil {
			t.Fatal(err)
		}
		busbw := float64(bytes) / 1e9 / ch.Time.Seconds() * collective.AllReduce.BusFactor(c.Ranks())
		if nics := 8 * c.NICGBps; busbw > nics != (nodes == 2) {
			t.Errorf("%d nodes: %v %v reaches %.0f GB/s, the NICs %.0f", nodes, ch.Algo, ch.Proto, busbw, nics)
		}
		ring, err := c.With(collective.AllReduce, Ring, Simple, bytes)
		if err != nil {
			t.Fatal(err)
		}
		if busbw := float64(bytes) / 1e9 / ring.Time.Seconds() * collective.AllReduce.BusFactor(c.Ranks()); busbw > 8*c.NICGBps {
			t.Errorf("%d nodes: a ring reaches %.0f GB/s", nodes, busbw)
		}
	}
}

// The model's error against published measurements, which calibrate nothing here.
func TestModelAgainstMeasurements(t *testing.T) {
	for _, c := range []struct {
		name      string
		cluster   Cluster
		bytes     int64
		micros    float64
		tolerance float64
	}{
		{"8 H100, 8 B", dgxH100(1), 8, 12.9, .2},
		{"8 H100, 16 GiB", dgxH100(1), 16 << 30, 62239, .03},
		{"2x8 H100 RoCE, 1 GiB", dgxH100(2), 1 << 30, 4478.8, .05},
		{"2x8 H100 RoCE, 16 GiB", dgxH100(2), 16 << 30, 68359, .03},
	} {
		ch, err := c.cluster.Choose(collective.AllReduce, c.bytes)
		if err != nil {
			t.Fatal(err)
		}
		got := ch.Time.Seconds() * 1e6
		t.Logf("%s: measured %.1f µs, model %.1f µs (%+.1f %%), %v %v", c.name, c.micros, got, 100*(got/c.micros-1), ch.Algo, ch.Proto)
		if !near(got, c.micros, c.tolerance) {
			t.Errorf("%s: %.1f µs is farther than %.0f %% from %.1f µs", c.name, got, 100*c.tolerance, c.micros)
		}
	}
}

func TestEveryChoiceHasAProgram(t *testing.T) {
	for _, c := range []Cluster{dgxH100(1), dgxH100(2), dgxH100(3), dgxA100(1), dgxA100(8), b200, {Nodes: 1, PerNode: 1}, {Nodes: 16, PerNode: 1, GPU: Ampere, NICs: 1, NICGBps: 25}, {Nodes: 4, PerNode: 2, GPU: Ampere, PCIeGBps: 20, NICs: 1, NICGBps: 12.5}} {
		for op := collective.AllReduce; op <= collective.SendRecv; op++ {
			for bytes := int64(8); bytes <= 8<<30; bytes *= 4 {
				ch, err := c.Choose(op, bytes)
				if err != nil {
					t.Fatal(err)
				}
				spec, err := ch.Spec()
				if err != nil {
					t.Fatalf("%v of %d bytes on %+v: %v", op, bytes, c, err)
				}
				if _, err := collective.New(spec); err != nil {
					t.Errorf("%+v: %v", spec, err)
				}
			}
		}
	}
}

func TestTimeGrowsWithinAProtocol(t *testing.T) {
	c := dgxH100(4)
	for a := range numAlgos {
		for p := range numProtos {
			last := units.Time(0)
			for bytes := int64(1 << 20); bytes <= 16<<30; bytes *= 4 {
				ch, err := c.With(collective.AllReduce, a, p, bytes)
				if err != nil {
					break
				}
				if ch.Time < last {
					t.Errorf("%v %v: %d bytes take %v, a quarter of them %v", a, p, bytes, ch.Time, last)
				}
				last = ch.Time
			}
		}
	}
}

func TestProtocolsOnTheWire(t *testing.T) {
	for _, c := range []struct {
		proto       Proto
		bytes, want int64
	}{
		{LL, 0, 0},
		{LL, 1, 16},
		{LL, 8, 16},
		{LL, 4096, 8192},
		{LL128, 0, 0},
		{LL128, 1, 128},
		{LL128, 120, 128},
		{LL128, 121, 256},
		{LL128, 1200, 1280},
		{Simple, 777, 777},
	} {
		if got := c.proto.WireBytes(c.bytes); got != c.want {
			t.Errorf("%v: %d bytes are %d on the wire, not %d", c.proto, c.bytes, got, c.want)
		}
	}
	if LL.fraction() != .5 || LL128.fraction() != .9375 || Simple.fraction() != 1 {
		t.Errorf("fractions %v, %v, %v", LL.fraction(), LL128.fraction(), Simple.fraction())
	}
}

func TestOverheadsLeaveTheWireToTheWire(t *testing.T) {
	ch, err := dgxH100(2).With(collective.AllReduce, Ring, LL, 8)
	if err != nil {
		t.Fatal(err)
	}
	o := ch.Overheads(ReferenceWire)
	if o.PerStepIntra != 300*units.Nanosecond || o.PerStepInter != 1271*units.Nanosecond || o.TableInter != 2700*units.Nanosecond || o.Base != 6600*units.Nanosecond {
		t.Errorf("ring LL: %+v", o)
	}
	if slow := ch.Overheads(Wire{NVLink: units.Second, Net: units.Second}); slow.PerStepIntra != 0 || slow.PerStepInter != 0 {
		t.Errorf("software time below zero: %+v", slow)
	}
	if ch, err = dgxH100(1).With(collective.AllReduce, NVLS, Simple, 1<<20); err != nil {
		t.Fatal(err)
	}
	if o := ch.Overheads(Wire{}); 2*o.PerStepIntra != 25*units.Microsecond {
		t.Errorf("the two steps of NVLS cost %d ps each", o.PerStepIntra)
	}
}

// The measured times are of GPUs with NVLink: GPUs on PCIe keep NCCL's constants, and two channels
// for each pair.
func TestGPUsOnPCIeHaveNCCLsConstants(t *testing.T) {
	for _, algo := range []Algo{Ring, Tree} {
		c := Cluster{Nodes: 1, PerNode: 8, GPU: Ampere, PCIeGBps: 20}
		overheads := func(reckoned bool) Overheads {
			c.Reckoned = reckoned
			ch, err := c.With(collective.AllReduce, algo, LL, 1<<10)
			if err != nil {
				t.Fatal(err)
			}
			return ch.Overheads(ReferenceWire)
		}
		if got, want := overheads(false), overheads(true); got != want {
			t.Errorf("%v: %+v, want NCCL's %+v", algo, got, want)
		}
		c.NVLinkGBps = 240
		if overheads(false) == overheads(true) {
			t.Errorf("%v with NVLink has NCCL's constants", algo)
		}
	}
	if got := (Cluster{Nodes: 1, PerNode: 8, GPU: Ampere, PCIeGBps: 20}).p2pChannels(); got != 2 {
		t.Errorf("a pair on PCIe has %d channels, want 2", got)
	}
}

// The rules and constants of releases, at the numbers that their sources have.
func TestReleasesHaveTheirRules(t *testing.T) {
	for _, c := range []struct {
		cluster Cluster
		op      collective.Op
		algo    Algo
		proto   Proto
		bytes   int64
		want    int // channels
	}{
		{of(dgxA100(1), 28), collective.AllGather, Ring, LL128, 128 << 10, 8}, // 128 KiB over 16 KiB
		{of(dgxA100(1), 29), collective.AllGather, Ring, LL128, 128 << 10, 4},
		{of(dgxA100(1), 22), collective.AllGather, Ring, LL128, 128 << 10, 24}, // 5 KiB for each
		{of(b200, 27), collective.AllReduce, NVLS, Simple, 1 << 30, 24},
		{of(b200, 26), collective.AllReduce, NVLS, Simple, 1 << 30, 32},
		{of(b200, 24), collective.AllReduce, NVLS, Simple, 1 << 30, 16},
	} {
		got, err := c.cluster.With(c.op, c.algo, c.proto, c.bytes)
		if err != nil || got.Channels != c.want {
			t.Errorf("2.%d: %v by %v %v of %d bytes: %d channels (error %v), not %d", c.cluster.Release, c.op, c.algo, c.proto, c.bytes, got.Channels, err, c.want)
		}
	}
	for text, want := range map[string]Release{"": 0, "2.27": 27, "2.27.3": 27, "v2.18.3-1": 18, "2.31.2": 31, "2.21.5+cuda12.4": 21, "2.9.9": 9} {
		if got, err := ParseRelease(text); err != nil || got != want {
			t.Errorf("version %q is %d, error %v, want %d", text, got, err, want)
		}
	}
	for _, text := range []string{"2", "1.4", "2.8.4", "3.20", "2.x", "latest"} {
		if got, err := ParseRelease(text); err == nil {
			t.Errorf("version %q is %d, want an error", text, got)
		}
	}
	for _, op := range []collective.Op{collective.AllGather, collective.ReduceScatter} {
		if _, err := of(dgxH100(1), 18).With(op, NVLS, Simple, 1<<20); err == nil {
			t.Errorf("2.18 has %v by NVLS", op)
		}
	}
}

// What a harness adds: the launches of one thread are a floor, PyTorch's launch is added.
func TestHarnessesReportTheirLaunch(t *testing.T) {
	us := units.Microsecond
	for _, c := range []struct {
		h               Harness
		each, items     int
		took, low, high units.Time
	}{
		{Process, 8, 1, 10 * us, 10 * us, 10 * us},
		{Thread, 8, 24, 10 * us, 10 * us, 10 * us},
		{ForAll, 2, 1, 1 * us, 9 * us, 10500 * units.Nanosecond}, // measured: 10.0
		{ForAll, 8, 1, 1 * us, 33 * us, 34 * us},                 // measured: 33.7
		{ForAll, 8, 16, 1 * us, 66 * us, 76 * us},                // measured: 75.8 for an all-to-all (T2), which gave no figure
		{ForAll, 8, 24, 1 * us, 90 * us, 102 * us},               // measured: 101.9 (V10)
		{ForAll, 8, 24, 100 * us, 100 * us, 100 * us},
		{Torch, 8, 1, 20 * us, 39 * us, 39 * us},
		{Torch, 8, 1, 100 * us, 112 * us, 112 * us},
	} {
		if got := c.h.Reports(c.took, c.each, c.items); got < c.low || got > c.high {
			t.Errorf("harness %d, %d GPUs a thread: %v for %v, want %v to %v", c.h, c.each, got, c.took, c.low, c.high)
		}
	}
}

// The host prepares a work item for each thread block, and since 2.22 one for all.
func TestTheHostPreparesAnItemForEachBlockBefore222(t *testing.T) {
	a100 := Cluster{Nodes: 1, PerNode: 8, GPU: Ampere, NVLinkGBps: 240, NVSwitch: true}
	for _, c := range []struct {
		op      collective.Op
		release Release
		bytes   int64
		want    int
	}{
		{collective.AllReduce, 19, 32 << 10, 1},
		{collective.AllReduce, 19, 256 << 10, 8},
		{collective.AllReduce, 19, 2 << 20, 24},
		{collective.AllReduce, 22, 2 << 20, 1},
		{collective.AllToAll, 22, 2 << 20, 16},
		{collective.SendRecv, 19, 2 << 20, 2},
	} {
		a100.Release = c.release
		ch, err := a100.Choose(c.op, c.bytes)
		if err != nil {
			t.Fatal(err)
		}
		if got := ch.LaunchItems(); got != c.want {
			t.Errorf("2.%d, %v of %d bytes: %d items, want %d", c.release, c.op, c.bytes, got, c.want)
		}
	}
}

// A send to another node goes in chunks of 128 KiB, in half of one below 1 MiB and in a quarter of one below
// 128 KiB (addP2pToPlan in src/enqueue.cc); with LL, whose step has 32 KiB of data, in halves below 512 KiB.
func TestChunksOfSends(t *testing.T) {
	for _, c := range []struct {
		nodes int
		op    collective.Op
		proto Proto
		bytes int64
		want  int64
	}{
		{2, collective.SendRecv, Simple, 127 << 10, 32 << 10},
		{2, collective.SendRecv, Simple, 128 << 10, 64 << 10},
		{2, collective.SendRecv, Simple, 1<<20 - 4, 64 << 10},
		{2, collective.SendRecv, Simple, 1 << 20, 128 << 10},
		{2, collective.SendRecv, LL, 8, 16 << 10},
		{2, collective.SendRecv, LL, 512 << 10, 32 << 10},
		{2, collective.AllToAll, Simple, 16 << 20, 128 << 10}, // a pair has 1 MiB
		{2, collective.AllToAll, Simple, 8 << 20, 64 << 10},
		{2, collective.Gather, Simple, 1 << 20, 32 << 10},
		{1, collective.SendRecv, Simple, 4 << 10, 512 << 10},
		{1, collective.SendRecv, LL, 4 << 10, 32 << 10},
	} {
		ch, err := dgxH100(c.nodes).With(c.op, Direct, c.proto, c.bytes)
		if err != nil {
			t.Fatal(err)
		}
		if spec, err := ch.Spec(); err != nil || spec.Chunk != c.want {
			t.Errorf("%d nodes, %v of %d bytes with %v: chunks of %d bytes, want %d (%v)", c.nodes, c.op, c.bytes, c.proto, spec.Chunk, c.want, err)
		}
	}
}

// A message of one chunk takes a whole turn of the sender and one of the receiver, however small it is.
func TestASmallMessageTakesAWholeTurnAtBothEnds(t *testing.T) {
	turn := micros(MeasuredOf(Hopper)[SimpleTurn])
	for _, bytes := range []int64{4 << 10, 64 << 10} {
		c := dgxH100(1)
		c.Reckoned = false
		ch, err := c.With(collective.SendRecv, Direct, Simple, bytes)
		if err != nil {
			t.Fatal(err)
		}
		got := ch.Overheads(ReferenceWire).Turn
		send := got.Fixed + units.Time(float64(bytes)/got.SendGBps*float64(units.Nanosecond))
		receive := units.Time(float64(bytes) / float64(got.TripBytes) * float64(got.Trip))
		if send < turn || receive < turn || send > 2*turn+8*units.Microsecond || receive > 2*turn+8*units.Microsecond {
			t.Errorf("%d bytes: %v to send, %v to receive; a turn without data takes %v", bytes, send, receive, turn)
		}
	}
}

// A pair of algorithm and protocol that NCCL does not have on the cluster is refused, with the pairs
// that it has.
func TestPairsThatNCCLDoesNotHaveAreRefused(t *testing.T) {
	pcie := Cluster{Nodes: 1, PerNode: 8, GPU: Ampere, PCIeGBps: 20}
	for _, c := range []struct {
		cluster Cluster
		op      collective.Op
		algo    Algo
		proto   Proto
		want    string
	}{
		{dgxH100(1), collective.AllReduce, NVLS, LL, "NVLS Simple"},
		{dgxH100(2), collective.AllReduce, NVLS, Simple, "NVLSTree Simple"},
		{dgxA100(1), collective.AllReduce, NVLS, Simple, "Ring Simple"},
		{dgxH100(1), collective.AllGather, Tree, LL, "Ring LL,"},
		{dgxH100(1), collective.AllToAll, Direct, LL128, "Direct LL,"},
		{pcie, collective.AllReduce, Ring, LL128, "Ring Simple"},
	} {
		_, err := c.cluster.With(c.op, c.algo, c.proto, 1<<20)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v by %v with %v on %d nodes: error %v, want the valid pairs with %s", c.op, c.algo, c.proto, c.cluster.Nodes, err, c.want)
		}
	}
	for _, p := range []Proto{LL, Simple} {
		if ch, err := dgxH100(1).With(collective.AllToAll, Direct, p, 1<<30); err != nil || ch.Proto != p {
			t.Errorf("all-to-all with %v: %v, error %v", p, ch.Proto, err)
		}
	}
}

// Ceilings worked out by hand from the published constants: for all channels of a
// GPU, for a GPU's sends with reductions in the switch, for a node's sends.
func TestCeilingsAreThePublishedOnes(t *testing.T) {
	const nvls = 8 * 40 * .85 * 7 / 8 // one direction, GB/s
	for _, c := range []struct {
		cluster                Cluster
		op                     collective.Op
		algo                   Algo
		proto                  Proto
		kernel, inSwitch, host float64
	}{
		{dgxH100(1), collective.AllReduce, Ring, Simple, 0, 0, 0},
		{dgxH100(1), collective.AllReduce, Ring, LL, 141, 0, 0},
		{dgxH100(1), collective.AllReduce, Tree, LL128, 12 * 36.7, 0, 0},
		{dgxH100(2), collective.AllReduce, Tree, LL, 141, 0, 39},
		{dgxA100(4), collective.AllReduce, Ring, LL, 87.7, 0, 19}, // AMD
		{dgxH100(4), collective.AllReduce, Ring, LL128, 8 * 36.7, 0, 0},
		{dgxH100(4), collective.AllReduce, Tree, LL128, 8 * 29 * .85, 0, 0},
		{dgxH100(4), collective.AllReduce, Tree, Simple, 8 * 36 * .85, 0, 0},
		{dgxH100(1), collective.AllReduce, NVLS, Simple, 0, 2 * nvls * 8 / 14, 0},
		{dgxH100(1), collective.AllGather, NVLS, Simple, 0, nvls * 7 / 8 / 8, 0},
		{dgxH100(1), collective.ReduceScatter, NVLS, Simple, 0, nvls * 7 / 8 * 7 / 8, 0},
		{dgxH100(4), collective.AllReduce, NVLSTree, Simple, 0, 8 * 45.5 * 32 / 62, 0},
	} {
		ch, err := c.cluster.With(c.op, c.algo, c.proto, 1<<20)
		if err != nil {
			t.Fatal(err)
		}
		o := ch.Overheads(ReferenceWire)
		kernel := o.Turn.SendGBps * float64(c.cluster.Channels())
		if !near(kernel, c.kernel, 1e-9) || !near(o.SwitchGBps, c.inSwitch, 1e-9) || o.HostGBps != c.host {
			t.Errorf("%v %v %v on %d nodes: kernel %.2f, in the switch %.2f, host %.2f GB/s, not %.2f, %.2f, %.2f", c.op, c.algo, c.proto, c.cluster.Nodes, kernel, o.SwitchGBps, o.HostGBps, c.kernel, c.inSwitch, c.host)
		}
	}
}

// The costs of CollNet for all-gather and reduce-scatter, worked out by hand from the
// published rules (src/graph/tuning.cc): a node's GPUs times 0.9 of a channel's speed between
// nodes, with NVLS its bandwidth inside the node; both need a NIC for each GPU.
func TestCollNetCostsOfShardsAreThePublishedOnes(t *testing.T) {
	sharp := func(nics int) Cluster {
		c := dgxH100(4)
		c.CollNet, c.NICs = true, nics
		return c
	}
	for _, op := range []collective.Op{collective.AllGather, collective.ReduceScatter} {
		for algo, want := range map[Algo]Cost{
			CollNetDirect: {LatencyUs: 2*(3.7+7*.4) + 31, AlgBWGBps: 8 * 48 * .9},
			NVLS:          {LatencyUs: 25 + 18, AlgBWGBps: 8 * 45 * .85 * 7 / 8 * 7 / 8},
		} {
			costs := costsOf(t, sharp(8), op, algo)
			if len(costs) != 1 || !near(costs[0].LatencyUs, want.LatencyUs, 1e-9) || !near(costs[0].AlgBWGBps, want.AlgBWGBps, 1e-9) || costs[0].Proto != Simple {
				t.Errorf("%v by %v: %+v, want %+v", op, algo, costs, want)
			}
			ch, err := sharp(8).With(op, algo, Simple, 8)
			if err != nil {
				t.Fatal(err)
			}
			if o := ch.Overheads(Wire{}); !near(float64(o.PerStepIntra+o.PerStepInter)/1e6, want.LatencyUs, 1e-6) {
				t.Errorf("%v by %v: its steps cost %d and %d ps, not %.1f us together", op, algo, o.PerStepIntra, o.PerStepInter, want.LatencyUs)
			}
			if few := append(costsOf(t, sharp(4), op, algo), costsOf(t, dgxH100(4), op, algo)...); len(few) > 0 {
				t.Errorf("%v by %v with half as many NICs, or without switches that reduce: %+v", op, algo, few)
			}
		}
	}
}

// costsOf are the costs of one algorithm.
func costsOf(t *testing.T, c Cluster, op collective.Op, a Algo) (list []Cost) {
	t.Helper()
	costs, err := c.Costs(op, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	for _, cost := range costs {
		if cost.Algo == a {
			list = append(list, cost)
		}
	}
	return list
}

func TestTreeCorrectionTableIsWhole(t *testing.T) {
	for p, row := range treeCorrection {
		if len(row) != 24 {
			t.Errorf("%v has %d factors, not 24", Proto(p), len(row))
		}
		for i, f := range row {
			if f < .4 || f > 1 {
				t.Errorf("%v, 2^%d bytes: factor %v", Proto(p), i+6, f)
			}
		}
	}
}

func TestClustersThatMakeNoSenseAreRefused(t *testing.T) {
	for name, spoil := range map[string]func(*Cluster){
		"no nodes":         func(c *Cluster) { c.Nodes = 0 },
		"no NICs":          func(c *Cluster) { c.NICs = 0 },
		"no links":         func(c *Cluster) { c.NVLinkGBps = 0 },
		"an unknown GPU":   func(c *Cluster) { c.GPU = numGPUs },
		"nothing allowed":  func(c *Cluster) { c.Only = func(Algo, Proto) bool { return false } },
		"an unknown maker": func(c *Cluster) { c.CPU = numCPUs },
	} {
		c := dgxH100(2)
		spoil(&c)
		if _, err := c.Choose(collective.AllReduce, 1<<20); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// Between nodes NVLS has the copying warps of one node, and so their turns; the network's reduction
// keeps NCCL's own latency.
func TestNVLSBetweenNodesHasTheTurnsOfOneNode(t *testing.T) {
	one, many := dgxH100(1), dgxH100(4)
	one.Reckoned, many.Reckoned, many.CollNet = false, false, true
	a, err := one.With(collective.AllReduce, NVLS, Simple, 512<<20)
	if err != nil {
		t.Fatal(err)
	}
	b, err := many.With(collective.AllReduce, NVLS, Simple, 512<<20)
	if err != nil {
		t.Fatal(err)
	}
	x, y := a.Overheads(ReferenceWire), b.Overheads(ReferenceWire)
	if x.Turn != y.Turn || !y.Turn.Staged {
		t.Errorf("turns %+v on one node, %+v on four", x.Turn, y.Turn)
	}
	if want := micros(18) - ReferenceWire.Net; y.PerStepInter != want {
		t.Errorf("the network's reduction takes %v, not %v", y.PerStepInter, want)
	}
}

// The settings of EFA's plug-in, and NCCL's own beside them.
func TestEFAsPlugInSetsSizesAndTimes(t *testing.T) {
	efa := func(c Cluster, gbps int) Cluster {
		c.Plugin, c.Reckoned = EFA(c.GPU, gbps), false
		return c
	}
	for _, c := range []struct {
		cluster  Cluster
		op       collective.Op
		algo     Algo
		proto    Proto
		bytes    int64
		chunk    int64
		software float64 // µs of a message between nodes; 0 on one node
	}{
		{efa(dgxH100(1), 100), collective.AllReduce, NVLS, Simple, 1 << 30, 64 << 10, 0}, // until 4 GiB
		{efa(dgxH100(1), 100), collective.AllReduce, NVLS, Simple, 8 << 30, 512 << 10, 0},
		{dgxH100(1), collective.AllReduce, NVLS, Simple, 1 << 30, 128 << 10, 0},
		{efa(dgxH100(2), 100), collective.AllGather, Ring, Simple, 1 << 30, 4 << 20, 20 - 9 + 3},
		{efa(dgxH100(2), 100), collective.AllReduce, Tree, LL, 8, 32 << 10, 20 - 9},
		{efa(dgxH100(2), 200), collective.AllReduce, Tree, LL, 8, 32 << 10, 18 - 6.5},
		{efa(dgxA100(2), 100), collective.AllReduce, Tree, LL, 8, 32 << 10, 75 - 9},
		{efa(dgxH100(2), 100), collective.SendRecv, Direct, Simple, 1 << 30, 512 << 10, 20 - 9 + 3},
		{efa(dgxH100(2), 100), collective.AllReduce, NVLSTree, Simple, 8 << 30, 512 << 10, 20 - 9 + 3},
	} {
		ch, err := c.cluster.With(c.op, c.algo, c.proto, c.bytes)
		if err != nil {
			t.Errorf("%v by %v: %v", c.op, c.algo, err)
			continue
		}
		if got := ch.chunk(); got != c.chunk {
			t.Errorf("%v by %v %v of %d bytes has chunks of %d bytes, not %d", c.op, c.algo, c.proto, c.bytes, got, c.chunk)
		}
		if got := ch.Overheads(ReferenceWire).PerStepInter; c.cluster.Nodes > 1 && got != micros(c.software) {
			t.Errorf("%v by %v %v: a message takes the software %v, not %g us", c.op, c.algo, c.proto, got, c.software)
		}
	}
	plain, err := dgxH100(2).Costs(collective.AllReduce, 8)
	if err != nil {
		t.Fatal(err)
	}
	late, err := efa(dgxH100(2), 100).Costs(collective.AllReduce, 8)
	if err != nil {
		t.Fatal(err)
	}
	for i := range plain {
		if a := plain[i]; a.Algo == Tree {
			want := 2 * 75. // up and down, one hop each
			if a.Proto == Simple {
				want *= 2
			}
			if got := late[i].LatencyUs - a.LatencyUs; !near(got, want, 1e-9) {
				t.Errorf("the plug-in adds %g us to a tree with %v, not %g", got, a.Proto, want)
			}
		}
	}
}

// 2.9 leaves LL128 for Simple at 32 MiB, later releases at 64 MiB, because 2.9 has a lower rate for
// LL128: 13.7 GB/s of 16.9 are 0.93 ms at 32 MiB, and Simple needs 0.88.
func TestOldReleasesChooseByTheirOwnRates(t *testing.T) {
	for r, want := range map[Release][2]Proto{9: {Simple, Simple}, 13: {LL128, Simple}, 17: {LL128, Simple}} {
		for i, bytes := range []int64{32 << 20, 128 << 20} {
			got, err := fourNICs(r).Choose(collective.AllReduce, bytes)
			if err != nil || got.Algo != Ring || got.Proto != want[i] {
				t.Errorf("2.%d, %d MiB: %v %v (error %v), want Ring %v", r, bytes>>20, got.Algo, got.Proto, err, want[i])
			}
		}
	}
	for _, a := range []Algo{NVLS, NVLSTree, CollNetChain} {
		if Release(9).Has(collective.AllReduce, a) {
			t.Errorf("2.9 has %v", a)
		}
	}
}

// A block of LL128 sends at its own rate if few run, and at its share of the GPU's if many run; what
// it writes for a NIC does not take the links.
func TestBlocksShareTheGPUsRate(t *testing.T) {
	f := Figures{LL128Rate: 16, LL128All: 240, SimpleSend: 20, SimpleCopy: 25, SimpleAll: 256}
	for _, c := range []struct {
		proto    Proto
		channels int
		send     float64
		copies   float64
	}{
		{LL128, 8, 16, 16},
		{LL128, 24, 10, 16},
		{Simple, 8, 20, 25},
		{Simple, 32, 8, 25},
	} {
		cluster := dgxA100(2)
		cluster.Reckoned, cluster.Figures = false, &f
		ch, err := cluster.With(collective.AllReduce, Ring, c.proto, 32<<20)
		if err != nil {
			t.Fatal(err)
		}
		ch.Channels = c.channels
		got := ch.Overheads(ReferenceWire)
		if got.Turn.SendGBps != c.send || got.Turn.CopyGBps != c.copies {
			t.Errorf("%v, %d channels: a block sends %g GB/s and copies %g, want %g and %g", c.proto, c.channels, got.Turn.SendGBps, got.Turn.CopyGBps, c.send, c.copies)
		}
		if got.Proxy != 500*units.Nanosecond {
			t.Errorf("the proxy thread of an AMD host takes %v, want that of Intel's", got.Proxy)
		}
	}
}
