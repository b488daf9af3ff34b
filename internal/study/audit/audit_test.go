package audit_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"weft/internal/sim"
	"weft/internal/study/audit"
	"weft/internal/study/many"
	"weft/internal/test/simtest"
)

// cluster is four nodes of two NICs on a leaf-spine of four leaves, and two tenants. Each leaf has
// a free port.
func cluster(fabric, isolation string) string {
	return `
cluster: {nodes: 4, node: {preset: dgx-h100, gpus: 2, nics: 2}}
topology: {shape: fat-tree, levels: 2, radix: 8, hosts-per-leaf: 2, spines: 2}
fabrics: [` + fabric + `]
workload: {pattern: permutation, sizes: [1KiB]}
isolation:
  zones:
    - {name: a, kind: tenant, members: "node[0-1]"}
    - {name: b, kind: tenant, members: "node[2-3]"}
    - {name: compute, kind: compute, members: fabric}
    - {name: management, kind: management, members: [oob, "node[0-3]/bmc"]}
` + isolation
}

const (
	planes = `
  devices: [{name: oob, kind: switch}]
  cables: [{from: oob, to: "node[0-3]/bmc"}]
`
	kept   = "{preset: infiniband-ndr, ib: {partitions: [{name: a, key: 1, full: \"node[0-1]\"}, {name: b, key: 2, full: \"node[2-3]\"}, {name: c, key: 0x7fff, limited: all}]}}"
	routed = "roce-v2-400g"
	vrfs   = `
  segments: [{members: "node[0-1]", vlan: 10, vrf: a}, {members: "node[2-3]", vlan: 20, vrf: b}]
`
)

// verdict is the verdict on two zones on the only fabric.
func verdict(t *testing.T, text, first, second string) audit.Verdict {
	t.Helper()
	report, err := audit.Run(simtest.Resolve(t, text))
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range report.Fabrics[0].Verdicts {
		if v.Zones == [2]string{first, second} {
			return v
		}
	}
	t.Fatalf("no verdict about %s and %s in %+v", first, second, report)
	return audit.Verdict{}
}

func TestZonesThatAreApartAreProvedApart(t *testing.T) {
	for _, c := range []struct{ name, text string }{
		{"P_Keys", cluster(kept, planes)},
		{"VRFs", cluster(routed, planes+vrfs)},
	} {
		report, err := audit.Run(simtest.Resolve(t, c.text))
		if err != nil {
			t.Fatal(err)
		}
		if !report.Proved || len(report.Fabrics[0].Verdicts) != 4 {
			t.Errorf("%s: %+v", c.name, report)
		}
		if v := verdict(t, c.text, "a", "b"); v.SharedCables != 0 || len(v.Path) != 0 || !strings.Contains(v.Found, "of 16 pairs of NICs 16 have a route") {
			t.Errorf("%s: tenants on one fabric: %+v", c.name, v)
		}
		if v := verdict(t, c.text, "a", "management"); fmt.Sprint(v.Machines) != "[node0 node1]" {
			t.Errorf("%s: in both are %v", c.name, v.Machines)
		}
	}
}

// A NIC that is itself in both zones is no separate port in each.
func TestAMemberOfBothIsNamedAlone(t *testing.T) {
	text := cluster(kept, planes+"  apart: [{zones: [a, b], by: forwarding}]\n")
	v := verdict(t, strings.Replace(text, "members: \"node[2-3]\"}", "members: [\"node[2-3]\", node1/nic0]}", 1), "a", "b")
	if v.Proved || v.Found != "node1/nic0 is a member of both" || len(v.Machines) != 0 {
		t.Errorf("%+v", v)
	}
}

