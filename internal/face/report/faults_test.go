package report

import (
	"math"
	"strings"
	"testing"

	"weft/internal/face/doc"
	"weft/results"
	"weft/units"
)

func recovered(name string, open, last units.Time) results.FabricResult {
	return results.FabricResult{
		Name: name, Protocol: "infiniband",
		Control: &results.Control{
			Plane: "Subnet Manager", BringUp: &results.BringUp{Time: 9 * units.Millisecond, Datagrams: 1234},
			Recoveries: []results.Recovery{{
				What: "leaf0 port 9", At: units.Millisecond, How: "trap", Detected: 15 * units.Microsecond,
				Swept: results.Never, Computed: results.Never, First: open, Open: open, Last: last, Switches: 5, Entries: 104, LaneTables: 1250, LastLanes: 18 * units.Millisecond,
			}},
		},
		Points: []results.Point{{
			Bytes: 4096, Time: 300 * units.Millisecond, BusBW: 1, Counts: results.Counts{DroppedFault: 77, DroppedNoRoute: 3, DroppedLifetime: 490, DroppedStalled: 3},
			Fault: &results.FaultPoint{Clean: 100 * units.Millisecond, LastLoss: 5 * units.Millisecond},
		}},
	}
}

// TestFaultsAreComparedByFabric: on the terminal and on the page.
func TestFaultsAreComparedByFabric(t *testing.T) {
	r := &results.Results{Scenario: "s", Workload: "permutation", Fabrics: []results.FabricResult{
		recovered("quick", 2*units.Millisecond, 9*units.Millisecond), recovered("slow", 8*units.Millisecond, 9*units.Millisecond),
	}}
	var terminal, page strings.Builder
	if err := Comparison(r, nil, nil).Terminal(&terminal, doc.Style{Width: 200, Details: true}); err != nil {
		t.Fatal(err)
	}
	if err := Comparison(r, nil, nil).HTML(&page); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"leaf0 port 9 fails at 1.00 ms",
		"every path on quick is open again after 2.00 ms, on slow after 8.00 ms: 4.0× as long",
		"5, 104", "200.0 ms", "1,234", "1,250, 18.00 ms", "493",
	} {
		if !strings.Contains(terminal.String(), want) {
			t.Errorf("the terminal lacks %q:\n%s", want, terminal.String())
		}
		if !strings.Contains(words(page.String()), want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if drops := r.Fabrics[0].Points[0].Counts.Drops(); drops != 573 {
		t.Errorf("%d drops, want 573", drops)
	}
}

// TestNoFaultsNoSection: the report of a run without faults has no section on faults.
func TestNoFaultsNoSection(t *testing.T) {
	r := &results.Results{Fabrics: []results.FabricResult{{Name: "a"}}}
	if len(faultTables(r)) > 0 || len(faultSentences(r)) > 0 {
		t.Error("the report of a run without faults has a section on faults")
	}
}

// TestFaultsAreDrawnAtTheirTimes: the phases of a recovery follow each other from the fault on, and what
// arrives is relative to the most of all fabrics.
func TestFaultsAreDrawnAtTheirTimes(t *testing.T) {
	r := &results.Results{Fabrics: []results.FabricResult{
		recovered("quick", 2*units.Millisecond, 9*units.Millisecond), recovered("slow", 8*units.Millisecond, 9*units.Millisecond),
	}}
	for i := range r.Fabrics {
		p := &r.Fabrics[i].Points[0]
		p.Time = 20 * units.Millisecond
		p.Fault.Slice, p.Fault.Arrived = 10*units.Millisecond, []int64{int64(40 * (i + 1)), 20}
	}
	lanes := faultTimeline(r).Blocks[0].(doc.Lanes)
	if len(lanes.Rows) != 6 || lanes.Ticks[4].Label != "20.0 ms" {
		t.Fatalf("the timeline is %+v", lanes)
	}
	if quick, slow := lanes.Rows[1], lanes.Rows[4]; quick.Area[0] != 0.5 || quick.Area[1] != 0.25 || slow.Area[0] != 1 || quick.Until != 1 {
		t.Errorf("arriving: %v and %v, want a half, a quarter and the whole of the most", quick.Area, slow.Area)
	}
	spans := lanes.Rows[2].Tracks[0]
	want := []float64{0.05, 0.05 + 15./20000, 0.15, 0.5} // the fault, noticed, open, last table
	if len(spans) != 3 {
		t.Fatalf("%d phases, want 3: %+v", len(spans), spans)
	}
	for i, s := range spans {
		if math.Abs(s.From-want[i]) > 1e-9 || math.Abs(s.To-want[i+1]) > 1e-9 {
			t.Errorf("phase %d is from %v to %v of the axis, want %v to %v", i, s.From, s.To, want[i], want[i+1])
		}
	}
}
