package report

import (
	"bytes"
	"encoding/json"

	"weft/internal/sim/runstore"
	"weft/internal/study/advise"
	"weft/internal/study/plan"
)

// AdviceResult is the file of a folder that has an advice as data.
const AdviceResult = "advice.json"

type adviceJSON struct {
	Name            string                   `json:"name"`
	Choice          string                   `json:"choice"` // infiniband, roce-v2, or none where both have the same points
	Points          map[string]float64       `json:"points"`
	RuledOut        map[string]string        `json:"ruled_out,omitempty"`
	Designs         map[string]designJSON    `json:"designs"`
	Criteria        []criterionJSON          `json:"criteria"`
	Reasons         []advise.Reason          `json:"reasons"`
	Against         []advise.Reason          `json:"against"`
	Counterfactuals []counterfactualJSON     `json:"counterfactuals"`
	Flips           []advise.Flip            `json:"flips"`
	Makers          map[string]advise.Makers `json:"makers"`
	Thumbs          []advise.Thumb           `json:"rules_of_thumb"`
	Generations     []advise.Generation      `json:"generations"`
	Needs           []advise.Need            `json:"needs,omitempty"`
	Files           []string                 `json:"files,omitempty"` // of the folder: those that the next advice in it replaces
}

type criterionJSON struct {
	Name   string              `json:"name"`
	Weight int                 `json:"weight"`
	Scored bool                `json:"scored"`
	Cells  map[string]cellJSON `json:"cells"`
	Note   string              `json:"note,omitempty"`
}

type cellJSON struct {
	Text   string   `json:"text"`
	Value  *float64 `json:"value"` // what is compared; null: not known
	Points float64  `json:"points"`
	Basis  string   `json:"basis"`
}

type counterfactualJSON struct {
	Criterion string             `json:"criterion"`
	Change    string             `json:"change"`
	Before    map[string]string  `json:"before"`
	After     map[string]string  `json:"after"`
	Points    map[string]float64 `json:"points"`
	Lead      [2]float64         `json:"lead_before_after"`
	Turns     bool               `json:"choice_turns"`
}

// AdviceJSON is a recommendation as data.
func AdviceJSON(a *advise.Advice) any { return adviceData(a) }

func adviceData(a *advise.Advice) adviceJSON {
	out := adviceJSON{
		Name: a.Profile.Name, Choice: string(a.Candidates[a.Verdict.Choice].Kind), Points: perFabric(a, a.Verdict.Points),
		RuledOut: map[string]string{}, Designs: map[string]designJSON{}, Makers: map[string]advise.Makers{},
		Reasons: orEmpty(a.Reasons), Against: orEmpty(a.Against), Thumbs: a.Thumbs, Needs: a.Needs, Generations: a.Generations,
		Counterfactuals: []counterfactualJSON{}, Flips: orEmpty(a.Flips),
	}
	if a.Verdict.Tie {
		out.Choice = "none"
	}
	for _, c := range a.Candidates {
		if c.Design == nil {
			out.RuledOut[string(c.Kind)] = c.RuledOut
			continue
		}
		out.Designs[string(c.Kind)] = designData(&plan.Plan{Request: &a.Profile.Design, Prices: a.Prices}, c.Design)
		out.Makers[string(c.Kind)] = c.Makers
	}
	for _, c := range a.Verdict.Criteria {
		out.Criteria = append(out.Criteria, criterionData(a, c))
	}
	for _, x := range a.Counterfactuals {
		out.Counterfactuals = append(out.Counterfactuals, counterfactualJSON{
			x.Criterion, x.Change, perFabric(a, x.Before), perFabric(a, x.After), perFabric(a, x.Points), x.Gap, x.Flips,
		})
	}
	return out
}

func criterionData(a *advise.Advice, c advise.Criterion) criterionJSON {
	out := criterionJSON{c.Name, c.Weight, c.Scored, map[string]cellJSON{}, c.Note}
	for i, candidate := range a.Candidates {
		x := cellJSON{Text: c.Cells[i].Text, Points: c.Points[i], Basis: c.Cells[i].Basis}
		if c.Cells[i].Known {
			x.Value = &c.Cells[i].Value
		}
		out.Cells[string(candidate.Kind)] = x
	}
	return out
}

// orEmpty is the list, as [] in JSON where it is empty.
func orEmpty[T any](list []T) []T { return append([]T{}, list...) }

// perFabric names the two of a pair.
func perFabric[T any](a *advise.Advice, pair [2]T) map[string]T {
	return map[string]T{string(a.Candidates[0].Kind): pair[0], string(a.Candidates[1].Kind): pair[1]}
}

// AdviceFiles are the designs' scenarios, the advice as data, and the page.
func AdviceFiles(a *advise.Advice) ([]runstore.File, error) {
	var files []runstore.File
	for _, c := range a.Candidates {
		if c.Design != nil {
			files = append(files, runstore.File{Name: c.Design.Name + ".yaml", Text: c.Design.Scenario})
		}
	}
	data := adviceData(a)
	data.Files = append(namesOf(files), AdviceResult, runstore.ReportFile)
	text, err := json.MarshalIndent(data, "", "  ")
	if err != nil {
		return nil, err
	}
	var page bytes.Buffer
	if err := Advice(a).HTML(&page); err != nil {
		return nil, err
	}
	return append(files, runstore.File{Name: AdviceResult, Text: append(text, '\n')}, runstore.File{Name: runstore.ReportFile, Text: page.Bytes()}), nil
}
