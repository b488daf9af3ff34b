package simai

import (
	"os"
	"strings"
	"testing"
)

const railFile = "Rail_Opti_SingleToR_16g_8gps_200Gbps_H20"

// A published topology of two servers: eight leaves, each with two GPUs and eight links
// of 400 Gb/s, which are sixteen of the NICs' 200.
func TestARealTopologyIsRailOptimised(t *testing.T) {
	f, err := os.Open("testdata/" + railFile)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	c, p := ReadTopology(railFile, f)
	if p != nil {
		t.Fatal(p)
	}
	text := c.YAML()
	for _, want := range []string{
		"  nodes: 2\n", "gpus: 8, nics: 8, nic: {rate: 200Gbps}", "link-rate: 900Gbps", "latency: 50ns",
		"  nodes-per-unit: 2\n", "  spines: 8\n", "  oversubscription: 2:16\n", "  radix: 18\n", "node-leaf: 100m", "is 2 of 200 Gb/s", "no H20",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

// Every mistake of a topology, and every other form, is told.
func TestAMistakeInATopologyIsTold(t *testing.T) {
	whole, err := os.ReadFile("testdata/" + railFile)
	if err != nil {
		t.Fatal(err)
	}
	text := string(whole)
	for _, c := range []struct{ name, from, to, want string }{
		{"a head", "34 8 2 16 96 H20", "34 8 2 16", "the numbers of nodes"},
		{"servers that are not full", "34 8 2 16 96", "34 7 2 16 96", "that fill servers"},
		{"a switch fewer", "33 \n", "\n", "the numbers of the 18 switches"},
		{"cut", "25 33 400Gbps 0.001ms 0\n", "", "expected 96 links as the first line announces, but the file ends after 95"},
		{"a node beyond", "25 33 ", "25 34 ", `:98: "34": expected a node from 0 to 33`},
		{"a rate", "25 33 400Gbps", "25 33 fast", `"fast": expected a rate`},
		{"a rate that differs", "25 33 400Gbps", "25 33 800Gbps", "another rate or latency"},
		{"two NICs", "1 19 200Gbps", "0 19 200Gbps", "GPU 0 has two NICs"},
		{"a leaf of two rails", "1 19 200Gbps", "1 18 200Gbps", "leaf 20 has 2 GPUs and leaf 18 3"},
		{"a missing pair", "25 33 400Gbps", "25 32 400Gbps", "8 leaves and 8 spines have 63 pairs"},
	} {
		_, p := ReadTopology("t", strings.NewReader(strings.Replace(text, c.from, c.to, 1)))
		if p == nil || !strings.Contains(p.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, p, c.want)
		}
	}
}

func FuzzReadTopology(f *testing.F) {
	text, err := os.ReadFile("testdata/" + railFile)
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
