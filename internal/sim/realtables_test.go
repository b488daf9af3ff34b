package sim_test

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"weft/internal/base/topology"
	"weft/internal/ib/format"
	"weft/internal/ib/route"
	"weft/internal/ib/subnet"
	"weft/internal/sim"
	"weft/internal/sim/fabric"
	"weft/internal/sim/run/control"
	"weft/scenario"
	"weft/units"
)

// onTables is a permutation on two nodes' fabric from a file, with what routing and ib say.
const onTables = `
cluster: {nodes: 8, node: {preset: dgx-h100, gpus: 4, nics: 4}}
topology: %s
fabric: {preset: infiniband-ndr, routing: {mode: deterministic%s}%s}
workload: {pattern: permutation, sizes: [256KiB]}
`

// dumped writes the fabric of a scenario, and OpenSM's dumps of the tables that an engine gives it, into a folder.
func dumped(t *testing.T, folder, shape string, engine route.Name, lmc uint8) (*subnet.Subnet, *route.Result) {
	t.Helper()
	own := resolveIn(t, folder, fmt.Sprintf(onTables, shape, "", ""))
	s := writeSubnet(t, own, filepath.Join(folder, "real.topo"))
	if err := s.AssignLIDs(lmc); err != nil {
		t.Fatal(err)
	}
	dumpTo(t, folder, "real.topo", func(w io.Writer) error { return format.WriteTopo(w, s) })
	r, err := route.Proved(s, engine, route.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(folder, "tables"), 0o700); err != nil {
		t.Fatal(err)
	}
	dumpTo(t, folder, "tables/opensm-lfts.dump", func(w io.Writer) error { return format.WriteLFTs(w, s, r.Tables) })
	dumpTo(t, folder, "tables/opensm-lid-matrix.dump", func(w io.Writer) error { return format.WriteLIDMatrix(w, s, r.Hops()) })
	if r.SL != nil {
		dumpTo(t, folder, "tables/path-sl.txt", func(w io.Writer) error { return format.WritePathSL(w, s, r.SL) })
	}
	if r.SL2VL != nil {
		dumpTo(t, folder, "tables/opensm-sl2vl.dump", func(w io.Writer) error { return format.WriteSL2VL(w, s, &format.SL2VL{Switch: r.SL2VL}) })
	}
	return s, r
}