// Each leak adds one line to the plan. The audit must show exactly this path.
func TestEachLeakIsShownAsItsPath(t *testing.T) {
	const leaf = "node0/nic0 port 1 → leaf0 port 1"
	for _, c := range []struct {
		name, text    string
		first, second string
		want          string
	}{
		{
			"everybody a full member of the default partition",
			cluster(strings.Replace(kept, "limited: all", "full: all", 1), planes), "a", "b",
			leaf + " by P_Key 0xffff (full) of node0/nic0, 0xffff (full) of node2/nic0; leaf0 port 7 → spine0 port 1 by *; spine0 port 3 → leaf2 port 7 by *; leaf2 port 1 → node2/nic0 port 1 by *",
		},
		{
			"a node in both partitions", cluster(strings.Replace(kept, "{name: b, key: 2, full: \"node[2-3]\"}", "{name: b, key: 2, full: \"node[2-3]\", limited: node1/nic1}", 1), planes), "a", "b",
			"node1/nic1 port 1 → leaf1 port 2 by P_Key 0x0002 (limited) of node1/nic1, 0x8002 (full) of node2/nic0; *",
		},
		{"no partitions at all", cluster("infiniband-ndr", planes), "a", "b", leaf + " by P_Key 0xffff of the default partition, which all NICs have; *"},
		{"one VRF for all", cluster(routed, planes), "a", "b", leaf + " by VRF default; *"},
		{"a leak between VRFs", cluster(routed, planes+vrfs+"  leaks: [{from: b, to: a}]\n"), "a", "b", "node2/nic0 port 1 → leaf2 port 1 by the leak from VRF b to a; *"},
		{
			"a NIC in the other tenant's VLAN", cluster(routed, planes+"  segments: [{members: \"node[0-1]\", vlan: 10, vrf: a}, {members: \"node[2-3]\", vlan: 20, vrf: b}, {members: node1/nic0, vlan: 20, vrf: b}]\n"), "a", "b",
			"node1/nic0 port 1 → leaf1 port 1 by VRF b; *",
		},
		{
			"the management switch in a leaf", cluster(routed, "  devices: [{name: oob, kind: switch}]\n  cables: [{from: oob, to: leaf0}, {from: oob, to: \"node[0-3]/bmc\"}]\n"+vrfs), "a", "management",
			leaf + " by cable; leaf0 port 3 → oob port 1 by cable",
		},
		{
			"a node that forwards", cluster(kept, "  devices: [{name: oob, kind: switch}, {name: node3, kind: host, forwards: true, between: [eth0, nic1]}]\n  cables: [{from: oob, to: \"node[0-3]/bmc\"}, {from: oob, to: node3/eth0}]\n"), "b", "management",
			"node3/nic1 → node3/eth0 by node3 forwards; node3/eth0 port 1 → oob port 5 by cable",
		},
		{
			"a host between two planes", cluster(kept, "  devices: [{name: oob, kind: switch}, {name: jump, kind: host, forwards: true}]\n  cables: [{from: oob, to: \"node[0-3]/bmc\"}, {from: oob, to: jump}, {from: jump, to: node0/eth0}]\n  apart: [{zones: [a, management], by: cables}, {zones: [management, a], by: forwarding}, {zones: [b, management]}]\n"), "b", "management", "",
		},
	} {
		v := verdict(t, c.text, c.first, c.second)
		if v.Proved != (c.want == "") || !sameSteps(text(v.Path), c.want) {
			t.Errorf("%s: proved %t, %s\n%s\nwant\n%s", c.name, v.Proved, v.Found, text(v.Path), c.want)
		}
	}
}

func text(path []audit.Step) string {
	var steps []string
	for _, s := range path {
		steps = append(steps, s.From+" → "+s.To+" by "+s.By)
	}
	return strings.Join(steps, "; ")
}

// sameSteps compares a path with one in which * stands for any text.
func sameSteps(got, want string) bool {
	parts := strings.Split(want, "*")
	if !strings.HasPrefix(got, parts[0]) {
		return false
	}
	got = got[len(parts[0]):]
	for _, part := range parts[1:] {
		i := strings.Index(got, part)
		if i < 0 {
			return false
		}
		got = got[i+len(part):]
	}
	return got == "" || strings.HasSuffix(want, "*")
}

