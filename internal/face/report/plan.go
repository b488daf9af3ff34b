package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"weft/internal/face/doc"
	"weft/internal/study/plan"
	"weft/scenario"
	"weft/units"
)

// Plan is the designs of a plan as a table, with unknown figures, and bills of materials: a
// terminal shows the bill of the first design of each protocol, and dominated designs only with
// all.
func Plan(p *plan.Plan, all bool) *doc.Document {
	d := &doc.Document{
		Brand: "network plan", Title: p.Request.Name, Subtitle: planHeading(p.Request), Heading: planHeading(p.Request),
		Footer: "Made by weft plan from its catalog; the same request and version make the same page.",
	}
	front := firstOfFront(p)
	if all {
		front = p.Designs
	}
	d.Add(doc.Section{In: doc.Screen, Blocks: designBlocks(p, front)})
	d.Add(doc.Section{Title: "Designs", In: doc.Page, Blocks: designBlocks(p, p.Designs)})
	d.Add(proofSection(p))
	d.Add(doc.Section{Title: "The figures", In: doc.Details, Blocks: append([]doc.Block{designFigures(p, front)}, doc.Notes(figureNotes()...)...)})
	d.Add(planPlots(p))
	for i, x := range front {
		in := doc.Everywhere
		if i > 0 || all {
			in = doc.Details
		}
		d.Add(growthSection(x, in))
	}
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

// mostShown is the maximum number of designs of a protocol that a terminal shows without --all. The table of designs that are
// not judged has the same maximum.
const mostShown = 3

// designBlocks are a table of the designs that surely keep the budgets, a table of the designs that are not judged, and notes.
func designBlocks(p *plan.Plan, shown []*plan.Design) (blocks []doc.Block) {
	open := slices.DeleteFunc(slices.Clone(shown), func(d *plan.Design) bool { return !d.MayBreak() })
	if len(open) < len(shown) {
		blocks = append(blocks, designTable(slices.DeleteFunc(slices.Clone(shown), (*plan.Design).MayBreak)))
	}
	if len(open) > 0 {
		blocks = append(append(blocks, doc.Notes(openNote(open))...), designTable(open))
	}
	return append(blocks, doc.Notes(planNotes(p, shown)...)...)
}

// openNote says which budgets designs may exceed, and why nothing more is known.
func openNote(open []*plan.Design) string {
	var budgets []string
	for _, d := range open {
		for _, b := range d.Breaks {
			budgets = append(budgets, b.Field+" "+b.Allowed)
		}
	}
	slices.Sort(budgets)
	return "Not judged: " + strings.Join(slices.Compact(budgets), " or ") + " lies between the bounds of these designs (≥ and ≤, or a range)."
}

// firstOfFront are the first designs of each protocol's front.
func firstOfFront(p *plan.Plan) []*plan.Design {
	type group struct {
		kind scenario.FabricKind
		open bool
	}
	count := map[group]int{}
	return slices.DeleteFunc(slices.Clone(p.Designs), func(d *plan.Design) bool {
		of := group{d.Kind, d.MayBreak()}
		if d.Front {
			count[of]++
		}
		return !d.Front || count[of] > mostShown
	})
}

// scenarioSection is the text of a scenario, which the page can unfold.
func scenarioSection(title string, text []byte) doc.Section {
	return doc.Section{Title: title, In: doc.Page, Folded: true, Blocks: []doc.Block{doc.Listing(text)}}
}

func planHeading(r *plan.Request) string {
	text := fmt.Sprintf("%s: %s GPUs of %s", r.Name, doc.Integer(int64(r.GPUs)), r.Node)
	if r.Later > r.GPUs {
		text += fmt.Sprintf(", later %s", doc.Integer(int64(r.Later)))
	}
	return text
}

// designTable is a row per design, of the figures that decide most.
func designTable(designs []*plan.Design) *doc.Table {
	t := doc.NewTable("", "design", "hops", "survives", "switches", "power", "cost")
	for _, d := range designs {
		mark := " "
		if d.Front {
			mark = "*"
		}
		t.Add(
			doc.Text(mark), doc.Text(d.Name), doc.Number(d.Merits.RailHops, "switches").As(fmt.Sprintf("%.1f", d.Merits.RailHops)),
			doc.Count(d.Merits.Survives), doc.Count(d.Count.TotalSwitches()), powerCell(d.Power), costCell(d.Cost),
		)
	}
	return t
}

// designFigures is a row per design with its further figures.
func designFigures(p *plan.Plan, designs []*plan.Design) *doc.Table {
	t := doc.NewTable("design", "oversub.", "levels", "planes", "cables", "free ports", "latency")
	if p.Request.Later > p.Request.GPUs {
		t.Rows[0] = append(t.Rows[0], doc.Text("switches later"))
	}
	for _, d := range designs {
		row := []doc.Cell{
			doc.Text(d.Name), oversubscription(p.Request, d),
			doc.Count(d.Levels), doc.Count(d.Merits.Planes), doc.Count(d.Count.TotalCables()), doc.Count(d.Merits.Places),
			sum(d.Latency, func(v int64) doc.Cell { return doc.Time(units.Time(v)).As(plan.LatencyText(v)) }),
		}
		if d.Growth != nil {
			row = append(row, growth(d))
		}
		t.Add(row...)
	}
	return t
}

// oversubscription is the ratio of downlinks to uplinks of the leaves, and of the spines if the request has another than 1:1.
func oversubscription(r *plan.Request, d *plan.Design) doc.Cell {
	if d.Levels == 1 {
		return doc.None
	}
	text := fmt.Sprintf("%d:%d", d.Oversubscription.Num, d.Oversubscription.Den)
	if s := r.SpineOversubscription; d.Count.Switches[2] > 0 && s.Cmp(1, 1) != 0 {
		text += fmt.Sprintf(", spines %d:%d", s.Num, s.Den)
	}
	return doc.Ratio(d.Oversubscription.Float(), 0).As(text)
}

// powerCell is a power; a range in kilowatts or megawatts.
func powerCell(s plan.Sum) doc.Cell {
	cell := sum(s, func(v int64) doc.Cell { return doc.Power(units.Power(v)) })
	if s.Complete() || !s.Bounded() {
		return cell
	}
	unit, name := float64(units.Kilowatt), "kW"
	if float64(s.Most()) >= 10_000*unit {
		unit, name = 1000*unit, "MW"
	}
	return cell.As(rangeOf(s, float64(s.Known)/unit, float64(s.Most())/unit, 4, name))
}

// rangeOf is a range with a unit. If parts are unknown, its low end leaves them out: it is a bound, and so is the high end.
func rangeOf(s plan.Sum, low, high float64, digits int, unit string) string {
	number := func(v float64) string {
		if v >= math.Pow10(digits) {
			return doc.Integer(int64(math.Round(v)))
		}
		return fmt.Sprintf("%.*g", digits, v)
	}
	switch {
	case low <= 0:
		return fmt.Sprintf("≤ %s %s", number(high), unit)
	case len(s.Missing) > 0:
		return fmt.Sprintf("≥ %s, ≤ %s %s", number(low), number(high), unit)
	}
	return fmt.Sprintf("%s to %s %s", number(low), number(high), unit)
}

// sum is a total; if parts are unknown, with "at least", or unknown.
func sum(s plan.Sum, of func(int64) doc.Cell) doc.Cell {
	text := s.Text(func(v int64) string { return of(v).Text })
	if s.Known == 0 && !s.Complete() {
		return doc.Instead(text)
	}
	return of(s.Known).As(text)
}

// growth is the switches of the later size, with the levels if they change.
func growth(d *plan.Design) doc.Cell {
	g := d.Growth
	if g.Problem != "" {
		return doc.Instead("cannot")
	}
	c := doc.Count(g.Count.TotalSwitches())
	if g.Levels != d.Levels {
		c.Text += fmt.Sprintf(" (%d levels)", g.Levels)
	}
	return c
}

// costCell is a cost; in millions beyond a million.
func costCell(c *plan.Cost) doc.Cell {
	total := c.Total()
	write := func(v int64) doc.Cell { return doc.Money(float64(v)/plan.PerUnit, c.Currency) }
	cell := sum(total, write)
	low, high := float64(total.Known)/plan.PerUnit/1e6, float64(total.Most())/plan.PerUnit/1e6
	if total.Complete() || !total.Bounded() || high <= 0 {
		return cell
	}
	return cell.As(rangeOf(total, low, high, 3, "M "+c.Currency))
}

// planNotes say what the table leaves out and leaves open.
func planNotes(p *plan.Plan, shown []*plan.Design) (notes []string) {
	if hidden := len(p.Designs) - len(shown); hidden > 0 {
		notes = append(notes, fmt.Sprintf("Not shown: %s; --all lists them.", plural(hidden, "design", "designs")))
	}
	if p.Prices.Public {
		notes = []string{strings.Join(append(notes, publicNote(shown)), " ")}
	}
	var missing []string
	for _, d := range shown {
		missing = slices.Concat(missing, d.Power.Missing, d.Latency.Missing)
	}
	slices.Sort(missing)
	if missing = slices.Compact(missing); len(missing) > 0 {
		notes = append(notes, "Ranges, ≥, ≤ and unknown: the catalog does not know "+strings.Join(missing, "; ")+".")
	}
	if len(p.Relax) > 0 {
		notes = append(notes, "For a design that surely keeps all constraints, relax any one of: "+strings.TrimPrefix(strings.ReplaceAll(relaxations(p), "\n  ", "; "), "; ")+".")
	}
	return notes
}

// figureNotes say what the columns of the table mean.
func figureNotes() []string {
	return []string{
		"*: on the Pareto front of its protocol: no other design of it is as good or better in all of " + strings.Join(plan.Objectives(), ", ") + ".",
		"Hops: switches between two NICs of a rail, in the mean. Survives: so many switches may fail at a time, whichever, and every two nodes still reach each other. Free ports: of leaves.",
		"Latency: the sum of the switches on the longest path, idle and without cables; if the catalog only assumes a latency, it is unknown here, and simulations use the assumption.",
		boundNote,
	}
}

// publicNote says what the costs are without a price file.
func publicNote(shown []*plan.Design) string {
	first, last := 0, 0
	for _, d := range shown {
		if a, b := d.PublicYears(); a > 0 {
			first, last = cmp.Or(min(first, a), a), max(last, b)
		}
	}
	text := "Cost is the equipment by public prices of web shops and papers"
	switch first {
	case 0:
	case last:
		text += fmt.Sprintf(" (%d)", first)
	default:
		text += fmt.Sprintf(" (%d to %d)", first, last)
	}
	return text + ", no quotes; ≥ leaves out what has no price. --prices takes yours. Power is typical, and feeds must give more."
}

// boundNote says where a bound of power comes from.
const boundNote = "≥ and ≤ are bounds, not figures. Most: what is published as the most of a device; else, of a switch or a module, what one of its kind takes at most for each bit per second, and of a NIC what its slot gives. Least: of a switch or a NIC half of what the most frugal takes for each bit per second; of others 0."

// Bill is the bill of materials of a design.
func Bill(d *plan.Design) *doc.Document {
	return &doc.Document{Sections: []doc.Section{billSection(d, doc.Everywhere)}}
}

func billSection(d *plan.Design, in doc.Place) doc.Section {
	t := doc.NewTable("quantity", "item", "where", "what", "length", "power each", "power")
	t.Keys, t.Columns = 3, []doc.Column{3: {Least: 16}}
	for _, l := range d.Bill {
		t.Add(billRow(l)...)
	}
	notes := []string{fmt.Sprintf("Power: %s%s.", d.Power.Text(plan.PowerText), softness(d.Power))}
	notes = append(notes, costText(d))
	return doc.Section{Title: "Bill of materials of " + d.Name, In: in, Blocks: append([]doc.Block{t}, doc.Notes(notes...)...)}
}

// costText is the cost of a design by the user's prices, and the parts that it leaves out.
func costText(d *plan.Design) string {
	c := d.Cost
	if c.Public {
		text := "Equipment: " + c.Equipment.Text(c.Text)
		if m := c.Equipment.MissingText(); m != "" {
			text += "; " + m
		}
		return text + "."
	}
	text := fmt.Sprintf("Equipment: %s; energy of %s: %s", c.Equipment.Text(c.Text), plural(c.Years, "year", "years"), c.Energy.Text(c.Text))
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

func billRow(l plan.Line) []doc.Cell {
	length, each, total := doc.Cell{}, doc.Instead(l.Power.Text(1, plan.PowerText)), doc.Instead(l.Power.Text(l.Quantity, plan.PowerText))
	if l.Length > 0 {
		length = doc.Length(l.Length)
	}
	if l.Power.Known {
		each, total = doc.Power(units.Power(l.Power.Value)), doc.Power(units.Power(l.Power.Value*int64(l.Quantity)))
	}
	return []doc.Cell{doc.Count(l.Quantity), doc.Text(l.Item), doc.Text(l.Where), doc.Text(l.Title), length, each, total}
}

// Unmet names the constraints to relax if no design meets them all.
func Unmet(p *plan.Plan) string {
	unfit := ""
	if len(p.Unfit) > 0 {
		unfit = "\n  " + strings.Join(p.Unfit, "\n  ")
	}
	switch {
	case len(p.Relax) == 0:
		lines := append(slices.Clone(p.Unfit), p.Reasons[:min(len(p.Reasons), mostReasons)]...)
		return "no design can be built, even with relaxed constraints:\n  " + strings.Join(lines, "\n  ")
	case unfit != "":
		return "no design meets all constraints:" + unfit + "\nConstraints to relax, any one of:" + relaxations(p)
	}
	return "no design meets all constraints. Constraints to relax, any one of:" + relaxations(p)
}

// relaxations is a line for each way to relax the constraints.
func relaxations(p *plan.Plan) string {
	var b strings.Builder
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
