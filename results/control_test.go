package results

import (
	"reflect"
	"testing"

	"weft/units"
)

// TestRecoveriesSurviveTheFile writes and reads every field.
func TestRecoveriesSurviveTheFile(t *testing.T) {
	r := &Results{Version: ResultsVersion, Fabrics: []FabricResult{{
		Name: "a",
		Control: &Control{
			Plane:   "BGP",
			BringUp: &BringUp{Time: 15, Discovery: 1, Compute: 2, Tables: 4, Activate: 8, Datagrams: 16, Blocks: 32},
			Recoveries: []Recovery{{
				What: "leaf0 port 9", Repaired: true, At: 1, How: "bfd", Detected: 2, Swept: Never, Computed: 4,
				First: 5, Open: 6, Last: units.Second, Switches: 7, Entries: 8, Cut: 9, LaneTables: 10, LastLanes: 11, Circle: "a, b",
			}},
		},
		Points: []Point{{Bytes: 1, Fault: &FaultPoint{Clean: 3, LastLoss: 4}, Hottest: []HotLink{}}},
	}}}
	text, err := r.Encode()
	if err != nil {
		t.Fatal(err)
	}
	got, err := DecodeResults(text)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, r) {
		t.Errorf("read back as\n%+v, want\n%+v", got, r)
	}
}
