package report

import (
	"slices"
	"strings"
	"testing"

	"weft/internal/sim/catalog"
	"weft/internal/sim/runstore"
	"weft/internal/sim/scenario"
	"weft/units"
)

// said joins all sentences of a verdict.
func said(v Verdict) string {
	return strings.Join(slices.Concat(v.Where, v.Why, v.Notes, v.Setting), "\n")
}

func mustSay(t *testing.T, v Verdict, wants ...string) {
	t.Helper()
	for _, want := range wants {
		if !strings.Contains(said(v), want) {
			t.Errorf("the verdict does not say %q:\n%s", want, said(v))
		}
	}
}

func mustNotSay(t *testing.T, v Verdict, others ...string) {
	t.Helper()
	for _, other := range others {
		if strings.Contains(said(v), other) {
			t.Errorf("the verdict says %q:\n%s", other, said(v))
		}
	}
}

func TestVerdictNamesTheRangesAndTheCauses(t *testing.T) {
	v := judged(fabricate(threeFabrics, sizesOf()), madeUp())
	if len(v.Where) != 2 {
		t.Errorf("%d sentences name a winner, want 2:\n%s", len(v.Where), said(v))
	}
	mustSay(t, v,
		"where latency decides, infiniband-ndr is the fastest (27.4 us at 1 KiB)",
		"where bandwidth decides, infiniband-ndr is the fastest (361 GB/s at 256 MiB)",
		"a cost per message",
		"takes 4178 B on the cable for 4096 B of payload, while infiniband-ndr takes 4122 B for 4096: that is 1.4 of its 2.3 %",
		"through the kernel and the CPU's copies",
		"645 drops")
}

func TestVerdictOfTwoWithinTwoPercentIsNoDifference(t *testing.T) {
	a, b := threeFabrics[0], threeFabrics[0]
	b.name, b.protocol, b.latency = "roce-v2-400g", "roce-v2", a.latency*1015/1000
	v := judged(fabricate([]fabricated{a, b}, sizesOf()), madeUp())
	mustSay(t, v, "there is no difference that matters: infiniband-ndr (27.4 us at 1 KiB) and roce-v2-400g (27.8 us) are within 2 %")
	mustNotSay(t, v, "is the fastest", "headers", "cost per message")
}

// Uniform traffic has the offered bandwidth on every fabric, even if a message takes ten times as
// long on one of them.
func TestVerdictOfUniformTrafficGoesByTheTimeOfAMessage(t *testing.T) {
	r := fabricate(threeFabrics[:2], sizesOf())
	r.Workload = "uniform"
	for _, s := range []int{0, 1} {
		for i := range r.Fabrics {
			p := &r.Fabrics[i].Points[s]
			p.Time, p.AlgBW, p.BusBW = units.Time(1+9*i)*units.Microsecond, 10, 5
		}
	}
	for i := range r.Fabrics {
		r.Fabrics[i].Points = r.Fabrics[i].Points[:1]
	}
	v := judged(r, madeUp())
	mustSay(t, v, "infiniband-ndr is the fastest (1.00 us); roce-v2-400g takes 10 times as long (10.0 us", "The comparison uses the mean time of a message")
	mustNotSay(t, v, "GB/s")
}

// The time of a list of flows contains the time between their starts.
func TestVerdictOfFlowsNamesTheTimeBetweenTheirStarts(t *testing.T) {
	for last, want := range map[units.Time]string{0: "", 900 * units.Microsecond: "essages start up to 899 us apart"} {
		sc := madeUp()
		sc.Workload.Pattern, sc.Workload.Flows = scenario.Flows, []scenario.Flow{{Start: last}, {Start: min(last, units.Microsecond)}}
		v := judged(fabricate(threeFabrics[:2], sizesOf()), sc)
		if want == "" {
			mustNotSay(t, v, "essages start")
		} else {
			mustSay(t, v, want)
		}
	}
}