func dumpTo(t *testing.T, folder, name string, write func(io.Writer) error) {
	t.Helper()
	f, err := os.Create(filepath.Join(folder, name))
	if err != nil {
		t.Fatal(err)
	}
	if err := write(f); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestTablesWithLanesRunAsTheirEngine: torus-2QoS by its dumps of ports, levels and SL2VL tables is torus-2QoS by name;
// without the levels of its paths the tables have a credit loop, and are refused.
func TestTablesWithLanesRunAsTheirEngine(t *testing.T) {
	folder := t.TempDir()
	const torus = "{shape: torus, dims: [4, 4]}"
	own := resolveIn(t, folder, fmt.Sprintf(onTables, torus, "", ", ib: {engine: dfsssp, vls: 8}"))
	_, r := dumped(t, folder, torus, "dfsssp", 0)
	if r.Lanes < 2 {
		t.Fatalf("dfsssp takes %d lanes on the torus: the test sees none", r.Lanes)
	}
	given := resolveIn(t, folder, fmt.Sprintf(onTables, "{file: real.topo}", ", tables: tables", ", ib: {vls: 8}"))
	if got, want := timeOf(t, given), timeOf(t, own); got != want {
		t.Errorf("%v with the tables of dfsssp, %v with the engine", got, want)
	}
	again, err := given.MarshalYAML()
	if err != nil {
		t.Fatal(err)
	}
	if got, want := timeOf(t, resolveIn(t, t.TempDir(), string(again))), timeOf(t, own); got != want {
		t.Errorf("%v with the resolved scenario, %v with the engine", got, want)
	}
	bare := resolveIn(t, folder, fmt.Sprintf(onTables, "{file: real.topo}", ", tables: tables/opensm-lfts.dump", ", ib: {vls: 8}"))
	if _, err := sim.Run(t.Context(), bare, sim.Options{}); err == nil || !strings.Contains(err.Error(), "wait for each other") {
		t.Errorf("without levels: %v, want a credit loop", err)
	}
}

// TestSL2VLTablesDecideTheLane: with ib.sl 1 and tables that put level 1 on VL 3, packets are on VL 3 of switches; a table
// that drops the level, or a lane that the fabric does not have, is refused.
func TestSL2VLTablesDecideTheLane(t *testing.T) {
	folder := t.TempDir()
	s, r := dumped(t, folder, "{shape: fat-tree, radix: 16}", "minhop", 0)
	lanes := func(vl units.VL) {
		maps := make([]subnet.SLMap, len(r.Switch))
		for i, node := range r.Switch {
			maps[i] = subnet.NewSLMap(s.Nodes[node].NumPorts())
			for k := 1; k < len(maps[i].VL); k += 16 {
				maps[i].VL[k] = vl
			}
		}
		dumpTo(t, folder, "tables/opensm-sl2vl.dump", func(w io.Writer) error { return format.WriteSL2VL(w, s, &format.SL2VL{Switch: maps}) })
	}
	run := func(ib string) error {
		_, err := sim.Run(t.Context(), resolveIn(t, folder, fmt.Sprintf(onTables, "{file: real.topo}", ", tables: tables", ib)), sim.Options{})
		return err
	}
	const onLevel1 = ", ib: {sl: 1, ack-sl: 1, vls: 4, sl2vl: [0, 1, 2, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]}"
	for vl, want := range map[units.VL]string{3: "", 5: "write ib.vls: 6", 15: "drops its packets"} {
		lanes(vl)
		if err := run(onLevel1); want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("level 1 on lane %d: %v, want %q", vl, err, want)
		}
	}
}

// TestConnectionsSpreadOverTheLIDsOfANIC: on an oversubscribed tree with an LMC connections that use all LIDs take other
// paths than those that use the first ones, which take those of the tables without an LMC.
func TestConnectionsSpreadOverTheLIDsOfANIC(t *testing.T) {
	folder := t.TempDir()
	const tree = "{shape: fat-tree, radix: 16}"
	s, _ := dumped(t, folder, tree, "minhop", 2)
	if lmc := s.Nodes[0].Ports[1].LMC; lmc != 2 {
		t.Fatalf("the NICs have an LMC of %d", lmc)
	}
	read := func(lids string) *scenario.Resolved {
		return resolveIn(t, folder, fmt.Sprintf(onTables, "{file: real.topo}", ", tables: tables"+lids, ", transport: {qps-per-connection: 4}"))
	}
	first, named, spread := read(""), read(", lids: first"), read(", lids: spread")
	if got := spread.Fabrics[0].Routing; got.LMC != 2 || len(got.Forwarding[0]) != 2*4*(8*4) {
		t.Fatalf("LMC %d, a row of %d digits", got.LMC, len(got.Forwarding[0]))
	}
	a, b, c := timeOf(t, first), timeOf(t, named), timeOf(t, spread)
	if a != b {
		t.Errorf("%v by default, %v with the first LIDs", a, b)
	}
	if a == c {
		t.Errorf("connections take %v with the first LIDs, and as long with all", a)
	}
	f, err := scenario.DecodeIn(folder, "test", fmt.Appendf(nil, onTables, "{file: real.topo}", ", tables: tables", ""))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Resolve(); err != nil {
		t.Fatal(err)
	}
	notes := strings.Join(f.Notes(), "\n")
	for _, want := range []string{"NICs have up to 4 LIDs", "the LID matrix has no effect, since the tables decide"} {
		if !strings.Contains(notes, want) {
			t.Errorf("the notes lack %q: %s", want, notes)
		}
	}
}

