package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"weft/internal/face/doc"
	"weft/internal/study/plan"
)

// Plan is the designs of a plan as a table, with unknown figures, and bills of materials: a
// terminal shows the bill of the first design of each protocol, and dominated designs only with
// all.
func Plan(p *plan.Plan, all bool) *doc.Document {
	d := &doc.Document{
		Brand: "network plan", Title: p.Request.Name, Subtitle: planHeading(p.Request), Heading: planHeading(p.Request),
		Footer: "Made by weft plan from its catalog; the same request and version make the same page.",
	}
	front := slices.DeleteFunc(slices.Clone(p.Designs), func(d *plan.Design) bool { return !d.Front })
	if all {
		front = p.Designs
	}
	d.Add(doc.Section{In: doc.Screen, Blocks: append([]doc.Block{designTable(p, front)}, doc.Notes(planNotes(p, front)...)...)})
	d.Add(doc.Section{Title: "Designs", In: doc.Page, Blocks: append([]doc.Block{designTable(p, p.Designs)}, doc.Notes(planNotes(p, p.Designs)...)...)})
	for i, x := range front {
		in := doc.Details
		if i > 0 && front[i-1].Kind == x.Kind {
			in = doc.Page
		}
		if in == doc.Details || x.Front {
			d.Add(billSection(x, in))
		}
	}
	for _, x := range p.Designs {
		d.Add(scenarioSection("Scenario of "+x.Name, x.Scenario))
	}
	return d
}

// scenarioSection is the text of a scenario, which the page can unfold.
func scenarioSection(title string, text []byte) doc.Section {
	return doc.Section{Title: title, In: doc.Page, Folded: true, Blocks: []doc.Block{doc.Listing(text)}}
}

func planHeading(r *plan.Request) string {
	text := fmt.Sprintf("%s: %s GPUs of %s", r.Name, Integer(int64(r.GPUs)), r.Node)
	if r.Later > r.GPUs {
		text += fmt.Sprintf(", later %s", Integer(int64(r.Later)))
	}
	return text
}

// designTable is a row per design.
func designTable(p *plan.Plan, designs []*plan.Design) *doc.Table {
	t := &doc.Table{Columns: []doc.Column{{Left: true}, {Left: true}, {}, {}, {}, {}, {}, {}, {}, {}, {}}}
	head := []doc.Cell{{}, {Text: "design"}, {Text: "oversub."}, {Text: "levels"}, {Text: "switches"}, {Text: "cables"}, {Text: "ports used"}, {Text: "free"}, {Text: "transceivers"}, {Text: "latency"}, {Text: "power"}}
	if p.Prices != nil {
		t.Columns = append(t.Columns, doc.Column{})
		head = append(head, doc.Text("cost"))
	}
	if p.Request.Later > p.Request.GPUs {
		t.Columns = append(t.Columns, doc.Column{})
		head = append(head, doc.Text("switches later"))
	}
	t.Add(head...)
	for _, d := range designs {
		mark := " "
		if d.Front {
			mark = "*"
		}
		row := []doc.Cell{
			{Text: mark},
			{Text: d.Name},
			{Text: fmt.Sprintf("%d:%d", d.Oversubscription.Num, d.Oversubscription.Den)},
			{Text: strconv.Itoa(d.Levels)},
			{Text: Integer(int64(d.Count.TotalSwitches()))},
			{Text: Integer(int64(d.Count.TotalCables()))},
			{Text: Integer(int64(d.Count.PortsUsed))},
			{Text: Integer(int64(d.Count.PortsFree))},
			{Text: Integer(int64(pieces(d, "transceiver")))},
			{Text: d.Latency.Text(plan.LatencyText)},
			{Text: d.Power.Text(plan.PowerText)},
		}
		if d.Cost != nil {
			row = append(row, doc.Text(d.Cost.Total().Text(d.Cost.Text)))
		}
		if d.Growth != nil {
			row = append(row, doc.Text(growthText(d)))
		}
		t.Add(row...)
	}
	return t
}

// growthText is the switches of the later size, with the levels if they change.
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

