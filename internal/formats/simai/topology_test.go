package simai

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

const railFile = "Rail_Opti_SingleToR_16g_8gps_200Gbps_H20"

// A published topology of two servers: eight leaves, each with two GPUs of 200 Gb/s and
// eight links of 400 Gb/s. A shape of weft has one rate, so it is taken cable by cable.
func TestARealTopologyIsTakenAsItIs(t *testing.T) {
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
		"shape: listed\n", "  radix: 10\n", "{ends: [8, 16], length: 100m}", "{ends: [23, 31], length: 100m, rate: 400Gbps}", "rate: 400Gbps}\n", "no H20",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

// A loss of links is in the file, and no field of a scenario has one.
func TestALossIsNamedAsLeftOut(t *testing.T) {
	whole, err := os.ReadFile("testdata/" + railFile)
	if err != nil {
		t.Fatal(err)
	}
	for loss, want := range map[string]string{"0": "", "0.002": "the loss of 80 links, up to 0.002 of their packets, is left out"} {
		c, p := ReadTopology("t", strings.NewReader(strings.ReplaceAll(string(whole), "0.001ms 0", "0.001ms "+loss)))
		if p != nil {
			t.Fatal(p)
		}
		if said := strings.Join(c.Assumptions, "\n"); !strings.Contains(said, want) || want == "" && strings.Contains(said, "loss") {
			t.Errorf("a loss of %s: %s", loss, said)
		}
	}
}

// Every mistake in a topology is reported.
func TestAMistakeInATopologyIsReported(t *testing.T) {
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
		{"a loss", "25 33 400Gbps 0.001ms 0", "25 33 400Gbps 0.001ms 1.5", `"1.5": expected a loss from 0 to 1`},
		{"two NICs", "1 19 200Gbps", "0 19 200Gbps", "node 1 has 0 links to switches, and node 0 2"},
	} {
		_, p := ReadTopology("t", strings.NewReader(strings.Replace(text, c.from, c.to, 1)))
		if p == nil || !strings.Contains(p.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, p, c.want)
		}
	}
}

// file writes a topology in the order of gen_Topo_Template.py: 32 GPUs in servers of
// eight with an NVSwitch each, leaves of eight GPUs, four spines for each plane. leaf gives
// the leaf of a GPU in a plane.
func file(planes, leaves int, leaf func(gpu int) int, spine func(plane, k int) int, spines int) string {
	const gpus, servers = 32, 4
	var links []string
	add := func(a, b int, rate string) { links = append(links, fmt.Sprintf("%d %d %s 0.0005ms 0", a, b, rate)) }
	first := gpus + servers
	for g := range gpus {
		add(g, gpus+g/8, "2880Gbps")
		for p := range planes {
			add(g, first+p*leaves+leaf(g), "200Gbps")
		}
	}
	for p := range planes {
		for l := range leaves {
			for k := range 4 {
				add(first+p*leaves+l, first+planes*leaves+spine(p, k), "200Gbps")
			}
		}
	}
	switches := planes*leaves + spines
	var b strings.Builder
	fmt.Fprintf(&b, "%d 8 %d %d %d H100\n", first+switches, servers, switches, len(links))
	for n := gpus; n < first+switches; n++ {
		fmt.Fprintf(&b, "%d ", n)
	}
	return b.String() + "\n" + strings.Join(links, "\n") + "\n"
}

// The forms of gen_Topo_Template.py (aliyun/SimAI, Apache 2.0), written by its rules: in
// DCN+ the GPUs of a server are on one leaf; AlibabaHPN has two planes.
func TestTheFormsOfTheTemplateAreRead(t *testing.T) {
	own := func(p, k int) int { return 4*p + k }
	common := func(_, k int) int { return k }
	rail := func(g int) int { return g % 8 }
	block := func(g int) int { return g / 8 }
	for _, c := range []struct {
		name, text string
		want       []string
	}{
		{"AlibabaHPN, two planes", file(2, 8, rail, own, 8), []string{"nic: {rate: 200Gbps, ports: 2}", "shape: dual-plane", "nodes-per-unit: 4", "spines: 4", "oversubscription: 4:4"}},
		{"AlibabaHPN, one plane", file(2, 8, rail, common, 4), []string{"two leaves whose spines are the same", "nics: 16, nic: {rate: 200Gbps}", "shape: listed", "the 2 links of a host are as many NICs"}},
		{"DCN+, one ToR", file(1, 4, block, common, 4), []string{"shape: fat-tree", "levels: 2", "hosts-per-leaf: 8", "spines: 4", "oversubscription: 8:4"}},
		{"DCN+, two ToRs", file(2, 4, block, common, 4), []string{"two leaves whose spines are the same", "nics: 16, nic: {rate: 200Gbps}", "shape: listed", "the 2 links of a host are as many NICs"}},
		{"Spectrum-X", file(1, 8, rail, common, 4), []string{"shape: rail-optimised", "nodes-per-unit: 4"}},
		{"no order", file(1, 4, func(g int) int { return (g + g/8) % 4 }, common, 4), []string{"neither the i-th GPUs of 8 neighbouring servers", "nics: 8,", "shape: listed"}},
	} {
		cluster, p := ReadTopology(c.name, strings.NewReader(c.text))
		if p != nil {
			t.Errorf("%s: %v", c.name, p)
			continue
		}
		for _, want := range c.want {
			if !strings.Contains(cluster.YAML(), want) {
				t.Errorf("%s: no %q in\n%s", c.name, want, cluster.YAML())
			}
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
