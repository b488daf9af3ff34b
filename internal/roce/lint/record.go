package lint

// Record is a report as JSON has it.
type Record struct {
	Findings []findingRecord `json:"findings"`
	Unjudged []string        `json:"not_judged"`
	Judged   judgedRecord    `json:"judged"`
}

// judgedRecord is how many ports were judged, and how many hosts were compared with one.
type judgedRecord struct {
	Ports int `json:"ports"`
	Hosts int `json:"hosts"`
}

type findingRecord struct {
	Rule     string   `json:"rule"`
	Severity Severity `json:"severity"`
	File     string   `json:"file"`
	Line     int      `json:"line"`
	Value    string   `json:"value"`
	Why      string   `json:"why"`
	Ports    []string `json:"ports,omitempty"`
	Fixes    []Fix    `json:"fixes,omitempty"`
}

// Record is the report as JSON has it. Its lists are never nil.
func (r *Report) Record() Record {
	out := Record{Findings: []findingRecord{}, Unjudged: append([]string{}, r.Unjudged...), Judged: judgedRecord{r.Ports, len(r.Hosts)}}
	for i := range r.Findings {
		f := &r.Findings[i]
		out.Findings = append(out.Findings, findingRecord{f.Rule, f.Severity, f.At.File, f.At.Line, f.Value, f.Why, f.Where, f.Fixes})
	}
	return out
}
