package sweep

import (
	"fmt"
	"slices"
	"strings"

	"weft/internal/study/quantity"
	"weft/scenario"
)

// Kind is a kind of job that a sweep runs: what is measured of it, and compared.
type Kind struct {
	// Main and Tail are the quantities that a page compares; of both less is better.
	Main, Tail scenario.SweepQuantity
	// MainText and TailText are their names for people, with an article: the time.
	MainText, TailText string
	// Against names the quantities of the Pareto set.
	Against string
	// Verb is the verb of weft that runs a variant.
	Verb string

	measures   []quantity.Measure       // in the order of a row's values
	objectives []scenario.SweepQuantity // of the Pareto set; less is better
	more       []scenario.SweepQuantity // those of which more is better
}

// The kinds.
var (
	workloads = Kind{
		Main: "time_ps", Tail: "message_p99_ps", MainText: "time", TailText: "99th percentile of messages",
		Against: "time, tail, pauses, drops and retransmissions", Verb: "run",
		measures:   quantity.Points.Measures(),
		objectives: []scenario.SweepQuantity{"time_ps", "message_p99_ps", "pfc_pauses", "drops", "retransmissions"},
	}
	servingJobs = Kind{
		Main: "first_token_p99_ps", Tail: "per_token_p99_ps", MainText: "time to the first token at P99", TailText: "time per token at P99",
		Against: "first token, time per token and requests within the limits", Verb: "serve",
		measures:   quantity.Serving.Measures(),
		objectives: []scenario.SweepQuantity{"first_token_p99_ps", "per_token_p99_ps", "good_share"},
		more:       []scenario.SweepQuantity{"good_share"},
	}
)

// place is the place of a quantity in a row's values; -1 if jobs of the kind do not have it.
func (k *Kind) place(q scenario.SweepQuantity) int {
	return slices.IndexFunc(k.measures, func(m quantity.Measure) bool { return m.Name == q })
}

// objective is a quantity of the Pareto set.
type objective struct {
	place int
	more  bool // more is better
}

// worse reports whether the objective has a worse value in a line than in another.
func (o objective) worse(x, y *Line) bool {
	if o.more {
		x, y = y, x
	}
	return x.Row.Values[o.place] > y.Row.Values[o.place]
}

// against are the objectives of the Pareto set.
func (k *Kind) against() (out []objective) {
	for _, q := range k.objectives {
		out = append(out, objective{k.place(q), slices.Contains(k.more, q)})
	}
	return out
}

// checkKeep refuses quantities that jobs of the kind do not have.
func (k *Kind) checkKeep(file *scenario.File, keep []scenario.SweepQuantity) error {
	for i, q := range keep {
		if k.place(q) < 0 {
			var valid []string
			for _, m := range k.measures {
				valid = append(valid, string(m.Name))
			}
			return file.ErrorAt(fmt.Sprintf("sweep.keep[%d]", i), fmt.Errorf("weft %s does not measure %s: want of %s", k.Verb, q, strings.Join(valid, ", ")))
		}
	}
	return nil
}
