package advise

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"weft/internal/base/sorting"
	"weft/internal/sim/run/network"
	"weft/internal/study/plan"
	"weft/internal/study/serve"
	"weft/scenario"
	"weft/units"
)

// Server searches the rate at which a scenario's serving job stops to keep its limits; serve.LimitOf is one.
type Server func(ctx context.Context, r *scenario.Resolved, o serve.Options) (*serve.Limit, error)

// Served is a serving job on a model.
type Served struct {
	Asked    float64    `json:"asked_per_s"` // the job's own rate
	Good     float64    `json:"good_share"`  // at it
	FirstP99 units.Time `json:"first_token_p99_ps"`
	PerP99   units.Time `json:"per_token_p99_ps"`
	Unstable string     `json:"unstable,omitempty"` // why there is no steady state at it
	// Limit and Alone are the highest searched rates at which the limits are kept, here and without a network; 0: at none.
	Limit float64 `json:"limit_per_s"`
	Alone float64 `json:"limit_without_network_per_s"`
	Step  float64 `json:"step_per_s"` // of the searched rates
	Full  string  `json:"full_first"` // the pool that has no time left first
}

// Keeps reports whether the job keeps its limits at the asked rate.
func (s *Served) Keeps() bool { return s.Unstable == "" && s.Good >= serve.GoodShare }

// text is the job for a cell.
func (s *Served) text() string {
	text := "keeps its limits at none of the searched rates"
	if s.Limit > 0 {
		text = fmt.Sprintf("keeps its limits up to %s requests in a second", RateText(s.Limit))
	}
	text += fmt.Sprintf(" (%s without a network); at the %s asked ", RateText(s.Alone), RateText(s.Asked))
	if s.Unstable != "" {
		return text + "it is unstable: " + s.Unstable
	}
	return text + fmt.Sprintf("first token %s and token %s at P99, %.1f %% within the limits", s.FirstP99, s.PerP99, 100*s.Good)
}

// RateText is a rate of requests with three digits, in full from a thousand on.
func RateText(rate float64) string {
	if rate >= 1000 {
		return fmt.Sprintf("%.0f", rate)
	}
	return fmt.Sprintf("%.3g", rate)
}

// never is the time for a request that the cell of a fabric compares if it keeps the limits at no rate.
const never = 1e9

// seconds is the time for a request at the limit: the compared number, of which less is better.
func (s *Served) seconds() float64 {
	if s.Limit == 0 {
		return never
	}
	return 1 / s.Limit
}

// measureServing is the Meter of serving jobs: the rate at which the job stops to keep its limits.
func (b *bench) measureServing(
	ctx context.Context, d *plan.Design, m plan.Model, near *Performance, changes ...scenario.Override,
) (p Performance, err error) {
	r, err := plan.Scaled(d, m, changes...)
	if err != nil {
		return p, err
	}
	rate := 0.0
	if near != nil {
		rate = near.Serving.Limit
	}
	l, err := b.limit(ctx, d, r, rate)
	if err != nil {
		return p, err
	}
	return Performance{What: d.Resolved.Serving.Model.Name(), Model: m, Serving: servedOf(l)}, nil
}

// servedOf is a job with its limit.
func servedOf(l *serve.Limit) *Served {
	f := &l.At.Fabrics[0]
	s := &Served{Asked: l.At.Rate, Limit: l.Rate, Alone: l.Alone, Step: l.Step, Full: l.Full.Resource, Unstable: cmp.Or(l.At.Unstable, f.Unstable)}
	if s.Unstable == "" {
		s.Good, s.FirstP99, s.PerP99 = f.Run.Good, units.Time(f.Run.FirstToken.P99), units.Time(f.Run.PerToken.P99)
	}
	return s
}

// Move is a change of a serving job's fabric or of the job, with what it does to the job.
type Move struct {
	Fabric  string  `json:"fabric"`
	Change  string  `json:"change"`
	Before  *Served `json:"before"`
	After   *Served `json:"after,omitempty"`
	Refused string  `json:"refused,omitempty"` // why it cannot be; After is then nil
}

// gain is the factor by which the change raises the rate at which the limits are kept.
func (m *Move) gain() float64 {
	if m.After == nil {
		return 0
	}
	return m.Before.seconds() / m.After.seconds()
}

// move measures the changes of weft serve --changes that need no more nodes, those that raise the rate the most first: for
// the choice all, for the other candidates routing and congestion control.
func (a *adviser) move(ctx context.Context, in *inputs, v Verdict) (out []Move, err error) {
	all := make([][]serve.Alternative, len(in.candidates))
	limits, errs := make([][]*serve.Limit, len(all)), make([][]error, len(all))
	var work []func() error
	for i, c := range in.candidates {
		if c.Design == nil {
			continue
		}
		from := serve.Source{
			Resolve: func(more ...scenario.Override) (*scenario.Resolved, error) {
				return plan.Scaled(c.Design, c.Performance.Model, more...)
			},
			At: func(string) string { return "fabrics[0]" },
		}
		all[i] = serve.Alternatives(from, i != v.Choice)
		limits[i], errs[i] = make([]*serve.Limit, len(all[i])), make([]error, len(all[i]))
		for k, x := range all[i] {
			if errs[i][k] = x.Refused; x.Refused != nil {
				continue
			}
			a.bench.expect(ofPerformance, c.Kind, 1)
			work = append(work, func() error {
				limits[i][k], errs[i][k] = a.bench.limit(ctx, c.Design, x.Scenario, c.Performance.Serving.Limit)
				return nil
			})
		}
	}
	_ = together(work...)
	for i, c := range in.candidates {
		for k, x := range all[i] {
			if out, err = c.moved(out, x.Name, limits[i][k], errs[i][k]); err != nil {
				return nil, err
			}
		}
	}
	sorting.StableFunc(out, func(x, y Move) int {
		return cmp.Or(cmp.Compare(y.gain(), x.gain()), cmp.Compare(x.tail(), y.tail()))
	})
	return out, nil
}

// moved adds a move to those of a candidate. A change that cannot be has its reason; any other error is returned.
func (c *Candidate) moved(out []Move, name string, l *serve.Limit, err error) ([]Move, error) {
	m := Move{Fabric: c.Name(), Change: name, Before: c.Performance.Serving}
	var memory *serve.MemoryError
	var invalid scenario.Errors
	var refused *network.Refusal
	switch {
	case errors.As(err, &memory), errors.As(err, &invalid), errors.As(err, &refused):
		m.Refused = err.Error()
	case err != nil:
		return nil, fmt.Errorf("%s: %w", name, err)
	default:
		m.After = servedOf(l)
	}
	return append(out, m), nil
}

// tail is the first token at P99 after the move over that before; 1 if one of them is not known.
func (m *Move) tail() float64 {
	if m.After == nil || m.After.FirstP99 == 0 || m.Before.FirstP99 == 0 {
		return 1
	}
	return float64(m.After.FirstP99) / float64(m.Before.FirstP99)
}

// Helps reports whether the move raises the rate, or shortens the first token at P99 by more than two numbers may differ
// and count as equal.
func (m *Move) Helps() bool {
	return m.After != nil && (m.gain() > 1+tie || m.gain() == 1 && m.tail() < 1-tie)
}
