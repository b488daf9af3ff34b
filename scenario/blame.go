package scenario

import (
	"fmt"
	"slices"
)

// blame finds the override that caused each error. The file alone is a valid scenario (Decode has
// checked it), so an error at a place in the file is caused by an override: the first one with
// which the field has an error.
func (f *File) blame(overrides []Override, errs Errors) {
	for k := range overrides {
		if !slices.ContainsFunc(errs, ofTheFile) {
			return
		}
		g, _ := f.under(overrides[:k+1])
		_, found := g.resolve()
		for i := range errs {
			e := &errs[i]
			if ofTheFile(*e) && slices.ContainsFunc(found, func(x Error) bool { return x.Path == e.Path }) {
				e.Origin = fmt.Sprintf("%s, on %s", overrides[k].Origin, f.Name)
				e.Line, e.Col = 0, 0
			}
		}
	}
}

// ofTheFile reports whether an error is at a place in the file, or in the scenario in Go.
func ofTheFile(e Error) bool { return e.Origin == "" }
