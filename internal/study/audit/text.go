package audit

import (
	"fmt"
	"io"
	"strings"

	"weft/units"
)

// stepsShown is how many steps of a path are printed; JSON has all.
const stepsShown = 40

// Write prints the report for people.
func (r *Report) Write(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: isolation\n", r.Scenario)
	for i := range r.Fabrics {
		f := &r.Fabrics[i]
		fmt.Fprintf(&b, "\n%s\n", f.Fabric)
		for j := range f.Verdicts {
			f.Verdicts[j].write(&b)
		}
	}
	r.writeCost(&b)
	_, err := io.WriteString(w, b.String())
	return err
}

func (v *Verdict) write(b *strings.Builder) {
	word := "apart"
	if !v.Proved {
		word = "NOT APART"
	}
	fmt.Fprintf(b, "  %s and %s by %s: %s\n    %s\n", v.Zones[0], v.Zones[1], v.By, word, v.Found)
	for i, s := range v.Path {
		if i == stepsShown {
			fmt.Fprintf(b, "      and %d steps more\n", len(v.Path)-i)
			break
		}
		fmt.Fprintf(b, "    %3d. %s → %s  by %s\n", i+1, s.From, s.To, s.By)
	}
	if len(v.Machines) > 0 {
		fmt.Fprintf(b, "    hosts with a separate port in each: %s\n", some(v.Machines))
	}
	if v.Proved && v.SharedCables > 0 {
		fmt.Fprintf(b, "    %d cables of the fabric, each direction counted, can carry the traffic of both: what one sends can delay the other\n", v.SharedCables)
	}
}

// some is a list of at most eight names.
func some(names []string) string {
	const shown = 8
	if len(names) <= shown {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:shown], ", "), len(names)-shown)
}

// writeCost prints what inspection in the path costs.
func (r *Report) writeCost(b *strings.Builder) {
	if len(r.Cost) == 0 {
		return
	}
	fmt.Fprintf(b, "\nThe same job with planes apart, and with a box in the path of every NIC\n\n")
	rows := [][]string{{"fabric", "what", "planes apart", "inspected in line", "times"}}
	for i := range r.Cost {
		c := &r.Cost[i]
		what := c.What
		if c.Bytes > 0 {
			what += " of " + units.Bytes(c.Bytes).String()
		}
		rows = append(rows, []string{c.Fabric, what, c.Apart.String(), c.Inline.String(), fmt.Sprintf("%.2f×", c.Ratio())})
	}
	width := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row {
			width[i] = max(width[i], len([]rune(cell)))
		}
	}
	for _, row := range rows {
		line := "  "
		for i, cell := range row {
			pad := strings.Repeat(" ", width[i]-len([]rune(cell)))
			if i > 1 {
				cell = pad + cell
			} else {
				cell += pad
			}
			line += cell + "   "
		}
		fmt.Fprintln(b, strings.TrimRight(line, " "))
	}
}
