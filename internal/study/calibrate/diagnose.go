package calibrate

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"weft/internal/formats/logfile"
	"weft/scenario"
	"weft/units"
)

// Verdict is the result of a diagnosis.
type Verdict string

// The verdicts.
const (
	Healthy     Verdict = "healthy"     // a healthy cluster is more probable than all faults together, and no size is slow
	NotProved   Verdict = "not-proved"  // a fault is not proved, and neither is a healthy cluster
	Explained   Verdict = "explained"   // otherwise: one hypothesis is more probable than all others together
	Undecided   Verdict = "undecided"   // otherwise: the log cannot tell some causes, or a healthy cluster, apart
	Unexplained Verdict = "unexplained" // otherwise: a fault without a hypothesis is most probable
	Faster      Verdict = "faster"      // the log is faster than the model allows
)

// Diagnosis compares a log with weft's prediction and weighs its possible causes.
type Diagnosis struct {
	Log     *logfile.Log
	Fabric  string
	Tasks   []*Task
	Notes   []logfile.Note // tables that were not compared
	Verdict Verdict
	// Beyond says why a table is faster than the wires of the described cluster; "" if none is.
	Beyond string
	// Predicted is, by task and point, the time on the cluster as described.
	Predicted [][]units.Time
	Match     float64 // match of the prediction
	Noise     float64 // of the log, in one measurement
	// Healthy is the probability that the cluster is as described, Other of a fault without a
	// hypothesis.
	Healthy, Other float64
	// Idle is what NICs or sockets cost that the log's own settings leave unused, Chosen what the user's other
	// choices change; nil if nothing that the log could show.
	Idle, Chosen *Cost
	// Explanations are the hypotheses, the most probable first. Hypotheses without a simulated
	// variant are in Untried.
	Explanations []Explanation
	Untried      []Untried
	// Open is the largest probability that all states together can have which are not simulated at
	// every size. All others are at least what they are said to be.
	Open float64
	// Partial says that it was interrupted: some hypotheses were not tried.
	Partial bool

	simulated [][]units.Time // by task and simulated size, on the cluster as described
	evidence  float64        // logarithm of the log's probability, without the part of Open
	// idleConvicted says that what the log's settings leave unused is the cause.
	idleConvicted bool
	burst         float64 // logarithm of the odds by the scatter that the fault comes and goes
}

// Explanation is a hypothesis with its variant that makes the log most probable.
type Explanation struct {
	*Hypothesis
	Label string
	// Posterior is the probability of the hypothesis, all its severities together that are
	// simulated at every size.
	Posterior float64
	Match     float64 // root mean square of ln(predicted / measured)
	Worst     float64 // the largest of these values, with its sign
	// Shows says that the log could show it: at some size it costs more time than the errors of
	// weft and of the log.
	Shows     bool
	Predicted [][]units.Time
	Changes   []scenario.Override // of the task with the most changes
	Evidence  string              // evidence in the log itself
	Variants  []Tried

	density float64
	stages  int  // the number of farther sizes at which it is simulated
	free    bool // its severity is any number
}

// Tried is one variant.
type Tried struct {
	Label   string  `json:"variant"`
	Match   float64 `json:"match,omitzero"`
	Failure string  `json:"failure,omitempty"` // reason why it failed
	// Unfinished says that it was not simulated above the size Cut, or, if that is empty, not at
	// all.
	Unfinished bool   `json:"unfinished,omitempty"`
	Cut        string `json:"simulated_to,omitempty"`
}

// Untried is a hypothesis that was not simulated, with the reason.
type Untried struct {
	*Hypothesis
	Why string
}

// Diagnose compares a log with the prediction for a cluster and weighs the possible causes. If
// interrupted, it returns the results so far, marked as partial, with the context's error.
func (c *Cluster) Diagnose(ctx context.Context, log *logfile.Log, o Options) (*Diagnosis, error) {
	d, err := c.lay(log, o)
	if err != nil || len(d.Tasks) == 0 {
		return d, err
	}
	if err := d.predict(ctx, c, &o); err != nil {
		return nil, err
	}
	if err := d.price(ctx, c, &o); err != nil {
		return nil, err
	}
	trials, err := d.try(ctx, c, &o)
	if err == nil {
		trials, err = d.goFarther(ctx, c, &o, trials)
	}
	d.Partial = err != nil
	d.conclude(trials)
	return d, err
}

