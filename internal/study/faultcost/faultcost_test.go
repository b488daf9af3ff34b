package faultcost

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"weft/internal/roce/host"
	"weft/internal/roce/lint"
	"weft/internal/sim"
	"weft/internal/study/many"
	"weft/results"
	"weft/scenario"
	"weft/units"
)

// config is a switch whose port has an MTU and a shut-down neighbour.
const config = `{"PORT": {"Ethernet0": {"mtu": "9100", "admin_status": "up"}, "Ethernet4": {"mtu": "9100", "admin_status": "up"}}}`

func fixOf(on, port, mtu string) []lint.Fix {
	return []lint.Fix{{On: on, Lines: []string{fmt.Sprintf(`{"PORT": {"%s": {"mtu": "%s"}}}`, port, mtu)}}}
}

func nccl(t *testing.T, name, env string) *host.Host {
	t.Helper()
	h, err := host.Read(name, []host.Source{{Name: name + "/nccl.env", Text: env}})
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// world resolves variants of a site: the fabric's MTU is that of Ethernet0 of the first switch, and its DSCP the data's. A
// job takes 100 us, 60 us with an MTU of 1000, and does not end with 2000. MTU 3000 is refused.
func world(t *testing.T, site *Site, reports []*lint.Report) *Report {
	t.Helper()
	resolve := func(v Variant) ([]*scenario.Resolved, error) {
		r := &scenario.Resolved{Workload: scenario.Workload{Pattern: scenario.Incast, FanIn: 2, Sizes: []units.Bytes{units.MiB}}}
		f := scenario.Fabric{Name: "f"}
		text := string(v.Changed["leaf1.json"])
		for _, mtu := range []units.Bytes{1000, 2000, 3000} {
			if strings.Contains(text, fmt.Sprintf(`"mtu": "%d"`, mtu)) {
				f.MTU = mtu
			}
		}
		if f.MTU == 3000 {
			return nil, errors.New("an MTU of 3000")
		}
		for _, s := range v.Set {
			if s.Field == "ethernet.dscp" {
				_, _ = fmt.Sscan(s.Value, &f.Ethernet.DSCP)
			}
		}
		r.Fabrics = []scenario.Fabric{f}
		return []*scenario.Resolved{r}, nil
	}
	run := func(_ context.Context, r *scenario.Resolved, _ sim.Options) (*results.Results, error) {
		p := results.Point{Time: 100 * units.Microsecond}
		switch f := &r.Fabrics[0]; {
		case f.MTU == 1000:
			p.Time = 60 * units.Microsecond
		case f.MTU == 2000:
			p.Time, p.Failure = units.Microsecond, "it stands still"
		case f.Ethernet.DSCP == 26:
			p.Time = 90 * units.Microsecond
		}
		return &results.Results{Fabrics: []results.FabricResult{{Points: []results.Point{p}}}}, nil
	}
	out, err := Evaluate(t.Context(), site, reports, resolve, many.Options{Run: run, Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func siteWith(hosts ...*host.Host) *Site {
	return &Site{DSCP: -1, Hosts: hosts, Switches: []Switch{{Name: "leaf1", File: "leaf1.json", Text: []byte(config)}}}
}

func reportOf(findings ...lint.Finding) []*lint.Report {
	return []*lint.Report{{Name: "leaf1", Findings: findings}}
}

// TestFaultsAreRankedByWhatTheyCost: a cheaper fault after a dearer one; one whose fix the simulator refuses, one without fix, and
// one that nothing of the simulation shows are last, with the reason.
func TestFaultsAreRankedByWhatTheyCost(t *testing.T) {
	site := siteWith(nccl(t, "n1", "NCCL_IB_TC=0\n"))
	out := world(t, site, reportOf(
		lint.Finding{Rule: "invalid", Value: "none"},
		lint.Finding{Rule: "refused", Fixes: fixOf("leaf1", "Ethernet0", "3000")},
		lint.Finding{Rule: "mute", Fixes: fixOf("leaf2", "Ethernet0", "1000")},
		lint.Finding{Rule: "gid-v1", Fixes: fixOf("n2", "Ethernet0", "1000")},
		lint.Finding{Rule: "dscp-lossy", Fixes: []lint.Fix{{On: "n1", Lines: []string{"NCCL_IB_TC=106"}}}},
		lint.Finding{Rule: "mtu", Fixes: fixOf("leaf1", "Ethernet0", "1000")},
	))
	var got []string
	for i := range out.Costs {
		c := &out.Costs[i]
		text := c.Rule + ": " + c.NotJudged
		if c.NotJudged == "" {
			share, _ := Share(c.Of(0, &out.Jobs[0]))
			text += fmt.Sprintf("%.2f", share)
		}
		got = append(got, text)
	}
	want := []string{
		"mtu: 0.67", "dscp-lossy: 0.11",
		"invalid: the finding has no lines that mend it",
		"refused: the simulator refuses the mended settings: an MTU of 3000",
		"mute: the fix changes nothing that the simulation has",
		"gid-v1: all packets of the simulation are RoCE v2's",
	}
	if !slices.Equal(got, want) {
		t.Errorf("the costs are\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if j := out.Jobs[0]; j.Name != "incast of 2 senders, 1 MiB" || j.Found.TimePs != int64(100*units.Microsecond) || j.Mended.TimePs != int64(60*units.Microsecond) {
		t.Errorf("the job is %+v", j)
	}
	out = world(t, site, reportOf(lint.Finding{Rule: "refused", Fixes: fixOf("leaf1", "Ethernet0", "3000")}))
	if j := out.Jobs[0]; j.NotMended != "an MTU of 3000" || j.Mended.TimePs != 0 {
		t.Errorf("a fault whose fix is refused is mended: %+v", j)
	}
}

// TestAFaultThatOthersHideIsShownWithoutThem: the fix of the second finding sets what the first's sets again.
func TestAFaultThatOthersHideIsShownWithoutThem(t *testing.T) {
	site := siteWith(nccl(t, "n1", "NCCL_IB_TC=106\n"))
	// As found every packet has DSCP 26 and takes 90 us. The first fix gives the MTU of 1000. The fix of the host, which is
	// the same DSCP again, changes nothing as found, and nothing later.
	out := world(t, site, reportOf(
		lint.Finding{Rule: "mtu", Fixes: fixOf("leaf1", "Ethernet0", "1000")},
		lint.Finding{Rule: "again", Fixes: []lint.Fix{{On: "n1", Lines: []string{"NCCL_IB_TC=106"}}}},
	))
	if c := out.Costs[1]; c.Rule != "again" || c.Hidden || c.NotJudged == "" {
		t.Errorf("a fix that never changes anything: %+v", c)
	}
	// Two faults of which the first one alone mended changes nothing: the second's value hides it until both are mended.
	hides := []*lint.Report{{Name: "leaf1", Findings: []lint.Finding{
		{Rule: "first", Fixes: fixOf("leaf1", "Ethernet0", "9100")},
		{Rule: "second", Fixes: fixOf("leaf1", "Ethernet4", "1000")},
	}}}
	site.Switches[0].Text = []byte(strings.Replace(config, "9100", "9000", 1))
	resolve := func(v Variant) ([]*scenario.Resolved, error) {
		text := string(v.Changed["leaf1.json"])
		r := &scenario.Resolved{Fabrics: []scenario.Fabric{{Name: "f"}}}
		switch second := strings.Contains(text, "1000"); {
		case second && !strings.Contains(text, "9000"):
			r.Fabrics[0].MTU = 2
		case second:
			r.Fabrics[0].MTU = 1
		}
		return []*scenario.Resolved{r}, nil
	}
	times := map[units.Bytes]units.Time{0: 50 * units.Microsecond, 1: 40 * units.Microsecond, 2: 20 * units.Microsecond}
	run := func(_ context.Context, r *scenario.Resolved, _ sim.Options) (*results.Results, error) {
		return &results.Results{Fabrics: []results.FabricResult{{Points: []results.Point{{Time: times[r.Fabrics[0].MTU]}}}}}, nil
	}
	report, err := Evaluate(t.Context(), site, hides, resolve, many.Options{Run: run, Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	first := report.Costs[0]
	share, ok := Share(first.Of(0, &report.Jobs[0]))
	if first.Rule != "first" || !first.Hidden || !ok || share != 1 {
		t.Errorf("the hidden fault costs %v (%t): %+v", share, ok, first)
	}
	if second := report.Costs[1]; second.Hidden || second.Mended[0].TimePs != int64(40*units.Microsecond) {
		t.Errorf("the other fault: %+v", second)
	}
}

// TestAJobThatDoesNotEndHasNoTime, and the fault that keeps it from ending is the dearest.
func TestAJobThatDoesNotEndHasNoTime(t *testing.T) {
	site := siteWith()
	site.Switches[0].Text = []byte(config)
	out := world(t, site, reportOf(
		lint.Finding{Rule: "good", Fixes: fixOf("leaf1", "Ethernet0", "1000")},
		lint.Finding{Rule: "bad", Fixes: fixOf("leaf1", "Ethernet0", "2000")},
	))
	bad := out.Costs[slices.IndexFunc(out.Costs, func(c Cost) bool { return c.Rule == "bad" })]
	if m := bad.Mended[0]; m.TimePs != 0 || m.Failed != "it stands still" {
		t.Errorf("a job that stands still has the outcome %+v", m)
	}
	r := Report{Jobs: []Job{{}}, Costs: []Cost{{Rule: "a", Mended: []Outcome{{}}}, {Rule: "b", Mended: []Outcome{{TimePs: 5}}}}}
	if r.rank(); r.Costs[0].Rule != "b" {
		t.Errorf("the fault without which the job ends is not the first")
	}
}

// TestHostsOfTheSimulationAreLikeMost: the DSCP of two of three hosts, and why the third one's fault is not judged.
func TestHostsOfTheSimulationAreLikeMost(t *testing.T) {
	hosts := []*host.Host{nccl(t, "n1", "NCCL_IB_TC=0\n"), nccl(t, "n2", "NCCL_IB_TC=106\n"), nccl(t, "n3", "NCCL_IB_TC=106\n")}
	if got := settingsOf(hosts, 3); !slices.Equal(got, []Setting{{"ethernet.dscp", "26"}}) {
		t.Errorf("the settings are %v", got)
	}
	if got := settingsOf(nil, 3); !slices.Equal(got, []Setting{{"ethernet.dscp", "3"}}) {
		t.Errorf("without hosts the settings are %v", got)
	}
	out := world(t, siteWith(hosts...), reportOf(lint.Finding{Rule: "dscp-lossy", Fixes: []lint.Fix{{On: "n1", Lines: []string{"NCCL_IB_TC=106"}}}}))
	if got := out.Costs[0].NotJudged; got != "1 of 3 hosts have it, and all hosts of the simulation are like the most" {
		t.Errorf("the fault of one host: %q", got)
	}
}

// TestAHostThatDoesNotAnswerMarksHasNoCongestionControl: its reaction point is off on the data's priority, 3, or on another.
func TestAHostThatDoesNotAnswerMarksHasNoCongestionControl(t *testing.T) {
	for priority, want := range map[int]bool{3: true, 4: false} {
		h, err := host.Read("n1", []host.Source{
			{Name: "nccl.env", Text: "NCCL_IB_TC=106\n"},
			{Name: "ecn.txt", Text: fmt.Sprintf("/sys/class/net/eth0/ecn/roce_rp/enable/%d:0\n/sys/class/net/eth0/ecn/roce_np/cnp_dscp:46\n", priority)},
		})
		if err != nil {
			t.Fatal(err)
		}
		set := settingsOf([]*host.Host{h}, -1)
		if got := slices.Contains(set, Setting{"cc.algorithm", "none"}); got != want {
			t.Errorf("priority %d: %v", priority, set)
		}
		if !slices.Contains(set, Setting{"ethernet.cnp-dscp", "46"}) {
			t.Errorf("the settings lack the DSCP of notifications: %v", set)
		}
	}
}

// TestAHostObeysPausesOfItsDatasPriorityAlone: the switch pauses priority 3 for DSCP 3.
func TestAHostObeysPausesOfItsDatasPriorityAlone(t *testing.T) {
	text, err := os.ReadFile("../../roce/sonic/testdata/config_db.json")
	if err != nil {
		t.Fatal(err)
	}
	site := &Site{DSCP: -1, Switches: []Switch{{Name: "leaf1", File: "leaf1.json", Text: text}}}
	for script, want := range map[string]bool{
		"mlnx_qos -i eth1 --trust dscp --pfc 0,0,0,1,0,0,0,0 --dscp2prio set,3,3": false,
		"mlnx_qos -i eth1 --trust dscp --pfc 0,0,0,0,1,0,0,0 --dscp2prio set,3,3": true,
		"mlnx_qos -i eth1 --trust dscp --pfc 0,0,0,1,1,0,0,0 --dscp2prio set,3,4": true,  // it has the data in another
		"ip link set dev eth1 mtu 9000":                                           false, // not known
	} {
		h, err := host.Read("n1", []host.Source{{Name: "n1/nccl.env", Text: "NCCL_IB_TC=12\n"}, {Name: "n1/setup.sh", Text: "#!/bin/sh\n" + script + "\n"}})
		if err != nil {
			t.Fatal(err)
		}
		site.Hosts = []*host.Host{h}
		v, err := site.with(nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := len(v.Deaf) > 0; got != want {
			t.Errorf("%s: hosts are deaf to %q", script, v.Deaf)
		}
	}
}

// TestTheDSCPIsThatOfTheDataNotOfItsAnnouncements: NCCL's clear-to-send messages may have their own.
func TestTheDSCPIsThatOfTheDataNotOfItsAnnouncements(t *testing.T) {
	announced := nccl(t, "n1", "NCCL_IB_FIFO_TC=192\nNCCL_IB_TC=106\n")
	if n := len(announced.Streams()); n != 2 {
		t.Fatalf("the host has %d kinds of traffic, want 2", n)
	}
	if dscp, ok := dataOf(announced); !ok || dscp != 26 {
		t.Errorf("the data have DSCP %d (%t), want 26", dscp, ok)
	}
	if _, ok := dataOf(nccl(t, "n1", "NCCL_IB_DISABLE=1\nNCCL_IB_FIFO_TC=192\n")); ok {
		t.Error("a host without RDMA has a DSCP for it")
	}
}

// TestMoreFaultsThanAreSimulatedAreTold: the seventeenth.
func TestMoreFaultsThanAreSimulatedAreTold(t *testing.T) {
	var findings []lint.Finding
	for i := range maxFaults + 1 {
		findings = append(findings, lint.Finding{Rule: "mtu", Value: fmt.Sprint(i), Fixes: fixOf("leaf1", "Ethernet0", "1000")})
	}
	out := world(t, siteWith(), reportOf(findings...))
	told := 0
	for i := range out.Costs {
		if out.Costs[i].NotJudged != "" {
			told++
		}
	}
	if told != 1 {
		t.Errorf("%d of %d faults are not judged, want 1", told, len(findings))
	}
}

// TestAFaultBehindOneThatStopsTheJobIsShownAlone: no job ends as found, with either fault mended alone, or with the second fault.
func TestAFaultBehindOneThatStopsTheJobIsShownAlone(t *testing.T) {
	site := siteWith()
	findings := reportOf(lint.Finding{Rule: "stops", Fixes: fixOf("leaf1", "Ethernet0", "1000")}, lint.Finding{Rule: "slows", Fixes: fixOf("leaf1", "Ethernet4", "2000")})
	resolve := func(v Variant) ([]*scenario.Resolved, error) {
		text := string(v.Changed["leaf1.json"])
		r := &scenario.Resolved{Fabrics: []scenario.Fabric{{MTU: 4}}} // both faults
		if strings.Contains(text, "1000") {
			r.Fabrics[0].MTU -= 2
		}
		if strings.Contains(text, "2000") {
			r.Fabrics[0].MTU--
		}
		return []*scenario.Resolved{r}, nil
	}
	times := map[units.Bytes]units.Time{1: 10 * units.Microsecond}
	run := func(_ context.Context, r *scenario.Resolved, _ sim.Options) (*results.Results, error) {
		p := results.Point{Time: times[r.Fabrics[0].MTU]}
		if p.Time == 0 {
			p.Failure = "stopped"
		}
		return &results.Results{Fabrics: []results.FabricResult{{Points: []results.Point{p}}}}, nil
	}
	out, err := Evaluate(t.Context(), site, findings, resolve, many.Options{Run: run, Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	for i := range out.Costs {
		c := &out.Costs[i]
		with, without := c.Of(0, &out.Jobs[0])
		if !c.Hidden || with.TimePs != 0 || without.TimePs != int64(10*units.Microsecond) {
			t.Errorf("%s, hidden: %t, with it %+v, without any %+v", c.Rule, c.Hidden, with, without)
		}
	}
}