// TestAPathToAFurtherLIDHasItsOwnLevel: OpenSM answers a path record by both LIDs, so that each of a NIC's LIDs has the level
// of its own path; a connection that uses it sends on that.
func TestAPathToAFurtherLIDHasItsOwnLevel(t *testing.T) {
	folder := t.TempDir()
	_, r := dumped(t, folder, "{shape: torus, dims: [4, 4]}", "dfsssp", 1)
	given := resolveIn(t, folder, fmt.Sprintf(onTables, "{file: real.topo}", ", tables: tables, lids: spread", ", ib: {vls: 8}"))
	p, err := control.NewPlan(given, &given.Fabrics[0])
	if err != nil {
		t.Fatal(err)
	}
	other := 0 // levels that are not those of the first LID
	lid := p.Paths[0].LID
	for a := range int32(p.Graph.Endpoints) {
		for b := range int32(p.Graph.Endpoints) {
			for k := range units.LID(2) {
				atA, atB := fabric.Connection{Entropy: uint32(k) << 1}, fabric.Connection{Entropy: uint32(k)<<1 | 1}
				p.ByPath(a, b, &atA, &atB)
				if want := r.SL(lid[a], lid[b]+k); a != b && atA.SL != want {
					t.Fatalf("from %d to LID %d of %d: level %d, the path has %d", a, k, b, atA.SL, want)
				}
				if want := p.LevelOf(0, topology.NodeID(a), topology.NodeID(b), int(k)); atA.SL != want {
					t.Fatalf("from %d to LID %d of %d: level %d, the proof after a fault takes %d", a, k, b, atA.SL, want)
				}
				if a != b && atA.SL != r.SL(lid[a], lid[b]) {
					other++
				}
			}
		}
	}
	if other == 0 {
		t.Error("all LIDs of a NIC have the level of the first: the test sees nothing")
	}
}

// TestDumpsOfTheRealOpenSMAreSimulated: the tables, SL2VL tables and path records that OpenSM 3.3.23 wrote on a torus of 4x4,
// by engines that need lanes. Without the path records the same tables have a credit loop, or drop packets.
func TestDumpsOfTheRealOpenSMAreSimulated(t *testing.T) {
	at, err := filepath.Abs("../test/routetest/testdata/torus2d-4x4")
	if err != nil {
		t.Fatal(err)
	}
	times := map[string]bool{}
	for _, engine := range []string{"sa-torus2qos", "sa-dfsssp", "sa-lash", "sa-nue0"} {
		text := func(more string) string {
			return fmt.Sprintf(`
cluster: {node: {preset: dgx-h100, gpus: 1, nics: 1, nic: {rate: 100Gbps}}}
topology: {file: %[1]s/topo.gz}
fabric: {preset: infiniband-edr, routing: {tables: [%[1]s/%[2]s.lfts.gz%[3]s]}, ib: {vls: 8}}
workload: {pattern: permutation, sizes: [256KiB]}
`, at, engine, strings.ReplaceAll(more, "ENGINE", at+"/"+engine))
		}
		whole := resolveIn(t, t.TempDir(), text(", ENGINE.sl2vl.gz, ENGINE.paths.gz"))
		if r := whole.Fabrics[0].Routing; len(r.Levels) != 32 || len(r.LevelLanes) != 16 || len(r.NICLanes) != 32 {
			t.Errorf("%s: %d rows of levels, SL2VL tables of %d switches and %d NICs", engine, len(r.Levels), len(r.LevelLanes), len(r.NICLanes))
		}
		times[fmt.Sprint(timeOf(t, whole))] = true
		if engine == "sa-torus2qos" {
			continue // its SL2VL tables break the loops of level 0
		}
		bare := resolveIn(t, t.TempDir(), text(""))
		if _, err := sim.Run(t.Context(), bare, sim.Options{}); engine != "sa-nue0" && (err == nil || !strings.Contains(err.Error(), "add the file with them")) {
			t.Errorf("%s without levels: %v", engine, err)
		}
	}
	if len(times) < 3 {
		t.Errorf("four engines take %v: the tables have no effect", times)
	}
}
