package report

import (
	"bytes"
	"encoding/json"

	"weft/internal/face/doc"
	"weft/internal/sim/runstore"
	"weft/internal/study/advise"
	"weft/internal/study/plan"
)

// The files of folders that have a plan and an advice as data.
const (
	PlanResult   = "plan.json"
	AdviceResult = "advice.json"
)

// PlanFiles are a scenario of each design and one of the first of each protocol, the
// plan as data, and the page.
func PlanFiles(p *plan.Plan) ([]runstore.File, error) {
	var files []runstore.File
	for _, d := range p.Designs {
		files = append(files, runstore.File{Name: d.Name + ".yaml", Text: d.Scenario})
		if d.Growth != nil && len(d.Growth.Ways) > 0 {
			files = append(files, runstore.File{Name: growthFile(d), Text: growthCables(d)})
		}
	}
	if both := p.SideBySide(); both != nil {
		files = append(files, runstore.File{Name: "side-by-side.yaml", Text: both})
	}
	return withRecord(files, PlanResult, p.Record(folderNames(files, PlanResult)...), Plan(p, false))
}

// AdviceFiles are the designs' scenarios, the advice as data, and the page.
func AdviceFiles(a *advise.Advice) ([]runstore.File, error) {
	var files []runstore.File
	for _, c := range a.Candidates {
		if c.Design != nil {
			files = append(files, runstore.File{Name: c.Design.Name + ".yaml", Text: c.Design.Scenario})
		}
	}
	return withRecord(files, AdviceResult, a.Record(folderNames(files, AdviceResult)...), Advice(a))
}

// folderNames are the files of a result; the next result in the folder replaces them.
func folderNames(files []runstore.File, result string) (names []string) {
	for _, f := range files {
		names = append(names, f.Name)
	}
	return append(names, result, runstore.ReportFile)
}

// withRecord adds a result as data, and its page.
func withRecord(files []runstore.File, name string, record any, d *doc.Document) ([]runstore.File, error) {
	text, err := json.MarshalIndent(record, "", "  ")
	if err != nil {
		return nil, err
	}
	var page bytes.Buffer
	if err := d.HTML(&page); err != nil {
		return nil, err
	}
	return append(files, runstore.File{Name: name, Text: append(text, '\n')}, runstore.File{Name: runstore.ReportFile, Text: page.Bytes()}), nil
}
