package calibrate

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"weft/scenario"
	"weft/units"
)

// Cost is what settings that the log states cost.
type Cost struct {
	Stated []string       // the words of the log, each once
	Times  [][]units.Time // without the settings, by task and point
	// Ratio is the largest or least of the times with the settings over those without, at a size of
	// Bytes; 1 is no cost.
	Ratio float64
	Bytes int64
	// Unused says which hardware the settings leave unused, as the end of a sentence; "" for the user's choices.
	Unused string

	cause string // the hypothesis that it is
	over  []scenario.Override
}

// price simulates the cluster without the settings that the log states: without those that leave
// NICs unused, and without the user's choices.
func (d *Diagnosis) price(ctx context.Context, c *Cluster, o *Options) (err error) {
	if d.Idle, err = d.cost(ctx, c, o, func(s *Stated) bool { return s.Unused != "" }); err != nil {
		return err
	}
	d.Chosen, err = d.cost(ctx, c, o, func(s *Stated) bool { return s.Unused == "" })
	return err
}

// cost simulates the tasks without some of their settings; nil if no task has one, or if they change
// nothing that the log could show.
func (d *Diagnosis) cost(ctx context.Context, c *Cluster, o *Options, of func(*Stated) bool) (*Cost, error) {
	cost := &Cost{Ratio: 1}
	for i, t := range d.Tasks {
		var some []Stated
		for _, s := range t.Stated {
			if of(&s) {
				some = append(some, s)
			}
		}
		if len(some) == 0 {
			cost.Times = append(cost.Times, d.Predicted[i])
			continue
		}
		over := slices.Concat(t.over, t.stated(func(s *Stated) bool { return !of(s) }))
		for i := range some {
			over = append(over, some[i].full...)
		}
		r, err := c.resolve(over)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", t.Title, err)
		}
		times, err := t.simulate(ctx, r, c.Hops, o)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", t.Title, err)
		}
		cost.Times = append(cost.Times, times)
		cost.take(t, some, times, d.Predicted[i])
	}
	if len(cost.Stated) == 0 || !d.differs(cost.Times) {
		return nil, nil
	}
	return cost, nil
}

// take adds a task with its settings and its times without them and with them.
func (x *Cost) take(t *Task, some []Stated, without, with []units.Time) {
	for i := range some {
		if text := some[i].quoted(); !slices.Contains(x.Stated, text) {
			x.Stated = append(x.Stated, text)
		}
		x.over = append(x.over, some[i].over...)
		if x.cause == "" {
			x.cause, x.Unused = some[i].cause, some[i].Unused
		} else if !strings.Contains(x.Unused, some[i].Unused) {
			x.Unused += ", and " + some[i].Unused
		}
	}
	for j := range t.Points {
		if ratio := float64(with[j]) / float64(without[j]); math.Abs(math.Log(ratio)) > math.Abs(math.Log(x.Ratio)) {
			x.Ratio, x.Bytes = ratio, t.Points[j].Bytes
		}
	}
}

// IdleConvicted reports whether what the log's own settings leave unused is the cause.
func (d *Diagnosis) IdleConvicted() bool { return d.idleConvicted }

// convictIdle makes what the log's own settings leave unused the cause, if nothing else is likely,
// or if the log is nowhere slower than with them: then the prediction without that setting is the
// one to compare with.
func (d *Diagnosis) convictIdle() {
	fast := d.nowhereSlower()
	if d.Idle == nil || d.Idle.Ratio < 1 || d.Healthy < likely && !fast {
		return
	}
	share := d.Healthy
	if fast {
		share = max(share, certain)
	}
	h := &Hypotheses[slices.IndexFunc(Hypotheses, func(h Hypothesis) bool { return h.ID == d.Idle.cause })]
	m := d.matchOf(d.Predicted)
	found := Explanation{
		Hypothesis: h, Label: d.Idle.over[0].Origin, Posterior: share, Match: m.rms(), Worst: m.worst, Shows: true,
		Predicted: d.Predicted, Changes: d.Idle.over, Evidence: strings.Join(d.Idle.Stated, ", "),
	}
	d.Explanations, d.idleConvicted = slices.Insert(d.Explanations, 0, found), true
	d.Untried = slices.DeleteFunc(d.Untried, func(u Untried) bool { return u.ID == h.ID })
	for i := range d.Explanations[1:] { // they were simulated with what is unused
		other := &d.Explanations[1+i]
		other.Posterior *= 1 - share
		other.Label, other.Changes = found.Label+", and "+other.Label, slices.Concat(found.Changes, other.Changes)
	}
	d.Predicted, d.Healthy, d.Other = d.Idle.Times, 0, 0
	d.Match = d.matchOf(d.Predicted).rms()
}
