package scenario

import (
	"cmp"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"weft/internal/sim/catalog"
	"weft/internal/test/golden"
	"weft/units"
)

// Each file under testdata/errors is a bad scenario; the file beside it has all errors that
// a user sees.
func TestABadScenarioGetsAllItsErrorsWithTheirPlaces(t *testing.T) {
	files, err := filepath.Glob("testdata/errors/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no bad scenarios: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".yaml"), func(t *testing.T) {
			_, err := Load(file)
			if err == nil {
				t.Fatalf("%s was taken without an error", file)
			}
			golden.File(t, strings.TrimSuffix(file, ".yaml")+".txt", strings.ReplaceAll(err.Error(), "testdata/errors/", "")+"\n")
		})
	}
}

func resolve(t *testing.T, text string, overrides ...Override) *Resolved {
	t.Helper()
	f, err := Decode("test.yaml", []byte(text))
	if err != nil {
		t.Fatalf("%s\nin\n%s", err, text)
	}
	r, err := f.Resolve(overrides...)
	if err != nil {
		t.Fatalf("%s\nin\n%s", err, text)
	}
	return r
}

// sameWhenPrinted prints, reads and compares.
func sameWhenPrinted(t *testing.T, r *Resolved) {
	t.Helper()
	text, err := r.MarshalYAML()
	if err != nil {
		t.Fatal(err)
	}
	again := resolve(t, string(text))
	if !reflect.DeepEqual(r, again) {
		more, _ := again.MarshalYAML()
		t.Errorf("printed and read again, this is another scenario: %s", difference(string(text), string(more)))
	}
}

// difference is the first difference between a scenario's text and its text after it was
// printed and read again.
func difference(first, again string) string {
	return cmp.Or(golden.Difference(first, again), "the texts are equal, the values are not")
}

func examples(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("../examples/*.yaml")
	if err != nil || len(files) < 7 {
		t.Fatalf("%d examples: %v", len(files), err)
	}
	return slices.DeleteFunc(files, func(file string) bool { return ofOtherVerbs[filepath.Base(file)] })
}

// ofOtherVerbs are the examples of other verbs, which are no scenarios.
var ofOtherVerbs = map[string]bool{"plan-1024.yaml": true, "advise.yaml": true, "advise-serve.yaml": true}

func TestEveryExampleResolvesAndPrintsAsItself(t *testing.T) {
	for _, file := range examples(t) {
		t.Run(filepath.Base(file), func(t *testing.T) {
			f, err := Load(file)
			if err != nil {
				t.Fatal(err)
			}
			r, err := f.Resolve()
			if err != nil {
				t.Fatal(err)
			}
			sameWhenPrinted(t, r)
		})
	}
}

func TestEveryPresetOfTheCatalogFitsTheTypes(t *testing.T) {
	for typ, p := range presets {
		for _, e := range catalog.Entries(p.kind) {
			d := newDecoder("catalog")
			d.rate = 100 * units.Gbps
			v := reflect.New(typ).Elem()
			d.preset("x", &node{kind: scalar, text: e.Name, plain: true}, p, v)
			if err := d.errs.err(); err != nil {
				t.Errorf("%s %s: %v", p.kind, e.Name, err)
			}
			if got := v.Field(fieldByName(typ, p.key)).String(); got != e.Name {
				t.Errorf("%s %s calls itself %q", p.kind, e.Name, got)
			}
		}
	}
}

func TestEveryFabricResolvesOnANodeThatCarriesIt(t *testing.T) {
	for _, name := range catalog.Names(catalog.Fabric) {
		node := "dgx-b300"
		if strings.HasSuffix(name, "-800g") { // its NIC has no port of 800GbE
			node = "{preset: dgx-b300, nic: thor-ultra}"
		}
		sameWhenPrinted(t, resolve(t, "cluster: {nodes: 2, node: "+node+"}\nfabric: "+name))
	}
}

func TestASilentScenarioComparesThreeFabricsAtTheNICsRate(t *testing.T) {
	for node, want := range map[string]string{
		"dgx-h100": "infiniband-ndr roce-v2-400g tcp-400g",
		"dgx-a100": "infiniband-hdr roce-v2-200g tcp-200g",
		"dgx-b300": "infiniband-xdr roce-v2-400g tcp-400g",
	} {
		var got []string
		for _, f := range resolve(t, "cluster: {nodes: 2, node: "+node+"}").Fabrics {
			got = append(got, f.Name)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %v, want %s", node, got, want)
		}
	}
	sameWhenPrinted(t, resolve(t, "name: silent\n"))
}

