package report

import (
	"slices"
	"strings"
	"testing"

	"weft/results"
	"weft/scenario"
	"weft/units"
)

// said joins all sentences of a verdict.
func said(v Verdict) string {
	return strings.Join(slices.Concat(v.Short(), v.Seen, v.Notes, v.Setting), "\n")
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

// A link that carries more than its tier's mean is a cause only if routing
// could have chosen another link, and if it is busy.
func TestVerdictNamesCollisions(t *testing.T) {
	slow := threeFabrics[1]
	slow.bus = 180
	r := fabricate([]fabricated{threeFabrics[0], slow}, sizesOf())
	h := &r.Fabrics[1].Points[len(sizesOf())-1].Hottest[0]
	h.Name, h.Tier, h.Mean = "leaf-0:3 → spine-1", "leaf to spine", h.Bytes*10/25
	mustSay(t, judged(r, madeUp()), "At 256 MiB roce-v2-400g has flows that ECMP hashes onto one link: leaf-0:3 → spine-1 carries 2.5 times the mean of its tier (leaf to spine) and is busy 94 % of the time")
	mustSay(t, judged(r, nil), "roce-v2-400g spreads its load unevenly: leaf-0:3 → spine-1 carries 2.5 times")
	h.Tier = "leaf to NIC"
	mustNotSay(t, judged(r, madeUp()), "collide", "tier")
	h.Tier, h.Busy = "leaf to spine", 0.4
	mustNotSay(t, judged(r, madeUp()), "collide", "tier")
}

// Flows are not hashed if there is only one shortest path, or if each packet has its own path.
func TestVerdictNamesHashedFlowsOnlyIfRoutingHashesFlows(t *testing.T) {
	slow := threeFabrics[1]
	slow.bus = 180
	r := fabricate([]fabricated{threeFabrics[0], slow}, sizesOf())
	h := &r.Fabrics[1].Points[len(sizesOf())-1].Hottest[0]
	h.Tier, h.Mean = "switch to switch", h.Bytes*10/25
	sc := madeUp()
	mustSay(t, judged(r, sc), "that ECMP hashes onto one link")
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

func TestVerdictNamesMissingResults(t *testing.T) {
	r := fabricate(threeFabrics, sizesOf())
	for i := range r.Fabrics[2].Points {
		r.Fabrics[2].Points[i] = results.Point{Bytes: r.Fabrics[2].Points[i].Bytes, Failure: "deadlock"}
	}
	r.Fabrics[1].Points = r.Fabrics[1].Points[:16]
	mustSay(t, judged(r, madeUp()), "tcp-400g has no result and is not part of the comparison.", "Of 19 sizes, 16 have a result on every fabric and are compared.")
	mustSay(t, judged(&results.Results{}, nil), "No size has a result.")
}

func TestVerdictOfOneFabric(t *testing.T) {
	mustSay(t, judged(fabricate(threeFabrics[1:2], sizesOf()), madeUp()),
		"roce-v2-400g takes 30.9 us at 1 KiB and reaches 353 GB/s of bus bandwidth at 256 MiB; from 32 MiB on it is within 20 % of that.",
		"At 256 MiB roce-v2-400g is at the limit of its wire: leaf-0:3 → node-0 nic-0 is busy 93 % of the time; it counted 799 PFC pauses")
}

func TestVerdictOfOneNodeSaysThatNoFabricIsUsed(t *testing.T) {
	r := fabricate(threeFabrics, sizesOf())
	for i := range r.Fabrics {
		for j := range r.Fabrics[i].Points {
			p := &r.Fabrics[i].Points[j]
			p.Time, p.Counts, p.Flows, p.Hottest = r.Fabrics[0].Points[j].Time, results.Counts{}, results.Distribution{}, nil
		}
	}
	mustSay(t, judged(r, madeUp()), confinement)
	r.Fabrics = r.Fabrics[:1]
	mustSay(t, judged(r, madeUp()), confinement)
	r.Fabrics[0].Points[0].Counts.PacketHops = 1
	mustNotSay(t, judged(r, madeUp()), confinement)
}

func TestVerdictExcludesLinksOnlyIfTheyWereIdle(t *testing.T) {
	slow := threeFabrics[2]
	slow.counts = func(int64, int64) results.Counts { return results.Counts{} }
	r := fabricate([]fabricated{threeFabrics[0], slow}, sizesOf())
	mustSay(t, judged(r, nil), "At 256 MiB tcp-400g is limited by the host, not by the network: links stay below 13 % busy, no drops or pauses.")
	r.Fabrics[1].Points[len(sizesOf())-1].Hottest[0].Busy = 0.5
	mustNotSay(t, judged(r, nil), "limited by")
	r.Fabrics[1].Protocol, r.Fabrics[1].Points[len(sizesOf())-1].Hottest[0].Busy = "roce-v2", 0.12
	mustSay(t, judged(r, nil), "tcp-400g is not limited by its links: they stay below 13 % busy, no drops or pauses.")
}

// withTrial is the results of two fabrics at one size with the test of the lead: InfiniBand's, of 1.1
// times, for its switch, if it holds in the readings.
func withTrial(alone, reading int64) (*results.Results, *scenario.Resolved) {
	r := seeded(fabricate(threeFabrics[:2], []int64{64 << 20}))
	for i, us := range []int64{100, 110} {
		p := &r.Fabrics[i].Points[0]
		p.Time = units.Time(us) * units.Microsecond
		p.Seeds.TimesPs = []int64{us * 1e6, us*1e6 + 1e4, us*1e6 - 1e4, us*1e6 + 2e4, us*1e6 - 2e4}
	}
	times := make([]int64, 5)
	for k := range times {
		times[k] = reading*1e6 + int64(k)*1e4
	}
	r.Contest = &results.Contest{
		Trials: []results.Trial{{
			Bytes: 64 << 20, Faster: "infiniband-ndr", Slower: "roce-v2-400g", Seeds: 3, FasterPs: 100e6, SlowerPs: 110e6,
			Alone: []results.Swap{{Property: "headers", EffectPs: 1e6}, {Property: "switch latency", EffectPs: alone * 1e6}},
			Steps: []results.Swap{{Property: "switch latency", EffectPs: alone * 1e6}, {Property: "buffers and flow control", EffectPs: 10e6 - alone*1e6}},
		}},
		Readings: []results.Reading{{Bytes: 64 << 20, Fabric: "roce-v2-400g", Path: "ib.speedup", Own: "2", Value: "4", Source: "assumption: none", TimesPs: times}},
	}
	sc := madeUp()
	sc.Fabrics[1].Switch.Latency = 900 * units.Nanosecond
	return r, sc
}

// The reason is the property that takes half of the lead away, with its values; a counter is none.
func TestTheReasonIsWhatTakesTheLeadAway(t *testing.T) {
	r, sc := withTrial(8, 110)
	v := Judge(r, sc)
	mustSay(t, v, "infiniband-ndr leads roce-v2-400g by 1.10 times (100 us, 110 us). Reason: switch latency (230ns, not 900ns): with it roce-v2-400g takes 102 us.")
	if text := strings.Join(v.Short(), " "); strings.Contains(text, "stalls") || strings.Contains(text, "pauses") {
		t.Errorf("counters stand among the reasons: %s", text)
	}
	r, sc = withTrial(4, 110)
	v = Judge(r, sc)
	mustSay(t, v, "Cause not found over roce-v2-400g: no property of infiniband-ndr alone takes half of the lead away.")
	mustNotSay(t, v, "Reason:")
}

// A lead that another reading takes away or turns round does not decide.
func TestALeadDecidesOnlyIfItHoldsOverTheReadings(t *testing.T) {
	for _, c := range []struct {
		reading   int64
		says, not string
	}{
		{112, "Choose infiniband-ndr; not roce-v2-400g. It leads by up to 1.10 times", "The lead is gone"},
		{100, "The lead is gone if ib.speedup of roce-v2-400g is 4.", "Choose"},
		{80, "The lead turns round if ib.speedup of roce-v2-400g is 4.", "Choose"},
	} {
		r, sc := withTrial(8, c.reading)
		sc.Workload.Collective = "" // a pattern, for which no error was measured
		v := Judge(r, sc)
		mustSay(t, v, c.says)
		mustNotSay(t, v, c.not)
	}
}

// A lead below weft's own error between nodes is a tie as far as weft can tell.
func TestALeadBelowTheModelsErrorDoesNotDecide(t *testing.T) {
	r, sc := withTrial(8, 112)
	sc.Workload.Collective = scenario.AllReduce
	for i := range r.Fabrics { // 16 KiB, where the error is above a tenth
		r.Fabrics[i].Points[0].Bytes = 16 << 10
	}
	v := Judge(r, sc)
	mustSay(t, v, "infiniband-ndr and roce-v2-400g are equal here as far as weft can tell. The longest lead, 1.10 times, is within weft's own error (")
	mustNotSay(t, v, "Choose")
}

func TestVerdictOfTwoWithinTwoPercentIsATie(t *testing.T) {
	a, b := threeFabrics[0], threeFabrics[0]
	b.name, b.protocol, b.latency = "roce-v2-400g", "roce-v2", a.latency*1015/1000
	v := judged(fabricate([]fabricated{a, b}, sizesOf()), madeUp())
	mustSay(t, v, "infiniband-ndr and roce-v2-400g are equal here.", "1 KiB to 256 MiB: infiniband-ndr and roce-v2-400g are equal (")
	mustNotSay(t, v, "leads", "Choose")
}

// Sizes are cut where the leader changes, and not summed up over the change.
func TestSizesAreCutWhereTheLeaderChanges(t *testing.T) {
	r := fabricate(threeFabrics[:2], sizesOf()[:6])
	for j := range r.Fabrics[1].Points {
		f := []int64{120, 120, 120, 80, 80, 101}[j]
		r.Fabrics[1].Points[j].Time = r.Fabrics[0].Points[j].Time * units.Time(f) / 100
	}
	v := judged(r, nil)
	if len(v.Where) != 3 {
		t.Errorf("%d ranges, want 3: %v", len(v.Where), v.Where)
	}
	mustSay(t, v, "1 to 4 KiB: infiniband-ndr leads roce-v2-400g by 1.20 times", "8 to 16 KiB: roce-v2-400g leads infiniband-ndr by 1.25 times", "32 KiB: infiniband-ndr and roce-v2-400g are equal")
}

// A fabric that takes twice as long at every size is named once, and is not chosen.
func TestAFabricFarBehindIsNamedOnce(t *testing.T) {
	v := judged(fabricate(threeFabrics, sizesOf()), madeUp())
	mustSay(t, v, "not tcp-400g", "tcp-400g takes 8.4 to 8.6 times as long.")
	if text := strings.Join(v.Where, "\n"); strings.Count(text, "tcp-400g") != 1 {
		t.Errorf("tcp-400g stands more than once:\n%s", text)
	}
}

func TestVerdictOfUniformTrafficGoesByTheTimeOfAMessage(t *testing.T) {
	r := fabricate(threeFabrics[:2], sizesOf()[:1])
	r.Workload = "uniform"
	for i := range r.Fabrics {
		p := &r.Fabrics[i].Points[0]
		p.Time, p.AlgBW, p.BusBW = units.Time(10+i)*units.Microsecond, 10, 5
	}
	v := judged(r, madeUp())
	mustSay(t, v, "infiniband-ndr leads roce-v2-400g by 1.10 times (10.0 us, 11.0 us)", "The comparison uses the mean time of a message")
	mustNotSay(t, v, "GB/s")
}

func TestVerdictOfAPatternHasNoSize(t *testing.T) {
	r := fabricate(threeFabrics, []int64{1 << 20})
	for i := range r.Fabrics {
		p := &r.Fabrics[i].Points[0]
		p.Bytes, p.AlgBW, p.BusBW = 0, 0, 0
	}
	mustNotSay(t, judged(r, madeUp()), "At all", "at all", "at every size")
	var page strings.Builder
	if err := Comparison(r, madeUp(), nil).HTML(&page); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(page.String(), "at all<") {
		t.Error("the cards of the page give their figures at the size all")
	}
}

// The name that a user chose cannot be read as a part of the sentence.
func TestNamesOfUsersAreQuoted(t *testing.T) {
	a, b := threeFabrics[0], threeFabrics[1]
	a.name = "no slow NIC"
	mustSay(t, judged(fabricate([]fabricated{a, b}, sizesOf()), nil), `"no slow NIC" leads roce-v2-400g`)
}

// Two fabrics are equal and a third is behind: the third is named with its distance, and is not equal.
func TestAFabricBehindTwoThatAreEqualIsNamed(t *testing.T) {
	for _, third := range []int{1, 2} {
		r := fabricate(threeFabrics, []int64{1 << 20})
		for i := range r.Fabrics {
			r.Fabrics[i].Points[0].Time = 100 * units.Microsecond
		}
		r.Fabrics[third].Points[0].Time = 115 * units.Microsecond
		v := judged(r, nil)
		mustSay(t, v, r.Fabrics[third].Name+" takes 1.15 times that.")
		mustNotSay(t, v, "are equal here", "No order")
	}
}

// A part that both fabrics have is as slow on both: its reading changes both.
func TestAReadingOfASharedPartChangesBothFabrics(t *testing.T) {
	r, sc := withTrial(8, 100) // 100 us on the slower alone would take the lead away
	twin := r.Contest.Readings[0]
	twin.Fabric, twin.TimesPs = "infiniband-ndr", []int64{90e6, 90e6, 90e6, 90e6, 90e6}
	r.Contest.Readings = append(r.Contest.Readings, twin)
	sc.Workload.Collective = ""
	mustSay(t, Judge(r, sc), "Choose infiniband-ndr")
	mustNotSay(t, Judge(r, sc), "The lead is gone")
}

// Ranges of sizes with the same leader for the same reason are one claim, also with others between.
func TestRangesWithOneReasonAreOneClaim(t *testing.T) {
	sizes := []int64{1 << 10, 2 << 10, 4 << 10}
	r := seeded(fabricate(threeFabrics[:2], sizes))
	r.Contest = &results.Contest{}
	for j, size := range sizes {
		lead := []int64{10, 0, 20}[j]
		for i := range r.Fabrics {
			p := &r.Fabrics[i].Points[j]
			p.Time = units.Time(100+int64(i)*lead) * units.Microsecond
			for k := range p.Seeds.TimesPs {
				p.Seeds.TimesPs[k] = int64(p.Time) + int64(k)*1e3
			}
		}
		if lead > 0 {
			r.Contest.Trials = append(r.Contest.Trials, results.Trial{
				Bytes: size, Faster: "infiniband-ndr", Slower: "roce-v2-400g", Seeds: 5, FasterPs: 100e6, SlowerPs: (100 + lead) * 1e6,
				Alone: []results.Swap{{Property: "queue pairs", EffectPs: lead * 1e6}},
			})
		}
	}
	v := Judge(r, nil)
	mustSay(t, v, "1 KiB and 4 KiB: infiniband-ndr leads roce-v2-400g by 1.10 to 1.20 times (100 us, 110 us at 1 KiB). Reason: queue pairs: with that of infiniband-ndr roce-v2-400g takes 100 us.")
	if len(v.Where) != 2 {
		t.Errorf("%d claims, want 2: %q", len(v.Where), v.Where)
	}
	third := r.Fabrics[1]
	third.Name = "third"
	r.Fabrics = append(r.Fabrics, third)
	r.Contest.Trials = append(r.Contest.Trials, r.Contest.Trials[1])
	r.Contest.Trials[2].Slower = "third" // tested at 4 KiB alone
	mustSay(t, Judge(r, nil), "with that of infiniband-ndr roce-v2-400g takes 100 us and third takes 100 us at 4 KiB.")
	r.Fabrics, r.Contest.Trials = r.Fabrics[:2], r.Contest.Trials[:2]
	r.Contest.Trials[1].Alone[0].Property = "headers"
	if v := Judge(r, nil); len(v.Where) != 3 {
		t.Errorf("two reasons in %d claims, want 3: %q", len(v.Where), v.Where)
	}
}

// A lead that falls with a reading over one rival alone is not said to fall over both.
func TestAnObjectionNamesTheRivalsWithWhichItCounts(t *testing.T) {
	r, sc := withTrial(8, 100)
	third := r.Fabrics[1]
	third.Name = "third"
	r.Fabrics = append(r.Fabrics, third)
	trial := r.Contest.Trials[0]
	trial.Slower = "third"
	r.Contest.Trials = append(r.Contest.Trials, trial)
	sc.Fabrics = append(sc.Fabrics, sc.Fabrics[1])
	sc.Fabrics[len(sc.Fabrics)-1].Name = "third"
	mustSay(t, Judge(r, sc), "The lead over roce-v2-400g is gone if ib.speedup of roce-v2-400g is 4.")
}

// A reason from fewer seeds than the result has, where seeds draw paths, says from how many.
func TestAReasonFromFewSeedsSaysSo(t *testing.T) {
	r, sc := withTrial(8, 110)
	mustNotSay(t, Judge(r, sc), "3 of 5 seeds")
	for i := range r.Fabrics {
		r.Fabrics[i].Points[0].Seeds.Draws = &results.Draws{Hash: true, Like: "both"}
	}
	mustSay(t, Judge(r, sc), "takes 102 us (3 of 5 seeds).")
}