func TestVerdictNamesTheWinnerOfEachRange(t *testing.T) {
	a, b := threeFabrics[0], threeFabrics[1]
	a.bus, b.bus = 300, 360
	v := judged(fabricate([]fabricated{a, b}, sizesOf()), nil)
	mustSay(t, v, "where latency decides, infiniband-ndr is the fastest", "where bandwidth decides, roce-v2-400g is the fastest")
	mustNotSay(t, v, "on the cable") // a scenario would be needed to know
}

func TestVerdictOnSmallSizesDoesNotNameBandwidth(t *testing.T) {
	v := judged(fabricate(threeFabrics, sizesOf()[:6]), madeUp())
	mustNotSay(t, v, "bandwidth decides", "limit of its wire")
	mustSay(t, v, "At every size, where latency decides")
}

func TestVerdictOfOneSizeNamesIt(t *testing.T) {
	mustSay(t, judged(fabricate(threeFabrics, []int64{64 << 20}), madeUp()), "At 64 MiB infiniband-ndr is the fastest (342 GB/s)")
}

func TestVerdictOfAPatternHasNoSize(t *testing.T) {
	r := fabricate(threeFabrics, []int64{1 << 20})
	for i := range r.Fabrics {
		p := &r.Fabrics[i].Points[0]
		p.Bytes, p.AlgBW, p.BusBW = 0, 0, 0
	}
	v := judged(r, madeUp())
	mustSay(t, v, "infiniband-ndr is the fastest (33.1 us)")
	mustNotSay(t, v, "At all", "at all", "at every size", "cost per message")
	var page strings.Builder
	if err := Comparison(r, madeUp(), nil).HTML(&page); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(page.String(), "at all<") {
		t.Error("the cards of the page give their figures at the size all")
	}
}

func TestVerdictExcludesLinksOnlyIfTheyWereIdle(t *testing.T) {
	slow := threeFabrics[2]
	slow.counts = func(int64, int64) runstore.Counts { return runstore.Counts{} }
	r := fabricate([]fabricated{threeFabrics[0], slow}, sizesOf())
	mustSay(t, judged(r, nil), "At 256 MiB tcp-400g is limited by the host, not by the network: links stay below 13 % busy, no drops or pauses.")
	r.Fabrics[1].Points[len(sizesOf())-1].Hottest[0].Busy = 0.5
	mustNotSay(t, judged(r, nil), "limited by")
	r.Fabrics[1].Protocol, r.Fabrics[1].Points[len(sizesOf())-1].Hottest[0].Busy = "roce-v2", 0.12
	mustSay(t, judged(r, nil), "tcp-400g is not limited by its links: they stay below 13 % busy, no drops or pauses.")
}

func TestVerdictNamesMissingResults(t *testing.T) {
	r := fabricate(threeFabrics, sizesOf())
	for i := range r.Fabrics[2].Points {
		r.Fabrics[2].Points[i] = runstore.Point{Bytes: r.Fabrics[2].Points[i].Bytes, Failure: "deadlock"}
	}
	r.Fabrics[1].Points = r.Fabrics[1].Points[:16]
	mustSay(t, judged(r, madeUp()), "tcp-400g has no result and is not part of the comparison.", "Of 19 sizes, 16 have a result on every fabric and are compared.")
	mustSay(t, judged(&runstore.Results{}, nil), "No size has a result.")
}

func TestVerdictOfOneFabric(t *testing.T) {
	mustSay(t, judged(fabricate(threeFabrics[1:2], sizesOf()), madeUp()),
		"roce-v2-400g takes 30.9 us at 1 KiB and reaches 353 GB/s of bus bandwidth at 256 MiB; from 32 MiB on it is within 20 % of that.",
		"At 256 MiB roce-v2-400g is at the limit of its wire: leaf-0:3 → node-0 nic-0 is busy 93 % of the time; it counted 799 PFC pauses")
}

func TestVerdictNamesSizesAtWhichAnotherLeads(t *testing.T) {
	r := fabricate(threeFabrics[:2], sizesOf())
	r.Fabrics[1].Points[2].Time = 20 * units.Microsecond
	mustSay(t, judged(r, nil), "It is not so at every size: roce-v2-400g leads at 4 KiB.")
}

