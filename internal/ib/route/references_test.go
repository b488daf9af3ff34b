package route_test

import (
	"reflect"
	"strings"
	"testing"

	"weft/internal/ib/route"
	"weft/internal/test/routetest"
	"weft/units"
)

// rootsOf is the beginning of the names of the roots that OpenSM was given, by fabric, for
// references with roots in their names. Without an entry the root is the first switch.
var rootsOf = map[string]string{"ft2-16": "spine", "ft3-k8-128": "c"}

// TestTablesEqualTheReferences routes the reference fabrics with the LIDs that
// weft gives out, and compares LIDs, tables and hop counts with those of OpenSM,
// entry for entry.
func TestTablesEqualTheReferences(t *testing.T) {
	compared := 0
	for _, fabric := range routetest.Fabrics {
		for _, name := range []string{
			"minhop", "minhop+lmc1", "minhop+lmc2", "updn", "updn+roots", "updn+lmc2", "dnup", "dor", "dor+lmc1", "ftree", "ftree+roots", "ftree+lmc2",
		} {
			if !routetest.Has(fabric, name) {
				continue
			}
			compared++
			t.Run(fabric+"/"+name, func(t *testing.T) { compareReference(t, fabric, name) })
		}
	}
	if compared < 30 {
		t.Errorf("%d references were compared, expected more than 30", compared)
	}
}

func compareReference(t *testing.T, fabric, name string) {
	theirs := routetest.Fabric(t, fabric)
	want := routetest.Tables(t, theirs, fabric, name, false)
	s := theirs.Clone()
	lmc := uint8(0)
	if _, n, ok := strings.Cut(name, "+lmc"); ok {
		lmc = n[0] - '0'
	}
	if err := s.AssignLIDs(lmc); err != nil {
		t.Fatal(err)
	}
	for i := range s.Nodes {
		for p := range s.Nodes[i].Ports {
			if a, b := s.Nodes[i].Ports[p].LID, theirs.Nodes[i].Ports[p].LID; a != b {
				t.Fatalf("port %d of %s has LID %d, OpenSM gave it %d", p, s.Nodes[i].Name, a, b)
			}
		}
	}
	o := route.Options{AsOpenSM: true}
	if strings.HasSuffix(name, "+roots") {
		o.Roots = referenceRoots(t, fabric)
	}
	e, _, _ := strings.Cut(name, "+")
	got, err := route.Compute(s, route.Name(e), o)
	if err != nil {
		t.Fatal(err)
	}
	differ := 0
	for i := range want.LFT {
		for lid := range want.LFT[i] {
			if got.LFT[i][lid] != want.LFT[i][lid] {
				differ++
			}
		}
	}
	if differ > 0 {
		t.Errorf("%d entries of forwarding tables differ from OpenSM's", differ)
	}
	if hops := routetest.Hops(t, theirs, fabric, name); hops != nil && !reflect.DeepEqual(hops, got.Hops()) {
		t.Error("hop counts differ from OpenSM's LID matrix")
	}
}

func referenceRoots(t *testing.T, fabric string) []units.GUID {
	t.Helper()
	s := routetest.Fabric(t, fabric)
	var roots []units.GUID
	prefix, many := rootsOf[fabric]
	for i := range s.Nodes {
		if n := &s.Nodes[i]; many && strings.HasPrefix(n.Name, prefix) {
			roots = append(roots, n.GUID)
		}
	}
	if !many {
		roots = []units.GUID{0x0002c90200400008}
	}
	return roots
}
