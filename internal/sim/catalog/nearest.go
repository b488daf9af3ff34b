package catalog

import (
	"slices"
	"strings"
)

// Nearest is the known name closest to a misspelt one, or "" if none is near: the least number of
// typing errors, at most a third of the name; ties go to the first.
func Nearest(wrong string, names []string) string {
	wrong = strings.ToLower(wrong)
	best, bestDistance := "", max(1, len(wrong)/3)+1
	if len(wrong) > maxName {
		return ""
	}
	for _, name := range names {
		if d := distance(wrong, strings.ToLower(name)); d < bestDistance {
			best, bestDistance = name, d
		}
	}
	if found := beginning(wrong+"-", names); best == "" && len(found) > 0 {
		return found[0] // roce: roce-v2
	}
	return best
}

// maxName bounds the work of Nearest: every name of the catalog is shorter.
const maxName = 64

// distance is the number of insertions, deletions, replacements and swaps of
// neighbours that turn a into b (optimal string alignment).
func distance(a, b string) int {
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			replace := last[j-1]
			if a[i-1] != b[j-1] {
				replace++
			}
			row[j] = min(replace, last[j]+1, row[j-1]+1)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}

// near are the names that have the words of a wrong one, or one of its words; at most mostNear. A
// word of a product has a digit: "nvidia" is none.
func near(wrong string, names []string) []string {
	if len(wrong) > maxName {
		return nil
	}
	lower := spelt(strings.ToLower(wrong))
	if slices.Contains(names, lower) {
		return []string{lower}
	}
	if found := beginning(lower, names); len(found) > 0 {
		return found
	}
	if found := having(plain(lower), names); len(found) > 0 {
		return found
	}
	for _, word := range strings.FieldsFunc(lower, func(r rune) bool { return r == ' ' || r == '-' || r == '_' }) {
		if len(word) < 3 || !strings.ContainsAny(word, "0123456789") {
			continue
		}
		if found := having(word, names); len(found) > 0 {
			return found
		}
	}
	return nil
}

// mostNear bounds the names of a suggestion: more are no help.
const mostNear = 4

// having are the names with a text in them, apart from blanks and dashes; nil if they are too many.
func having(text string, names []string) (found []string) {
	if len(text) < 3 || !strings.ContainsAny(text, "0123456789") {
		return nil
	}
	for _, name := range names {
		if p := plain(strings.ToLower(name)); strings.Contains(p, text) || len(p) > 5 && strings.Contains(text, p) {
			found = append(found, name)
		}
	}
	if len(found) > mostNear {
		return nil
	}
	return found
}

// beginning are the names that begin with a text; at most mostNear.
func beginning(text string, names []string) (found []string) {
	for _, name := range names {
		if len(text) > 1 && strings.HasPrefix(plain(name), plain(text)) && len(found) < mostNear {
			found = append(found, name)
		}
	}
	return found
}

// short are the short names that the field uses, and what they stand for in the catalog's names.
var short = []struct{ short, long string }{
	{"cx", "connectx"}, {"bf", "bluefield"}, {"ib", "infiniband"}, {"rocev2", "roce-v2"}, {"th", "tomahawk"}, {"ue", "ultra-ethernet"}, {"uec", "ultra-ethernet"},
}

// spelt is a name whose short beginning, up to a digit or a dash, is written out.
func spelt(name string) string {
	head := name[:len(name)-len(strings.TrimLeft(name, "abcdefghijklmnopqrstuvwxyz"))]
	for _, s := range short {
		switch rest := strings.TrimPrefix(name, s.short); {
		case !strings.HasPrefix(name, s.short) || head != s.short && name != s.short:
		case rest != "" && rest[0] != '-':
			return s.long + "-" + rest
		default:
			return s.long + rest
		}
	}
	return name
}

// plain is a name without blanks and dashes.
func plain(name string) string { return strings.NewReplacer(" ", "", "-", "", "_", "").Replace(name) }
