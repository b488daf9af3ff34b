package htsim

import (
	"os"
	"strings"
	"testing"
)

// A three-level tree has htsim's counts: twelve pods of six leaves and six spines, two
// cores for each spine.
func TestATreeHasTheSwitchesOfHtsim(t *testing.T) {
	f, err := os.Open("testdata/zrs.topo")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	c, p := ReadTopology("zrs.topo", f)
	if p != nil {
		t.Fatal(p)
	}
	text := c.YAML()
	for _, want := range []string{"  nodes: 432\n", "  levels: 3\n", "  hosts-per-leaf: 6\n", "  spines: 6\n", "  cores: 2\n", "spine-core: 60km"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

// Every mistake in a topology is reported.
func TestAMistakeInATopologyIsReported(t *testing.T) {
	const head = "Nodes 32\nTiers 2\nPodsize 32\n"
	const leaf = "Tier 0\nDownlink_speed_Gbps 100\nRadix_Down 8\nRadix_Up 2\nDownlink_Latency_ns 1000\nOversubscribed 4\n"
	const spine = "Tier 1\nDownlink_speed_Gbps 100\nRadix_Down 4\nDownlink_Latency_ns 1000\n"
	if _, p := ReadTopology("t", strings.NewReader(head+leaf+spine)); p != nil {
		t.Fatal(p)
	}
	for _, c := range []struct{ name, text, want string }{
		{"cut", head + leaf, "Tier 1 with Downlink_speed_Gbps"},
		{"foreign", head + "colour 3\n", `t:4: "colour": expected Nodes`},
		{"no number", head + "Tier x\n", `t:4: "x": expected a number`},
		{"a tier twice", head + leaf + leaf, "a tier from 0 to 2, once"},
		{"speeds that differ", head + leaf + strings.Replace(spine, "100\n", "400\n", 1), "one Downlink_speed_Gbps"},
		{"indivisible", head + leaf + strings.Replace(spine, "Down 4", "Down 3", 1), "that fill tier 1's Radix_Down of 3"},
		{"pods of two levels", strings.Replace(head, "Podsize 32", "Podsize 16", 1) + leaf + spine, "a Podsize of all Nodes"},
	} {
		_, p := ReadTopology("t", strings.NewReader(c.text))
		if p == nil || !strings.Contains(p.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, p, c.want)
		}
	}
}

func FuzzReadTopology(f *testing.F) {
	text, err := os.ReadFile("testdata/zrs.topo")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(string(text))
	f.Fuzz(func(t *testing.T, text string) {
		c, p := ReadTopology("f", strings.NewReader(text))
		if (c == nil) == (p == nil) {
			t.Fatalf("a cluster %v and a problem %v", c, p)
		}
	})
}
