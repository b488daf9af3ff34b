package format

import (
	"fmt"
	"strings"
	"testing"

	"weft/internal/ib/subnet"
	"weft/units"
)

// queried is what smpquery sl2vl of infiniband-diags 44 printed of LID 1 and, with other lanes, of port 2 of LID 11.
const queried = `# SL2VL table: Lid 1
#                 SL: | 0| 1| 2| 3| 4| 5| 6| 7| 8| 9|10|11|12|13|14|15|
ports: in  0, out  0: | 0| 1| 2| 3| 4| 5| 6| 7| 0| 1| 2| 3| 4| 5| 6| 7|
# SL2VL table: Lid 11
#                 SL: | 0| 1| 2| 3| 4| 5| 6| 7| 8| 9|10|11|12|13|14|15|
ports: in  0, out  2: | 0| 1| 2| 3| 4| 5| 6| 7| 0| 1| 2| 3| 4| 5| 6| 7|
ports: in  1, out  2: | 7| 6| 5| 4| 3| 2| 1| 0| 0| 1| 2| 3| 4| 5| 6|15|
`

// TestThreeFormsOfSL2VLTablesSayTheSame: smpquery's, OpenSM's and ibdmchk's.
func TestThreeFormsOfSL2VLTablesSayTheSame(t *testing.T) {
	s := ft216(t)
	owner := s.Owners()[11]
	guid := s.Nodes[owner.Node].GUID
	dump := fmt.Sprintf("Switch %v, base LID 11, \"x\"\n0 2 : 0 1 2 3 4 5 6 7 0 1 2 3 4 5 6 7\n1 2 : 7 6 5 4 3 2 1 0 0 1 2 3 4 5 6 15\n", guid)
	list := fmt.Sprintf("%v 0 2 0x01 0x23 0x45 0x67 0x01 0x23 0x45 0x67\n%v 1 2 0x76 0x54 0x32 0x10 0x01 0x23 0x45 0x6f\n", guid, guid)
	for form, text := range map[string]string{"smpquery": queried, "OpenSM": dump, "ibdmchk": list} {
		if got := Detect([]byte(text)); got != SL2VLDump {
			t.Errorf("%s is taken for %q", form, got)
		}
		v, _, err := ReadSL2VL(form, strings.NewReader(text), s)
		if err != nil {
			t.Fatal(err)
		}
		m := &v.Switch[subnet.NewTablesTo(s, 0).Dense[owner.Node]]
		for sl, want := range map[units.SL]units.VL{0: 7, 3: 4, 7: 0, 14: 6, 15: 15} {
			if got := m.At(1, 2, sl); got != want {
				t.Errorf("%s: level %d from port 1 to port 2 is on lane %d, want %d", form, sl, got, want)
			}
		}
		if got := m.At(0, 2, 9); got != 1 {
			t.Errorf("%s: level 9 from port 0 is on lane %d, want 1", form, got)
		}
		if form == "smpquery" && (len(v.Adapter) != 1 || v.Adapter[s.Port(s.Owners()[1]).GUID][9] != 1) {
			t.Errorf("the tables of adapters are %v", v.Adapter)
		}
	}
}

func TestWrongSL2VLTablesAreNamed(t *testing.T) {
	s := ft216(t)
	for text, want := range map[string]string{
		"# SL2VL table: Lid 999\n":                                                          "no port of the subnet has LID 999",
		"# SL2VL table: DR path slid 0; dlid 0; 0,1\n":                                      "expected the LID of a switch or of an adapter",
		"ports: in  0, out  2: | 0|\n":                                                      "a row before any table",
		"# SL2VL table: Lid 11\nports: in  0, out  2: | 0| 1|\n":                            "16 lanes from 0 to 15",
		"# SL2VL table: Lid 11\nports: in  0, out 99: " + strings.Repeat("| 0", 16) + "|\n": "which has 8 ports",
		strings.Replace(queried, "in  1,", "in  0,", 1):                                     "other lanes in an earlier line",
		"0x0002c90200409999 0 2 0x01 0x23 0x45 0x67 0x01 0x23 0x45 0x67\n":                  "is not in the subnet",
		"0x0002c90200400020 0 99 0x01 0x23 0x45 0x67 0x01 0x23 0x45 0x67\n":                 "which has 8 ports",
		"0x0002c90200400020 0 2 0x01 0x23 0x45 0x67 0x01 0x23 0x45 0x67 0x89\n":             "a row before any table",
	} {
		if _, _, err := ReadSL2VL("f", strings.NewReader(text), s); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q gives %v, want %q", text, err, want)
		}
	}
}

// FuzzReadSL2VL: no file makes the reader of SL2VL tables panic, or gives a lane above 15.
func FuzzReadSL2VL(f *testing.F) {
	f.Add(queried)
	f.Add("0x0002c90200400020 0 2 0x01 0x23 0x45 0x67 0x01 0x23 0x45 0x67\n")
	f.Add("Switch 0x0002c90200400020, base LID 11, \"x\"\n0 2 : 0 1 2 3 4 5 6 7 0 1 2 3 4 5 6 7\n")
	s := ft216(f)
	f.Fuzz(func(t *testing.T, text string) {
		v, _, err := ReadSL2VL("fuzz", strings.NewReader(text), s)
		if (v == nil) != (err != nil) {
			t.Fatalf("tables %v, error %v", v != nil, err)
		}
		for i := 0; v != nil && i < len(v.Switch); i++ {
			for _, vl := range v.Switch[i].VL {
				if vl > 15 {
					t.Fatalf("lane %d", vl)
				}
			}
		}
	})
}
