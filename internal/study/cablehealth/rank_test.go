package cablehealth

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"weft/units"
)

// TestTheMedianIsOfTheOthers: as a dumb count has it, for each value of some lists.
func TestTheMedianIsOfTheOthers(t *testing.T) {
	for _, list := range [][]float64{{1, 2}, {5, 5, 5}, {0, 0, 9}, {1, 2, 3, 4}, {9, 1, 1, 7, 3}, {4, 4, 1, 8, 8, 2}} {
		p := population{}
		for _, v := range list {
			p.add(alike{}, v)
		}
		p.sort()
		for i, v := range list {
			others := slices.Delete(slices.Clone(list), i, i+1)
			slices.Sort(others)
			n := len(others)
			want := (others[(n-1)/2] + others[n/2]) / 2
			if got := p.others(alike{}, v); got.Median != want || got.Ports != n {
				t.Errorf("the others of %v in %v have the median %v of %d, want %v of %d", v, list, got.Median, got.Ports, want, n)
			}
		}
	}
}

// TestTheOrderOfFindings: by kind, then bandwidth, packets a second, packets, counter.
func TestTheOrderOfFindings(t *testing.T) {
	want := []Finding{
		{Tier: Fabric, What: "fabric"},
		{Tier: LinkDown, What: "down, 400 Gb/s", Cost: Cost{Rate: 400 * units.Gbps}},
		{Tier: LinkDown, What: "down, of unknown rate", amount: 9},
		{Tier: Slow, What: "slow", Cost: Cost{Rate: 800 * units.Gbps}},
		{Tier: Unstable, What: "unstable"},
		{Tier: Lost, What: "100/s", Cost: Cost{PerSecond: 100}, amount: 1},
		{Tier: Lost, What: "9/s", Cost: Cost{PerSecond: 9}, amount: 500},
		{Tier: Lost, What: "900 packets", Cost: Cost{Packets: 900}},
		{Tier: Lost, What: "a counter of 7", amount: 7},
		{Tier: Lost, What: "a counter of 6", amount: 6},
		{Tier: Dropped, What: "dropped"},
		{Tier: Errors, What: "errors"},
		{Tier: Module, What: "module"},
		{Tier: Waits, What: "waits"},
		{Tier: Part, What: "fan"},
	}
	got := slices.Clone(want)
	slices.Reverse(got)
	rank(got)
	for i := range want {
		if got[i].What != want[i].What {
			t.Errorf("place %d has %q, want %q", i+1, got[i].What, want[i].What)
		}
	}
}

// TestALinkThatWentDownAFewTimesIsNoFinding: hosts boot. Three times, where the peers have none, is one.
func TestALinkThatWentDownAFewTimesIsNoFinding(t *testing.T) {
	for downs, want := range map[int]int{2: 0, 3: 1} {
		var b strings.Builder
		for port := 1; port <= 6; port++ {
			n := 0
			if port == 4 {
				n = downs
			}
			fmt.Fprintf(&b, "# Port extended counters: Lid 7 port %d\nLinkDownedCounter:...%d\n", port, n)
		}
		if r := judgeSources(t, Options{}, Source{"p", b.String()}); len(r.Findings) != want {
			t.Errorf("down %d times: findings %q, want %d", downs, titles(r), want)
		}
	}
}

// TestANameOfTwoSwitchesIsNoKey: a reading that has the name alone is of neither.
func TestANameOfTwoSwitchesIsNoKey(t *testing.T) {
	const rows = "1/1 : 5 : ACT : LINK UP : 5 : 4x : 100 : RS : NO : 0x%s : 1 : 7 : \"h%s\"\n"
	dump := "\"sw\", Mellanox, 0x10, LID 10\n# : IB# : Sta : PhysSta : MTU : LWA : LSA : FEC : RTR : Neighbor Guid : N# : NLID : Neighbor Description\n" +
		fmt.Sprintf(rows, "20", "1") + "\"sw\", Mellanox, 0x11, LID 11\n" + fmt.Sprintf(rows, "21", "2")
	set, _, err := Read([]Source{{"net_dump", dump}, {"ufm", `[{"number": 5, "physical_state": "Polling", "system_name": "sw"}]`}}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	j := join(set)
	for _, p := range j.ports {
		if len(p.readings) > 1 {
			t.Errorf("%v of %v has %d readings: that of the name alone is among them", p.name(), p.names.Node, len(p.readings))
		}
	}
}

// TestAFewCountsAreReadAgainFirst: three frames since an unknown time do not replace a cable.
func TestAFewCountsAreReadAgainFirst(t *testing.T) {
	r := judgeSources(t, Options{}, example(t, "roce/counters/testdata/fec.txt"))
	if f := find(t, r, "Ethernet0"); !strings.HasPrefix(f.Action, "Read the counters again") || f.Evidence[0].Share != 4.21e-10 {
		t.Errorf("%s; share %v", f.Action, f.Evidence[0].Share)
	}
	s := example(t, "roce/counters/testdata/fec.txt")
	s.Text = strings.Replace(s.Text, "130,402             3", "130,402           300", 1)
	if f := find(t, judgeSources(t, Options{}, s), "Ethernet0"); !strings.HasPrefix(f.Action, "Replace the cable") {
		t.Errorf("300 frames: %s", f.Action)
	}
}

// TestAnIsolatedPortWithErrorsGetsANewCable: the reason of the isolation is on the wire.
func TestAnIsolatedPortWithErrorsGetsANewCable(t *testing.T) {
	r := judgeSources(t, Options{}, example(t, "ib/counters/testdata/ufm-unhealthy.json"),
		Source{"e", "Errors for \"host1\"\n   GUID 0x248a07030010628e port 1: [SymbolErrorCounter == 65535]\n\n## Summary: 1 nodes checked, 1 bad nodes found\n"})
	if len(r.Findings) != 1 || r.Findings[0].Action != "Replace the cable between host1 port 1 (HCA-1/1) and sw1 port 6." {
		t.Errorf("findings %q: %+v", titles(r), r.Findings)
	}
}
