package calibrate

import (
	"cmp"
	"math"
	"slices"

	"weft/units"
)

// PriorHealthy is the prior probability of a healthy cluster: an assumption. A user who has a log
// diagnosed has a reason about half of the time.
const PriorHealthy = .5

// Prior probabilities of faults: assumptions.
const (
	priorOther  = .05 // a fault without a hypothesis
	priorFaults = 1 - PriorHealthy - priorOther
)

// Prior weights of hypotheses, relative to one another: an assumption of three steps. Common:
// single parts fail, and every new image may lack a module. Occasional: settings are wrong
// everywhere, on a new cluster.
const (
	rare       = 1.
	occasional = 2.
	common     = 3.
)

// namedInLog multiplies the prior weight of a hypothesis with evidence in the log itself.
const namedInLog = 20

// state is a cluster with a fault of some severity, simulated or interpolated between two simulated
// ones.
type state struct {
	of    *trial // its trial, or a neighbour's
	scale float64
	odds  float64 // prior odds, relative to others of the family
	times [][]units.Time
	// density is the logarithm of the log's density.
	density   float64
	simulated bool
}

// weighed is a hypothesis with its states.
type weighed struct {
	*Hypothesis
	share  float64 // posterior probability
	states []state
}

// best is the state that makes the log most probable.
func (w *weighed) best() *state {
	i := 0
	for j := range w.states {
		if w.states[j].density > w.states[i].density {
			i = j
		}
	}
	return &w.states[i]
}

// weigh computes the posterior probability of all hypotheses with a state that the log could show,
// of a healthy cluster, and of a fault that is none of them. Families of a hypothesis have equal
// priors.
func (d *Diagnosis) weigh(trials []*trial) []weighed {
	var all []weighed
	var logs, priors []float64
	for i := 0; i < len(trials); {
		h := trials[i].Hypothesis
		w := weighed{Hypothesis: h}
		var families []float64
		for first := i; i < len(trials) && trials[i].Hypothesis == h; i++ {
			if t := trials[i]; t.err != nil || t.grade.at != nil && slices.ContainsFunc(trials[first:i], t.sameFamily) {
				continue // it has no states, or they are already counted
			}
			states := d.states(trials[i], trials)
			if len(states) > 0 {
				families = append(families, meanDensity(states))
				w.states = append(w.states, states...)
			}
		}
		if len(w.states) == 0 {
			continue
		}
		weight := h.weight
		if h.said(d.Log, d.Tasks) != "" {
			weight *= namedInLog
		}
		all = append(all, w)
		logs, priors = append(logs, logSum(families)-math.Log(float64(len(families)))), append(priors, weight)
	}
	sum := 0.
	for _, p := range priors {
		sum += p
	}
	for i := range logs {
		logs[i] += math.Log(priorFaults * priors[i] / sum)
	}
	logs = append(logs, d.density(d.Predicted, described)+math.Log(PriorHealthy), d.density(d.Predicted, guessed)+math.Log(priorOther))
	shares := normalised(logs)
	for i := range all {
		all[i].share = shares[i]
	}
	d.Healthy, d.Other = shares[len(all)], shares[len(all)+1]
	slices.SortStableFunc(all, func(a, b weighed) int { return cmp.Compare(b.share, a.share) })
	return all
}

// states are the states of a trial's family that the log could show: each simulated one, and
// between two neighbours even steps of the logarithm, whose times are interpolated.
func (d *Diagnosis) states(t *trial, trials []*trial) (out []state) {
	line := []state{{of: t, scale: t.grade.scale, times: t.times, simulated: true}}
	if t.grade.at != nil {
		line = line[:0]
		for _, other := range trials {
			if other.err == nil && t.sameFamily(other) {
				line = append(line, state{of: other, scale: other.grade.scale, times: other.times, simulated: true})
			}
		}
		if t.grade.sound > 0 {
			line = append(line, state{of: t, scale: t.grade.sound, times: d.Predicted})
		}
		slices.SortFunc(line, func(a, b state) int { return cmp.Compare(a.scale, b.scale) })
	}
	keep := func(s state) {
		if d.shows(s.times) {
			s.density, s.odds = d.density(s.times, faulty), 1
			if t.grade.odds != nil {
				s.odds = t.grade.odds(s.scale)
			}
			out = append(out, s)
		}
	}
	for i, s := range line {
		if s.simulated {
			keep(s)
		}
		for step := 1; i+1 < len(line) && step < betweenTwo; step++ {
			part := float64(step) / betweenTwo
			scale := math.Exp(math.Log(s.scale) + part*math.Log(line[i+1].scale/s.scale))
			if label := t.grade.at(scale).label; !slices.ContainsFunc(trials, func(o *trial) bool { return o.Hypothesis == t.Hypothesis && o.label == label }) {
				keep(state{of: t, scale: scale, times: interpolated(s.times, line[i+1].times, part)})
			}
		}
	}
	return out
}

// interpolated are times between two others, by their logarithms.
func interpolated(a, b [][]units.Time, part float64) (out [][]units.Time) {
	for i := range a {
		var task []units.Time
		for j := range a[i] {
			from, to := math.Log(float64(a[i][j])), math.Log(float64(b[i][j]))
			task = append(task, units.Time(math.Round(math.Exp(from+part*(to-from)))))
		}
		out = append(out, task)
	}
	return out
}

// shows reports whether the log could show that a cluster takes these times: at some size they
// differ from the healthy cluster's by more than the errors of weft and of the log.
func (d *Diagnosis) shows(times [][]units.Time) bool {
	for i, t := range d.Tasks {
		for j := range t.Points {
			if math.Abs(offBy(times[i][j], d.Predicted[i][j])) > math.Hypot(t.Points[j].Known, d.Noise) {
				return true
			}
		}
	}
	return false
}

// meanDensity is the logarithm of the mean density of states, by their odds.
func meanDensity(states []state) float64 {
	logs := make([]float64, len(states))
	all := 0.
	for i := range states {
		logs[i] = states[i].density + math.Log(states[i].odds)
		all += states[i].odds
	}
	return logSum(logs) - math.Log(all)
}

// logSum is the logarithm of a sum, from the logarithms of its terms.
func logSum(logs []float64) float64 {
	top, sum := slices.Max(logs), 0.
	for _, l := range logs {
		sum += math.Exp(l - top)
	}
	return top + math.Log(sum)
}

// normalised are shares with a sum of 1, from their logarithms.
func normalised(logs []float64) []float64 {
	all, out := logSum(logs), make([]float64, len(logs))
	for i, l := range logs {
		out[i] = math.Exp(l - all)
	}
	return out
}
