package examples

import (
	"slices"
	"testing"
)

// The names are in their own order, not in that of the files: isolation before isolation-leak.
func TestExamplesAreInTheOrderOfTheirNames(t *testing.T) {
	if names := Names(); !slices.IsSorted(names) || slices.Index(names, "isolation") > slices.Index(names, "isolation-leak") {
		t.Errorf("the names are %v", names)
	}
}
