package sim_test

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"weft/internal/ib/format"
	"weft/internal/ib/route"
	"weft/internal/ib/subnet"
	"weft/internal/sim/routing"
	"weft/internal/sim/run/control"
	"weft/internal/sim/run/network"
)

// manyFlows is messages between NICs of all leaves that begin after a recovery, each in several connections.
func manyFlows() string {
	var text strings.Builder
	for i := range 32 {
		fmt.Fprintf(&text, "{src: %d, dst: %d, bytes: 256KiB, start: 1s}, ", i, (i+13)%32)
	}
	return fmt.Sprintf("workload: {pattern: flows, flows: [%s]}\n", text.String())
}

// onBroken is a scenario on a file's fabric with its tables, with more text for routing and behind it.
func onBroken(lids, more string) string {
	text := fmt.Sprintf(onTables, "{file: real.topo}", ", tables: tables"+lids, ", ib: {engine: minhop}, transport: {qps-per-connection: 4}")
	return text[:strings.Index(text, "workload:")] + manyFlows() + more
}

const spineCable = "faults: [{at: 5us, link: leaf0 port 9}]\n"

// portsByLID are the ports of a switch to the LIDs of a NIC, after all changes of a plan.
func portsByLID(p *network.Plan, lids int) map[[2]int][]uint16 {
	all := map[[2]int][]uint16{}
	note := func(sw, dst int, set []uint16) {
		ports := make([]uint16, lids)
		for k := range ports {
			ports[k] = routing.NoPort
			if len(set) > 0 {
				ports[k] = set[k%len(set)]
			}
		}
		all[[2]int{sw, dst}] = ports
	}
	for sw := range p.Tables.Switches {
		for dst := range p.Tables.Endpoints {
			note(sw, dst, p.Tables.Minimal(sw, dst))
		}
	}
	if p.Faults != nil {
		for _, c := range p.Faults.Changes {
			note(int(c.Row), int(c.Dst), c.Ports)
		}
	}
	return all
}

func planIn(t *testing.T, folder, text string) *network.Plan {
	t.Helper()
	r := resolveIn(t, folder, text)
	p, err := control.NewPlan(r, &r.Fabrics[0])
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestFurtherLIDsAreRoutedAroundAFault: after a cable fails, each LID of each NIC has the ports that the engine gives it on
// the fabric without the cable, none of them at the cable, and messages that begin then take as long as on that fabric.
func TestFurtherLIDsAreRoutedAroundAFault(t *testing.T) {
	const tree = "{shape: fat-tree, radix: 16}"
	whole, broken := t.TempDir(), t.TempDir()
	dumped(t, whole, tree, "minhop", 2)
	s, _ := dumped(t, broken, tree, "minhop", 2)
	leaf := slices.IndexFunc(s.Nodes, func(n subnet.Node) bool { return n.Name == "leaf0" })
	at := subnet.End{Node: int32(leaf), Port: 9}
	s.Port(s.Peer(at)).Peer, s.Port(at).Peer = subnet.None, subnet.None
	r, err := route.Proved(s, "minhop", route.Options{})
	if err != nil {
		t.Fatal(err)
	}
	dumpTo(t, broken, "real.topo", func(w io.Writer) error { return format.WriteTopo(w, s) })
	dumpTo(t, broken, "tables/opensm-lfts.dump", func(w io.Writer) error { return format.WriteLFTs(w, s, r.Tables) })

	const spread = ", lids: spread"
	mended, without := planIn(t, whole, onBroken(spread, spineCable)), planIn(t, broken, onBroken(spread, ""))
	got, want := portsByLID(mended, 4), portsByLID(without, 4)
	further := 0 // entries that the fault changes, with other ports for further LIDs than for the first
	before := portsByLID(planIn(t, whole, onBroken(spread, "")), 4)
	for entry, ports := range want {
		if !slices.Equal(got[entry], ports) {
			t.Fatalf("switch %d to NIC %d: ports %v to its LIDs after the fault, %v on the fabric without the cable", entry[0], entry[1], got[entry], ports)
		}
		if entry[0] == 0 && slices.Contains(ports, 8) {
			t.Fatalf("leaf0 still sends to NIC %d by port 9: %v", entry[1], ports)
		}
		if ports[1] != ports[0] && !slices.Equal(before[entry], ports) {
			further++
		}
	}
	if further == 0 {
		t.Error("the fault changes no entry with several ports: the test sees nothing")
	}
	rec := mended.Faults.Control.Recoveries
	if len(rec) != 1 || rec[0].Cut != 0 || rec[0].Open <= 0 || rec[0].Open > rec[0].Last {
		t.Errorf("the recovery is %+v: want open paths between the fault and the last entry", rec)
	}
	a, b := run(t, resolveIn(t, whole, onBroken(spread, spineCable))), run(t, resolveIn(t, broken, onBroken(spread, "")))
	if x, y := a.Fabrics[0].Points[0].Flows, b.Fabrics[0].Points[0].Flows; x != y || x.N == 0 {
		t.Errorf("messages after the recovery take %+v, on the fabric without the cable %+v", x, y)
	}
}

// TestTheTablesOfAScenarioHoldUntilAFault: a fault that comes and goes leaves the tables of the scenario before it and after
// it, though the engine would compute others.
func TestTheTablesOfAScenarioHoldUntilAFault(t *testing.T) {
	folder := t.TempDir()
	dumped(t, folder, "{shape: fat-tree, radix: 16}", "sssp", 2)
	for _, lids := range []string{"", ", lids: spread"} {
		quiet := planIn(t, folder, onBroken(lids, ""))
		flaps := planIn(t, folder, onBroken(lids, "faults: [{at: 5us, until: 500ms, link: leaf0 port 9}]\n"))
		if !slices.Equal(quiet.Tables.Port, flaps.Tables.Port) {
			t.Errorf("%q: before the fault the tables are not the scenario's", lids)
		}
		before, after := portsByLID(quiet, 4), portsByLID(flaps, 4)
		changed := 0
		for entry, ports := range before {
			if !slices.Equal(ports, after[entry]) {
				changed++
			}
		}
		if changed > 0 {
			t.Errorf("%q: %d entries differ from the scenario's after the repair", lids, changed)
		}
		if len(flaps.Faults.Changes) == 0 {
			t.Errorf("%q: the fault changes nothing", lids)
		}
	}
	if own := planIn(t, folder, strings.Replace(onBroken("", ""), ", tables: tables", "", 1)); slices.Equal(own.Tables.Port, planIn(t, folder, onBroken("", "")).Tables.Port) {
		t.Error("the engine's tables are those of the dump: the test sees nothing")
	}
}