// Beside the fabric stand VLANs on trunks, routers with VRFs, and leaks between VRFs. A leak goes
// one way and one step.
func TestPlanesBesideTheFabricForwardAsTheirDevicesDo(t *testing.T) {
	site := func(router, second string) string {
		return `
cluster: {nodes: 2, node: {preset: dgx-h100, gpus: 1, nics: 1}}
topology: {shape: single-switch}
fabrics: [infiniband-ndr]
workload: {pattern: permutation, sizes: [1KiB]}
isolation:
  zones: [{name: left, kind: storage, members: h1}, {name: right, kind: storage, members: h2}]
  apart: [{zones: [left, right]}]
  devices: [{name: h1, kind: host}, {name: h2, kind: host}, {name: s1, kind: switch}, ` + router + `]
  cables:
    - {from: h1, to: s1, vlans: 10}
    - {from: s1, to: core, vlans: [10, 20, 30]}
    - {from: core, to: h2, vlans: ` + second + `}
`
	}
	for _, c := range []struct {
		name, router, second string
		apart                bool
	}{
		{"a switch with another VLAN", "{name: core, kind: switch}", "20", true},
		{"a switch with the same VLAN", "{name: core, kind: switch}", "10", false},
		{"a router without VRFs", "{name: core, kind: router}", "20", false},
		{"a router with both in a VRF", "{name: core, kind: router, vrfs: [{name: x, vlans: [10, 20]}]}", "20", false},
		{"a router with two VRFs", "{name: core, kind: router, vrfs: [{name: x, vlans: 10}, {name: y, vlans: 20}]}", "20", true},
		{"a router that leaks", "{name: core, kind: router, vrfs: [{name: x, vlans: 10}, {name: y, vlans: 20}], leaks: [{from: x, to: y}]}", "20", false},
		{"a router that leaks the other way", "{name: core, kind: router, vrfs: [{name: x, vlans: 10}, {name: y, vlans: 20}], leaks: [{from: y, to: x}]}", "20", false},
		{"a leak is one step", "{name: core, kind: router, vrfs: [{name: x, vlans: 10}, {name: y, vlans: 20}, {name: z, vlans: 30}], leaks: [{from: x, to: z}, {from: z, to: y}]}", "20", true},
		{"a VLAN that is in no VRF", "{name: core, kind: router, vrfs: [{name: x, vlans: 10}]}", "20", true},
		{"a host between", "{name: core, kind: host}", "20", true},
		{"a host between that forwards", "{name: core, kind: host, forwards: true}", "20", false},
	} {
		text := site(c.router, c.second)
		if v := verdict(t, text, "left", "right"); v.Proved != c.apart {
			t.Errorf("%s: apart %t, want %t (%s)", c.name, v.Proved, c.apart, v.Found)
		}
		// Cables join all of them except the host that does not forward.
		byCables := strings.Replace(text, "[{zones: [left, right]}]", "[{zones: [left, right], by: cables}]", 1)
		if v := verdict(t, byCables, "left", "right"); v.Proved != (c.name == "a host between") {
			t.Errorf("%s: apart by cables %t", c.name, v.Proved)
		}
	}
}

// Tenants with leaves of their own share no cable. Tenants on the same leaves share the cables to a
// common spine.
func TestZonesApartByLinksShareNoCable(t *testing.T) {
	split := func(a, b string) string {
		return strings.Replace(strings.Replace(cluster(kept, planes+"  apart: [{zones: [a, b], by: links}]\n"), "members: \"node[0-1]\"", "members: "+a, 1), "members: \"node[2-3]\"", "members: "+b, 1)
	}
	if v := verdict(t, split("node0", "node2"), "a", "b"); !v.Proved || v.SharedCables != 0 {
		t.Errorf("nodes with a leaf of their own each: %+v", v)
	}
	both := split("[node0/nic0, node2/nic0]", "[node0/nic1, node2/nic1]")
	both = strings.Replace(both, "spines: 2", "spines: 1", 1)
	both = strings.Replace(both, "full: \"node[0-1]\"", "full: \"node[0-3]/nic0\"", 1)
	both = strings.Replace(both, "full: \"node[2-3]\"", "full: \"node[0-3]/nic1\"", 1)
	v := verdict(t, both, "a", "b")
	if v.Proved || v.SharedCables == 0 || len(v.Path) != v.SharedCables || !strings.Contains(v.Found, "no packet gets from one to the other") {
		t.Errorf("two tenants on two leaves that both send over one spine: %+v", v)
	}
}

