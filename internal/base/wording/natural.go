package wording

import (
	"cmp"
	"strings"
)

// Natural compares two names as people order them: numbers in them count by their value, so that
// gpu2 comes before gpu10. Names that differ in leading zeros alone are compared as texts.
func Natural(a, b string) int {
	x, y := a, b
	for x != "" && y != "" {
		m, n := digits(x), digits(y)
		if m > 0 && n > 0 {
			p, q := strings.TrimLeft(x[:m], "0"), strings.TrimLeft(y[:n], "0")
			if c := cmp.Or(cmp.Compare(len(p), len(q)), strings.Compare(p, q)); c != 0 {
				return c
			}
			x, y = x[m:], y[n:]
			continue
		}
		if x[0] != y[0] {
			return cmp.Compare(x[0], y[0])
		}
		x, y = x[1:], y[1:]
	}
	return cmp.Or(cmp.Compare(len(x), len(y)), strings.Compare(a, b))
}

// digits is the number of digits at the start.
func digits(s string) int {
	return len(s) - len(strings.TrimLeft(s, "0123456789"))
}
