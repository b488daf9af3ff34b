package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"weft/internal/face/doc"
	"weft/internal/sim/catalog"
)

func newCatalog(e *Env) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "catalog [TYPE] [NAME]",
		Short: "hardware facts, each with its source",
		Long: `Without arguments: the types of entries. With a type: its entries, and the
confidence in the least certain fact of each. With a name: every fact of the
entry with its source.`,
		Example: `  weft catalog
  weft catalog nic
  weft catalog nic connectx-7`,
		Args: args(0, 2, "a type and a name"),
		ValidArgsFunction: func(_ *cobra.Command, given []string, _ string) ([]string, cobra.ShellCompDirective) {
			switch len(given) {
			case 0:
				return kindNames(), cobra.ShellCompDirectiveNoFileComp
			case 1:
				return catalog.Names(catalog.Kind(given[0])), cobra.ShellCompDirectiveNoFileComp
			}
			return nil, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(_ *cobra.Command, given []string) error {
			if len(given) == 0 {
				return listKinds(e, asJSON)
			}
			kind, err := kindOf(given[0])
			if err != nil {
				return err
			}
			if len(given) == 1 {
				return listEntries(e, kind, asJSON)
			}
			entry, err := catalog.Lookup(kind, given[1])
			if err != nil {
				return err
			}
			return showEntry(e, entry, asJSON)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print as JSON")
	return cmd
}

func kindNames() []string {
	var names []string
	for _, k := range catalog.Kinds() {
		names = append(names, string(k))
	}
	return names
}

// kindOf finds a type; a plural is accepted.
func kindOf(name string) (catalog.Kind, error) {
	names := kindNames()
	for _, n := range []string{name, strings.TrimSuffix(name, "s"), strings.TrimSuffix(name, "es")} {
		if slices.Contains(names, n) {
			return catalog.Kind(n), nil
		}
	}
	hint := ""
	if near := catalog.Nearest(name, names); near != "" {
		hint = fmt.Sprintf(" (did you mean %s?)", near)
	}
	return "", fmt.Errorf("the catalog has no type %q%s; it has %s", name, hint, strings.Join(names, ", "))
}

// trust lists the meanings of the tags, from the firmest.
var trust = []struct {
	tag     catalog.Tag
	meaning string
}{
	{catalog.Verified, "read at its source"},
	{catalog.Secondary, "read in a secondary source"},
	{catalog.Derived, "computed from other facts"},
	{catalog.Recalled, "known, the source was not retrieved"},
	{catalog.Assumption, "nothing was found: an assumption"},
}

// softest is the least trusted tag of an entry's facts.
func softest(entry catalog.Entry) catalog.Tag {
	at := 0
	for _, f := range entry.Facts {
		for i, t := range trust {
			if f.Tag == t.tag {
				at = max(at, i)
			}
		}
	}
	return trust[at].tag
}

// trustText is the meanings as a sentence.
func trustText() string {
	parts := make([]string, 0, len(trust))
	for _, t := range trust {
		parts = append(parts, string(t.tag)+": "+t.meaning)
	}
	return strings.Join(parts, "; ")
}

func listKinds(e *Env, asJSON bool) error {
	type kind struct {
		Type    string   `json:"type"`
		Entries []string `json:"entries"`
	}
	var kinds []kind
	rows := [][]string{{"type", "entries"}}
	for _, k := range catalog.Kinds() {
		names := catalog.Names(k)
		kinds = append(kinds, kind{string(k), names})
		rows = append(rows, []string{string(k), strings.Join(names, ", ")})
	}
	if asJSON {
		return printJSON(e, map[string]any{"types": kinds})
	}
	return doc.Grid(rows).Write(e.Stdout, e.style())
}

func listEntries(e *Env, k catalog.Kind, asJSON bool) error {
	type item struct {
		Name    string `json:"name"`
		Title   string `json:"title"`
		Softest string `json:"softest_source"`
		Facts   int    `json:"facts"`
	}
	var items []item
	rows := [][]string{{"name", "title", "softest fact"}}
	for _, entry := range catalog.Entries(k) {
		items = append(items, item{entry.Name, entry.Title, string(softest(entry)), len(entry.Facts)})
		rows = append(rows, []string{entry.Name, entry.Title, string(softest(entry))})
	}
	if asJSON {
		return printJSON(e, map[string]any{"entries": items})
	}
	return e.tell(&doc.Document{Sections: []doc.Section{{Blocks: append([]doc.Block{doc.Grid(rows)}, doc.Notes(trustText())...)}}})
}

func showEntry(e *Env, entry catalog.Entry, asJSON bool) error {
	type fact struct {
		Field  string `json:"field"`
		Value  string `json:"value"`
		Trust  string `json:"trust"`
		Source string `json:"source"`
		From   string `json:"from"`
	}
	facts := []fact{}
	rows := [][]string{{"field", "value", "trust", "source"}}
	for _, f := range entry.Facts {
		facts = append(facts, fact{f.Field, f.Value, string(f.Tag), f.Source, f.From})
		source := f.Source
		if f.From != entry.Name {
			source += " (from " + f.From + ")"
		}
		rows = append(rows, []string{f.Field, f.Value, string(f.Tag), source})
	}
	if asJSON {
		return printJSON(e, struct {
			Type  string `json:"type"`
			Name  string `json:"name"`
			Title string `json:"title"`
			Facts []fact `json:"facts"`
		}{string(entry.Kind), entry.Name, entry.Title, facts})
	}
	return e.tell(&doc.Document{
		Heading:  entry.Name + ": " + entry.Title,
		Sections: []doc.Section{{Blocks: append([]doc.Block{doc.Grid(rows)}, doc.Notes(trustText())...)}},
	})
}
