package plan

import (
	"strings"

	"weft/internal/sim/catalog"
)

// partMaker is the maker of the parts that the catalog's cables name. Others sell parts of the same forms under their own names,
// and code them for their switches.
const partMaker = "NVIDIA"

// formOf is the form of a part of a cable, as 800G OSFP 2xDR4, for a device of another maker than the part's. ok reports whether
// the part is named by its form.
func formOf(e catalog.Entry, field, connector, maker string) (form string, ok bool) {
	if f, is := e.Get(field); maker == partMaker || is && e.Base != "" && f.From == e.Name { // a user's part has its own name
		return "", false
	}
	if f, is := e.Known("about.form." + connector + "." + field); is {
		return f.Value, true
	}
	f, is := e.Known("about.form." + field)
	return f.Value, is
}

// titleOf is the title of a cable for one of its parts: without part numbers if the part is named by its form.
func titleOf(e catalog.Entry, item string) string {
	named := false
	for _, f := range e.Facts {
		named = named || strings.HasPrefix(f.Field, "about.form.") && f.Value == item
	}
	if !named {
		return e.Title
	}
	var words []string
	for word := range strings.FieldsSeq(e.Title) {
		if !isPartNumber(word) {
			words = append(words, word)
		}
	}
	return strings.Join(words, " ")
}

// isPartNumber reports whether a word is a part number of NVIDIA's cables and transceivers, such as MMA4Z00-NS.
func isPartNumber(word string) bool {
	return len(word) > 6 && word[0] == 'M' && strings.ToUpper(word) == word && strings.ContainsAny(word, "0123456789")
}
