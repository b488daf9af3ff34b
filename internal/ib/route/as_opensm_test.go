package route_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"weft/internal/ib/route"
	"weft/internal/ib/subnet"
	"weft/units"
)

// runs are the engines and options with which the real OpenSM routes each fabric.
var runs = []struct {
	name  string
	e     route.Name
	lmc   uint8
	roots bool
	hosts bool // name the compute nodes
}{
	{"minhop", "minhop", 0, false, false},
	{"minhop lmc 1", "minhop", 1, false, false},
	{"minhop lmc 2", "minhop", 2, false, false},
	{"updn", "updn", 0, false, false},
	{"updn roots", "updn", 0, true, false},
	{"updn lmc 2 roots", "updn", 2, true, false},
	{"dnup", "dnup", 0, false, false},
	{"dnup roots", "dnup", 0, true, false},
	{"dor", "dor", 0, false, false},
	{"dor lmc 1", "dor", 1, false, false},
	{"dor lmc 2", "dor", 2, false, false},
	{"sssp", "sssp", 0, false, false},
	{"sssp lmc 1", "sssp", 1, false, false},
	{"dfsssp", "dfsssp", 0, false, false},
	{"dfsssp lmc 2", "dfsssp", 2, false, false},
	{"ftree", "ftree", 0, false, false},
	{"ftree roots", "ftree", 0, true, false},
	{"ftree roots and compute nodes", "ftree", 0, true, true},
}

// TestTablesEqualThoseOfTheRealOpenSM draws random fabrics, has the real OpenSM
// bring them up over the real ibsim, and compares LIDs, tables and hop counts
// entry by entry. WEFT_OPENSM_SEEDS=from-to selects other seeds.
func TestTablesEqualThoseOfTheRealOpenSM(t *testing.T) {
	needOpenSM(t)
	first, last := seedsOf(t, 8)
	only := os.Getenv("WEFT_OPENSM_ENGINE")
	for seed := first; seed <= last; seed++ {
		d := draw(seed)
		if !d.s.Origin.Exists() {
			continue
		}
		for _, r := range runs {
			if only != "" && only != string(r.e) {
				continue
			}
			t.Run(d.name+"/"+r.name, func(t *testing.T) {
				s := d.s.Clone()
				args := []string{"-R", string(r.e), "-l", strconv.Itoa(int(r.lmc))}
				o := route.Options{AsOpenSM: true}
				if r.roots {
					if len(d.roots) == 0 {
						t.Skip("the fabric has no roots")
					}
					o.Roots = d.roots
					args = append(args, "-a", guidFile(t, d.roots))
				}
				if r.hosts {
					o.ComputeNodes = d.compute
					args = append(args, "-u", guidFile(t, d.compute))
				}
				want := bringUp(t, s, args...)
				if err := s.AssignLIDs(r.lmc); err != nil {
					t.Fatal(err)
				}
				got, err := route.Compute(s, r.e, o)
				if err != nil {
					t.Fatal(err)
				}
				if i := slices.IndexFunc(got.Report.Notes, dependsOnMemory); i >= 0 {
					t.Skipf("the report says that weft cannot predict OpenSM's tables: %s", got.Report.Notes[i])
				}
				if string(got.Report.Used) != want.used && got.Report.Unpredictable != "" {
					t.Skipf("OpenSM uses %s, and the report says that weft does not predict this: %s", want.used, got.Report.Unpredictable)
				}
				compare(t, s, got, want)
			})
		}
	}
}

// seedsOf is the range of seeds of the drawn fabrics: 1 to last, or the range in
// WEFT_OPENSM_SEEDS.
func seedsOf(t *testing.T, last uint64) (from, to uint64) {
	t.Helper()
	seeds := os.Getenv("WEFT_OPENSM_SEEDS")
	if seeds == "" {
		return 1, last
	}
	a, b, _ := strings.Cut(seeds, "-")
	from, err1 := strconv.ParseUint(a, 10, 64)
	to, err2 := strconv.ParseUint(b, 10, 64)
	if err1 != nil || err2 != nil {
		t.Fatalf("WEFT_OPENSM_SEEDS=%s: expected FROM-TO", seeds)
	}
	return from, to
}

