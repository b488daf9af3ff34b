package validate

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"weft/internal/base/stats"
	"weft/scenario"
)

// The aims of the mean errors of a stack's steps that gave no figure, and of the largest of all.
const (
	denseAim, expertsAim, worstAim = 8, 15, 30
)

// stacksCase is the case of the steps that gave a stack no figure.
func stacksCase() *Case {
	return &Case{
		ID:        "training/stacks",
		Claim:     fmt.Sprintf("The published steps of a stack that gave it no figure take as long as weft says, in the mean within %d %%, with experts within %d %%, and none is off by more than %d %%.", denseAim, expertsAim, worstAim),
		Reference: "The published steps of training/published-*, of 2024 on; those of DeepSpeed from 2022 on.",
		Setting:   "training.stack as each source's; its figures (weft catalog stack) are fitted on every second of its dense steps, and no figure on a step with experts. Beside the mean stands the one that weft train prints.",
		Slow:      true,
		Run:       stackRows,
	}
}

// stackSteps are the steps of a stack, with experts or without.
type stackSteps struct {
	stack   scenario.Stack
	experts bool
	held    []*predictedStep // that gave no figure
	factors []float64        // of those that gave one
}

// name is the stack's, with what tells its steps apart.
func (s *stackSteps) name() string {
	if s.experts {
		return string(s.stack) + ", with experts"
	}
	return string(s.stack)
}

// byStack are the steps of each stack, dense ones first.
func byStack(all []*predictedStep) (out []*stackSteps) {
	for _, experts := range []bool{false, true} {
		for _, stack := range scenario.Values[scenario.Stack]() {
			s := &stackSteps{stack: stack, experts: experts}
			for _, p := range all {
				switch {
				case p.scenario.Training.Stack != stack || p.experts != experts:
				case p.Fitted:
					s.factors = append(s.factors, p.factor)
				case p.Scored:
					s.held = append(s.held, p)
				}
			}
			if len(s.held) > 0 {
				out = append(out, s)
			}
		}
	}
	return out
}

func stackRows(e *Env) (rows []Row, err error) {
	all, err := predictedList(e, func(s *publishedStep) bool { return s.Year >= 2024 || s.Stack == "DeepSpeed" })
	if err != nil {
		return nil, err
	}
	var worst *predictedStep
	for _, s := range byStack(all) {
		sum, signed, aim := 0.0, 0.0, float64(denseAim)
		if s.experts {
			aim = expertsAim
		}
		for _, p := range s.held {
			sum, signed = sum+math.Abs(p.off()), signed+p.off()
			if worst == nil || math.Abs(p.off()) > math.Abs(worst.off()) {
				worst = p
			}
		}
		n := float64(len(s.held))
		rows = append(rows, one("mean error, "+s.name(), Percent, aim/100, sum/n, atMost, "%s", s.note(100*signed/n)))
	}
	if worst != nil {
		rows = append(rows, one("largest error", Percent, worstAim/100., math.Abs(worst.off()), atMost, "%s: %+.0f %%", worst.ID, 100*worst.off()))
	}
	return rows, nil
}

// note says what weft train prints, and what the fitted steps want.
func (s *stackSteps) note(signed float64) string {
	text := fmt.Sprintf("%d steps, mean %+.1f %%; weft train prints %q", len(s.held), signed, s.stack.HeldOut(s.experts))
	if len(s.factors) > 0 {
		slices.Sort(s.factors)
		var each []string
		for _, f := range s.factors {
			each = append(each, fmt.Sprintf("%.0f", 100*f))
		}
		text += fmt.Sprintf("; the fitted ones want %s %%, median %.0f", strings.Join(each, ", "), 100*stats.Quantile(s.factors, 0.5))
	}
	return text
}
