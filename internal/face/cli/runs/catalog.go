package runs

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"weft/internal/face/cli/flags"
	"weft/internal/face/cli/process"
	"weft/internal/face/report"
	"weft/internal/sim/catalog"
)

// NewCatalog is the verb weft catalog.
func NewCatalog(e *process.Env) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "catalog [TYPE] [NAME]",
		Short: "hardware facts, each with its source",
		Long: `Without arguments: the types of entries. With a type: its entries, and the
confidence in the least certain fact of each. With a name: the facts of the
entry with their sources, with --details all of them. A name alone, or its beginning,
finds the entry in any type.`,
		Example: `  weft catalog
  weft catalog nic
  weft catalog nic connectx-7
  weft catalog dgx-h200`,
		Args: flags.Args(0, 2, "a type and a name"),
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
				types := catalog.Types()
				return e.Present(report.CatalogTypes(types), asJSON, map[string]any{"types": types})
			}
			kind, err := kindOf(given[0])
			if err != nil && len(given) == 1 {
				if entry, ok := entryNamed(given[0]); ok {
					return e.Present(report.CatalogEntry(&entry), asJSON, entry)
				}
			}
			if err != nil {
				return err
			}
			if len(given) == 1 {
				all := catalog.Summaries(kind)
				return e.Present(report.CatalogEntries(kind, all), asJSON, map[string]any{"entries": all})
			}
			entry, err := catalog.Lookup(kind, given[1])
			if err != nil {
				return err
			}
			return e.Present(report.CatalogEntry(&entry), asJSON, entry)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print as JSON")
	e.ReportFlags(cmd)
	return cmd
}

// entryNamed is the only entry, of any type, that a name or the beginning of a name means.
func entryNamed(name string) (entry catalog.Entry, found bool) {
	var begin []catalog.Entry
	for _, k := range catalog.Kinds() {
		if e, err := catalog.Lookup(k, name); err == nil {
			return e, true
		}
		for _, e := range catalog.Entries(k) {
			if strings.HasPrefix(e.Name, name) {
				begin = append(begin, e)
			}
		}
	}
	if len(begin) != 1 {
		return entry, false
	}
	return begin[0], true
}

// nearEntries are the entries, of any type, that a name may mean.
func nearEntries(name string) (near []string) {
	for _, k := range catalog.Kinds() {
		var unknown *catalog.UnknownError
		if _, err := catalog.Lookup(k, name); errors.As(err, &unknown) {
			near = append(near, unknown.Near...)
		}
	}
	return near
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
	if near := flags.DidYouMean(name, names); near != "" {
		return "", fmt.Errorf("the catalog has no type %q%s", name, near)
	}
	return "", fmt.Errorf("the catalog has no type and no entry %q%s: its types are %s", name, flags.OneOf(nearEntries(name)), strings.Join(names, ", "))
}
