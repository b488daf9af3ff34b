package verbs

import (
	"fmt"
	"strings"
)

// Names as in verbs.h.

// named is the name of a value, or its type and number.
func named[T interface {
	comparable
	~uint8
}](v T, names map[T]string) string {
	if name, ok := names[v]; ok {
		return name
	}
	kind := strings.TrimPrefix(fmt.Sprintf("%T", v), "verbs.")
	return fmt.Sprintf("%s(%d)", kind, uint8(v))
}

// flags are the names of the bits of a value.
func flags[T ~uint8](v T, names []string) string {
	var set []string
	for i := range 8 {
		switch {
		case v&(1<<i) == 0:
		case i < len(names) && names[i] != "":
			set = append(set, names[i])
		default:
			set = append(set, fmt.Sprintf("%#x", 1<<i))
		}
	}
	if set == nil {
		return "0"
	}
	return strings.Join(set, "|")
}