// A link that carries more than its tier's mean is a cause only if routing
// could have chosen another link, and if it is busy.
func TestVerdictNamesCollisions(t *testing.T) {
	slow := threeFabrics[1]
	slow.bus = 180
	r := fabricate([]fabricated{threeFabrics[0], slow}, sizesOf())
	h := &r.Fabrics[1].Points[len(sizesOf())-1].Hottest[0]
	h.Name, h.Tier, h.Mean = "leaf-0:3 → spine-1", "leaf to spine", h.Bytes*10/25
	mustSay(t, judged(r, madeUp()), "At 256 MiB roce-v2-400g has flows collide, which ECMP hashes onto one link: leaf-0:3 → spine-1 carries 2.5 times the mean of its tier (leaf to spine) and is busy 94 % of the time")
	mustSay(t, judged(r, nil), "roce-v2-400g spreads its load unevenly: leaf-0:3 → spine-1 carries 2.5 times")
	h.Tier = "leaf to NIC"
	mustNotSay(t, judged(r, madeUp()), "collide", "tier")
	h.Tier, h.Busy = "leaf to spine", 0.4
	mustNotSay(t, judged(r, madeUp()), "collide", "tier")
}

// The verdict names a few of the messages that share a link, if they are known.
func TestVerdictNamesTheMessagesThatShareALink(t *testing.T) {
	slow := threeFabrics[1]
	slow.bus = 180
	r := fabricate([]fabricated{threeFabrics[0], slow}, []int64{2 << 20})
	h := &r.Fabrics[1].Points[0].Hottest[0]
	h.Tier, h.Busy, h.Mean = "leaf to spine", 0.97, h.Bytes/3
	h.Flows = []string{"a to b", "c to d", "e to f"}
	mustSay(t, judged(r, madeUp()), "carries 3.0 times the mean of its tier (leaf to spine), by a to b, c to d and e to f, and is busy")
	h.Flows = append(h.Flows, "g to h", "i to j")
	mustSay(t, judged(r, madeUp()), "e to f, g to h and others, and is busy")
	h.Flows = h.Flows[:1]
	mustNotSay(t, judged(r, madeUp()), "a to b")
}

// Congestion control is a cause if it left a link idle that another fabric kept busy, and if
// there is no other reason, such as a different path through the host.
func TestVerdictNamesSlowedSenders(t *testing.T) {
	slow := threeFabrics[1]
	slow.bus = 180
	r := fabricate([]fabricated{threeFabrics[0], slow}, sizesOf())
	last := &r.Fabrics[1].Points[len(sizesOf())-1]
	last.Hottest[0].Busy = 0.5
	last.Counts.Marks = last.Counts.Packets / 4
	mustSay(t, judged(r, madeUp()),
		"cut its senders back so far that its busiest link was busy no more than 50 % of the time, while infiniband-ndr kept its own busy 93 %",
		"it queues: at least 25 % of its packets met more than 400 KiB before them")
	sc := madeUp()
	sc.Fabrics[1].Host.Path = scenario.PathCPU
	mustNotSay(t, judged(r, sc), "cut its senders back")

	// If the winner's wire was not the limit either, the verdict gives the counters only.
	r.Fabrics[0].Points[len(sizesOf())-1].Hottest[0].Busy = 0.8
	last.Counts.CNPs = 1234
	mustSay(t, judged(r, madeUp()), "told its senders to slow down 1,234 times, and its busiest link was busy no more than 50 % of the time, while infiniband-ndr kept its own busy 80 %")
	mustNotSay(t, judged(r, madeUp()), "cut its senders back")
	last.Counts.CNPs = 0
	mustNotSay(t, judged(r, madeUp()), "slow down")
}

