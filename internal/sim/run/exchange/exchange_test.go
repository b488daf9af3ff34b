package exchange_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"weft/internal/test/runtest"
	"weft/internal/test/simtest"
	"weft/results"
	"weft/units"
)

// scenarioOf is an exchange on some nodes of eight GPUs.
func scenarioOf(nodes int, fabric, exchange, experts string) string {
	return fmt.Sprintf(`
cluster: {nodes: %d, node: dgx-h100}
topology: {shape: single-switch}
fabrics: [%s]
workload: {exchange: %s, experts: {%s}}
`, nodes, fabric, exchange, experts)
}

func exchanged(t *testing.T, nodes int, fabric, exchange, experts string) results.Point {
	t.Helper()
	p := runtest.Point(t, scenarioOf(nodes, fabric, exchange, experts))
	if p.Exchange == nil {
		t.Fatalf("%s has no result: %s", exchange, p.Failure)
	}
	return p
}

// A token of 7,168 elements in FP8 has 56 scales and a header: 7,408 B. In BF16 it is 14,336 B.
func TestTheBytesOfATokenAreThoseOfTheKernels(t *testing.T) {
	d := exchanged(t, 2, "infiniband-ndr", "moe-dispatch", "").Exchange
	c := exchanged(t, 2, "infiniband-ndr", "moe-combine", "").Exchange
	if d.TokenBytes != 7168+56*4+16 || c.TokenBytes != 2*7168 {
		t.Errorf("a token has %d B in a dispatch and %d B in a combine, want 7408 and 14336", d.TokenBytes, c.TokenBytes)
	}
	if d.Bytes != 7408*128*8 {
		t.Errorf("a rank's tokens have %d B, want %d", d.Bytes, 7408*128*8)
	}
}

// Of two nodes each has half of the experts: half of a rank's 1,024 tokens go there, each in a WRITE
// of its own, and 7 of 16 to the other GPUs of the node.
func TestTokensGoWhereTheirExpertsAre(t *testing.T) {
	e := exchanged(t, 2, "infiniband-ndr", "moe-dispatch", "").Exchange
	near := func(got, want int64) bool { return math.Abs(float64(got-want)) < 0.03*float64(want) }
	if !near(e.Messages, 512) || !near(e.NetworkBytes, 512*7408) || !near(e.NVLinkBytes, 448*7408) {
		t.Errorf("a rank sends %d WRITEs of %d B, and %d B over NVLink; want near 512, %d and %d", e.Messages, e.NetworkBytes, e.NVLinkBytes, 512*7408, 448*7408)
	}
	all := exchanged(t, 2, "infiniband-ndr", "moe-dispatch", "rdma-only: true").Exchange
	if all.NVLinkBytes != 0 || all.NetworkBytes-e.NetworkBytes-e.NVLinkBytes > 1 { // means are rounded
		t.Errorf("without NVLink %d B go through NICs and %d B over NVLink, want %d and none", all.NetworkBytes, all.NVLinkBytes, e.NetworkBytes+e.NVLinkBytes)
	}
}

// A combine brings back what a dispatch has sent, in the other direction: as many tokens.
func TestACombineHasTheTokensOfItsDispatch(t *testing.T) {
	for _, experts := range []string{"", "gating: zipf, replicas: 32, placement: balanced"} {
		d := exchanged(t, 2, "infiniband-ndr", "moe-dispatch", experts).Exchange
		c := exchanged(t, 2, "infiniband-ndr", "moe-combine", experts).Exchange
		if d.Messages != c.Messages {
			t.Errorf("%s: %d WRITEs of a rank, and %d back", experts, d.Messages, c.Messages)
		}
	}
}

// No rank ends before its bytes are there at the rate of its link, and all end soon after.
func TestAnExchangeTakesItsBytesAndTheKernel(t *testing.T) {
	for _, fabric := range []string{"infiniband-ndr", "roce-v2-400g"} {
		p := exchanged(t, 4, fabric, "moe-dispatch", "rdma-only: true, software: 20us")
		wire := units.Time(p.Exchange.NetworkBytes) * 20 // ps a byte at 400 Gb/s
		if most := wire*13/10 + 45*units.Microsecond; p.Time < wire+40*units.Microsecond || p.Time > most {
			t.Errorf("%s: %v, want %v at least and %v at most", fabric, p.Time, wire+40*units.Microsecond, most)
		}
	}
}

