package report

import (
	"fmt"
	"io"

	"weft/internal/study/plan"
)

// PlanPage writes the self-contained page of a plan.
func PlanPage(w io.Writer, p *plan.Plan) error {
	page := &sheet{
		heading: heading{"network plan", p.Request.Name, planHeading(p.Request)},
		Footer:  "Made by weft plan from its catalog; the same request and version make the same page.",
	}
	t := designTable(p, p.Designs)
	page.Sections = append(page.Sections, sheetSection{Title: "Designs", Tables: []pageTable{t.page("")}, Notes: planNotes(p, p.Designs)})
	for _, d := range p.Designs {
		if d.Front {
			page.Sections = append(page.Sections, billSection(d))
		}
	}
	for _, d := range p.Designs {
		page.Details = append(page.Details, sheetDetail{Title: "Scenario of " + d.Name, Text: string(d.Scenario)})
	}
	return page.write(w)
}

// billSection is a design's bill of materials.
func billSection(d *plan.Design) sheetSection {
	s := sheetSection{Title: "Bill of materials of " + d.Name}
	table := pageTable{Head: billHead}
	for _, l := range d.Bill {
		table.Rows = append(table.Rows, billRow(l))
	}
	s.Tables = []pageTable{table}
	s.Notes = append(s.Notes, fmt.Sprintf("Power: %s%s.", d.Power.Text(plan.PowerText), softness(d.Power)))
	if d.Cost != nil {
		s.Notes = append(s.Notes, costText(d))
	}
	return s
}
