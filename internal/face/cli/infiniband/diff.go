package infiniband

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"weft/internal/face/cli/flags"
	"weft/internal/face/cli/process"
	"weft/internal/face/doc"
	"weft/internal/ib/proof"
	"weft/internal/ib/subnet"
)

func newSMDiff(e *process.Env) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "diff FABRIC TABLES OTHER-TABLES",
		Short: "compare two sets of forwarding tables: entries, paths, loads",
		Long: `Compares two sets of forwarding tables of one fabric: the different entries, by
switch and LID, the number of paths over other cables or with other lengths, and the
cables with other loads. Tables for other LIDs are compared port by port. FABRIC and TABLES
are as for weft sm check.

The exit code does not depend on the differences.`,
		Example: `  weft sm diff cluster.topo before/opensm-lfts.dump after/opensm-lfts.dump`,
		Args:    flags.Args(3, 3, "a fabric and two sets of tables"),
		RunE: func(_ *cobra.Command, given []string) error {
			return diffTables(e, given[0], given[1], given[2], asJSON)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print as JSON")
	e.ReportFlags(cmd)
	return cmd
}

func diffTables(e *process.Env, fabric, a, b string, asJSON bool) error {
	s, err := readSubnet(e, fabric)
	if err != nil {
		return err
	}
	var files [2]tableFiles
	for i, at := range []string{a, b} {
		if files[i], err = findTables(e, at); err != nil {
			return err
		}
	}
	after, err := loadTables(e, s.Clone(), files[1])
	if err != nil {
		return err
	}
	before, err := loadTables(e, s, files[0]) // the LIDs of these tables are used
	if err != nil {
		return err
	}
	moved := relabel(after, before)
	d, err := proof.Diff(s, before.Tables, after.Tables)
	if err != nil {
		return err
	}
	return e.Present(diffDocument(s, d, moved, fabric, a+" and "+b), asJSON, d.Record(s, moved))
}

// maxShown is the number of switches in the main table of differences.
const maxShown = 20

// diffDocument is the differences in rows, then by switch and by cable.
func diffDocument(s *subnet.Subnet, d *proof.Difference, moved int, fabric, tables string) *doc.Document {
	rows := [][]string{
		{"of", "result"},
		{"entries that differ", fmt.Sprintf("%d, in %d switches", d.Entries, len(d.Switches))},
		{"paths between ends", fmt.Sprintf("%d, of which %d take other cables, %d are longer, %d shorter", d.Pairs, d.Moved, d.Longer, d.Shorter)},
	}
	if d.Gained+d.Lost > 0 {
		rows = append(rows, []string{"reach", fmt.Sprintf("%d paths arrive only with the second tables, %d only with the first", d.Gained, d.Lost)})
	}
	if d.Levels > 0 {
		rows = append(rows, []string{"service levels", fmt.Sprintf("%d paths have another", d.Levels)})
	}
	if moved > 0 {
		rows = append(rows, []string{"LIDs", fmt.Sprintf("%d ports have other LIDs in the second tables: they are compared port by port, under the LIDs of the first", moved)})
	}
	out := &doc.Document{Brand: "InfiniBand forwarding tables", Title: tables, Subtitle: "of " + fabric, Footer: "Made by weft sm diff. The same files and version make the same page."}
	out.Add(doc.Section{Blocks: []doc.Block{doc.Grid(rows)}})
	if d.Entries == 0 {
		return out
	}
	t := doc.Wrapped("switch", "entries", "first: LID, port before, port after")
	for _, w := range d.Switches {
		var first []string
		for _, c := range d.First {
			if c.Switch == w.Switch {
				first = append(first, fmt.Sprintf("%d: %s %s", c.LID, portText(c.Old), portText(c.New)))
			}
		}
		t.Add(doc.Text(s.NodeName(w.Switch)), doc.Count(w.Entries), doc.Text(strings.Join(first, ", ")))
	}
	further := *t
	shown := min(len(t.Rows), maxShown+1)
	t.Rows, further.Rows = t.Rows[:shown], slices.Delete(slices.Clone(t.Rows), 1, shown)
	out.Add(doc.Section{Title: "Switches", Blocks: []doc.Block{t}})
	if len(further.Rows) > 1 {
		out.Add(doc.Section{Title: "Further switches", In: doc.Details, Blocks: []doc.Block{&further}})
	}
	if len(d.Loads) > 0 {
		loads := doc.NewTable("cable, sending side", "paths before", "paths after")
		for _, l := range d.Loads {
			loads.Add(doc.Text(s.EndName(l.Port)), doc.Count(l.Old), doc.Count(l.New))
		}
		out.Add(doc.Section{Title: "Cables", Caption: "the largest changes of load", In: doc.Details, Blocks: []doc.Block{loads}})
	}
	return out
}

func portText(p uint8) string {
	if p == subnet.NoPort {
		return "none"
	}
	return fmt.Sprint(p)
}