// The kernel's time is before its first message and after its last: 10 us more at each end are 20 us.
func TestSoftwareIsPaidAtBothEnds(t *testing.T) {
	short := exchanged(t, 2, "infiniband-ndr", "moe-dispatch", "software: 10us").Time
	long := exchanged(t, 2, "infiniband-ndr", "moe-dispatch", "software: 20us").Time
	if long-short != 20*units.Microsecond {
		t.Errorf("10 us more software take %v more, want 20 us", long-short)
	}
}

// Each rank waits for tokens of the one that begins last: of ranks that begin within 100 us the mean kernel takes about 45 us
// more. That of the last rank takes less than without a skew: some of its tokens are there when it begins.
func TestRanksWaitForTheOneThatBeginsLast(t *testing.T) {
	even := exchanged(t, 2, "infiniband-ndr", "moe-dispatch", "").Exchange.Kernel
	skewed := exchanged(t, 2, "infiniband-ndr", "moe-dispatch", "start-skew: 100us").Exchange.Kernel
	if more := units.Time(skewed.Mean - even.Mean); more < 25*units.Microsecond || more > 65*units.Microsecond {
		t.Errorf("the mean kernel takes %v more, want 45 us", more)
	}
	if more := units.Time(skewed.Min - even.Min); more < -30*units.Microsecond || more > 0 {
		t.Errorf("the shortest kernel takes %v more, want somewhat less", more)
	}
}

// A completion for every request, every second and every sixteenth: a thread that is the bottleneck is as
// much faster as its time for a request and its share of a completion says.
func TestModeratedCompletionsRelieveAProxy(t *testing.T) {
	times := map[string]float64{}
	for _, moderation := range []string{"cq-mod: 1", "cq-mod: 2", "cq-mod: 16"} {
		r := exchanged(t, 2, "infiniband-ndr", "moe-dispatch", "posting: proxy, proxy-time: 2us, completion-time: 4us, "+moderation)
		times[moderation] = float64(r.Exchange.Kernel.Max)
	}
	for moderation, want := range map[string]float64{"cq-mod: 2": 6. / 4, "cq-mod: 16": 6 / 2.25} {
		if got := times["cq-mod: 1"] / times[moderation]; got < want*.95 || got > want*1.05 {
			t.Errorf("%s: faster by a factor of %.3f, want %.3f", moderation, got, want)
		}
	}
}

// A proxy thread posts one request after the other: 2 us for each of some 512 tokens are more than a
// millisecond. A GPU's warps post at the same time.
func TestAProxyPostsOneRequestAfterTheOther(t *testing.T) {
	gpu := exchanged(t, 2, "infiniband-ndr", "moe-dispatch", "")
	proxy := exchanged(t, 2, "infiniband-ndr", "moe-dispatch", "posting: proxy, proxy-time: 2us")
	least := units.Time(proxy.Exchange.Messages) * 2 * units.Microsecond
	if last := units.Time(proxy.Exchange.Kernel.Max); last < least || gpu.Time > 150*units.Microsecond {
		t.Errorf("%v by a proxy and %v by the GPU, want %v at least and 150 us at most", last, gpu.Time, least)
	}
}

// An atomic is one more packet for each rank and expert with tokens; immediate data is none.
func TestASignalByImmediateDataSavesAPacket(t *testing.T) {
	atomic := exchanged(t, 2, "roce-v2-400g", "moe-dispatch", "count: 16, top-k: 8")
	imm := exchanged(t, 2, "roce-v2-400g", "moe-dispatch", "count: 16, top-k: 8, signal: immediate")
	if more := atomic.Counts.Packets - imm.Counts.Packets; more < 16*8 {
		t.Errorf("%d packets with atomics and %d with immediate data: want one more for each of 128 pairs", atomic.Counts.Packets, imm.Counts.Packets)
	}
}

