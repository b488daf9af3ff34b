package sim_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"weft/internal/ib/format"
	"weft/internal/ib/route"
	"weft/internal/ib/subnet"
	"weft/internal/sim"
	"weft/internal/sim/run/network"
	"weft/results"
	"weft/scenario"
	"weft/units"
)

// TestAFabricFromItsOwnFileRunsToTheSameResults: the file that weft writes of a fabric has all that a run needs but the
// lengths of cables, which are the usual ones by level. A torus is left out: see familyOf in base/topology.
func TestAFabricFromItsOwnFileRunsToTheSameResults(t *testing.T) {
	for name, c := range map[string]struct {
		topology    string
		nodes, nics int
		fabric      string
	}{
		"two levels":                 {"{shape: fat-tree, radix: 16}", 8, 8, "infiniband-ndr"},
		"oversubscribed":             {"{shape: fat-tree, radix: 16, oversubscription: 2}", 8, 8, "infiniband-ndr"},
		"three levels, static":       {"{shape: fat-tree, radix: 8, levels: 3}", 16, 4, "{preset: infiniband-ndr, routing: {mode: deterministic}}"},
		"rails with spines":          {"{shape: rail-optimised, radix: 8}", 16, 4, "infiniband-ndr"},
		"rails without spines":       {"{shape: rail-optimised}", 4, 8, "infiniband-ndr"},
		"one switch":                 {"{shape: single-switch}", 4, 4, "infiniband-ndr"},
		"dragonfly":                  {"{shape: dragonfly, radix: 8}", 20, 2, "infiniband-ndr"},
		"dragonfly, static":          {"{shape: dragonfly, radix: 8}", 20, 2, "{preset: infiniband-ndr, routing: {mode: deterministic}}"},
		"dragonfly-plus":             {"{shape: dragonfly-plus, radix: 8}", 32, 2, "infiniband-ndr"},
		"RoCE v2 on the same cables": {"{shape: fat-tree, radix: 16}", 8, 8, "roce-v2-400g"},
		"congestion control":         {"{shape: fat-tree, radix: 16, oversubscription: 2}", 8, 8, "{preset: infiniband-ndr, cc: ib-cc}"},
	} {
		t.Run(name, func(t *testing.T) {
			folder := t.TempDir()
			text := `
cluster: {nodes: %d, node: {preset: dgx-h100, gpus: %d, nics: %[2]d}}
topology: %s
fabric: %s
workload: {collective: all-reduce, sizes: [256KiB]}
`
			own := resolveIn(t, folder, fmt.Sprintf(text, c.nodes, c.nics, c.topology, c.fabric))
			writeSubnet(t, own, filepath.Join(folder, "real.topo"))
			back := resolveIn(t, folder, fmt.Sprintf(text, c.nodes, c.nics, "{file: real.topo}", c.fabric))
			if got, want := resultsOf(t, back), resultsOf(t, own); got != want {
				t.Errorf("the results differ:\n%s\nwant\n%s", got, want)
			}
			again, err := back.MarshalYAML()
			if err != nil {
				t.Fatal(err)
			}
			if got, want := resultsOf(t, resolveIn(t, t.TempDir(), string(again))), resultsOf(t, own); got != want {
				t.Error("the resolved scenario runs to other results without the file")
			}
		})
	}
}

// TestTablesFromAFileAreThoseThatPacketsFollow: OpenSM's minhop by its dump is minhop by its name, and differs from
// another engine.
func TestTablesFromAFileAreThoseThatPacketsFollow(t *testing.T) {
	folder := t.TempDir()
	text := `
cluster: {nodes: 8, node: dgx-h100}
topology: %s
fabric: {preset: infiniband-ndr, routing: {mode: deterministic%s}%s}
workload: {pattern: permutation, sizes: [256KiB]}
`
	own := resolveIn(t, folder, fmt.Sprintf(text, "{shape: fat-tree, radix: 16}", "", ", ib: {engine: minhop}"))
	s := writeSubnet(t, own, filepath.Join(folder, "real.topo"))
	if err := s.AssignLIDs(0); err != nil {
		t.Fatal(err)
	}
	routed, err := route.Compute(s, "minhop", route.Options{})
	if err != nil {
		t.Fatal(err)
	}
	dump, err := os.Create(filepath.Join(folder, "lfts.dump"))
	if err != nil {
		t.Fatal(err)
	}
	if err := format.WriteLFTs(dump, s, routed.Tables); err != nil {
		t.Fatal(err)
	}
	if err := dump.Close(); err != nil {
		t.Fatal(err)
	}
	given := resolveIn(t, folder, fmt.Sprintf(text, "{file: real.topo}", ", tables: lfts.dump", ""))
	other := resolveIn(t, folder, fmt.Sprintf(text, "{file: real.topo}", "", ", ib: {engine: ftree}"))
	want := timeOf(t, own)
	if got := timeOf(t, given); got != want {
		t.Errorf("%v with the tables of minhop, %v with the engine", got, want)
	}
	if got := timeOf(t, other); got == want {
		t.Error("ftree takes as long as minhop: the test sees no tables")
	}
}

