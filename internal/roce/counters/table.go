package counters

import (
	"regexp"
	"strings"

	"weft/internal/base/portstate"
)

// row is a row of a table by the names of its columns.
type row struct {
	columns []string
	cells   []string
	title   string // the last line above that is in no table
	space   string // namespace of a chip, such as asic0
}

// get is the cell of a column; "" without.
func (r row) get(name string) string {
	for i, c := range r.columns {
		if c == name {
			return r.cells[i]
		}
	}
	return ""
}

var dashes = regexp.MustCompile(`^ *-+(?:  +-+)+$`)

// space finds (Namespace asic0), and «For namespace asic0:».
var space = regexp.MustCompile(`(?i)namespace:? *([A-Za-z0-9_.-]*)\)?:?`)

// hasHeading recognises a table by some of its columns: the line above the dashes has them all, each
// as a word or two.
func hasHeading(columns ...string) func(text string) bool {
	return func(text string) bool {
		last := ""
		return hasLine(text, func(line string) bool {
			if dashes.MatchString(line) {
				for _, c := range columns {
					if !strings.Contains(" "+last+" ", " "+c+" ") {
						return false
					}
				}
				return true
			}
			last = line
			return false
		})
	}
}

// table is the table that rows reads.
type table struct {
	*portstate.Input
	cuts [][2]int // nil outside of a table
	row  row
	do   func(row)
}

// rows calls do for the rows of all tables. A line above a line of dashes is a heading, and the dashes
// say where its columns begin and end.
func rows(in *portstate.Input, do func(row)) {
	t := &table{Input: in, do: do}
	pending, at, device, command, time := "", 0, "", "", int64(0)
	flush := func() { // the line is of the prompt above it, though one below has been read
		if pending == "" {
			return
		}
		now, nextDevice, nextCommand, nextTime := in.At().Line, in.Device, in.Shell, in.Time
		in.AtLine(at)
		in.Device, in.Shell, in.Time = device, command, time
		t.line(pending)
		in.AtLine(now)
		in.Device, in.Shell, in.Time = nextDevice, nextCommand, nextTime
		pending = ""
	}
	for line := range lines(in) {
		if dashes.MatchString(line) {
			t.cuts, t.row.columns = columnsOf(line, pending)
			pending = ""
			continue
		}
		flush()
		pending, at, device, command, time = line, in.At().Line, in.Device, in.Shell, in.Time
	}
	flush()
}

// line reads a line that is no heading.
func (t *table) line(line string) {
	switch m := space.FindStringSubmatch(line); {
	case m != nil && !strings.Contains(strings.TrimSpace(line), "  "):
		t.row.title, t.row.space, t.cuts = line, m[1], nil
	case t.cuts == nil:
		t.row.title = line
	case isRow(line, t.cuts):
		t.row.cells = cut(line, t.cuts)
		t.do(t.row)
	case startsCell(line, t.cuts):
		t.Note("the row does not fit the columns of its table and is left out: is the output truncated?")
	default:
		t.row.title, t.cuts = line, nil
	}
}

// columnsOf is the places and names of the columns of a heading.
func columnsOf(line, heading string) (cuts [][2]int, names []string) {
	for i := 0; i < len(line); {
		if line[i] != '-' {
			i++
			continue
		}
		end := i
		for end < len(line) && line[end] == '-' {
			end++
		}
		cuts = append(cuts, [2]int{i, end})
		i = end
	}
	cuts[len(cuts)-1][1] = 1 << 30
	return cuts, cut(heading, cuts)
}

// cut is the cells of a line.
func cut(line string, cuts [][2]int) []string {
	cells := make([]string, len(cuts))
	for i, c := range cuts {
		if c[0] < len(line) {
			cells[i] = strings.TrimSpace(line[c[0]:min(c[1], len(line))])
		}
	}
	return cells
}

// isRow reports whether a line fits the columns: it stands in no gap between two of them and reaches
// the last. A last column that is empty in other rows, too, is not asked for.
func isRow(line string, cuts [][2]int) bool {
	for i := 1; i < len(cuts); i++ {
		gap := line[min(cuts[i-1][1], len(line)):min(cuts[i][0], len(line))]
		if strings.TrimSpace(gap) != "" {
			return false
		}
	}
	return len(cuts) < 2 || len(line) > cuts[len(cuts)-2][0]
}

// startsCell reports whether a line has a text in its first column as a row has.
func startsCell(line string, cuts [][2]int) bool {
	first := cut(line, cuts)[0]
	return strings.HasPrefix(first, "Ethernet") || strings.HasPrefix(first, "PortChannel")
}
