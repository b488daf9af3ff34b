package wording

import (
	"slices"
	"testing"
)

func TestNamesAreOrderedByTheirNumbers(t *testing.T) {
	want := []string{"", "gpu", "gpu2", "gpu02", "gpu10", "gpu10a", "ibp11s0f0", "ibp21s0f0", "ibp139s0f0", "node9/nic7", "node10/nic0"}
	got := slices.Clone(want)
	slices.Reverse(got)
	slices.SortFunc(got, Natural)
	// 02 and 2 are equal as numbers: the text decides.
	want[2], want[3] = want[3], want[2]
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