// Adaptive routing on a torus can deadlock, so that only a scenario that states it gets it.
func TestATorusIsRoutedDeterministically(t *testing.T) {
	const torus = "cluster: {nodes: 8, node: dgx-h100}\ntopology: {shape: torus, dims: [2, 2, 2]}\n"
	for text, want := range map[string]RoutingMode{
		"": Deterministic,
		"fabrics: [{preset: infiniband-ndr, routing: {mode: adaptive}}]": Adaptive,
	} {
		if got := resolve(t, torus+text).Fabrics[0].Routing.Mode; got != want {
			t.Errorf("%q: routing is %s, want %s", text, got, want)
		}
	}
	if got := resolve(t, "cluster: {nodes: 8, node: dgx-h100}\n").Fabrics[0].Routing.Mode; got != Adaptive {
		t.Errorf("on the usual shape routing is %s", got)
	}
}

func TestPresetsAreOverriddenFieldByField(t *testing.T) {
	r := resolve(t, `
cluster:
  nodes: 4
  node:
    gpus: 4
    preset: dgx-h100
    nic: {model: connectx-6, rate: 400Gbps}
fabrics:
  - preset: roce-v2-400g
    switch: {latency: 700ns}
    ethernet: {ecn: {kmin: 150KB}}
    cc: {preset: dcqcn-ns3, g: 1/128}
  - {preset: roce-v2-100g, name: slow, cc: dcqcn-ns3, topology: {shape: single-switch}}
`)
	n, f := r.Cluster.Node, r.Fabrics[0]
	if n.GPUs != 4 || n.GPU.Model != "h100" || n.NIC.Rate != 400*units.Gbps || n.NIC.PacketGap != 4650 {
		t.Errorf("node: %d GPUs %s, NIC %v every %v", n.GPUs, n.GPU.Model, n.NIC.Rate, n.NIC.PacketGap)
	}
	if f.Switch.Model != "sn5600" || f.Switch.Latency != 700*units.Nanosecond || f.Ethernet.ECN.Kmin != 150*units.KB || f.Ethernet.ECN.Kmax != 6400*units.KB {
		t.Errorf("fabric: switch %s %v, kmin %v, kmax %v", f.Switch.Model, f.Switch.Latency, f.Ethernet.ECN.Kmin, f.Ethernet.ECN.Kmax)
	}
	if f.NIC.Model != "connectx-6" || ValuesOf(&f.CC).Ratio("g") != (Ratio{Num: 1, Den: 128}) || ValuesOf(&f.CC).Rate("ai-rate") != 80*units.Mbps {
		t.Errorf("fabric: NIC %s, g %v, ai-rate %v (5 Mb/s for each 25 Gb/s)", f.NIC.Model, ValuesOf(&f.CC).Ratio("g"), ValuesOf(&f.CC).Rate("ai-rate"))
	}
	if g := r.Fabrics[1]; ValuesOf(&g.CC).Rate("ai-rate") != 20*units.Mbps || g.Topology.Shape != SingleSwitch || f.Topology.Shape != RailOptimised {
		t.Errorf("slow fabric: ai-rate %v, shape %s; first fabric %s", ValuesOf(&g.CC).Rate("ai-rate"), g.Topology.Shape, f.Topology.Shape)
	}
	sameWhenPrinted(t, r)
}

