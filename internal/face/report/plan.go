package report

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"weft/internal/study/plan"
)

// Plan writes the designs of a plan as a table, with what is not known, and the bill
// of materials of the first of each protocol.
func Plan(w io.Writer, p *plan.Plan, all bool, s Style) error {
	fmt.Fprintf(w, "%s\n\n", s.Bold(planHeading(p.Request)))
	shown := p.Designs
	if !all {
		shown = slices.DeleteFunc(slices.Clone(p.Designs), func(d *plan.Design) bool { return !d.Front })
	}
	if err := designTable(p, shown).write(w, s); err != nil {
		return err
	}
	fmt.Fprintln(w)
	for _, line := range planNotes(p, shown) {
		fmt.Fprintln(w, wrap(line, s.width()))
	}
	for i, d := range shown {
		if i > 0 && shown[i-1].Kind == d.Kind {
			continue
		}
		fmt.Fprintln(w)
		if err := Bill(w, d, s); err != nil {
			return err
		}
	}
	return nil
}

func planHeading(r *plan.Request) string {
	text := fmt.Sprintf("%s: %s GPUs of %s", r.Name, Integer(int64(r.GPUs)), r.Node)
	if r.Later > r.GPUs {
		text += fmt.Sprintf(", later %s", Integer(int64(r.Later)))
	}
	return text
}

// designTable is a row per design.
func designTable(p *plan.Plan, designs []*plan.Design) *table {
	t := &table{columns: []column{{left: true}, {left: true}, {}, {}, {}, {}, {}, {}, {}, {}, {}}}
	head := []cell{{}, {text: "design"}, {text: "oversub."}, {text: "levels"}, {text: "switches"}, {text: "cables"}, {text: "ports used"}, {text: "free"}, {text: "transceivers"}, {text: "latency"}, {text: "power"}}
	if p.Prices != nil {
		t.columns = append(t.columns, column{})
		head = append(head, cell{text: "cost"})
	}
	if p.Request.Later > p.Request.GPUs {
		t.columns = append(t.columns, column{})
		head = append(head, cell{text: "switches later"})
	}
	t.add(head...)
	for _, d := range designs {
		mark := " "
		if d.Front {
			mark = "*"
		}
		row := []cell{
			{text: mark},
			{text: d.Name},
			{text: fmt.Sprintf("%d:%d", d.Oversubscription.Num, d.Oversubscription.Den)},
			{text: strconv.Itoa(d.Levels)},
			{text: Integer(int64(d.Count.TotalSwitches()))},
			{text: Integer(int64(d.Count.TotalCables()))},
			{text: Integer(int64(d.Count.PortsUsed))},
			{text: Integer(int64(d.Count.PortsFree))},
			{text: Integer(int64(pieces(d, "transceiver")))},
			{text: d.Latency.Text(plan.LatencyText)},
			{text: d.Power.Text(plan.PowerText)},
		}
		if d.Cost != nil {
			row = append(row, cell{text: d.Cost.Total().Text(d.Cost.Text)})
		}
		if d.Growth != nil {
			row = append(row, cell{text: growthText(d)})
		}
		t.add(row...)
	}
	return t
}

// growthText is the switches of the later size, with the levels where they change.
func growthText(d *plan.Design) string {
	g := d.Growth
	switch {
	case g.Problem != "":
		return "cannot"
	case g.Levels != d.Levels:
		return fmt.Sprintf("%s (%d levels)", Integer(int64(g.Count.TotalSwitches())), g.Levels)
	}
	return Integer(int64(g.Count.TotalSwitches()))
}

// pieces is how many there are of a kind in a design's bill.
func pieces(d *plan.Design, kind string) int {
	n := 0
	for _, l := range d.Bill {
		if l.Kind == kind {
			n += l.Quantity
		}
	}
	return n
}

// planNotes say how to read the table.
func planNotes(p *plan.Plan, shown []*plan.Design) []string {
	notes := []string{"* is on the Pareto front of its protocol: no other design of it is as good or better in all of " + strings.Join(plan.Objectives(), ", ") + "."}
	notes = append(notes, "Latency is that of the switches on the longest way, idle and without cables; where the catalog only assumes one it is unknown, and simulations run with the assumption.")
	if hidden := len(p.Designs) - len(shown); hidden > 0 {
		notes = append(notes, fmt.Sprintf("Not shown: %s; --all lists them.", plural(int64(hidden), "dominated design", "dominated designs")))
	}
	if p.Prices == nil {
		notes = append(notes, "Cost is what is counted: switches, ports, watts. With --prices it is an amount of money by your prices; weft has none of its own.")
	}
	var missing []string
	for _, d := range shown {
		missing = slices.Concat(missing, d.Power.Missing, d.Latency.Missing)
	}
	slices.Sort(missing)
	if missing = slices.Compact(missing); len(missing) > 0 {
		notes = append(notes, "≥ and unknown: the catalog does not know "+strings.Join(missing, "; ")+".")
	}
	if n := len(p.Unproved); n > 0 {
		notes = append(notes, fmt.Sprintf("Left out: %s: the budget cannot be checked without %s.", plural(int64(n), "design", "designs"), unprovedText(p)))
	}
	if p.Request.Later > p.Request.GPUs {
		notes = append(notes, "Switches later are those of the whole network at the later size; where the levels change, cables between switches are laid anew.")
	}
	return notes
}