// predict simulates the cluster as described: first the sizes at which causes are simulated, too, which tells most; then
// larger ones.
func (d *Diagnosis) predict(ctx context.Context, c *Cluster, o *Options) error {
	for _, t := range d.Tasks {
		times, err := t.run(ctx, t.base, c.Hops, o)
		if err != nil {
			return fmt.Errorf("%s: %w", t.Title, err)
		}
		d.Predicted, d.simulated = append(d.Predicted, t.compared(times)), append(d.simulated, times)
	}
	if o.First != nil {
		o.First(d)
	}
	for i, t := range d.Tasks {
		if err := t.extend(ctx, c, o, d.simulated[i]); err != nil {
			return fmt.Errorf("%s: %w", t.Title, err)
		}
		if t.described != nil {
			d.Predicted[i] = t.line(t.described)
		}
		if err := t.smallBlocks(ctx, o, d.Predicted[i]); err != nil {
			return fmt.Errorf("%s: %w", t.Title, err)
		}
	}
	return nil
}

// lay converts a log to tasks.
func (c *Cluster) lay(log *logfile.Log, o Options) (*Diagnosis, error) {
	d := &Diagnosis{Log: log}
	d.Tasks, d.Notes, d.Beyond = c.tasks(log, o)
	if len(d.Tasks) == 0 && d.Beyond != "" {
		r, err := c.resolve(nil)
		if err == nil {
			d.Fabric, d.Verdict = r.Fabrics[0].Name, Faster
		}
		return d, err
	}
	if len(d.Tasks) == 0 {
		return nil, &logfile.Error{Name: cmp.Or(d.Notes[0].File, log.Name), Line: d.Notes[0].Line, Text: d.Notes[0].Text}
	}
	d.Fabric, d.Noise = d.Tasks[0].base.Fabrics[0].Name, noiseOf(d.Tasks)
	d.burst = burstOf(d.Tasks)
	return d, nil
}

// conclude computes the result of the trials.
func (d *Diagnosis) conclude(trials []*trial) {
	d.Match = d.matchOf(d.Predicted).rms()
	d.collect(trials)
	d.convictIdle()
	d.Verdict = d.verdict()
}

// verdict derives the verdict from the probabilities.
func (d *Diagnosis) verdict() Verdict {
	switch {
	case d.Healthy >= likely && len(d.Slow()) == 0:
		return Healthy
	case d.Healthy >= acquitted:
		return NotProved
	case d.nowhereSlower():
		return Faster
	case len(d.Excused()) > 0:
		return NotProved
	case len(d.Explanations) == 0 || d.Other > max(d.Explanations[0].Posterior, d.Healthy):
		return Unexplained
	case d.Explanations[0].Posterior < likely || d.OneFactor():
		return Undecided
	case !d.isSimulated(&d.Explanations[0]):
		return NotProved
	}
	return Explained
}

// OneFactor reports whether the log says no more than one number, by which two NICs are slow at every size, and the likeliest
// cause, which the log does not name, has a severity that fits any number: then the fit proves nothing.
func (d *Diagnosis) OneFactor() bool {
	if len(d.Explanations) == 0 || !d.Explanations[0].free || d.Explanations[0].Evidence != "" {
		return false
	}
	least, most, slack := math.Inf(1), math.Inf(-1), 0.
	for i, t := range d.Tasks {
		for j := range t.Points {
			if t.kind != bandwidth {
				return false
			}
			p := &t.Points[j]
			off := -offBy(d.Predicted[i][j], p.Measured)
			least, most, slack = min(least, off), max(most, off), max(slack, 2*math.Hypot(p.Known, d.Noise))
		}
	}
	return most-least < slack
}

// isSimulated reports whether a cause shows at a size that can convict. What weft extends to larger
// sizes convicts nobody alone.
func (d *Diagnosis) isSimulated(e *Explanation) bool {
	for i, t := range d.Tasks {
		for j := range t.Points {
			p := &t.Points[j]
			if t.convicts(j, e) && math.Abs(offBy(e.Predicted[i][j], d.Predicted[i][j])) > math.Hypot(p.Known, d.Noise) {
				return true
			}
		}
	}
	return false
}

