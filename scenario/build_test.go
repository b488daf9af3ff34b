package scenario

import (
	"reflect"
	"strings"
	"testing"

	"weft/units"
)

// inGoAndText is a scenario in Go and the same scenario as a file.
func inGoAndText() (*Scenario, string) {
	inGo := &Scenario{
		Name:     "one of each",
		Cluster:  Cluster{Nodes: 4, Node: Node{Preset: "dgx-h100", NICs: 4, CPU: CPU{Cores: 8}}},
		Topology: Topology{Shape: FatTree, Radix: 8, Oversubscription: Ratio{Num: 2, Den: 1}},
		Fabrics: []Fabric{
			{Preset: "infiniband-ndr", MTU: 2 * units.KiB, Switch: Switch{Model: "qm9700", Latency: 200 * units.Nanosecond}},
			{Preset: "roce-v2-400g", Name: "two", Host: Host{Path: PathRDMAHost}, CC: CC{Preset: "none"}},
		},
		Workload: Workload{Pattern: Flows, Flows: []Flow{{Dst: 3, Bytes: units.MiB}, {Src: 2, Dst: 1, Bytes: 64 * units.KiB, Start: units.Microsecond}}},
		Run:      Run{Seed: 7, Limit: Limit{SimulatedTime: units.Forever}},
	}
	return inGo, `
name: one of each
cluster: {nodes: 4, node: {preset: dgx-h100, nics: 4, cpu: {cores: 8}}}
topology: {shape: fat-tree, radix: 8, oversubscription: 2:1}
fabrics:
  - {preset: infiniband-ndr, mtu: 2KiB, switch: {model: qm9700, latency: 200ns}}
  - {preset: roce-v2-400g, name: two, host: rdma-host, cc: none}
workload: {pattern: flows, flows: [{dst: 3, bytes: 1MiB}, {src: 2, dst: 1, bytes: 64KiB, start: 1us}]}
run: {seed: 7, limit: {simulated-time: forever}}
`
}

func TestAScenarioInGoEqualsItsFile(t *testing.T) {
	inGo, text := inGoAndText()
	f, err := New("in Go", inGo)
	if err != nil {
		t.Fatal(err)
	}
	g, err := Decode("file", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	over := []Override{Set("fabrics[1].ethernet.ecn.enabled", false, "test"), Set("fabrics[0].switch.latency", units.Time(0), "test"), Set("workload.flows", []Flow{{Dst: 1, Bytes: 1}}, "test")}
	section := Set("fabrics[0].host", Host{Path: PathRDMAHost, Post: units.Microsecond}, "test")
	if want := "{path: rdma-host, post: 1us}"; section.Value != want {
		t.Errorf("a section is laid as %s, want %s: the path gives the rest", section.Value, want)
	}
	for n := range len(over) + 1 {
		got, err := f.Resolve(over[:n]...)
		if err != nil {
			t.Fatal(err)
		}
		want, err := g.Resolve(over[:n]...)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("with %d overrides the two differ:\n%+v\n%+v", n, got, want)
		}
	}
}

func TestAnErrorOfAScenarioInGoNamesItsFieldAndNoLine(t *testing.T) {
	two := &Scenario{Cluster: Cluster{Nodes: 2}}
	for want, s := range map[string]*Scenario{
		"mine: cluster.nodes: -1 is out of range: want 1 to 16777216":                 {Cluster: Cluster{Nodes: -1}},
		`mine: workload.algorithm: "rong" is not known: did you mean "ring"?`:         {Cluster: two.Cluster, Workload: Workload{Algorithm: "rong"}},
		`mine: fabrics[0]: fabric "infiniband-ndrr" is not known`:                     {Fabrics: []Fabric{{Preset: "infiniband-ndrr"}}},
		"mine: name: want at most 200 printable characters":                           {Name: "\xff", Cluster: two.Cluster},
		"mine: fabrics[0]: a fabric starts from a preset":                             {Fabrics: []Fabric{{Name: "none"}}},
		"mine: the file says nothing: a scenario names at least its cluster, such as": {},
		"mine: the file says nothing: a scenario names at least its cluster, such":    nil,
	} {
		if _, err := New("mine", s); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("got  %v\nwant %s", err, want)
		}
	}
	f, err := New("mine", &Scenario{Cluster: two.Cluster, Workload: Workload{Pattern: Flows, Flows: []Flow{{Dst: 15, Bytes: 1}}}})
	if err != nil {
		t.Fatal(err)
	}
	want := "--nodes 1, on mine: workload.flows[0]: a flow from NIC 0 to NIC 15: the cluster has NICs 0 to 7"
	if _, err := f.Resolve(Set("cluster.nodes", 1, "--nodes 1")); err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}

func TestAValueOfGoThatNoFieldTakesIsAnError(t *testing.T) {
	f, err := New("mine", &Scenario{Cluster: Cluster{Nodes: 2}})
	if err != nil {
		t.Fatal(err)
	}
	seed := 1
	for want, o := range map[string]Override{
		`test: name: "" is not a value`:                                    Set("name", nil, "test"),
		"test: name: want at most 200 printable characters":                Set("name", "a\nb", "test"),
		`test: run.seed: "<*int Value>" is not a whole number`:             Set("run.seed", &seed, "test"),
		"test: run.seed: a mapping is given: want a whole number":          Set("run.seed", Flow{Src: 1}, "test"),
		"test: cluster: a single value is given: want a mapping of fields": Set("cluster", 3, "test"),
		"test: this is not the path of a field":                            Set("", 3, "test"),
	} {
		if _, err := f.Resolve(o); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("got  %v\nwant %s", err, want)
		}
	}
	if r, err := f.Resolve(Set("name", `a: "b" # c \ d`, "test")); err != nil || r.Name != `a: "b" # c \ d` {
		t.Errorf("a text of special characters: %v, %v", r, err)
	}
}
