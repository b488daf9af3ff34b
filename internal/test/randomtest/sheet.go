package randomtest

import (
	"slices"
	"strings"
)

// sheet is a scenario in the making: fields with their values as a file has them, in order.
type sheet []field

// field is a path such as fabric.ib.vls with its value in YAML's flow form.
type field struct{ path, value string }

// with is the sheet with fields, as pairs of a path and a value, set; the receiver stays.
func (s sheet) with(pairs ...string) sheet {
	out := slices.Clone(s)
	for i := 0; i < len(pairs); i += 2 {
		f := field{pairs[i], pairs[i+1]}
		if at := slices.IndexFunc(out, func(old field) bool { return old.path == f.path }); at >= 0 {
			out[at] = f
		} else {
			out = append(out, f)
		}
	}
	return out
}

// text is the scenario as a file.
func (s sheet) text() string {
	var b strings.Builder
	s.print(&b, "")
	return b.String()
}

func (s sheet) print(b *strings.Builder, indent string) {
	for len(s) > 0 {
		name, _, section := strings.Cut(s[0].path, ".")
		if !section {
			b.WriteString(indent + name + ": " + s[0].value + "\n")
			s = s[1:]
			continue
		}
		var inside, rest sheet
		for _, f := range s {
			if below, ok := strings.CutPrefix(f.path, name+"."); ok {
				inside = append(inside, field{below, f.value})
			} else {
				rest = append(rest, f)
			}
		}
		b.WriteString(indent + name + ":\n")
		inside.print(b, indent+"  ")
		s = rest
	}
}
