package calibrate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"weft/internal/base/sorting"
	"weft/internal/sim"
	"weft/scenario"
	"weft/units"
)

// trial is one variant of a hypothesis, on every task.
type trial struct {
	*Hypothesis
	order   int // of the hypothesis
	label   string
	grade   grade
	runs    []*scenario.Resolved // by task; nil if it does not change the task
	changes []scenario.Override  // of a task that it changes
	sizes   [][]units.Time       // by task and simulated size, as far as they are known
	times   [][]units.Time       // by task and point
	left    []piece              // what has not been simulated
	done    float64              // work
	stages  int                  // the number of farther sizes at which it is simulated
	err     error
}

// finished reports whether a trial's times are all known.
func (t *trial) finished() bool { return len(t.left) == 0 }

// sameFamily reports whether two trials differ only in a number.
func (t *trial) sameFamily(other *trial) bool {
	return t.Hypothesis == other.Hypothesis && t.grade.family == other.grade.family && other.grade.at != nil
}

// try races the variants of every hypothesis, then others between variants of the likeliest. It
// returns the context's error if interrupted.
func (d *Diagnosis) try(ctx context.Context, c *Cluster, o *Options) ([]*trial, error) {
	trials := d.trials(c)
	if o.Progress != nil {
		off := fmt.Sprintf("off by %.0f %% as the cluster is described; causes are tested", 100*math.Expm1(d.matchOf(d.Predicted).rms()))
		o.Progress(sim.Progress{Total: len(trials), Fabric: off})
	}
	for round := 0; ; round++ {
		d.race(ctx, c, o, trials)
		if err := ctx.Err(); err != nil {
			for _, t := range trials {
				if !t.finished() {
					t.err = cmp.Or(t.err, err)
				}
			}
			return trials, err
		}
		if round == refinements || o.coarse {
			return trials, nil
		}
		more := d.between(c, trials)
		if len(more) == 0 {
			return trials, nil
		}
		trials = append(trials, more...)
		sorting.StableFunc(trials, func(a, b *trial) int { return cmp.Compare(a.order, b.order) })
	}
}

// trials are the variants of all hypotheses, in order, with their scenarios. A hypothesis without
// variants is noted with the reason.
func (d *Diagnosis) trials(c *Cluster) (out []*trial) {
	for i := range Hypotheses {
		h := &Hypotheses[i]
		labels, why := h.labels(c, d.Log, d.Tasks)
		if len(labels) == 0 {
			d.Untried = append(d.Untried, Untried{h, why})
		}
		for _, label := range labels {
			out = append(out, d.trial(c, h, i, func(task *Task) (variant, bool) { return h.variant(c, d.Log, task, label) }))
		}
	}
	return out
}

// trial is a variant of a hypothesis; of gives the variant for each task.
func (d *Diagnosis) trial(c *Cluster, h *Hypothesis, order int, of func(*Task) (variant, bool)) *trial {
	t := &trial{Hypothesis: h, order: order}
	for _, task := range d.Tasks {
		v, changes := of(task)
		var r *scenario.Resolved
		if changes {
			t.label, t.grade = v.label, v.grade
			if t.err == nil {
				t.changes = v.over
				r, t.err = c.under(task, v.over)
			}
		}
		t.runs = append(t.runs, r)
	}
	t.begin(d)
	return t
}

// collect converts trials to explanations, the likeliest first. Interrupted trials are left out.
func (d *Diagnosis) collect(trials []*trial) {
	shares := make(map[*Hypothesis]weighed)
	for _, w := range d.weigh(trials) {
		shares[w.Hypothesis] = w
	}
	for i := 0; i < len(trials); {
		h := trials[i].Hypothesis
		e := Explanation{
			Hypothesis: h, Posterior: shares[h].sure, density: math.Inf(-1),
			Evidence: h.said(d.Log, d.Tasks),
		}
		for ; i < len(trials) && trials[i].Hypothesis == h; i++ {
			e.take(d, trials[i])
		}
		switch {
		case e.Label != "":
			d.Explanations = append(d.Explanations, e)
		case slices.ContainsFunc(e.Variants, isUnfinished):
			first := e.Variants[slices.IndexFunc(e.Variants, isUnfinished)]
			d.Untried = append(d.Untried, Untried{h, excluded(first.Cut, shares[h].share)})
		case len(e.Variants) > 0:
			d.Untried = append(d.Untried, Untried{h, "no variant could be simulated: " + e.Variants[0].Failure})
		}
	}
	sorting.StableFunc(d.Explanations, func(a, b Explanation) int {
		return cmp.Or(cmp.Compare(b.Posterior, a.Posterior), cmp.Compare(a.Match, b.Match))
	})
}

func isUnfinished(v Tried) bool { return v.Unfinished }

// take counts a variant. The likeliest variant represents the hypothesis.
func (e *Explanation) take(d *Diagnosis, t *trial) {
	switch {
	case errors.Is(t.err, context.Canceled) || errors.Is(t.err, context.DeadlineExceeded):
		return
	case t.err != nil:
		e.Variants = append(e.Variants, Tried{Label: t.label, Failure: t.err.Error()})
		return
	case !t.finished():
		e.Variants = append(e.Variants, Tried{Label: t.label, Cut: t.cut(d), Unfinished: true})
		return
	}
	m := d.matchOf(t.times)
	e.Variants = append(e.Variants, Tried{Label: t.label, Match: m.rms()})
	shows, density := d.shows(t.times), d.density(t.times, faulty)
	if e.Label == "" || shows && !e.Shows || shows == e.Shows && density > e.density {
		e.Label, e.Match, e.Worst, e.Predicted, e.Changes = t.label, m.rms(), m.worst, t.times, t.changes
		e.Shows, e.density, e.stages, e.free = shows, density, t.stages, t.grade.at != nil
	}
}
