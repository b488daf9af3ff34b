package format

import (
	"os"
	"testing"

	"weft/internal/ib/subnet"
	"weft/units"
)

// open opens a file that OpenSM or ibnetdiscover wrote about a two-level fat
// tree of 4 leaves, 4 spines and 16 hosts.
func open(t testing.TB, name string) *os.File {
	t.Helper()
	f, err := os.Open("testdata/ft2-16/" + name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

func ft216(t testing.TB) *subnet.Subnet {
	t.Helper()
	s, report, err := ReadTopo("ibnetdiscover.topo", open(t, "ibnetdiscover.topo"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(report.Skipped)+len(report.Notes) > 0 {
		t.Errorf("remarks on a file without oddities: %+v", report)
	}
	return s
}

func TestATopologyIsReadWhole(t *testing.T) {
	s := ft216(t)
	if len(s.Nodes) != 24 || s.Switches() != 8 {
		t.Fatalf("%d nodes and %d switches, want 24 and 8", len(s.Nodes), s.Switches())
	}
	if faults := s.Check(); len(faults) > 0 {
		t.Errorf("faults in a sound fabric: %v", faults)
	}
	leaf := &s.Nodes[0]
	if leaf.Name != "leaf4" || leaf.GUID != 0x0002c90200400020 || leaf.NumPorts() != 8 || leaf.Ports[0].LID != 11 || leaf.VendorID != 0x2c9 || leaf.DeviceID != 0xcf08 {
		t.Errorf("the first node is %+v", leaf)
	}
	far := s.Peer(subnet.End{Node: 0, Port: 5})
	if got := s.EndName(far); got != `"spine1" port 4` {
		t.Errorf("port 5 of leaf4 leads to %s, want spine1 port 4", got)
	}
	if got, want := s.Port(far).Link, (subnet.Link{Width: 4, Speed: subnet.EDR}); got != want {
		t.Errorf("its link is %v, want %v", got, want)
	}
	if got := s.EndName(s.Origin); got != `"h001 HCA-1" port 1` {
		t.Errorf("discovered from %s, want h001 HCA-1 port 1", got)
	}
}

func TestTablesMatrixAndLIDsOfOneSubnetAgree(t *testing.T) {
	s := ft216(t)
	lfts, _, err := ReadLFTs("opensm-lfts.dump", open(t, "opensm-lfts.dump"), s)
	if err != nil {
		t.Fatal(err)
	}
	ranges, _, err := ReadGUID2LID("guid2lid", open(t, "guid2lid"))
	if err != nil {
		t.Fatal(err)
	}
	byTables, byRanges := s.Clone(), s.Clone()
	if n := lfts.Assign(byTables) + AssignLIDs(byRanges, ranges); n > 0 {
		t.Errorf("%d LIDs of ports that are not in the subnet", n)
	}
	for i := range s.Nodes {
		for j := range s.Nodes[i].Ports {
			a, b := byTables.Nodes[i].Ports[j].LID, byRanges.Nodes[i].Ports[j].LID
			if a != b {
				t.Errorf("node %d port %d has LID %d by its tables and %d by guid2lid", i, j, a, b)
			}
		}
	}
	hops, _, err := ReadLIDMatrix("opensm-lid-matrix.dump", open(t, "opensm-lid-matrix.dump"), byTables)
	if err != nil {
		t.Fatal(err)
	}
	// A table follows the least hops: that is what minhop means.
	owners := byTables.Owners()
	for sw := range lfts.Tables.Switch {
		for lid := units.LID(1); lid <= lfts.Tables.Top; lid++ {
			end := owners[lid]
			if !end.Exists() || s.Nodes[end.Node].Kind != subnet.Switch {
				continue
			}
			dst := lfts.Tables.Dense[end.Node]
			if row := hops.At[sw][dst]; row[lfts.Tables.LFT[sw][lid]] != row[0] {
				t.Errorf("switch %d sends LID %d through port %d with %d hops, the least is %d", sw, lid, lfts.Tables.LFT[sw][lid], row[lfts.Tables.LFT[sw][lid]], row[0])
			}
		}
	}
}
