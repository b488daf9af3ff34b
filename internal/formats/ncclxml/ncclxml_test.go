package ncclxml

import (
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
	f.Fuzz(func(t *testing.T, text string) {
		c, p := Read("f", strings.NewReader(text))
		if (c == nil) == (p == nil) {
			t.Fatalf("a cluster %v and a problem %v", c, p)
		}
	})
}
