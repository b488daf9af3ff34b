package report

import (
	"strings"

	"weft/internal/face/doc"
	"weft/internal/sim/catalog"
)

// CatalogTypes is the types of the catalog with the names of their entries.
func CatalogTypes(types []catalog.Type) *doc.Document {
	rows := [][]string{{"type", "entries"}}
	for _, t := range types {
		rows = append(rows, []string{string(t.Kind), strings.Join(t.Entries, ", ")})
	}
	return catalogDocument("Types of hardware and presets", doc.Grid(rows))
}

// CatalogEntries is the entries of a type with the least certain tag of each.
func CatalogEntries(kind catalog.Kind, all []catalog.Summary) *doc.Document {
	rows := [][]string{{"name", "title", "softest fact"}}
	for _, s := range all {
		rows = append(rows, []string{s.Name, s.Title, string(s.Softest)})
	}
	return catalogDocument("Entries of type "+string(kind), doc.Grid(rows), doc.Notes(trustText())...)
}

// CatalogEntry is every fact of an entry with its source.
func CatalogEntry(e *catalog.Entry) *doc.Document {
	rows := [][]string{{"field", "value", "trust", "source"}}
	for _, f := range e.Facts {
		source := f.Source
		if f.From != e.Name {
			source += " (from " + f.From + ")"
		}
		rows = append(rows, []string{f.Field, f.Value, string(f.Tag), source})
	}
	return catalogDocument(e.Name+": "+e.Title, doc.Grid(rows), doc.Notes(trustText())...)
}

func catalogDocument(title string, t *doc.Table, notes ...doc.Block) *doc.Document {
	return &doc.Document{
		Brand: "catalog", Title: title, Footer: "Made by weft catalog. The same version makes the same page.",
		Sections: []doc.Section{{Blocks: append([]doc.Block{t}, notes...)}},
	}
}

// trustText is the meanings of the tags, from the firmest.
func trustText() string {
	var parts []string
	for _, t := range []struct {
		tag     catalog.Tag
		meaning string
	}{
		{catalog.Verified, "read at its source"},
		{catalog.Secondary, "read in a secondary source"},
		{catalog.Derived, "computed from other facts"},
		{catalog.Recalled, "known, the source was not retrieved"},
		{catalog.Assumption, "nothing was found: an assumption"},
	} {
		parts = append(parts, string(t.tag)+": "+t.meaning)
	}
	return strings.Join(parts, "; ")
}