// Excused are the healthy clusters of published tables on which weft was as far off as at the slow sizes. There are none if
// it never was so at one of these, or if the log itself names the likeliest cause.
func (d *Diagnosis) Excused() (clusters []string) {
	if len(d.Explanations) > 0 && d.Explanations[0].Evidence != "" {
		return nil
	}
	for _, s := range d.Slow() {
		p := &d.Tasks[s.Task].Points[s.point]
		if -offBy(d.Predicted[s.Task][s.point], p.Measured) > p.Worst {
			return nil
		}
		if !slices.Contains(clusters, p.WorstOf) {
			clusters = append(clusters, p.WorstOf)
		}
	}
	return clusters
}

// Slow are the sizes at which the log is slower than a healthy cluster may be: than most healthy
// clusters are, or than slowShare allows, however wide the range of healthy clusters is.
func (d *Diagnosis) Slow() (out []SlowPoint) {
	for i, t := range d.Tasks {
		for j := range t.Points {
			p := &t.Points[j]
			if over := -offBy(d.Predicted[i][j], p.Measured) - p.Bias; over > min(2*p.Known, math.Log(1+slowShare)) {
				out = append(out, SlowPoint{Task: i, point: j, Bytes: p.Bytes, Over: math.Expm1(over)})
			}
		}
	}
	return out
}

// SlowPoint is a size of a table at which the log is slow.
type SlowPoint struct {
	Task  int
	point int
	Bytes int64
	// Over is the part of a healthy cluster's time that the log takes more.
	Over float64
}

// nowhereSlower reports whether the log is at no size slower than expected by more than twice
// weft's error.
func (d *Diagnosis) nowhereSlower() bool {
	for i, t := range d.Tasks {
		for j := range t.Points {
			p := &t.Points[j]
			if p.Beyond(d.Predicted[i][j]) && p.Measured > d.Predicted[i][j] {
				return false
			}
		}
	}
	return true
}

// Beyond reports whether the measurement differs from a prediction for a healthy cluster by more
// than twice the spread of weft's known error.
func (p *Point) Beyond(predicted units.Time) bool {
	return math.Abs(-offBy(predicted, p.Measured)-p.Bias) > 2*p.Known
}

// Likeliest are the explanations to describe in full, at most n: the probable ones, or, if nothing
// explains the log, the nearest.
func (d *Diagnosis) Likeliest(n int) (out []Explanation) {
	for _, e := range d.Explanations {
		if len(out) < n && e.Shows && (e.Posterior >= worthTelling || d.Verdict == Unexplained && e.Match < d.Match) {
			out = append(out, e)
		}
	}
	return out
}

// Alike are the explanations that the log does not exclude besides the answer. Without an answer,
// they are the explanations that it cannot tell apart.
func (d *Diagnosis) Alike() (out []Explanation) {
	for i, e := range d.Explanations {
		if e.Posterior >= worthTelling && (i > 0 || d.Verdict != Explained) {
			out = append(out, e)
		}
	}
	return out
}

// labels are the variants of a hypothesis over all tasks, in order, or the reason why there are
// none.
func (h *Hypothesis) labels(c *Cluster, log *logfile.Log, tasks []*Task) (labels []string, why string) {
	why = "nothing in the log goes where it acts"
	for _, t := range tasks {
		if !h.concerns(t) {
			continue
		}
		variants, reason := h.possible(c, log, t)
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

// possible are the variants of a hypothesis for a task, or the reason why there are none: the log may
// say that it is not so.
func (h *Hypothesis) possible(c *Cluster, log *logfile.Log, t *Task) ([]variant, string) {
	if h.denied != nil {
		if why := h.denied(c, log, t); why != "" {
			return nil, why
		}
	}
	return h.variants(c, t)
}

// said is the log's evidence for the hypothesis.
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

// variant is the variant with a label for a task, if it has one.
func (h *Hypothesis) variant(c *Cluster, log *logfile.Log, t *Task, label string) (variant, bool) {
	if !h.concerns(t) {
		return variant{}, false
	}
	variants, _ := h.possible(c, log, t)
	for _, v := range variants {
		if v.label == label {
			return v, true
		}
	}
	return variant{}, false
}