// One size does not distinguish latency from bandwidth.
func TestVerdictOfAShortSweepClaimsOnlyWhatItShows(t *testing.T) {
	for _, c := range []struct {
		sizes []int64
		says  []string
		not   []string
	}{
		{[]int64{64 << 10, 16 << 20}, []string{"At 64 KiB, the start of the sweep, ", "At 16 MiB, the end of the sweep, "}, []string{"decides", "per message"}},
		{[]int64{1 << 10, 2 << 10}, []string{"At every size, where latency decides, "}, []string{"bandwidth decides"}},
		{[]int64{128 << 20, 256 << 20}, []string{"At every size, where bandwidth decides, "}, []string{"latency decides"}},
		{[]int64{1 << 20}, []string{"At 1 MiB infiniband-ndr is the fastest"}, []string{"decides"}},
		{[]int64{1 << 20, 1<<20 + 4096}, []string{"where latency decides"}, []string{"per message", "bandwidth decides"}},
	} {
		v := judged(fabricate(threeFabrics[:2], c.sizes), madeUp())
		mustSay(t, v, c.says...)
		mustNotSay(t, v, c.not...)
	}
}

// The verdict names the cost of each hop, and marks an assumption of the catalog: it alone may
// decide the winner.
func TestVerdictNamesWhatEachHopCosts(t *testing.T) {
	sc := madeUp()
	e, err := catalog.Lookup(catalog.Switch, "sn5600")
	if err != nil {
		t.Fatal(err)
	}
	fact, _ := e.Get("latency")
	latency, err := units.ParseTime(fact.Value)
	if err != nil || fact.Tag != catalog.Assumption {
		t.Fatalf("the latency of sn5600 is %q (%s), want an assumed time: choose another switch", fact.Value, fact.Tag)
	}
	roce := &sc.Fabrics[1]
	roce.Switch.Model, roce.Switch.Latency = e.Name, latency
	roce.Link.FECLatency = 60 * units.Nanosecond
	r := fabricate(threeFabrics, sizesOf())
	mustSay(t, judged(r, sc), "cost per message, not one of bandwidth.", "\nroce-v2-400g pays "+latency.String()+
		" (an assumption) at each switch and 60 ns of FEC on each link, while infiniband-ndr pays 230 ns and none")
	tcp := &sc.Fabrics[2]
	tcp.Switch, tcp.Link, tcp.Host = roce.Switch, roce.Link, roce.Host
	mustSay(t, judged(r, sc), "\nroce-v2-400g and tcp-400g pay "+latency.String()+" (an assumption) at each switch")
	roce.Switch.Latency += units.Nanosecond
	tcp.Host.Path = scenario.PathCPU
	mustNotSay(t, judged(r, sc), "assumption")
	roce.Host.Path = scenario.PathRDMAHost
	mustNotSay(t, judged(r, sc), "at each switch")
	roce.Host.Path = sc.Fabrics[0].Host.Path
	mustSay(t, judged(r, sc), "at each switch")
	r.Fabrics[1].Points[0].Counts.Pauses = 1
	mustNotSay(t, judged(r, sc), "at each switch")
	mustNotSay(t, judged(fabricate(threeFabrics, []int64{256 << 20}), sc), "at each switch") // a busy wire
}

// The verdict names a lead in the middle of a sweep, too.
func TestVerdictNamesTheLeaderInBetween(t *testing.T) {
	a, b := threeFabrics[0], threeFabrics[1]
	b.bus, b.counts = 372, a.counts // at the end of the sweep none leads
	r := fabricate([]fabricated{a, b}, sizesOf())
	const between = 13 // 8 MiB, where neither latency nor bandwidth decides
	mustNotSay(t, judged(r, nil), "In between")
	p := &r.Fabrics[1].Points[between]
	p.Time = r.Fabrics[0].Points[between].Time * 9 / 10
	mustSay(t, judged(r, nil), "In between, roce-v2-400g leads at 8 MiB, by up to 1.11 times.", "At 8 MiB infiniband-ndr counted 587 credit stalls")
}

