package route_test

import (
	"errors"
	"os"
	"testing"

	"weft/internal/ib/proof"
	"weft/internal/ib/route"
	"weft/internal/ib/subnet"
)

// tables are the forwarding tables that an OpenSM wrote. The subnet must have
// its LIDs.
func (d *dump) tables(s *subnet.Subnet) *subnet.Tables {
	t := subnet.NewTables(s)
	for i, node := range t.Switch {
		for lid, port := range d.lft[s.Nodes[node].GUID] {
			t.LFT[i][lid] = port
		}
	}
	return t
}

// TestLoadsAreNoWorseThanThoseOfTheRealOpenSM draws random fabrics, has the real
// OpenSM route them, and compares path lengths and the most loaded cable in
// all-to-all, rings and shifts. WEFT_OPENSM_SEEDS=from-to selects other seeds.
func TestLoadsAreNoWorseThanThoseOfTheRealOpenSM(t *testing.T) {
	needOpenSM(t)
	compared := 0
	first, last := seedsOf(t, 20)
	only := os.Getenv("WEFT_OPENSM_ENGINE")
	for seed := first; seed <= last; seed++ {
		d := draw(seed)
		if !d.s.Origin.Exists() {
			continue
		}
		for _, name := range []route.Name{"sssp", "dfsssp", "lash"} {
			if only != "" && only != string(name) {
				continue
			}
			s := d.s.Clone()
			if err := s.AssignLIDs(0); err != nil {
				t.Fatal(err)
			}
			osm := bringUp(t, s, "-R", string(name), "-Q")
			got, err := route.Compute(s, name, route.Options{})
			var refusal *route.Refusal
			switch {
			case errors.As(err, &refusal) && osm.used != string(name):
				continue // both give up
			case err != nil:
				t.Errorf("%s, %s: %v; OpenSM uses %s", d.name, name, err, osm.used)
				continue
			case osm.used != string(name):
				continue // only OpenSM gives up
			}
			compared++
			theirs, ours := check(t, s, osm.tables(s)), check(t, s, got.Tables)
			compareLoads(t, d.name+", "+string(name), ours, theirs)
			if name != "sssp" && !ours.Proven() {
				t.Errorf("%s, %s: %+v", d.name, name, ours)
			}
		}
	}
	if compared < int(last-first)/2 {
		t.Errorf("only %d fabrics compared: OpenSM uses other engines on the rest", compared)
	}
}

func compareLoads(t *testing.T, what string, ours, theirs *proof.Report) {
	t.Helper()
	if ours.Detours() > theirs.Detours() || ours.EndToEnd.Arrive < theirs.EndToEnd.Arrive {
		t.Errorf("%s: %+v, %+v, OpenSM's %+v, %+v", what, ours.EndToEnd, ours.Lengths, theirs.EndToEnd, theirs.Lengths)
	}
	if ours.Balance.Max > theirs.Balance.Max {
		t.Errorf("%s: the most loaded cable has %d paths, OpenSM's %d", what, ours.Balance.Max, theirs.Balance.Max)
	}
	for i, p := range ours.Patterns {
		if q := theirs.Patterns[i]; p.Contention > q.Contention {
			t.Errorf("%s: %s %.3g, OpenSM's %.3g", what, p.Name, p.Contention, q.Contention)
		}
	}
}
