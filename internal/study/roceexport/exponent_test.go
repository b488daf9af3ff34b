package roceexport

import (
	"testing"

	"weft/scenario"
)

// SONiC's dynamic_th is the exponent of a power of two, from 1/256 to 128, in every form of the
// ratio.
func TestAnAlphaIsItsExponent(t *testing.T) {
	for _, c := range []struct {
		num, den int64
		want     string // none: refused
	}{
		{1, 1, "0"},
		{8, 1, "3"},
		{128, 1, "7"},
		{1, 8, "-3"},
		{1, 256, "-8"},
		{2, 16, "-3"},
		{6, 2, ""},
		{16, 2, "3"},
		{4, 4, "0"},
		{256, 1, ""},
		{1, 512, ""},
		{3, 1, ""},
		{1, 3, ""},
		{0, 1, ""},
	} {
		got, err := exponent("ethernet.pfc.alpha", scenario.Ratio{Num: c.num, Den: c.den})
		if got != c.want || (err != nil) != (c.want == "") {
			t.Errorf("alpha %d/%d: %q, %v; want %q", c.num, c.den, got, err, c.want)
		}
	}
}
