package calibrate

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"weft/internal/calibrate/logfile"
	"weft/scenario"
	"weft/units"
)

// Verdict is what a diagnosis comes to.
type Verdict string

// The verdicts.
const (
	Healthy     Verdict = "healthy"     // every size is within the known error
	Explained   Verdict = "explained"   // not so, and a hypothesis leaves all within it
	Unexplained Verdict = "unexplained" // not so, and none does
	Faster      Verdict = "faster"      // the log is faster than the cluster can be by the model
)

// Diagnosis is a log beside what weft predicts and what could explain it.
type Diagnosis struct {
	Log     *logfile.Log
	Fabric  string
	Tasks   []*Task
	Notes   []logfile.Note // tables that were not compared
	Verdict Verdict
	// Predicted is, by task and point, the time on the cluster as it is described.
	Predicted [][]units.Time
	Match     float64 // of it
	mean      float64 // of its ln(predicted / measured)
	Noise     float64 // of the log
	// Explanations are the hypotheses: those that leave every size within the known
	// error first, and of equals the best match. Those without a variant
	// that was simulated are in Untried.
	Explanations []Explanation
	Untried      []Untried
	// Partial says that it was interrupted: not every hypothesis was tried.
	Partial bool
}

// Explanation is a hypothesis with the variant of it that matches best.
type Explanation struct {
	*Hypothesis
	Label     string
	Match     float64 // root mean square of ln(predicted / measured)
	Worst     float64 // the largest of these, with its sign
	Within    bool    // every size is within the known error
	Predicted [][]units.Time
	Changes   []scenario.Override // of the task on which it has the most to change
	Evidence  string              // what the log itself says for it
	Variants  []Tried
}

// Tried is one variant.
type Tried struct {
	Label   string  `json:"variant"`
	Match   float64 `json:"match,omitzero"`
	Failure string  `json:"failure,omitempty"` // why it has none
}

// Untried is a hypothesis that was not simulated, and why.
type Untried struct {
	*Hypothesis
	Why string
}

// Diagnose lays a log beside the prediction for a cluster and ranks what could
// explain it. Interrupted it gives what it has, marked as partial, with the context's
// error.
func (c *Cluster) Diagnose(ctx context.Context, log *logfile.Log, o Options) (*Diagnosis, error) {
	d := &Diagnosis{Log: log}
	d.Tasks, d.Notes = c.Tasks(log, o)
	if len(d.Tasks) == 0 {
		return nil, &logfile.Error{Name: log.Name, Line: d.Notes[0].Line, Text: d.Notes[0].Text}
	}
	d.Fabric, d.Noise = d.Tasks[0].base.Fabrics[0].Name, noiseOf(d.Tasks)
	var m match
	for _, t := range d.Tasks {
		predicted, err := c.predict(ctx, t, nil, &o)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", t.Title, err)
		}
		d.Predicted = append(d.Predicted, predicted)
		m.add(t, predicted)
	}
	d.Match, d.mean = m.rms(), m.mean()
	err := d.try(ctx, c, &o)
	d.Partial = err != nil
	slices.SortStableFunc(d.Explanations, func(a, b Explanation) int {
		if a.Within != b.Within {
			return map[bool]int{true: -1, false: 1}[a.Within]
		}
		return cmp.Compare(a.Match, b.Match)
	})
	d.Verdict = d.verdict(&m)
	return d, err
}

// verdict is what the matches come to.
func (d *Diagnosis) verdict(base *match) Verdict {
	switch {
	case base.within:
		return Healthy
	case d.nowhereSlower():
		return Faster
	case slices.ContainsFunc(d.Explanations, func(e Explanation) bool { return e.Within }):
		return Explained
	}
	return Unexplained
}

// nowhereSlower reports whether the log is slower than predicted at no size by more
// than the known error.
func (d *Diagnosis) nowhereSlower() bool {
	for i, t := range d.Tasks {
		for j := range t.Points {
			if offBy(d.Predicted[i][j], t.Points[j].Measured) < -math.Log1p(t.Points[j].Known) {
				return false
			}
		}
	}
	return true
}

// Likeliest are the explanations that match better than the cluster as it is, at
// most n. Of a log that nothing explains they are the nearest.
func (d *Diagnosis) Likeliest(n int) (out []Explanation) {
	for _, e := range d.Explanations {
		if len(out) < n && e.Match < d.Match-sameMatch {
			out = append(out, e)
		}
	}
	return out
}

// Alike are the explanations that the log cannot tell from the best one: as good a
// match, but for the log's noise.
func (d *Diagnosis) Alike() (out []Explanation) {
	if len(d.Explanations) == 0 {
		return nil
	}
	for _, e := range d.Explanations[1:] {
		if e.Within == d.Explanations[0].Within && e.Match-d.Explanations[0].Match <= d.Noise {
			out = append(out, e)
		}
	}
	return out
}

// labels are the variants of a hypothesis over all tasks, in order, or why there are
// none.
func (h *Hypothesis) labels(c *Cluster, tasks []*Task) (labels []string, why string) {
	why = "nothing in the log goes where it acts"
	for _, t := range tasks {
		if !h.concerns(t) {
			continue
		}
		variants, reason := h.variants(c, t)
		if len(variants) == 0 {
			why = reason
		}
		for _, v := range variants {
			if !slices.Contains(labels, v.label) {
				labels = append(labels, v.label)
			}
		}
	}
	return labels, why
}

// said is what the log says for the hypothesis.
func (h *Hypothesis) said(log *logfile.Log, tasks []*Task) string {
	if h.evidence == nil {
		return ""
	}
	for _, t := range tasks {
		if text := h.evidence(log, t); text != "" {
			return text
		}
	}
	return ""
}

// variant is that of a label for a task, if it has it.
func (h *Hypothesis) variant(c *Cluster, t *Task, label string) (variant, bool) {
	if !h.concerns(t) {
		return variant{}, false
	}
	variants, _ := h.variants(c, t)
	for _, v := range variants {
		if v.label == label {
			return v, true
		}
	}
	return variant{}, false
}
