package proof_test

import (
	"strings"
	"testing"

	"weft/internal/ib/proof"
	"weft/internal/ib/subnet"
	"weft/internal/test/routetest"
	"weft/units"
)

// healthy are tables of OpenSM that lack only paths between switches' own LIDs.
var healthy = []struct{ fabric, engine string }{
	{"ft2-16", "updn"},
	{"ft2-16", "updn+roots"},
	{"ft2-16", "dnup"},
	{"ft2-16", "ftree"},
	{"ft3-k8-128", "updn"},
	{"ft3-k8-128", "updn+roots"},
	{"ft3-k8-128", "ftree"},
	{"ft3-k8-128", "ftree+roots"},
	{"ft3-k8-128", "dnup"},
}

func checked(t *testing.T, s *subnet.Subnet, tables *subnet.Tables, o proof.Options) *proof.Report {
	t.Helper()
	r, err := proof.Check(s, tables, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestMissingPathsBetweenSwitchesAreAWarning(t *testing.T) {
	for _, h := range healthy {
		s := routetest.Fabric(t, h.fabric)
		tables := routetest.Tables(t, s, h.fabric, h.engine, false)
		r := checked(t, s, tables, proof.Options{})
		if lost := r.BetweenSwitches.Lost; lost == 0 || lost != r.FromSwitches.Lost {
			t.Errorf("%s/%s: %d paths between switches are lost, %d from switches", h.fabric, h.engine, lost, r.FromSwitches.Lost)
		}
		if w := r.Warnings(); !r.Proven() || len(w) != 1 || !strings.Contains(w[0], "between switches' own LIDs") {
			t.Errorf("%s/%s: refuted %v, warnings %v", h.fabric, h.engine, r.Refutations(), w)
		}
	}
}

// Without an entry for a host's LID, traps and answers of management are lost.
func TestAMissingPathFromASwitchToAHostRefutes(t *testing.T) {
	s := routetest.Fabric(t, "ft2-16")
	tables := routetest.Tables(t, s, "ft2-16", "ftree", false)
	for i, node := range tables.Switch {
		if n := &s.Nodes[node]; strings.HasPrefix(n.Name, "spine") {
			tables.LFT[i][s.Port(s.Origin).LID] = subnet.NoPort
		}
	}
	if r := checked(t, s, tables, proof.Options{}); r.Proven() {
		t.Error("no spine has a path to the manager, yet the tables are proven")
	}
}

func TestALIDThatTheDumpLeavesOutIsNotJudged(t *testing.T) {
	s := routetest.Fabric(t, "ft2-16")
	tables := routetest.Tables(t, s, "ft2-16", "minhop", false)
	top := s.TopLID()
	for i := range tables.LFT {
		tables.LFT[i][top] = subnet.NoPort
	}
	if r := checked(t, s, tables, proof.Options{}); r.Proven() {
		t.Error("tables without an entry for a host are proven although the dump is complete")
	}
	r := checked(t, s, tables, proof.Options{Unsaid: top})
	if w := r.Warnings(); !r.Proven() || len(w) != 1 || !strings.Contains(w[0], "LID 24") {
		t.Errorf("refuted %v, warnings %v", r.Refutations(), w)
	}
	if want := int64(r.Ends-1) * int64(r.Ends-1); r.EndToEnd.Pairs != want {
		t.Errorf("%d pairs of ends were judged, expected %d", r.EndToEnd.Pairs, want)
	}
}

// No tables have fewer flows on the worst cable than the bound; ftree on a whole tree of
// two levels reaches the bound.
func TestShiftsHaveABoundThatNoTablesGetUnder(t *testing.T) {
	for _, v := range routetest.Verdicts(t) {
		s := routetest.Fabric(t, v.Fabric)
		r := checked(t, s, routetest.Tables(t, s, v.Fabric, v.Engine, false), proof.Options{})
		if len(r.Shifts) != r.Ends-1 {
			t.Fatalf("%s/%s: %d shifts of %d ends", v.Fabric, v.Engine, len(r.Shifts), r.Ends)
		}
		sum, mean := 0, 0.0
		for i, x := range r.Shifts {
			if x.By != i+1 || x.Least > x.Flows || x.Least < 0 {
				t.Errorf("%s/%s: %+v", v.Fabric, v.Engine, x)
			}
			sum += x.Flows
		}
		for _, p := range r.Patterns {
			if p.Name == "shift: mean" {
				mean = p.Contention
			}
		}
		if got := float64(sum) / float64(len(r.Shifts)); got != mean {
			t.Errorf("%s/%s: shifts have %g flows in the mean, the pattern %g", v.Fabric, v.Engine, got, mean)
		}
	}
	s := routetest.Fabric(t, "ft2-16")
	for _, x := range checked(t, s, routetest.Tables(t, s, "ft2-16", "ftree", false), proof.Options{}).Shifts {
		if x.Flows != x.Least {
			t.Errorf("ftree on a whole tree: %+v", x)
		}
	}
	// Three hosts on one switch and one cable: three flows leave it at once.
	star := &subnet.Subnet{Origin: subnet.None}
	for i := range 2 {
		star.Add(subnet.Node{Kind: subnet.Switch, GUID: units.GUID(i + 1)}, 4)
		star.Nodes[i].Ports[0].GUID = units.GUID(i + 1)
	}
	star.Connect(subnet.End{Node: 0, Port: 4}, subnet.End{Node: 1, Port: 4}, subnet.Link{})
	for i := range 6 {
		at := star.Add(subnet.Node{Kind: subnet.Adapter, GUID: units.GUID(16 + 2*i), Name: string(rune('a' + i))}, 1)
		star.Nodes[at].Ports[1].GUID = units.GUID(17 + 2*i)
		star.Connect(subnet.End{Node: at, Port: 1}, subnet.End{Node: int32(i / 3), Port: uint16(i%3 + 1)}, subnet.Link{})
	}
	if err := star.AssignLIDs(0); err != nil {
		t.Fatal(err)
	}
	for _, x := range checked(t, star, subnet.NewTables(star), proof.Options{}).Shifts {
		if want := min(x.By, 6-x.By); x.Least != want {
			t.Errorf("shift by %d: bound %d, expected %d", x.By, x.Least, want)
		}
	}
}

// Hosts of one switch load no cable between switches: patterns name no worst cable.
func TestPatternsWithoutACableBetweenSwitchesNameNone(t *testing.T) {
	s := &subnet.Subnet{Origin: subnet.None}
	for i := range 2 { // the second switch has no host
		s.Add(subnet.Node{Kind: subnet.Switch, GUID: units.GUID(i + 1)}, 4)
		s.Nodes[i].Ports[0].GUID = units.GUID(i + 1)
	}
	s.Connect(subnet.End{Node: 0, Port: 4}, subnet.End{Node: 1, Port: 4}, subnet.Link{})
	for i := range 3 {
		s.Add(subnet.Node{Kind: subnet.Adapter, GUID: units.GUID(10 + i), Name: string(rune('a' + i))}, 1)
		s.Nodes[2+i].Ports[1].GUID = units.GUID(20 + i)
		s.Connect(subnet.End{Node: int32(2 + i), Port: 1}, subnet.End{Node: 0, Port: uint16(1 + i)}, subnet.Link{})
	}
	if err := s.AssignLIDs(0); err != nil {
		t.Fatal(err)
	}
	tables := subnet.NewTables(s)
	for i := range 3 {
		lid := s.Nodes[2+i].Ports[1].LID
		tables.LFT[0][lid], tables.LFT[1][lid] = uint8(1+i), 4
	}
	r := checked(t, s, tables, proof.Options{})
	if len(r.Patterns) < 3 {
		t.Fatalf("patterns: %+v", r.Patterns)
	}
	for _, p := range r.Patterns {
		if p.Worst != subnet.None || p.Bandwidth != 1 {
			t.Errorf("%s: %+v, and all hosts are on one switch", p.Name, p)
		}
	}
}
