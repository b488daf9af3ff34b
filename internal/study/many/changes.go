package many

import (
	"cmp"
	"strconv"

	"weft/internal/base/sorting"
	"weft/scenario"
)

// Changes are the overrides of a variant: the values of its axes, then more, then its seed. A section
// comes before the fields below it.
func Changes(axes []scenario.Axis, values []string, seed uint64, more ...scenario.Override) (out []scenario.Override) {
	for k, value := range values {
		if axes[k].Path != "run.seed" { // it comes last
			out = append(out, axes[k].Override(value))
		}
	}
	sorting.StableFunc(out, func(a, b scenario.Override) int { return cmp.Compare(len(a.Path), len(b.Path)) })
	text := strconv.FormatUint(seed, 10)
	return append(append(out, more...), scenario.Override{Path: "run.seed", Value: text, Origin: "seed " + text})
}