// TestLeavesCabledToEachOtherAreRoutedAsByTheRealOpenSM compares ftree's tables on
// trees with cables between leaves. It skips a tree if the report says that OpenSM's
// order of hosts is not known.
func TestLeavesCabledToEachOtherAreRoutedAsByTheRealOpenSM(t *testing.T) {
	needOpenSM(t)
	first, last := seedsOf(t, 24)
	equal := 0
	for seed := first; seed <= last; seed++ {
		d := drawCrossed(seed)
		if !d.s.Origin.Exists() {
			continue
		}
		for _, roots := range []bool{false, true} {
			var args []string
			o := route.Options{AsOpenSM: true}
			if roots {
				o.Roots = d.roots
				args = []string{"-a", guidFile(t, d.roots)}
			}
			s := d.s.Clone()
			if err := s.AssignLIDs(0); err != nil {
				t.Fatal(err)
			}
			got, err := route.Compute(s, "ftree", o)
			if err != nil {
				t.Fatal(err)
			}
			if slices.ContainsFunc(got.Report.Notes, dependsOnMemory) {
				continue
			}
			t.Run(fmt.Sprintf("%s, roots %v", d.name, roots), func(t *testing.T) {
				compare(t, s, got, bringUp(t, s, append(args, "-R", "ftree")...))
			})
			if got.Report.Used == "ftree" {
				equal++
			}
		}
	}
	if equal < int(last-first)/4 {
		t.Errorf("of %d trees only %d could be compared", last-first+1, equal)
	}
}

func dependsOnMemory(note string) bool { return strings.Contains(note, "depends on its memory") }

func guidFile(t *testing.T, guids []units.GUID) string {
	t.Helper()
	var b strings.Builder
	for _, g := range guids {
		b.WriteString(g.String() + "\n")
	}
	file := filepath.Join(t.TempDir(), "guids")
	if err := os.WriteFile(file, []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	return file
}

// compare fails the test for each kind of difference and shows the first entries that differ.
func compare(t *testing.T, s *subnet.Subnet, got *route.Result, want *dump) {
	t.Helper()
	if string(got.Report.Used) != want.used {
		t.Errorf("engine used: %s (%s), OpenSM used %s", got.Report.Used, got.Report.Reason, want.used)
	}
	for i := range s.Nodes {
		for p := range s.Nodes[i].Ports {
			if port := &s.Nodes[i].Ports[p]; port.LID != want.lids[port.GUID] && port.LID != 0 {
				t.Fatalf("port %v has LID %d, OpenSM gave it %d", port.GUID, port.LID, want.lids[port.GUID])
			}
		}
	}
	differ := 0
	for i, sw := range got.Switch {
		for lid := 1; lid <= int(got.Top); lid++ {
			port, known := want.lft[s.Nodes[sw].GUID][units.LID(lid)]
			if !known {
				port = subnet.NoPort
			}
			if got.LFT[i][lid] != port {
				if differ++; differ <= 3 {
					t.Errorf("%s (%v) sends LID %d to port %d, OpenSM to %d", s.Nodes[sw].Name, s.Nodes[sw].GUID, lid, got.LFT[i][lid], port)
				}
			}
		}
	}
	if differ > 0 {
		t.Errorf("%d entries of forwarding tables differ", differ)
	}
	compareHops(t, s, got, want)
}

func compareHops(t *testing.T, s *subnet.Subnet, got *route.Result, want *dump) {
	t.Helper()
	hops := got.Hops()
	dense := got.Dense
	owners := s.Owners()
	for _, from := range got.Switch {
		for lid, row := range want.hops[s.Nodes[from].GUID] {
			if ours := hops.Row(s, dense, from, lid, owners[lid]); !slices.Equal(ours, row) {
				t.Errorf("%s is %d hops from LID %d, OpenSM's matrix has %d", s.Nodes[from].Name, ours, lid, row)
				return
			}
		}
		for lid := range hops.Other {
			if _, known := want.hops[s.Nodes[from].GUID][lid]; !known {
				t.Errorf("OpenSM's matrix has no hops from %s to LID %d", s.Nodes[from].Name, lid)
				return
			}
		}
	}
	for i, from := range got.Switch {
		for k, to := range got.Switch {
			lid := s.Nodes[to].Ports[0].LID
			row, known := want.hops[s.Nodes[from].GUID][lid]
			if !known && hops.At[i][k][0] == 255 {
				continue // OpenSM leaves out rows without a path
			}
			if !slices.Equal(hops.At[i][k], row) {
				t.Errorf("%s is %d hops from %s (LID %d), OpenSM's matrix has %d", s.Nodes[from].Name, hops.At[i][k], s.Nodes[to].Name, lid, row)
				return
			}
		}
	}
}