// With zipf a few experts have most tokens; copies of them, placed by their load, even it out.
func TestReplicasEvenOutHotExperts(t *testing.T) {
	share := func(experts string) float64 {
		e := exchanged(t, 2, "infiniband-ndr", "moe-dispatch", experts).Exchange
		return float64(e.MostTokens) / float64(e.MeanTokens)
	}
	uniform, hot := share(""), share("gating: zipf")
	spread := share("gating: zipf, replicas: 32, placement: balanced")
	if uniform > 1.15 || hot < 2 || spread > 1.3 {
		t.Errorf("the busiest rank has %.2f of the mean, %.2f with zipf and %.2f with replicas; want 1.15 at most, 2 at least, 1.3 at most", uniform, hot, spread)
	}
}

// Weights of a histogram decide: experts without weight get nothing.
func TestAHistogramDecidesWhereTokensGo(t *testing.T) {
	weights := strings.Repeat("1,", 8) + strings.TrimSuffix(strings.Repeat("0,", 8), ",")
	e := exchanged(t, 2, "infiniband-ndr", "moe-dispatch", "count: 16, top-k: 8, weights: ["+weights+"]").Exchange
	if e.MostTokens != 16*128 || e.NetworkBytes < 8*128*7408/2 {
		t.Errorf("the busiest rank gets %d tokens, want %d: each rank's 128 tokens go to each of eight experts", e.MostTokens, 16*128)
	}
}

// The results do not depend on cores, and another seed draws other experts.
func TestAnExchangeDependsOnItsSeedAlone(t *testing.T) {
	r := simtest.Resolve(t, scenarioOf(2, "infiniband-ndr, roce-v2-400g, tcp-400g", "moe-combine", "tokens: 16, gating: zipf"))
	one, err := runtest.SameOnCores(t, r, 1, 2, 3)
	if err != nil {
		t.Fatal(err)
	}
	r.Run.Seed++
	if other := runtest.Run(t, r, 1); other.Fabrics[0].Points[0].Exchange.NetworkBytes == one.Fabrics[0].Points[0].Exchange.NetworkBytes {
		t.Error("two seeds draw the same tokens")
	}
}

// A stream into a NIC delays the tokens for it, and its own messages are counted; a failed uplink is
// reported with its recovery.
func TestAnExchangeRunsBesideStreamsAndFaults(t *testing.T) {
	alone := exchanged(t, 2, "roce-v2-400g", "moe-dispatch", "")
	beside := exchanged(t, 2, "{preset: roce-v2-400g, beside: [{name: storage, from: [node0/nic0], to: [node1/nic0], bytes: 1MiB}]}", "moe-dispatch", "")
	if beside.Time <= alone.Time || len(beside.Beside) != 1 {
		t.Errorf("%v beside a stream and %v alone, with %d streams", beside.Time, alone.Time, len(beside.Beside))
	}
	p := runtest.Point(t, `
cluster: {nodes: 2, node: dgx-h100}
topology: {shape: fat-tree, levels: 2, radix: 16}
fabrics: [{preset: infiniband-ndr, transport: {timeout: 2ms}}]
workload: {exchange: moe-dispatch}
faults: [{link: leaf0 port 9, at: 50us}]
control: {loss-of-signal: 10us}`)
	if p.Fault == nil || p.Fault.Clean == 0 || p.Time < p.Fault.Clean {
		t.Errorf("%v with a failed uplink: %+v", p.Time, p.Fault)
	}
}

// Two NICs of a GPU at half the rate each take as long as one, to 10 %: connections use both.
func TestAllNICsOfAGPUAreUsed(t *testing.T) {
	one := exchanged(t, 2, "infiniband-ndr", "moe-dispatch", "")
	for _, kernel := range []string{"low-latency", "throughput, tokens: 512"} {
		one := one
		if kernel != "low-latency" {
			one = exchanged(t, 2, "infiniband-ndr", "moe-dispatch", "kernel: "+kernel)
		}
		text := scenarioOf(2, "infiniband-ndr200", "moe-dispatch", "kernel: "+kernel)
		two := runtest.Point(t, strings.Replace(text, "node: dgx-h100", "node: {preset: dgx-h100, nics: 16}", 1))
		if r := float64(two.Time) / float64(one.Time); r < .9 || r > 1.1 {
			t.Errorf("%s: %v on two NICs of 200 Gb/s, %v on one of 400 Gb/s", kernel, two.Time, one.Time)
		}
	}
}