// pieces is the number of pieces of a kind in a design's bill.
func pieces(d *plan.Design, kind string) int {
	n := 0
	for _, l := range d.Bill {
		if l.Kind == kind {
			n += l.Quantity
		}
	}
	return n
}

// planNotes explain the table.
func planNotes(p *plan.Plan, shown []*plan.Design) []string {
	notes := []string{"* is on the Pareto front of its protocol: no other design of it is as good or better in all of " + strings.Join(plan.Objectives(), ", ") + "."}
	notes = append(notes, "Latency is the sum of the switches on the longest path, idle and without cables; if the catalog only assumes a latency, it is unknown here, and simulations use the assumption.")
	if hidden := len(p.Designs) - len(shown); hidden > 0 {
		notes = append(notes, fmt.Sprintf("Not shown: %s; --all lists them.", plural(int64(hidden), "dominated design", "dominated designs")))
	}
	if p.Prices == nil {
		notes = append(notes, "Cost is in counts: switches, ports, watts. With --prices it is an amount of money by your prices; weft has none of its own.")
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
		notes = append(notes, "Switches later is the number of switches of the whole network at the later size; if the levels change, cables between switches must be replaced.")
	}
	return notes
}

// Bill is the bill of materials of a design.
func Bill(d *plan.Design) *doc.Document {
	return &doc.Document{Sections: []doc.Section{billSection(d, doc.Everywhere)}}
}

func billSection(d *plan.Design, in doc.Place) doc.Section {
	t := &doc.Table{Keys: 3, Columns: []doc.Column{{}, {Left: true}, {Left: true}, {Left: true, Least: 16}, {}, {}, {}}}
	t.AddTexts("quantity", "item", "where", "what", "length", "power each", "power")
	for _, l := range d.Bill {
		t.AddTexts(billRow(l)...)
	}
	notes := []string{fmt.Sprintf("Power: %s%s.", d.Power.Text(plan.PowerText), softness(d.Power))}
	if d.Cost != nil {
		notes = append(notes, costText(d))
	}
	return doc.Section{Title: "Bill of materials of " + d.Name, In: in, Blocks: append([]doc.Block{t}, doc.Notes(notes...)...)}
}

// costText is the cost of a design by the user's prices, and the parts that it leaves out.
func costText(d *plan.Design) string {
	c := d.Cost
	text := fmt.Sprintf("Equipment: %s; energy of %s: %s", c.Equipment.Text(c.Text), plural(int64(c.Years), "year", "years"), c.Energy.Text(c.Text))
	if m := c.Total().MissingText(); m != "" {
		text += "; " + m
	}
	return text + "."
}

// softness is the uncertainty of a sum and the parts that it leaves out.
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

// Unmet names the constraints to relax if no design meets them all, and the unknown figures of
// designs that may meet them.
func Unmet(p *plan.Plan) string {
	var b strings.Builder
	if n := len(p.Unproved); n > 0 {
		fmt.Fprintf(&b, "no design is known to meet all constraints; for %s it is unknown. Unknown: %s",
			plural(int64(n), "design", "designs"), unprovedText(p))
	}
	unfit := ""
	if len(p.Unfit) > 0 {
		unfit = "\n  " + strings.Join(p.Unfit, "\n  ")
	}
	switch {
	case len(p.Relax) > 0 && b.Len() > 0:
		b.WriteString(unfit + "\nConstraints to relax for a design that does, any one of:")
	case len(p.Relax) > 0 && unfit != "":
		b.WriteString("no design meets all constraints:" + unfit + "\nWhat to relax, any one of:")
	case len(p.Relax) > 0:
		b.WriteString("no design meets all constraints. Constraints to relax, any one of:")
	case b.Len() == 0:
		lines := append(slices.Clone(p.Unfit), p.Reasons[:min(len(p.Reasons), mostReasons)]...)
		return "no design can be built, even with relaxed constraints:\n  " + strings.Join(lines, "\n  ")
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

// mostReasons is the maximum number of listed reasons why no design can be built.
const mostReasons = 6

// unprovedText is the unknown figures of designs that may meet a budget.
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