func TestVerdictGivesTheTimesIfNoCounterExplainsThem(t *testing.T) {
	a, b := threeFabrics[0], threeFabrics[1]
	a.bus, b.bus, a.busy, b.busy = 180, 150, 0.6, 0.5
	a.counts = func(int64, int64) runstore.Counts { return runstore.Counts{} }
	b.counts = a.counts
	mustSay(t, judged(fabricate([]fabricated{a, b}, sizesOf()), nil),
		"At 256 MiB roce-v2-400g has no drops or pauses, and no link above 50 % busy: its messages took 125 us on average, and the messages of infiniband-ndr took 104 us.")
}

func TestVerdictOfOneNodeSaysThatNoFabricIsUsed(t *testing.T) {
	r := fabricate(threeFabrics, sizesOf())
	for i := range r.Fabrics {
		for j := range r.Fabrics[i].Points {
			p := &r.Fabrics[i].Points[j]
			p.Time, p.Counts, p.Flows, p.Hottest = r.Fabrics[0].Points[j].Time, runstore.Counts{}, runstore.Distribution{}, nil
		}
	}
	mustSay(t, judged(r, madeUp()), "within 2 %", confinement)
	r.Fabrics = r.Fabrics[:1]
	mustSay(t, judged(r, madeUp()), confinement)
	r.Fabrics[0].Points[0].Counts.PacketHops = 1
	mustNotSay(t, judged(r, madeUp()), confinement)
}

// Headers are a cause only for full packets, on wires that may be the limit.
func TestVerdictNamesHeadersOnlyForFullPackets(t *testing.T) {
	for _, c := range []struct {
		size int64
		busy float64
		says bool
	}{{256 << 20, 0.95, true}, {4095, 0.95, false}, {256 << 20, 0.2, false}} {
		r := fabricate(threeFabrics[:2], []int64{c.size})
		r.Fabrics[1].Points[0].Time = r.Fabrics[0].Points[0].Time * 1023 / 1000
		r.Fabrics[1].Points[0].Hottest[0].Busy = c.busy
		if said := strings.Contains(said(judged(r, madeUp())), "B on the cable"); said != c.says {
			t.Errorf("%d bytes, link %v busy: headers are named: %v, want %v", c.size, c.busy, said, c.says)
		}
	}
}

// Flows are not hashed if there is only one shortest path, or if each packet has its own path.
func TestVerdictNamesHashedFlowsOnlyIfRoutingHashesFlows(t *testing.T) {
	slow := threeFabrics[1]
	slow.bus = 180
	r := fabricate([]fabricated{threeFabrics[0], slow}, sizesOf())
	h := &r.Fabrics[1].Points[len(sizesOf())-1].Hottest[0]
	h.Tier, h.Mean = "switch to switch", h.Bytes*10/25
	sc := madeUp()
	mustSay(t, judged(r, sc), "which ECMP hashes onto one link")
	sc.Fabrics[1].Topology.Shape = scenario.Dragonfly
	mustSay(t, judged(r, sc), "roce-v2-400g spreads its load unevenly")
	sc = madeUp()
	sc.Fabrics[1].Kind = "ultra-ethernet"
	mustSay(t, judged(r, sc), "roce-v2-400g spreads its load unevenly")
}

// A wire that is full of retransmissions is not the limit of the fabric.
func TestVerdictDistinguishesRetransmissions(t *testing.T) {
	slow := threeFabrics[1]
	slow.bus = 180
	r := fabricate([]fabricated{threeFabrics[0], slow}, sizesOf())
	p := &r.Fabrics[1].Points[len(sizesOf())-1]
	mustSay(t, judged(r, madeUp()), "roce-v2-400g is at the limit of its wire")
	p.Counts.Retransmissions = p.Counts.Packets * 2 / 3
	mustSay(t, judged(r, madeUp()), "roce-v2-400g fills its wire with retransmissions, 67 % of its packets: leaf-0:3 → node-0 nic-0 is busy 94 % of the time")
	mustNotSay(t, judged(r, madeUp()), "roce-v2-400g is at the limit of its wire")
}
