package report

import (
	"slices"
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
	return catalogDocument("Types of hardware and presets", doc.Section{Blocks: []doc.Block{doc.Grid(rows)}})
}

// CatalogEntries is the entries of a type with the least certain tag of each.
func CatalogEntries(kind catalog.Kind, all []catalog.Summary) *doc.Document {
	rows := [][]string{{"name", "title", "softest fact"}}
	for _, s := range all {
		rows = append(rows, []string{s.Name, s.Title, string(s.Softest)})
	}
	return catalogDocument("Entries of type "+string(kind), doc.Section{Blocks: []doc.Block{doc.Grid(rows)}}, tags())
}

// CatalogEntry is every fact of an entry with its source. Fields with the same beginning are a
// section; those without a dot are the first.
func CatalogEntry(e *catalog.Entry) *doc.Document {
	group := func(f catalog.Fact) string { return f.Field[:max(0, strings.IndexByte(f.Field, '.'))] }
	var groups []string
	for _, f := range e.Facts {
		switch g := group(f); {
		case slices.Contains(groups, g):
		case g == "":
			groups = slices.Insert(groups, 0, g)
		default:
			groups = append(groups, g)
		}
	}
	var sections []doc.Section
	for i, g := range groups {
		rows := [][]string{{"field", "value", "trust", "source"}}
		for _, f := range e.Facts {
			source := f.Source
			if f.From != e.Name {
				source += " (from " + f.From + ")"
			}
			if group(f) == g {
				rows = append(rows, []string{f.Field, f.Value, string(f.Tag), source})
			}
		}
		s := doc.Section{Title: g, In: doc.Details, Blocks: []doc.Block{doc.Grid(rows)}}
		if i == 0 {
			s.In = doc.Everywhere
		}
		sections = append(sections, s)
	}
	return catalogDocument(e.Name+": "+e.Title, append(sections, tags())...)
}

func catalogDocument(title string, sections ...doc.Section) *doc.Document {
	return &doc.Document{
		Brand: "catalog", Title: title, Footer: "Made by weft catalog. The same version makes the same page.", Sections: sections,
	}
}

// tags is the section with the meanings of the tags.
func tags() doc.Section { return doc.Section{Blocks: doc.Notes(trustText())} }

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
