package sorting

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestEqualEntriesComeAsByPackageSlices: results with ties do not depend on which of the two sorted them.
func TestEqualEntriesComeAsByPackageSlices(t *testing.T) {
	type entry struct{ key, place int }
	compare := func(a, b entry) int { return cmp.Compare(a.key, b.key) }
	rng := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{0, 1, 2, 11, 12, 13, 20, 21, 49, 50, 51, 200, 1000, 5000} {
		for _, keys := range []int{1, 2, 7, 1 << 20} {
			list := make([]entry, n)
			for i := range list {
				list[i] = entry{rng.IntN(keys), i}
			}
			for name, sorts := range map[string][2]func([]entry, func(a, b entry) int){
				"Func": {Func[entry], slices.SortFunc[[]entry]}, "StableFunc": {StableFunc[entry], slices.SortStableFunc[[]entry]},
			} {
				got, want := slices.Clone(list), slices.Clone(list)
				sorts[0](got, compare)
				sorts[1](want, compare)
				if !slices.Equal(got, want) {
					t.Errorf("%s of %d entries with %d keys: another order than by package slices", name, n, keys)
				}
			}
		}
	}
}
