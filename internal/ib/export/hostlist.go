package export

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"weft/internal/base/sorting"
)

// numbered is a name in two parts: its last digits and the text before them.
type numbered struct {
	prefix string
	number int
	width  int // number of digits if the number has leading zeros, else 1; 0: no number
}

// hostlist joins names as Slurm writes them: node[001-004,007], node[8-11].
func hostlist(names []string) string {
	parts := make([]numbered, len(names))
	type form struct {
		prefix string
		digits int
	}
	padded := map[form]bool{} // whether a number of this width begins with 0
	for i, name := range names {
		prefix := strings.TrimRight(name, "0123456789")
		digits := name[len(prefix):]
		n, err := strconv.Atoi(digits)
		if err != nil || len(digits) > 9 {
			parts[i] = numbered{prefix: name}
			continue
		}
		parts[i] = numbered{prefix, n, len(digits)}
		if digits[0] == '0' {
			padded[form{prefix, len(digits)}] = true
		}
	}
	for i := range parts {
		if p := &parts[i]; p.width > 0 && !padded[form{p.prefix, p.width}] {
			p.width = 1
		}
	}
	sorting.Func(parts, func(a, b numbered) int {
		return cmp.Or(cmp.Compare(a.prefix, b.prefix), cmp.Compare(a.width, b.width), cmp.Compare(a.number, b.number))
	})
	var out []string
	for i := 0; i < len(parts); {
		j := i + 1
		for j < len(parts) && parts[j].prefix == parts[i].prefix && parts[j].width == parts[i].width {
			j++
		}
		out = append(out, group(parts[i:j]))
		i = j
	}
	return strings.Join(out, ",")
}

// group writes the names with one prefix and one width.
func group(parts []numbered) string {
	p := parts[0]
	if p.width == 0 {
		return p.prefix
	}
	if len(parts) == 1 {
		return fmt.Sprintf("%s%0*d", p.prefix, p.width, p.number)
	}
	var ranges []string
	for i := 0; i < len(parts); {
		j := i
		for j+1 < len(parts) && parts[j+1].number <= parts[j].number+1 {
			j++
		}
		if i == j {
			ranges = append(ranges, fmt.Sprintf("%0*d", p.width, parts[i].number))
		} else {
			ranges = append(ranges, fmt.Sprintf("%0*d-%0*d", p.width, parts[i].number, p.width, parts[j].number))
		}
		i = j + 1
	}
	return fmt.Sprintf("%s[%s]", p.prefix, strings.Join(ranges, ","))
}