// The verdict by P_Keys agrees with trying every pair. The partitions are drawn from all
// combinations of two keys on four NICs.
func TestForwardingOnInfiniBandAgreesWithEveryPair(t *testing.T) {
	const nics = 4
	member := []string{"", "full", "limited"}
	for draw := range 81 {
		var full, limited []string
		of := make([]string, nics)
		for i, d := 0, draw; i < nics; i, d = i+1, d/3 {
			of[i] = member[d%3]
			name := fmt.Sprintf("node%d", i)
			switch of[i] {
			case "full":
				full = append(full, name)
			case "limited":
				limited = append(limited, name)
			}
		}
		text := fmt.Sprintf(`
cluster: {nodes: 4, node: {preset: dgx-h100, gpus: 1, nics: 1}}
topology: {shape: single-switch}
fabrics: [{preset: infiniband-ndr, ib: {partitions: [{name: d, key: 0x7fff, limited: all}, {name: x, key: 5, full: [%s], limited: [%s]}]}}]
workload: {pattern: permutation, sizes: [1KiB]}
isolation:
  zones: [{name: a, kind: tenant, members: [node0, node1]}, {name: b, kind: tenant, members: [node2, node3]}]
`, strings.Join(full, ", "), strings.Join(limited, ", "))
		joined := false
		for _, i := range []int{0, 1} {
			for _, j := range []int{2, 3} {
				joined = joined || of[i] != "" && of[j] != "" && (of[i] == "full" || of[j] == "full")
			}
		}
		if v := verdict(t, text, "a", "b"); v.Proved == joined {
			t.Errorf("%v: apart %t", of, v.Proved)
		}
	}
}

func TestZonesThatDoNotFitTheFabricAreAnError(t *testing.T) {
	for _, c := range []struct{ isolation, want string }{
		{"  devices: [{name: leaf0, kind: switch}]\n", "devices[0]: leaf0 is a part of the fabric"},
		{"  devices: [{name: node1, kind: switch}]\n", "devices[0]: node1 is a node of the cluster"},
		{"  devices: [{name: oob, kind: switch}]\n  cables: [{from: oob, to: nowhere}]\n", "cables[0]: there is no nowhere"},
		{"  devices: [{name: oob, kind: switch}]\n  cables: [{from: oob, to: node9/bmc}]\n", "cables[0]: there is no machine node9"},
		{"  devices: [{name: oob, kind: switch}]\n  cables: [{from: oob, to: node0/nic0}]\n", "cables[0]: node0/nic0 is a NIC of the fabric"},
		{"  devices: [{name: oob, kind: switch}]\n  cables: [{from: oob, to: leaf0}]\n", "cables[0]: leaf0 is an InfiniBand switch"},
		{"  devices: [{name: x, kind: switch}, {name: y, kind: switch}]\n  cables: [{from: \"node[0-1]/bmc\", to: \"node[0-2]/dpu\"}]\n", "cables[0]: node[0-1]/bmc stands for 2 names and node[0-2]/dpu for 3"},
		{"  devices: [{name: oob, kind: switch}]\n", "zones[3].members: node0/bmc is no device"},
		{"  devices: [{name: oob, kind: switch}, {name: node3, kind: host, forwards: true, between: eth7}]\n  cables: [{from: oob, to: \"node[0-3]/bmc\"}]\n", "devices[1].between: node3 has no port eth7"},
	} {
		_, err := audit.Run(simtest.Resolve(t, cluster(kept, c.isolation)))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s%v, want %q", c.isolation, err, c.want)
		}
	}
	if _, err := audit.Run(simtest.Resolve(t, "name: nothing\n")); err == nil || !strings.Contains(err.Error(), "nothing is required to be apart") {
		t.Errorf("a scenario without zones: %v", err)
	}
}

// The message takes the longest path. The workload is the scenario's, without partitions, which
// would keep its ranks apart.
func TestTheCostOfInspectionComparesTheSameJob(t *testing.T) {
	r := simtest.Resolve(t, strings.Replace(cluster(kept, planes+"  inspection: {latency: 5us, rate: 200Gbps}\n"), "{pattern: permutation, sizes: [1KiB]}", "{collective: all-reduce, sizes: [1KiB, 4MiB]}", 1))
	costs, err := audit.Measure(context.Background(), r, many.Options{Run: sim.Run, Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	if len(costs) != 3 || costs[0].What != "one message" || costs[1].What != "all-reduce" || costs[2].Bytes != 4<<20 {
		t.Fatalf("%+v", costs)
	}
	for _, c := range costs {
		if c.Inline-c.Apart < 10_000_000 { // two boxes of 5 us, in picoseconds
			t.Errorf("%s of %d bytes: %v inspected and %v apart: two boxes of 5 us are not in it", c.What, c.Bytes, c.Inline, c.Apart)
		}
	}
	if ratio := costs[2].Ratio(); ratio < 1.5 {
		t.Errorf("4 MiB take %.2f times as long through boxes of half the rate", ratio)
	}
}
