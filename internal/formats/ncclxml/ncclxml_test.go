package ncclxml

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

func readFile(t *testing.T, name string) string {
	t.Helper()
	f, err := os.Open("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	c, p := Read(name, f)
	if p != nil {
		t.Fatal(p)
	}
	return c.YAML()
}

// The file that a cloud provider ships has devices alone: the missing facts are named.
func TestAShippedFileGivesItsDevices(t *testing.T) {
	text := readFile(t, "p4d-24xl-topo.xml")
	for _, want := range []string{
		"    gpus: 8\n", "    nics: 4\n", "    pcie: {generation: gen3, lanes: 16}\n",
		"model of the GPUs is unknown", "NVLinks of the GPUs are unknown", "rate of the NICs is unknown",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

// NCCL's dump has models, links and rates; a socket is no compute NIC.
func TestADumpGivesLinksAndRates(t *testing.T) {
	text := readFile(t, "dump.xml")
	for _, want := range []string{
		"    gpus: 2\n", "    gpu: h100\n", "    scale-up: {generation: nvlink-4, links: 18}\n", "    pcie: {generation: gen5, lanes: 16}\n",
		"    nics: 2\n", "    nic: {rate: 400000Mbps}\n", "1 ports that hang on no PCI device",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

// amd is a node of AMD's GPUs as RCCL dumps it: joined has the links between two GPUs, 0 for none.
func amd(gcn, device string, gpus int, mbps int, joined func(a, b int) int) string {
	var b strings.Builder
	b.WriteString("<system version=\"2\">\n<cpu numaid=\"0\">\n")
	for i := range gpus {
		fmt.Fprintf(&b, "<pci busid=\"0000:%02x:00.0\" class=\"0x120000\" vendor=\"0x1002\" device=\"%s\" link_speed=\"16.0 GT/s PCIe\" link_width=\"16\">\n", i, device)
		fmt.Fprintf(&b, "<gpu dev=\"%d\" sm=\"104\" gcn=\"%s\" arch=\"38911\" rank=\"%[1]d\" gdr=\"1\">\n", i, gcn)
		for k := range gpus {
			if n := joined(min(i, k), max(i, k)); k != i && n > 0 {
				fmt.Fprintf(&b, "<xgmi target=\"0000:%02x:00.0\" count=\"%d\" tclass=\"0x120000\"/>\n", k, n)
			}
		}
		b.WriteString("</gpu></pci>\n")
	}
	fmt.Fprintf(&b, "<pci busid=\"0000:f0:00.0\" class=\"0x020700\"><nic><net name=\"mlx5_0\" speed=\"%d\"/></nic></pci>\n</cpu></system>\n", mbps)
	return b.String()
}

// The links between AMD's GPUs make the node: a full mesh, a mesh with gaps (MI250: a pair has 4, 2, 1 or no
// links), and hives that only PCIe joins (rccl, tools/topo_expl/models).
func TestTheLinksOfAMDsGPUsAreRead(t *testing.T) {
	all := func(int, int) int { return 1 }
	mi250 := func(a, b int) int {
		switch {
		case a%2 == 0 && b == a+1:
			return 4
		case b-a == 4:
			return 2
		case b-a == 2 || b-a == 7:
			return 1
		}
		return 0
	}
	hive := func(a, b int) int {
		if a/4 == b/4 {
			return 1
		}
		return 0
	}
	for _, c := range []struct {
		name, text string
		want       []string
	}{
		{"MI300X", amd("gfx942", "0x74a1", 8, 400000, all), []string{"RCCL topology", "gpus: 8\n", "gpu: mi300x\n", "scale-up: {generation: xgmi-mi300, links: 7, pair-links: 1}\n", "nic: {rate: 400000Mbps}"}},
		{"MI325X", amd("gfx942", "0x74a5", 8, 400000, all), []string{"gpu: mi325x\n"}},
		{"MI355X", amd("gfx950:sramecc+:xnack-", "0x75a3", 8, 400000, all), []string{"links: 7, pair-links: 1, link-rate: 76.8GB/s}\n", "the model of the GPUs (gfx950) is unknown"}},
		{"MI250", amd("910", "0x740c", 8, 200000, mi250), []string{"pair-links: 4, link-rate: 50GB/s}\n", "xGMI joins 15 of 28 pairs of GPUs: it is taken as a full mesh", "7 to 8 xGMI links to one another: the least is taken"}},
		{"MI100", amd("908", "0x738c", 8, 200000, hive), []string{"scale-up: pcie-gen4\n", "xGMI joins GPUs within 2 groups"}},
		{"no links", amd("gfx90a", "0x740f", 4, 200000, func(int, int) int { return 0 }), []string{"scale-up: pcie-gen4\n", "GPUs have no xGMI links"}},
		{"a socket", amd("gfx942", "0x74a1", 8, 10000, all), []string{"a NIC has 10000 Mb/s, for which there is no usual fabric"}},
		{"gen3", strings.ReplaceAll(amd("908", "0x738c", 8, 200000, hive), "16.0 GT/s", "8 GT/s"), []string{"scale-up: {generation: pcie-gen4, link-rate: 15.75GB/s}\n"}},
	} {
		cluster, p := Read("t.xml", strings.NewReader(c.text))
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

// What has no GPUDirect RDMA (gdr="0") is told, since the fabric's data path is not the file's. A socket is no matter,
// and neither is a file that says nothing, as a cloud's.
func TestADumpWithoutGPUDirectIsTold(t *testing.T) {
	text, err := os.ReadFile("testdata/dump.xml")
	if err != nil {
		t.Fatal(err)
	}
	of := func(old, by string, times int) string { return strings.Replace(string(text), old, by, times) }
	const told, with, without = " have no GPUDirect RDMA", `latency="0.000000" gdr="1"`, `latency="0.000000" gdr="0"`
	for name, c := range map[string]struct{ text, want string }{
		"all have it":    {string(text), ""},
		"nothing said":   {of(` gdr="1"`, "", -1), ""},
		"no NIC":         {of(with, without, -1), "0 of 2 GPUs and 2 of 2 NICs"},
		"neither":        {of(`gdr="1"`, `gdr="0"`, -1), "2 of 2 GPUs and 2 of 2 NICs"},
		"one NIC of two": {of(with, without, 1), "0 of 2 GPUs and 1 of 2 NICs"},
		"one GPU of two": {of(`rank="0" gdr="1"`, `rank="0" gdr="0"`, 1), "1 of 2 GPUs and 0 of 2 NICs"},
		"AMD's GPUs":     {strings.ReplaceAll(amd("gfx942", "0x74a1", 8, 400000, func(int, int) int { return 1 }), `gdr="1"`, `gdr="0"`), "8 of 8 GPUs and 0 of 1 NICs"},
	} {
		cluster, p := Read("t.xml", strings.NewReader(c.text))
		if p != nil {
			t.Fatalf("%s: %v", name, p)
		}
		if yaml := cluster.YAML(); c.want == "" && strings.Contains(yaml, told) || c.want != "" && !strings.Contains(yaml, c.want+told) {
			t.Errorf("%s: want %q in\n%s", name, c.want+told, yaml)
		}
	}
}

// Every mistake is reported with its line.
func TestAMistakeHasItsPlace(t *testing.T) {
	const gpu = "<system version=\"1\">\n<cpu>\n<pci class=\"0x030200\">"
	for _, c := range []struct{ name, text, want string }{
		{"cut", gpu, "t.xml:3: expected well-formed XML to its end"},
		{"foreign", "<topology/>", `t.xml:1: "topology": expected system`},
		{"no GPU", "<system version=\"1\"></system>", "at least one GPU"},
		{"no class", "<system><pci/></system>", "a class such as 0x030200"},
		{"a wrong sm", gpu + "<gpu sm=\"x\"/></pci></cpu></system>", `t.xml:3: "x": expected a compute capability`},
		{"a link without a GPU", "<system><nvlink count=\"3\"/></system>", "an nvlink inside a gpu"},
		{"a link of AMD without a GPU", "<system><xgmi count=\"3\"/></system>", "an xgmi inside a gpu"},
		{"GPUs that differ", gpu + "<gpu sm=\"90\"/></pci><pci class=\"0x030200\"/></cpu></system>", "GPUs that are alike"},
	} {
		_, p := Read("t.xml", strings.NewReader(c.text))
		if p == nil || !strings.Contains(p.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, p, c.want)
		}
	}
}

func FuzzRead(f *testing.F) {
	for _, name := range []string{"p4d-24xl-topo.xml", "dump.xml"} {
		text, err := os.ReadFile("testdata/" + name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text))
	}
	f.Add(amd("gfx942", "0x74a1", 4, 400000, func(a, b int) int { return b - a }))
	f.Fuzz(func(t *testing.T, text string) {
		c, p := Read("f", strings.NewReader(text))
		if (c == nil) == (p == nil) {
			t.Fatalf("a cluster %v and a problem %v", c, p)
		}
	})
}
