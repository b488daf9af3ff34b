package infiniband

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"weft/internal/base/cabling"
	"weft/internal/base/cabling/planfile"
	"weft/internal/study/cablediff"
)

// plug is a port of a device.
type plug struct{ device, port string }

// fourLeaves is a fabric of four leaves with four hosts each and two spines, two cables between each leaf and spine.
func fourLeaves() (cables [][2]plug) {
	for leaf := range 4 {
		name := fmt.Sprintf("leaf%d", leaf)
		for h := range 4 {
			cables = append(cables, [2]plug{{fmt.Sprintf("gpu%d", 4*leaf+h), "ens1"}, {name, fmt.Sprintf("Ethernet%d", 8*h)}})
		}
		for s := range 2 {
			for k := range 2 {
				cables = append(cables, [2]plug{{name, fmt.Sprintf("Ethernet%d", 128+16*s+8*k)}, {fmt.Sprintf("spine%d", s), fmt.Sprintf("Ethernet%d", 16*leaf+8*k)}})
			}
		}
	}
	return cables
}

// asNetBox is the cables as NetBox exports them.
func asNetBox(cables [][2]plug) string {
	var b strings.Builder
	b.WriteString("id,side_a_device,side_a_type,side_a_name,side_b_device,side_b_type,side_b_name,type,status,length,length_unit\n")
	for i, c := range cables {
		fmt.Fprintf(&b, "%d,%s,dcim.interface,%s,%s,dcim.interface,%s,aoc,connected,5,m\n", i+1, strings.ToUpper(c[0].device), c[0].port, strings.ToUpper(c[1].device), c[1].port)
	}
	return b.String()
}

// asLLDP is what each switch sees, as lldpctl -f json prints it.
func asLLDP(cables [][2]plug) fstest.MapFS {
	seen := map[string][]string{}
	for _, c := range cables {
		for _, e := range [2][2]plug{{c[0], c[1]}, {c[1], c[0]}} {
			if !strings.HasPrefix(e[0].device, "gpu") {
				seen[e[0].device] = append(seen[e[0].device], fmt.Sprintf(`{"%s": {"via": "LLDP", "chassis": {"%s": {"id": {"type": "mac", "value": "00:00:00:00:00:01"}}}, "port": {"id": {"type": "ifname", "value": "%s"}}}}`, e[0].port, e[1].device, e[1].port))
			}
		}
	}
	files := fstest.MapFS{}
	for device, all := range seen {
		files[device+"/lldp.json"] = &fstest.MapFile{Data: []byte(`{"lldp": {"interface": [` + strings.Join(all, ",\n") + `]}}`)}
	}
	return files
}

// A plan from NetBox against what the switches see by LLDP: each planted fault is one finding, and a clean fabric has none.
func TestPlantedFaultsBetweenNetBoxAndLLDP(t *testing.T) {
	at := func(cables [][2]plug, device, port string) (i, end int) {
		for i, c := range cables {
			if end := slices.Index(c[:], plug{device, port}); end >= 0 {
				return i, end
			}
		}
		t.Fatalf("no cable at %s %s", device, port)
		return 0, 0
	}
	cross := func(cables [][2]plug, a, aPort, b, bPort string) {
		i, x := at(cables, a, aPort)
		j, y := at(cables, b, bPort)
		cables[i][x], cables[j][y] = cables[j][y], cables[i][x]
	}
	for _, c := range []struct {
		name   string
		plant  func(cables [][2]plug) [][2]plug
		kind   cablediff.Kind
		action string
	}{
		{"clean", func(cables [][2]plug) [][2]plug { return cables }, "", ""},
		{"crossed uplinks", func(cables [][2]plug) [][2]plug {
			cross(cables, "leaf1", "Ethernet128", "leaf1", "Ethernet144")
			return cables
		}, cablediff.Swapped, "exchange the plugs at leaf1 of Ethernet128 and Ethernet144"},
		{"crossed uplinks of two leaves", func(cables [][2]plug) [][2]plug {
			cross(cables, "leaf1", "Ethernet128", "leaf3", "Ethernet152")
			return cables
		}, cablediff.Swapped, "exchange the plugs of"},
		{"a dead spine port", func(cables [][2]plug) [][2]plug {
			i, _ := at(cables, "spine1", "Ethernet40")
			return slices.Delete(cables, i, i+1)
		}, cablediff.Missing, "connect"},
		{"a plug in another port, whose own is empty", func(cables [][2]plug) [][2]plug {
			i, x := at(cables, "leaf2", "Ethernet136")
			cables[i][x].port = "Ethernet200"
			return cables
		}, cablediff.Moved, "move the plug at leaf2 from Ethernet200 to Ethernet136"},
		{"a host on another leaf", func(cables [][2]plug) [][2]plug {
			i, x := at(cables, "leaf0", "Ethernet8")
			cables[i][x] = plug{"leaf3", "Ethernet64"}
			return cables
		}, cablediff.Moved, "move the plug from leaf3 Ethernet64 to LEAF0 Ethernet8"},
	} {
		t.Run(c.name, func(t *testing.T) {
			plan, err := planfile.Read("plan.csv", func(string) (io.ReadCloser, error) {
				return io.NopCloser(strings.NewReader(asNetBox(fourLeaves()))), nil
			})
			if err != nil {
				t.Fatal(err)
			}
			var actual *cabling.Fabric
			if actual, err = planfile.ReadFolder(asLLDP(c.plant(fourLeaves())), "lldp"); err != nil {
				t.Fatal(err)
			}
			r := cablediff.Compare(plan, actual, "plan.csv", "lldp")
			want := 1
			if c.kind == "" {
				want = 0
			}
			if len(r.Findings) != want || want > 0 && (r.Findings[0].Kind != c.kind || !strings.Contains(r.Findings[0].Action, c.action)) || r.Judged != 32 {
				t.Errorf("%d planned cables judged, %d findings, want 32 and %d: %s: %s", r.Judged, len(r.Findings), want, c.kind, c.action)
				for _, f := range r.Findings {
					t.Logf("%s: %s: %s", f.Kind, f.Text, f.Action)
				}
				t.Logf("%q %q", r.NotJudged, r.Covers)
			}
		})
	}
}
