package report

import (
	"fmt"
	"io"
	"strings"

	"weft/internal/study/plan"
)

// PlanPage writes the self-contained page of a plan.
func PlanPage(w io.Writer, p *plan.Plan) error {
	page := &sheet{
		heading: heading{"network plan", p.Request.Name, planHeading(p.Request)},
		Footer:  "Made by weft plan from its catalog; the same request and version make the same page.",
	}
	page.Sections = append(page.Sections, sheetSection{Title: "Designs", Tables: []pageTable{markedByName(designTable(p, p.Designs).page(""))}, Notes: planNotes(p, p.Designs)})
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

// markedByName has the mark of a design before its name, in place of a column of marks.
func markedByName(t pageTable) pageTable {
	t.Head = t.Head[1:]
	for i, row := range t.Rows {
		row[1] = strings.TrimSpace(row[0] + " " + row[1])
		t.Rows[i] = row[1:]
	}
	return t
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
