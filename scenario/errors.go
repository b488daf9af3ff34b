package scenario

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"weft/internal/base/sorting"
)

// Error is an error in a scenario, with its place.
type Error struct {
	File      string
	Line, Col int    // from 1; 0 when it is not of the file
	Origin    string // instead of a place: the flag or catalog entry with the value
	Path      string // the field: fabrics[1].link.generation
	Msg       string // the value, the problem, and the valid values
}

func (e Error) Error() string {
	where := e.Origin
	if e.Line > 0 {
		where = fmt.Sprintf("%s:%d:%d", e.File, e.Line, e.Col)
	} else if where == "" {
		where = e.File
	}
	if e.Path == "" {
		return where + ": " + e.Msg
	}
	return where + ": " + e.Path + ": " + e.Msg
}

// Errors is all errors of a scenario, ordered by place.
type Errors []Error

func (es Errors) Error() string {
	var b strings.Builder
	for i, e := range es {
		if i == maxErrors {
			fmt.Fprintf(&b, "\n… and %d more", len(es)-i)
			break
		}
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(e.Error())
	}
	return b.String()
}

// err is es as an error, sorted and without repetitions; nil when empty.
func (es Errors) err() error {
	if len(es) == 0 {
		return nil
	}
	sorted := slices.Clone(es)
	sorting.StableFunc(sorted, func(a, b Error) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Col, b.Col))
	})
	return slices.CompactFunc(sorted, func(a, b Error) bool { return a == b })
}