var billHead = []string{"quantity", "item", "where", "what", "length", "power each", "power"}

// Bill writes the bill of materials of a design.
func Bill(w io.Writer, d *plan.Design, s Style) error {
	fmt.Fprintf(w, "%s\n\n", s.Bold("Bill of materials of "+d.Name))
	t := &table{keys: 3, columns: []column{{}, {left: true}, {left: true}, {left: true}, {}, {}, {}}}
	t.addTexts(billHead...)
	for _, l := range d.Bill {
		t.addTexts(billRow(l)...)
	}
	if s.Width > 0 { // what it is stands beside the item, and the item tells
		widths := t.widths()
		room := max(16, s.Width-t.needs(widths, 0, t.keys)-t.gap(t.keys))
		for i, row := range t.rows {
			t.rows[i][t.keys].text = fit(row[t.keys].text, room)
		}
	}
	if err := t.write(w, s); err != nil {
		return err
	}
	fmt.Fprintf(w, "\n%s\n", wrap(fmt.Sprintf("Power: %s%s", d.Power.Text(plan.PowerText), softness(d.Power)), s.width()))
	if d.Cost != nil {
		fmt.Fprintln(w, wrap(costText(d), s.width()))
	}
	return nil
}

// costText is what a design costs by the user's prices, and what that leaves out.
func costText(d *plan.Design) string {
	c := d.Cost
	text := fmt.Sprintf("Equipment: %s; energy of %s: %s", c.Equipment.Text(c.Text), plural(int64(c.Years), "year", "years"), c.Energy.Text(c.Text))
	if m := c.Total().MissingText(); m != "" {
		text += "; " + m
	}
	return text + "."
}

// softness says how far to trust a sum and what it leaves out.
func softness(x plan.Sum) string {
	text := ""
	if x.Softest != "" {
		text = fmt.Sprintf(" (softest source: %s)", x.Softest)
	}
	if m := x.MissingText(); m != "" {
		text += "; " + m
	}
	return text
}

func billRow(l plan.Line) []string {
	length, each, total := "", "unknown", "unknown"
	if l.Length > 0 {
		length = l.Length.String()
	}
	if l.Power.Known {
		each, total = plan.PowerText(l.Power.Value), plan.PowerText(l.Power.Value*int64(l.Quantity))
	}
	return []string{Integer(int64(l.Quantity)), l.Item, l.Where, l.Title, length, each, total}
}

// Unmet says which constraints to relax where no design keeps them all, and what is
// not known of those that may.
func Unmet(p *plan.Plan) string {
	var b strings.Builder
	if n := len(p.Unproved); n > 0 {
		fmt.Fprintf(&b, "of no design it is known that it keeps all constraints; of %s it is not known. Not known: %s",
			plural(int64(n), "design", "designs"), unprovedText(p))
	}
	unfit := ""
	if len(p.Unfit) > 0 {
		unfit = "\n  " + strings.Join(p.Unfit, "\n  ")
	}
	switch {
	case len(p.Relax) > 0 && b.Len() > 0:
		b.WriteString(unfit + "\nWhat to relax for one that does, any one of:")
	case len(p.Relax) > 0 && unfit != "":
		b.WriteString("no design keeps all constraints:" + unfit + "\nWhat to relax, any one of:")
	case len(p.Relax) > 0:
		b.WriteString("no design keeps all constraints. What to relax, any one of:")
	case b.Len() == 0:
		lines := append(slices.Clone(p.Unfit), p.Reasons[:min(len(p.Reasons), mostReasons)]...)
		return "no design can be built, whatever is relaxed:\n  " + strings.Join(lines, "\n  ")
	}
	for _, r := range p.Relax {
		var parts []string
		for _, x := range r.Breaches {
			parts = append(parts, fmt.Sprintf("%s from %s to %s", x.Field, x.Allowed, x.Needs))
		}
		fmt.Fprintf(&b, "\n  %s (%s would do)", strings.Join(parts, " and "), r.Design.Name)
	}
	return b.String()
}

// mostReasons is how many reasons for which nothing can be built are listed.
const mostReasons = 6

// unprovedText is what is not known of designs that may keep a budget.
func unprovedText(p *plan.Plan) string {
	var missing []string
	for _, d := range p.Unproved {
		for _, b := range d.Breaks {
			if b.Field == "max-power" {
				missing = append(missing, d.Power.Missing...)
			} else if d.Cost != nil {
				missing = append(missing, d.Cost.Total().Missing...)
			}
		}
	}
	slices.Sort(missing)
	return strings.Join(slices.Compact(missing), "; ")
}
