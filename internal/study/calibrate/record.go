package calibrate

import (
	"math"

	"weft/internal/formats/logfile"
)

// DiagnosisRecord is a diagnosis as JSON. Times are picoseconds.
type DiagnosisRecord struct {
	Log          logRecord           `json:"log"`
	Fabric       string              `json:"fabric"`
	Verdict      Verdict             `json:"verdict"`
	Sentence     string              `json:"sentence"`
	Match        float64             `json:"match"`
	Noise        float64             `json:"noise"`
	Healthy      float64             `json:"probability_healthy"`
	Other        float64             `json:"probability_other"`
	Tables       []taskRecord        `json:"tables"`
	Explanations []explanationRecord `json:"explanations"`
	Alike        []string            `json:"cannot_be_told_apart,omitempty"`
	NotSimulated []untriedRecord     `json:"not_simulated,omitempty"`
	Partial      bool                `json:"partial,omitempty"`
}

type logRecord struct {
	Name    string         `json:"name"`
	Partial bool           `json:"partial"`
	Said    logfile.Said   `json:"said"`
	Notes   []logfile.Note `json:"notes,omitempty"`
}

type taskRecord struct {
	Title   string        `json:"title"`
	File    string        `json:"file,omitempty"` // of several logs
	Line    int           `json:"line"`
	Test    string        `json:"test,omitempty"`
	Op      string        `json:"operation"`
	Nodes   int           `json:"nodes"`
	Ranks   int           `json:"ranks"`
	Notes   []string      `json:"notes,omitempty"`
	Cut     string        `json:"cut,omitempty"`
	Skipped string        `json:"skipped,omitempty"`
	Points  []pointRecord `json:"points"`
}

type pointRecord struct {
	Line        int     `json:"line"`
	Bytes       int64   `json:"bytes"`
	MeasuredPs  int64   `json:"measured_ps"`
	PredictedPs int64   `json:"predicted_ps"`
	Ratio       float64 `json:"measured_over_predicted"`
	// The mean of ln(measured / predicted) of healthy clusters, and its spread.
	KnownBias  float64 `json:"known_bias"`
	KnownError float64 `json:"known_error"`
}

type explanationRecord struct {
	Hypothesis  string            `json:"hypothesis"`
	Title       string            `json:"title"`
	Variant     string            `json:"variant"`
	Probability float64           `json:"probability"`
	Match       float64           `json:"match"`
	Worst       float64           `json:"worst"`
	Shows       bool              `json:"leaves_a_trace"`
	Evidence    string            `json:"log_says,omitempty"`
	Set         map[string]string `json:"set"`
	Check       []string          `json:"check"`
	PredictedPs [][]int64         `json:"predicted_ps"`
	Variants    []Tried           `json:"variants"`
}

type untriedRecord struct {
	Hypothesis string `json:"hypothesis"`
	Why        string `json:"why"`
}

// Record is the diagnosis as JSON; sentence is the result in words.
func (d *Diagnosis) Record(sentence string) DiagnosisRecord {
	out := DiagnosisRecord{
		Log:    logRecord{d.Log.Name, d.Log.Partial(), d.Log.Said, append(d.Log.Notes, d.Notes...)},
		Fabric: d.Fabric, Verdict: d.Verdict, Sentence: sentence, Match: rounded(d.Match), Noise: rounded(d.Noise), Healthy: rounded(d.Healthy), Other: rounded(d.Other), Partial: d.Partial,
	}
	for i, t := range d.Tasks {
		r := taskRecord{
			Title: t.Title, File: t.Table.File, Line: t.Table.Line, Test: t.Table.Test, Op: t.Table.Op, Nodes: t.Nodes, Ranks: t.Ranks(),
			Notes: t.Told, Cut: t.Table.Cut, Skipped: t.Skipped,
		}
		for j, p := range t.Points {
			r.Points = append(r.Points, pointRecord{
				p.Line, p.Bytes, int64(p.Measured), int64(d.Predicted[i][j]), rounded(float64(p.Measured) / float64(d.Predicted[i][j])), rounded(p.Bias), rounded(p.Known),
			})
		}
		out.Tables = append(out.Tables, r)
	}
	for i := range d.Explanations {
		out.Explanations = append(out.Explanations, d.Explanations[i].record())
	}
	for _, e := range d.Alike() {
		out.Alike = append(out.Alike, e.ID)
	}
	for _, u := range d.Untried {
		out.NotSimulated = append(out.NotSimulated, untriedRecord{u.ID, u.Why})
	}
	return out
}

func (e *Explanation) record() explanationRecord {
	r := explanationRecord{
		Hypothesis: e.ID, Title: e.Title, Variant: e.Label, Probability: rounded(e.Posterior), Match: rounded(e.Match), Worst: rounded(e.Worst), Shows: e.Shows,
		Evidence: e.Evidence, Set: map[string]string{}, Check: e.Check,
	}
	for _, o := range e.Changes {
		r.Set[o.Path] = o.Value
	}
	for _, task := range e.Predicted {
		var ps []int64
		for _, t := range task {
			ps = append(ps, int64(t))
		}
		r.PredictedPs = append(r.PredictedPs, ps)
	}
	for _, v := range e.Variants {
		v.Match = rounded(v.Match)
		r.Variants = append(r.Variants, v)
	}
	return r
}

// rounded keeps six decimals: further digits differ between processors.
func rounded(x float64) float64 { return math.Round(x*1e6) / 1e6 }

// FitRecord is a fit as JSON.
type FitRecord struct {
	Fabric      string           `json:"fabric"`
	Constants   []constantRecord `json:"constants"`
	Seen        errorRecord      `json:"error_on_fitted_sizes"`
	HeldOut     errorRecord      `json:"error_on_held_out_sizes"`
	Better      bool             `json:"better"`
	Evaluations int              `json:"evaluations"`
	Notes       []logfile.Note   `json:"notes,omitempty"`
	Sizes       []fitSizeRecord  `json:"sizes"`
}

type constantRecord struct {
	Name       string  `json:"name"`
	Field      string  `json:"field"`
	Before     string  `json:"before"`
	After      string  `json:"after"`
	Factor     float64 `json:"factor"`
	Least      float64 `json:"least"` // of the factor, with 95 %
	Most       float64 `json:"most"`
	Determined bool    `json:"determined"`
}

type errorRecord struct {
	Before float64 `json:"before"`
	After  float64 `json:"after"`
}

type fitSizeRecord struct {
	Table string `json:"table"`
	Bytes int64  `json:"bytes"`
	Held  bool   `json:"held_out"`
	// ln(predicted / measured)
	Before float64 `json:"before"`
	After  float64 `json:"after"`
}

func (f *Fit) errorRecord(held bool) errorRecord {
	before, after := f.Error(held)
	return errorRecord{rounded(before), rounded(after)}
}

// Record is the fit as JSON.
func (f *Fit) Record() FitRecord {
	out := FitRecord{
		Fabric: f.Fabric, Seen: f.errorRecord(false), HeldOut: f.errorRecord(true),
		Better: f.Better(), Evaluations: f.Evaluations, Notes: f.Notes,
	}
	for _, c := range f.Constants {
		out.Constants = append(out.Constants, constantRecord{c.Name, c.Field, c.Before, c.After, rounded(c.Factor), rounded(c.Least), rounded(c.Most), c.Determined})
	}
	for i, t := range f.Tasks {
		for j, p := range t.Points {
			out.Sizes = append(out.Sizes, fitSizeRecord{t.Title, p.Bytes, f.Held[i][j], rounded(f.Off[0][i][j]), rounded(f.Off[1][i][j])})
		}
	}
	return out
}
