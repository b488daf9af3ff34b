package scenario

import (
	"strings"
	"testing"

	"weft/units"
)

// rulesOf are the rules of a valid scenario, which a test then breaks in one place.
func rulesOf(t *testing.T, text string) *rules {
	t.Helper()
	return &rules{decoder: newDecoder("test.yaml"), Resolved: resolve(t, text)}
}

const twoFabrics = `cluster: {nodes: 4}
fabrics: [infiniband-ndr, {preset: roce-v2-400g, beside: [{src: 0, dst: 9, bytes: 1MiB}]}]
workload: {collective: all-reduce, sizes: [1MiB]}
faults: [{link: node0/nic0 port 1, at: 100us}]
isolation: {zones: [{name: a, kind: tenant, members: [node0]}, {name: b, kind: tenant, members: [node1]}]}
tune: {fabric: roce-v2-400g, parameters: [{path: "fabrics[1].ethernet.ecn.kmin", from: 50KB, to: 5MB}]}
`

// Each duty checks its own section, and nothing else in a scenario.
func TestTheRulesOfADutyComplainOfTheirOwnSectionAlone(t *testing.T) {
	duties := []struct {
		name  string
		check func(r *rules)
		spoil func(r *Resolved)
		want  string // path and the beginning of the sentence
	}{
		{"cluster", func(r *rules) { clusterRules{r}.check() }, func(r *Resolved) { r.Cluster.Nodes = 1 << 23 }, "cluster.nodes: 8388608 nodes"},
		{"workload", func(r *rules) { workloadRules{r}.check() }, func(r *Resolved) { r.Workload.Sizes = nil }, "workload.sizes: no size is given"},
		{"faults", func(r *rules) { faultRules{r}.check() }, func(r *Resolved) { r.Faults[0].Switch = "leaf0" }, "faults[0]: a fault is one of link"},
		{"zones", func(r *rules) { zoneRules{r}.check() }, func(r *Resolved) { r.Isolation.Zones[1].Members = []string{"node["} }, "isolation.zones[1].members: \"node[\" has a bracket"},
		{"tune", func(r *rules) { r.set["tune"] = place{}; tuneRules{r}.check() }, func(r *Resolved) { r.Tune.Fabric = "token-ring" }, "tune.fabric: there is no fabric"},
		{"link", func(r *rules) { r.ofFabric(1).checkLink() }, func(r *Resolved) { r.Fabrics[1].NIC.Rate = units.Gbps }, "fabrics[1].link: a link of 400 Gb/s is more than the 1 Gb/s of the NIC"},
		{"subnet", func(r *rules) { subnetRules{r.ofFabric(0)}.check() }, func(r *Resolved) { r.Fabrics[0].IB.Buffer = 4096 }, "fabrics[0].ib.buffer: 4KiB cannot hold one packet"},
		{"ethernet", func(r *rules) { ethernetRules{r.ofFabric(1)}.check() }, func(r *Resolved) { r.Fabrics[1].Ethernet.IPVersion = 5 }, "fabrics[1].ethernet.ip-version: 5 is not"},
		{"transport", func(r *rules) { transportRules{r.ofFabric(1)}.checkCC() }, func(r *Resolved) { r.Fabrics[1].CC.Algorithm = "ib-cc" }, "fabrics[1].cc: ib-cc is not for RoCE v2"},
		{"topology", func(r *rules) { r.ofFabric(1).topology().check() }, func(r *Resolved) { r.Fabrics[1].Topology.Radix = 1 << 10 }, "fabrics[1].topology.radix: a radix of 1024"},
		{"streams", func(r *rules) { streamRules{r.ofFabric(1)}.check() }, func(r *Resolved) { r.Fabrics[1].Beside[0].Dst = 0 }, "fabrics[1].beside[0]: a stream from NIC 0 to itself"},
	}
	for i, duty := range duties {
		for k, other := range duties {
			r := rulesOf(t, twoFabrics)
			other.spoil(r.Resolved)
			duty.check(r)
			if i == k {
				if len(r.errs) != 1 || !strings.HasPrefix(r.errs[0].Path+": "+r.errs[0].Msg, duty.want) {
					t.Errorf("%s: %v, want %s", duty.name, r.errs, duty.want)
				}
				continue
			}
			for _, e := range r.errs {
				if rest, of := sectionOf(e.Path), sectionOf(duty.want); rest != of {
					t.Errorf("%s complains of %s: %v", duty.name, rest, e)
				}
			}
		}
	}
}

func TestAComplaintHasThePlaceOfTheNearestFieldAboveIt(t *testing.T) {
	p := newPlaces("test.yaml")
	p.start = place{line: 1, col: 1}
	p.mark("fabrics[0].ethernet", &node{place: place{line: 7, col: 3}})
	p.complain("fabrics[0].ethernet.ecn.kmin", "first")
	p.complain("workload.sizes", "second")
	if e := p.errs[0]; e.Line != 7 || e.Col != 3 {
		t.Errorf("%v: want line 7, column 3, where the section stands", e)
	}
	if e := p.errs[1]; e.Line != 1 {
		t.Errorf("%v: want line 1, where the file begins", e)
	}
}

func TestASectionIsBrokenByAFieldBelowItThatCannotBeRead(t *testing.T) {
	p := newPlaces("test.yaml")
	p.fail(place{}, "fabrics[1].ethernet.ecn.kmin", "unreadable")
	p.misread = 1
	p.fail(place{}, "cluster.nodes", "a check, after reading")
	for path, want := range map[string]bool{
		"fabrics": true, "fabrics[1]": true, "fabrics[1].ethernet": true, "fabrics[1].ethernet.ecn.kmin": true,
		"fabrics[1].eth": false, "fabrics[0]": false, "cluster": false,
	} {
		if got := p.broken(path); got != want {
			t.Errorf("%s is broken: %v, want %v", path, got, want)
		}
	}
}

func TestAPresetForgetsTheFieldsStatedBelowIt(t *testing.T) {
	p := newPlaces("test.yaml")
	for _, path := range []string{"a", "a.b", "a.b.c", "ab"} {
		p.mark(path, &node{})
	}
	p.forget("a")
	for path, want := range map[string]bool{"a": true, "a.b": false, "a.b.c": false, "ab": true} {
		if p.stated(path) != want || p.written[path] != want {
			t.Errorf("%s is stated: %v, want %v", path, p.stated(path), want)
		}
	}
}
