package advise

import "weft/internal/study/plan"

// Record is an advice as JSON.
type Record struct {
	Name            string                       `json:"name"`
	Partial         bool                         `json:"partial,omitempty"`
	Choice          string                       `json:"choice"` // infiniband, roce-v2, or none if both have the same points
	Points          map[string]float64           `json:"points"`
	RuledOut        map[string]string            `json:"ruled_out,omitempty"`
	Designs         map[string]plan.DesignRecord `json:"designs"`
	Products        []productRecord              `json:"products,omitempty"`
	Criteria        []criterionRecord            `json:"criteria"`
	Reasons         []Reason                     `json:"reasons"`
	Against         []Reason                     `json:"against"`
	Counterfactuals []counterfactualRecord       `json:"counterfactuals"`
	Flips           []Flip                       `json:"flips"`
	Makers          map[string]Makers            `json:"makers"`
	Thumbs          []Thumb                      `json:"rules_of_thumb"`
	Generations     []Generation                 `json:"generations"`
	Needs           []Need                       `json:"needs,omitempty"`
	Moves           []Move                       `json:"changes,omitempty"` // of a serving job
	Files           []string                     `json:"files,omitempty"`   // in the folder; the next advice in it replaces them
}

type criterionRecord struct {
	Name   string                `json:"name"`
	Weight int                   `json:"weight"`
	Scored bool                  `json:"scored"`
	Cells  map[string]cellRecord `json:"cells"`
	Note   string                `json:"note,omitempty"`
}

// productRecord is an Ethernet product beside InfiniBand.
type productRecord struct {
	Name       string   `json:"name"`
	Design     string   `json:"design,omitempty"`
	RuledOut   string   `json:"ruled_out,omitempty"`
	Points     *float64 `json:"points,omitempty"`
	InfiniBand *float64 `json:"infiniband_points,omitempty"`
}

// products are the products as JSON.
func (a *Advice) products() (out []productRecord) {
	for _, x := range a.Products {
		r := productRecord{Name: x.Name, RuledOut: x.RuledOut}
		if x.Candidate != nil {
			r.Design, r.Points, r.InfiniBand = x.Candidate.Design.Name, &x.Points[1], &x.Points[0]
		}
		out = append(out, r)
	}
	return out
}

type cellRecord struct {
	Text   string   `json:"text"`
	Value  *float64 `json:"value"` // the compared value, of a range the middle; null: not known
	Least  float64  `json:"least,omitempty"`
	Most   float64  `json:"most,omitempty"`
	Points float64  `json:"points"`
	Basis  string   `json:"basis"`
}

type counterfactualRecord struct {
	Criterion string             `json:"criterion"`
	Change    string             `json:"change"`
	Before    map[string]string  `json:"before"`
	After     map[string]string  `json:"after"`
	Points    map[string]float64 `json:"points"`
	Lead      [2]float64         `json:"lead_before_after"`
	Turns     bool               `json:"choice_turns"`
}

// Record is the advice as JSON, with the files of its folder.
func (a *Advice) Record(files ...string) Record {
	out := Record{
		Name: a.Profile.Name, Partial: a.Partial, Choice: string(a.Candidates[a.Verdict.Choice].Kind), Points: perFabric(a, a.Verdict.Points),
		Products: a.products(), RuledOut: map[string]string{}, Designs: map[string]plan.DesignRecord{}, Makers: map[string]Makers{},
		Reasons: orEmpty(a.Reasons), Against: orEmpty(a.Against), Thumbs: a.Thumbs, Needs: a.Needs, Generations: a.Generations,
		Counterfactuals: []counterfactualRecord{}, Flips: orEmpty(a.Flips), Moves: a.Moves, Files: files,
	}
	if a.Verdict.Tie {
		out.Choice = "none"
	}
	for _, c := range a.Candidates {
		if c.Design == nil {
			out.RuledOut[string(c.Kind)] = c.RuledOut
			continue
		}
		out.Designs[string(c.Kind)] = c.Design.Record()
		out.Makers[string(c.Kind)] = c.Makers
	}
	for _, c := range a.Verdict.Criteria {
		out.Criteria = append(out.Criteria, a.criterionRecord(c))
	}
	for _, x := range a.Counterfactuals {
		out.Counterfactuals = append(out.Counterfactuals, counterfactualRecord{
			x.Criterion, x.Change, perFabric(a, x.Before), perFabric(a, x.After), perFabric(a, x.Points), x.Gap, x.Flips,
		})
	}
	return out
}

func (a *Advice) criterionRecord(c Criterion) criterionRecord {
	out := criterionRecord{c.Name, c.Weight, c.Scored, map[string]cellRecord{}, c.Note}
	for i, candidate := range a.Candidates {
		x := cellRecord{Text: c.Cells[i].Text, Points: c.Points[i], Basis: c.Cells[i].Basis, Least: c.Cells[i].Least, Most: c.Cells[i].Most}
		if c.Cells[i].Known {
			x.Value = &c.Cells[i].Value
		}
		out.Cells[string(candidate.Kind)] = x
	}
	return out
}

// orEmpty is the list, as [] in JSON if it is empty.
func orEmpty[T any](list []T) []T { return append([]T{}, list...) }

// perFabric names the two of a pair.
func perFabric[T any](a *Advice, pair [2]T) map[string]T {
	return map[string]T{string(a.Candidates[0].Kind): pair[0], string(a.Candidates[1].Kind): pair[1]}
}
