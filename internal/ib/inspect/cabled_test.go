package inspect

import (
	"strings"
	"testing"

	"weft/internal/ib/format"
	"weft/units"
)

// A link that lost lanes by the line of one of its ends runs with what is left, whichever end it is.
func TestACableHasTheSlowerRateOfItsEnds(t *testing.T) {
	for _, rates := range [][2]string{{"1xNDR", "4xNDR"}, {"4xNDR", "1xNDR"}, {"??????", "1xNDR"}, {"1xNDR", "??????"}} {
		text := strings.NewReplacer("{a}", rates[0], "{b}", rates[1]).Replace(`switchguid=0x20(20)
Switch	64 "S-0000000000000020"		# "leaf" base port 0 lid 1 lmc 0
[1]	"S-0000000000000021"[3]		# "spine" lid 2 {a}

switchguid=0x21(21)
Switch	64 "S-0000000000000021"		# "spine" base port 0 lid 2 lmc 0
[3]	"S-0000000000000020"[1]		# "leaf" lid 1 {b}
`)
		s, _, err := format.ReadTopo("x", strings.NewReader(text), format.Options{})
		if err != nil {
			t.Fatal(err)
		}
		f := Cabling(s)
		if len(f.Cables) != 1 || f.Cables[0].Rate != 100*units.Gbps || f.Cables[0].Link != "1xNDR" {
			t.Errorf("%v: %+v, want 1xNDR", rates, f.Cables)
		}
	}
}
