package export

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"slices"

	"weft/internal/ib/inspect"
	"weft/internal/ib/subnet"
)

// WriteRoots writes the root_guid_file that opensm takes with -a: the node GUIDs
// of the topmost switches of each tree, one on a line. A fabric without a top level is an error.
func WriteRoots(to io.Writer, s *subnet.Subnet) error {
	l := inspect.Lay(s)
	w := bufio.NewWriter(to)
	found := false
	for i, island := range l.Report.Islands {
		if island.Family != inspect.FatTree && island.Family != inspect.Tree {
			continue
		}
		top := 0
		for node := range s.Nodes {
			if l.Island[node] == i {
				top = max(top, l.Level[node])
			}
		}
		for node := range s.Nodes {
			if l.Island[node] == i && l.Level[node] == top {
				found = true
				fmt.Fprintln(w, s.Nodes[node].GUID)
			}
		}
	}
	if !found {
		families := []string{}
		for _, island := range l.Report.Islands {
			families = append(families, string(island.Family))
		}
		return fmt.Errorf("the fabric has no topmost switches to name as roots: %w", errors.New(describe(families)))
	}
	return w.Flush()
}

func describe(families []string) string {
	slices.Sort(families)
	families = slices.Compact(families)
	if len(families) == 0 {
		return "it has no switch"
	}
	text := "it is"
	for i, f := range families {
		if i > 0 {
			text += " and"
		}
		text += " " + f
	}
	return text
}
