package route_test

import (
	"reflect"
	"strings"
	"testing"

	"weft/internal/base/topology"
	"weft/internal/ib/route"
	"weft/internal/ib/subnet"
	"weft/internal/test/routetest"
)

// OpenSM 3.3.23 needs 9 lanes for dfsssp on a torus of 5x5x5 and falls back to minhop. Weft
// breaks cycles in another order and cannot know this; the report says that it does not.
func TestTheReportSaysWhichTablesOfOpenSMAreUnpredictable(t *testing.T) {
	torus := built(t, topology.Torus{Dims: []int{5, 5, 5}, SwitchEndpoints: 1})
	tree := routetest.Fabric(t, "ft3-k8-128")
	for _, c := range []struct {
		what  string
		e     route.Name
		torus bool
		lanes int
		used  route.Name
		why   string // of Unpredictable, "" for none
	}{
		{"dfsssp on a torus", "dfsssp", true, 8, "minhop", "order in which it looks for cycles"},
		{"dfsssp on a torus with enough lanes", "dfsssp", true, 15, "dfsssp", "takes tables of minhop"},
		{"dfsssp on a torus with too few lanes", "dfsssp", true, 2, "minhop", "order in which it looks for cycles"},
		{"dfsssp on a tree", "dfsssp", false, 8, "dfsssp", ""},
		{"lash on a tree", "lash", false, 8, "lash", "weft's own tables of lash"},
		{"lash with too few lanes", "lash", true, 1, "minhop", "the number that its lash needs"},
		{"an engine that OpenSM does not have", "dragonfly", true, 8, "minhop", ""},
		{"minhop", "minhop", true, 8, "minhop", ""},
		{"updn", "updn", false, 8, "updn", ""},
	} {
		s := tree
		if c.torus {
			s = torus
		}
		r, err := route.Compute(s, c.e, route.Options{AsOpenSM: true, Lanes: c.lanes})
		if err != nil {
			t.Fatalf("%s: %v", c.what, err)
		}
		if got := r.Report.Unpredictable; r.Report.Used != c.used || (got == "") != (c.why == "") || !strings.Contains(got, c.why) {
			t.Errorf("%s: tables of %s, not predicted: %q", c.what, r.Report.Used, got)
		}
	}
	own, err := route.Compute(tree, "lash", route.Options{})
	if err != nil || own.Report.Unpredictable != "" {
		t.Errorf("weft's own tables are not predicted: %q (%v)", own.Report.Unpredictable, err)
	}
}

// OpenSM uses minhop unless it is given an engine; auto with AsOpenSM does the same.
func TestAutoAsOpenSMIsItsDefault(t *testing.T) {
	s := routetest.Fabric(t, "ft3-k8-128")
	want := routetest.Tables(t, s, "ft3-k8-128", "minhop", false)
	for _, engine := range []func(*subnet.Subnet, route.Name, route.Options) (*route.Result, error){route.Compute, route.Proved} {
		got, err := engine(s, route.Auto, route.Options{AsOpenSM: true})
		if err != nil {
			t.Fatal(err)
		}
		if got.Report.Used != "minhop" || !reflect.DeepEqual(got.LFT, want.LFT) {
			t.Errorf("tables of %s, which differ from OpenSM's default: %v", got.Report.Used, !reflect.DeepEqual(got.LFT, want.LFT))
		}
	}
}

// With an LMC a switch still has one LID, even if its port 0 is enhanced: OpenSM's
// lmc_esp0 is FALSE by default.
func TestAnEnhancedPort0HasOneLID(t *testing.T) {
	theirs := routetest.Fabric(t, "ft2-16")
	want := routetest.Tables(t, theirs, "ft2-16", "minhop+lmc2", false)
	for _, keeping := range []bool{false, true} {
		s := theirs.Clone()
		for i := range s.Nodes {
			s.Nodes[i].Enhanced = true
			for p := range s.Nodes[i].Ports {
				s.Nodes[i].Ports[p].LID, s.Nodes[i].Ports[p].LMC = 0, 0
			}
		}
		err := s.AssignLIDs(2)
		if keeping {
			err = s.AssignLIDsKeeping(2, nil)
		}
		if err != nil {
			t.Fatal(err)
		}
		for i := range s.Nodes {
			for p := range s.Nodes[i].Ports {
				if a, b := &s.Nodes[i].Ports[p], &theirs.Nodes[i].Ports[p]; !keeping && (a.LID != b.LID || a.LMC != b.LMC) {
					t.Errorf("port %d of %s has LID %d and LMC %d, OpenSM gives %d and %d", p, s.Nodes[i].Name, a.LID, a.LMC, b.LID, b.LMC)
				}
			}
			if a := &s.Nodes[i].Ports[0]; s.Nodes[i].Enhanced && a.LID > 0 && a.LMC != 0 {
				t.Errorf("keeping %v: switch %s has LMC %d", keeping, s.Nodes[i].Name, a.LMC)
			}
		}
		if keeping {
			continue
		}
		got, err := route.Compute(s, "minhop", route.Options{AsOpenSM: true})
		if err != nil || !reflect.DeepEqual(got.LFT, want.LFT) {
			t.Errorf("tables differ from OpenSM's (%v)", err)
		}
	}
}
