package hpcctopo_test

import (
	"os"
	"strings"
	"testing"

	"weft/internal/formats/hpcctopo"
	"weft/scenario"
)

const folder = "../hpcc/testdata/fct/"

// The real files of the cases that weft replays, by hand: four leaves of four hosts on
// four spines, and three hosts on a switch.
func TestRealTopologiesBecomeScenarios(t *testing.T) {
	for name, want := range map[string][]string{
		"leafspine16_100_perm2MB_pfconly_buf32": {"nodes: 16", "shape: fat-tree", "hosts-per-leaf: 4", "radix: 8", "spines: 4", "rate: 100Gbps", "node-leaf: 100m, leaf-spine: 100m"},
		"star100_inc2_1MB_dcqcn_buf32":          {"nodes: 3", "shape: single-switch", "radix: 3"},
	} {
		text, err := os.ReadFile(folder + name + "/topology.txt")
		if err != nil {
			t.Fatal(err)
		}
		if !hpcctopo.Recognise(text) {
			t.Errorf("%s is not recognised", name)
		}
		c, p := hpcctopo.Read("topology.txt", strings.NewReader(string(text)))
		if p != nil {
			t.Fatalf("%s: %v", name, p)
		}
		for _, w := range want {
			if !strings.Contains(c.YAML(), w) {
				t.Errorf("%s: no %q in\n%s", name, w, c.YAML())
			}
		}
		f, err := scenario.Decode(name, []byte(c.YAML()+"workload: {collective: all-reduce, sizes: [1KiB]}\n"))
		if err == nil {
			_, err = f.Resolve()
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A topology that is no regular fabric is read cable by cable: a host with a slower link,
// and three levels.
func TestOtherTopologiesAreReadCableByCable(t *testing.T) {
	for text, want := range map[string][]string{
		"4 1 3\n3\n0 3 100Gbps 0.001ms 0\n1 3 25Gbps 0.001ms 0\n2 3 100Gbps 0.001ms 0\n": {
			"another rate or latency", "shape: listed", "radix: 3", "{ends: [0, 3], length: 100m}", "{ends: [1, 3], length: 100m, rate: 25Gbps}",
		},
		"8 6 8\n2 3 4 5 6 7\n0 2 1Gbps 1us 0\n1 3 1Gbps 1us 0\n2 4 4Gbps 1us 0\n2 4 4Gbps 1us 0\n3 5 1Gbps 1us 0\n4 6 1Gbps 1us 0\n5 6 1Gbps 1us 0\n5 7 1Gbps 1us 0\n": {
			"another rate or latency", "radix: 3", "{ends: [2, 4], length: 100m, rate: 4Gbps, count: 2}", "rate: 4Gbps}",
		},
	} {
		c, p := hpcctopo.Read("t", strings.NewReader(text))
		if p != nil {
			t.Fatalf("%q: %v", text, p)
		}
		for _, w := range want {
			if !strings.Contains(c.YAML(), w) {
				t.Errorf("no %q in\n%s", w, c.YAML())
			}
		}
		f, err := scenario.Decode("t", []byte(c.YAML()+"workload: {collective: all-reduce, sizes: [1KiB]}\n"))
		if err == nil {
			_, err = f.Resolve()
		}
		if err != nil {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestAMistakeHasItsPlace(t *testing.T) {
	for text, want := range map[string]string{
		"4 1 3\n3\n0 3 100Gbps 0.001ms 0\n1 3 fast 0.001ms 0\n2 3 100Gbps 0.001ms 0\n":    `t:4: "fast": expected a rate`,
		"4 1 3\n3\n0 3 100Gbps 0.001ms 0\n1 3 100Gbps 0.001ms 0\n":                        "t: expected ",
		"4 1 3\n3\n0 3 100Gbps 0.001ms 0\n1 3 100Gbps 0.001ms 0\n0 1 100Gbps 0.001ms 0\n": "nodes 0 and 1 are joined without a switch",
	} {
		_, p := hpcctopo.Read("t", strings.NewReader(text))
		if p == nil || !strings.Contains(p.Error(), want) {
			t.Errorf("%q: %v, want %q", text, p, want)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add("4 1 3\n3\n0 3 100Gbps 0.001ms 0\n1 3 100Gbps 0.001ms 0\n2 3 100Gbps 0.001ms 0\n")
	f.Fuzz(func(t *testing.T, text string) {
		c, p := hpcctopo.Read("f", strings.NewReader(text))
		if (c == nil) == (p == nil) {
			t.Fatalf("a cluster %v and a problem %v", c, p)
		}
	})
}