func TestOverridesLieOverTheFile(t *testing.T) {
	text := "fabrics: [infiniband-ndr, {preset: roce-v2-400g, name: b}]\nworkload: {collective: all-reduce}\n"
	r := resolve(t, text,
		Override{"workload.algorithm", "ring", "--algo"},
		Override{"fabrics[0].routing.mode", "deterministic", "--set"},
		Override{"run.seed", "7", "--seed"},
		Override{"workload.sizes", "{from: 1MiB, to: 4MiB}", "-b"})
	if r.Workload.Algorithm != AlgoRing || r.Fabrics[0].Routing.Mode != Deterministic || r.Fabrics[0].Link.Generation != "ndr" || r.Run.Seed != 7 || len(r.Workload.Sizes) != 3 {
		t.Errorf("algorithm %s, mode %s, link %s, seed %d, sizes %v", r.Workload.Algorithm, r.Fabrics[0].Routing.Mode, r.Fabrics[0].Link.Generation, r.Run.Seed, r.Workload.Sizes)
	}
	f, err := Decode("test.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	_, err = f.Resolve(Override{"workload.algorithm", "rnig", "--algo"}, Override{"fabrics[9].mtu", "1KiB", "--set"})
	const want = `--set: fabrics[9].mtu: fabrics has 2 entries (index 0 to 1); [9] does not exist
--algo: workload.algorithm: "rnig" is not known: did you mean "ring"?`
	if err == nil || err.Error() != want {
		t.Errorf("got\n%v\nwant\n%s", err, want)
	}
	if err := f.ErrorAt("fabrics[1].topology.radix", fmt.Errorf("too few")); !strings.HasPrefix(err.Error(), "test.yaml:1:36: fabrics[1].topology.radix: ") {
		t.Errorf("the place of a later error is %v", err)
	}
}

// B3 of validation.md: rows of the SN5600's shipped table.
func TestPFCHeadroomIsTheVendorsRowForRow(t *testing.T) {
	for _, row := range []struct {
		fabric, cable string
		xoff          units.Bytes
	}{
		{"roce-v2-400g", "5m", 231424},
		{"roce-v2-400g", "40m", 283648},
		{"roce-v2-800g", "5m", 257024},
		{"roce-v2-800g", "40m", 362496},
	} {
		r := resolve(t, fmt.Sprintf(`
cluster: {nodes: 2, node: {preset: dgx-b300, nic: thor-ultra}}
topology: {shape: single-switch, cables: {node-leaf: %s}}
fabric: {preset: %s, switch: sn5600}
`, row.cable, row.fabric))
		if got := r.Fabrics[0].Ethernet.PFC.Headroom; got != row.xoff {
			t.Errorf("%s %s: headroom %d, the vendor has %d", row.fabric, row.cable, got, row.xoff)
		}
	}
}

func TestLinkRatesAreExact(t *testing.T) {
	for name, want := range map[string][2]int64{
		"sdr": {8e9, 1}, "qdr": {32e9, 1}, "fdr": {600e9, 11}, "edr": {100e9, 1}, "hdr": {200e9, 1}, "ndr": {400e9, 1}, "xdr": {800e9, 1},
		"25g": {25e9, 1}, "100g": {100e9, 1}, "200g": {200e9, 1}, "400g": {400e9, 1}, "800g": {800e9, 1},
	} {
		var l Link
		d := newDecoder("")
		d.preset("link", &node{kind: scalar, text: name}, presets[reflect.TypeFor[Link]()], reflect.ValueOf(&l).Elem())
		if num, den := l.RateExact(); num != want[0] || den != want[1] {
			t.Errorf("%s: %d/%d b/s, want %d/%d", name, num, den, want[0], want[1])
		}
	}
}

func TestAMillionGPUsAreRefusedWithTheEstimate(t *testing.T) {
	_, err := Decode("big.yaml", []byte(`
cluster: {nodes: 125000}
topology: {shape: dragonfly-plus}
fabric: infiniband-ndr
run: {limit: {memory: 24GiB}}
`))
	if err == nil || !strings.Contains(err.Error(), "1000000 endpoints of 64KiB") || !strings.Contains(err.Error(), "the limit is 24GiB") {
		t.Errorf("a million GPUs on 24 GiB: %v", err)
	}
	if r := resolve(t, "cluster: {nodes: 128}\ntopology: {shape: fat-tree}"); r.Estimate().Memory > 200*units.MiB {
		t.Errorf("1,024 GPUs are estimated at %s", r.Estimate().Memory)
	}
}

func TestRatiosReadWhatTheyPrint(t *testing.T) {
	for text, want := range map[string]Ratio{
		"0": {Num: 0, Den: 1}, "1": {Num: 1, Den: 1}, "0.2": {Num: 1, Den: 5}, "20%": {Num: 1, Den: 5}, "12.5%": {Num: 1, Den: 8}, "1/8": {Num: 1, Den: 8}, "3:1": {Num: 3, Den: 1}, "6/4": {Num: 3, Den: 2}, ".5": {Num: 1, Den: 2}, "1e3": {Num: 1000, Den: 1},
	} {
		if got, err := ParseRatio(text); err != nil || got != want {
			t.Errorf("%q is %v, %v; want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "-1", "1/0", "a", "1/2/3", "1e3e", "%", "0.0000000000000000001"} {
		if got, err := ParseRatio(text); err == nil {
			t.Errorf("%q is accepted as %v", text, got)
		}
	}
}

func TestAByteOrderMarkIsNoPartOfAField(t *testing.T) {
	f, err := Decode("t.yaml", []byte("\ufeffname: marked\r\ncluster: {nodes: 2}\r\n"))
	if err != nil {
		t.Fatal(err)
	}
	r, err := f.Resolve()
	if err != nil || r.Name != "marked" || r.Cluster.Nodes != 2 {
		t.Errorf("name %q, %d nodes, %v", r.Name, r.Cluster.Nodes, err)
	}
}

func TestAnItemOfAListThatTheFileLeavesOutCannotBeChanged(t *testing.T) {
	f, err := Decode("t.yaml", []byte("cluster: {nodes: 2}\n"))
	if err != nil {
		t.Fatal(err)
	}
	_, err = f.Resolve(Override{"fabrics[0].mtu", "1KiB", "--set"})
	if want := "--set: fabrics[0].mtu: the file has no list fabrics; [0] does not exist"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %q", err, want)
	}
}