// TestATableWithoutAnEntryNamesIt: the table of leaf0 lacks a NIC on leaf1.
func TestATableWithoutAnEntryNamesIt(t *testing.T) {
	folder := t.TempDir()
	text := `
cluster: {nodes: 8, node: dgx-h100}
topology: %s
fabric: {preset: infiniband-ndr, routing: {mode: deterministic%s}}
workload: {pattern: permutation, sizes: [4KiB]}
`
	own := resolveIn(t, folder, fmt.Sprintf(text, "{shape: fat-tree, radix: 16}", ""))
	s := writeSubnet(t, own, filepath.Join(folder, "real.topo"))
	if err := s.AssignLIDs(0); err != nil {
		t.Fatal(err)
	}
	routed, err := route.Compute(s, "minhop", route.Options{})
	if err != nil {
		t.Fatal(err)
	}
	leaf, to := slices.IndexFunc(s.Nodes, func(n subnet.Node) bool { return n.Name == "leaf0" }), 63
	lid := s.Nodes[to].Ports[1].LID
	routed.LFT[routed.Dense[leaf]][lid] = subnet.NoPort
	var dump strings.Builder
	if err := format.WriteLFTs(&dump, s, routed.Tables); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "lfts.dump"), []byte(dump.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err = sim.Run(t.Context(), resolveIn(t, folder, fmt.Sprintf(text, "{file: real.topo}", ", tables: lfts.dump")), sim.Options{})
	want := fmt.Sprintf("leaf0 has no entry for %s (LID %d); 1 such entry is missing", s.Nodes[to].Name, lid)
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %q", err, want)
	}
}

func resolveIn(t *testing.T, folder, text string) *scenario.Resolved {
	t.Helper()
	f, err := scenario.DecodeIn(folder, "test", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	r, err := f.Resolve()
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// writeSubnet writes the fabric of a scenario as ibnetdiscover does.
func writeSubnet(t *testing.T, r *scenario.Resolved, path string) *subnet.Subnet {
	t.Helper()
	spec, err := network.Shape(&r.Fabrics[0].Topology, &r.Cluster)
	if err != nil {
		t.Fatal(err)
	}
	g, err := spec.Build()
	if err != nil {
		t.Fatal(err)
	}
	s, err := subnet.FromGraph(g, subnet.Link{Width: 4, Speed: subnet.NDR})
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	if err := format.WriteTopo(&text, s); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return s
}

func run(t *testing.T, r *scenario.Resolved) *results.Results {
	t.Helper()
	out, err := sim.Run(t.Context(), r, sim.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// resultsOf are the results of the fabrics' points as text.
func resultsOf(t *testing.T, r *scenario.Resolved) string {
	t.Helper()
	out := run(t, r)
	text, err := json.MarshalIndent(out.Fabrics[0].Points, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func timeOf(t *testing.T, r *scenario.Resolved) string {
	t.Helper()
	return run(t, r).Fabrics[0].Points[0].Time.String()
}

// TestASwitchWithSettingsOfItsOwnHasThem: the leaf of the receiver marks earlier than the others, and packets are marked
// there; the same settings on another leaf change nothing.
func TestASwitchWithSettingsOfItsOwnHasThem(t *testing.T) {
	marks := map[string]int64{}
	for _, leaf := range []string{"none", "leaf0", "leaf3"} {
		text := `
cluster: {nodes: 8, node: dgx-h100}
topology: {shape: fat-tree, radix: 16}
fabric: {preset: roce-v2-400g%s}
workload: {pattern: incast, sizes: [1MiB]}
`
		own := ""
		if leaf != "none" {
			own = ", switches: [{names: [" + leaf + "], set: [ethernet.ecn.kmin=10KB, ethernet.ecn.kmax=20KB]}]"
		}
		marks[leaf] = run(t, resolveIn(t, t.TempDir(), fmt.Sprintf(text, own))).Fabrics[0].Points[0].Counts.Marks
	}
	if marks["leaf0"] <= marks["none"] || marks["leaf3"] != marks["none"] {
		t.Errorf("marks: %v; want more with the receiver's leaf, and as many with another", marks)
	}
}

// TestSettingsOfASwitchThatIsNotThereAreRefused names a switch that the fabric does not have.
func TestSettingsOfASwitchThatIsNotThereAreRefused(t *testing.T) {
	for kind, want := range map[string]string{"roce-v2-400g": `the fabric has no switch "leaf99"`, "infiniband-ndr": "settings of single switches are for Ethernet"} {
		text := "cluster: {nodes: 4, node: dgx-h100}\ntopology: {shape: fat-tree, radix: 16}\nfabric: {preset: " + kind + ", switches: [{names: [leaf99], set: [switch.buffer=32MiB]}]}\nworkload: {pattern: incast, sizes: [4KiB]}\n"
		_, err := sim.Run(t.Context(), resolveIn(t, t.TempDir(), text), sim.Options{})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", kind, err, want)
		}
	}
}

// TestThePortsAndTheTiersOfAFileAreThoseOfItsNodes: results have the rate of the nodes' cables, not the fabric's, and hosts of
// the file that are no nodes do not lower the mean load of NICs.
func TestThePortsAndTheTiersOfAFileAreThoseOfItsNodes(t *testing.T) {
	folder := t.TempDir()
	const text = `
cluster: {nodes: %d, node: {preset: dgx-h100, gpus: 4, nics: 4}}
topology: %s
fabric: infiniband-hdr
workload: {collective: all-reduce, sizes: [256KiB]}
`
	writeSubnet(t, resolveIn(t, folder, fmt.Sprintf(text, 8, "{shape: fat-tree, radix: 16}")), filepath.Join(folder, "real.topo"))
	for _, nodes := range []int{8, 2} {
		f := run(t, resolveIn(t, folder, fmt.Sprintf(text, nodes, "{file: real.topo}"))).Fabrics[0]
		if f.Rate != 400*units.Gbps {
			t.Errorf("%d nodes: a port has %v, and the file's cables are NDR", nodes, f.Rate)
		}
		for _, h := range f.Points[0].Hottest {
			if strings.Contains(h.Tier, "NIC") && h.Spread() > 2 {
				t.Errorf("%d nodes: %s carries %.1f times the mean of its tier (%s)", nodes, h.Name, h.Spread(), h.Tier)
			}
		}
	}
}
