package tune

import (
	"math"

	"weft/results"
	"weft/scenario"
)

// Outcome is the result of one simulation of a candidate with one seed.
type Outcome struct {
	Failed string    `json:"failed,omitempty"` // why there are no figures
	Sizes  []Figures `json:"sizes,omitempty"`
}

// Figures are the inputs of an objective, for one size.
type Figures struct {
	Bytes    int64   `json:"bytes"`
	TimePs   int64   `json:"time_ps"`
	TailPs   int64   `json:"tail_ps"` // 99th percentile of messages between nodes; 0 without messages
	Pauses   int64   `json:"pfc_pauses"`
	Marks    int64   `json:"ecn_marks"`
	Packets  int64   `json:"packets"`
	Fairness float64 `json:"fairness"` // Jain's index; 0 without messages
	BusBW    float64 `json:"busbw_gbytes_per_s"`
	Lost     int64   `json:"messages_lost,omitempty"` // of unreliable services
}

// figuresOf are the figures of a fabric's points.
func figuresOf(points []results.Point) []Figures {
	var out []Figures
	for _, p := range points {
		out = append(out, Figures{
			Bytes: p.Bytes, TimePs: int64(p.Time), TailPs: int64(p.Flows.P99),
			Pauses: p.Counts.Pauses, Marks: p.Counts.Marks, Packets: p.Counts.Packets, Fairness: p.Flows.Fairness, BusBW: p.BusBW, Lost: p.Counts.MessagesLost,
		})
	}
	return out
}

// Term is one of the four terms of an objective.
type Term struct {
	Name string // name in a scenario
	Unit Unit
	of   func(f *Figures) float64
	// relative says that the term is divided by the same term of the scenario as it stands.
	relative bool
	weight   func(o *scenario.Objective) scenario.Ratio
}

// Unit is the unit of a term.
type Unit string

// The units.
const (
	Picoseconds Unit = "ps"
	PerThousand Unit = "per 1000 packets"
	Share       Unit = "share"
)

// Terms are all of them, in the order of a scenario.
var Terms = []Term{
	{"time", Picoseconds, func(f *Figures) float64 { return float64(f.TimePs) }, true, func(o *scenario.Objective) scenario.Ratio { return o.Time }},
	{"tail", Picoseconds, func(f *Figures) float64 { return float64(f.TailPs) }, true, func(o *scenario.Objective) scenario.Ratio { return o.Tail }},
	{"pauses", PerThousand, perThousand, false, func(o *scenario.Objective) scenario.Ratio { return o.Pauses }},
	{"fairness", Share, unfairness, false, func(o *scenario.Objective) scenario.Ratio { return o.Fairness }},
}

func perThousand(f *Figures) float64 {
	if f.Packets == 0 {
		return 0
	}
	return 1000 * float64(f.Pauses) / float64(f.Packets)
}

// unfairness is 1 less Jain's index; 0 without messages.
func unfairness(f *Figures) float64 {
	if f.Fairness == 0 {
		return 0
	}
	return 1 - f.Fairness
}

// score is the objective of one simulation, relative to the scenario as it stands with the same
// seed. It is +Inf for a failed simulation, or a simulation that lost more messages and so did less
// work.
func score(o *scenario.Objective, got, stands *Outcome) float64 {
	if got.Failed != "" || len(got.Sizes) == 0 {
		return math.Inf(1)
	}
	sum := 0.0
	for i := range got.Sizes {
		if got.Sizes[i].Lost > stands.Sizes[i].Lost {
			return math.Inf(1)
		}
		for _, t := range Terms {
			w := t.weight(o)
			if w.Num == 0 {
				continue
			}
			x := t.of(&got.Sizes[i])
			if t.relative {
				x = over(x, t.of(&stands.Sizes[i]))
			}
			sum += float64(w.Num) / float64(w.Den) * x
		}
	}
	return sum / float64(len(got.Sizes))
}

// over is a quotient; 0 over 0 is 1.
func over(x, base float64) float64 {
	if base == 0 && x == 0 {
		return 1
	}
	return x / base
}
