package calibrate

import (
	"cmp"
	"math"
	"slices"

	"weft/internal/base/sorting"
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

// namedInLog multiplies the prior weight of a hypothesis with evidence in the log itself: an
// assumption. One log in a hundred has such a line and another fault.
const namedInLog = 100

// unsaid multiplies the prior weight of a user's choice that is not in the log's command line: an
// assumption. It may still be in the environment.
const unsaid = .2

// state is a cluster with a fault of some severity, simulated or interpolated between two simulated
// ones.
type state struct {
	of    *trial // its trial, or a neighbour's
	scale float64
	odds  float64 // prior odds, relative to others of the family
	times [][]units.Time
	// density is the logarithm of the log's density; of a state with unknown times, the largest
	// that it can have.
	density   float64
	evidence  float64 // logarithm of prior probability times density
	simulated bool
	// unfinished are the trials whose missing sizes it needs.
	unfinished []*trial
}

// weighed is a hypothesis with its states.
type weighed struct {
	*Hypothesis
	share    float64 // posterior probability at most
	sure     float64 // the part of it of states whose times are all known
	families [][]state
}

// hasCommand reports whether the log has the test's command line, and with it most settings.
func (d *Diagnosis) hasCommand() bool {
	_, ok := d.Log.Said.Setting("program")
	return ok
}

// ofAnySeverity are severities of a fault that the log itself names, which no variant has: the excess
// of its most severe variant over a healthy cluster, times a factor.
func (d *Diagnosis) ofAnySeverity(states []state) (out []state) {
	var worst *state
	most := 0.
	for i := range states {
		if excess := d.excess(states[i].times); len(states[i].unfinished) == 0 && excess > most {
			worst, most = &states[i], excess
		}
	}
	if worst == nil {
		return nil
	}
	for factor := leastSeverity; factor <= mostSeverity; factor *= math.Sqrt2 {
		s := state{of: worst.of, odds: 1, simulated: true}
		for i, task := range worst.times {
			var times []units.Time
			for j, took := range task {
				base := d.Predicted[i][j]
				times = append(times, base+units.Time(factor*float64(max(0, took-base))))
			}
			s.times = append(s.times, times)
		}
		s.density = d.density(s.times, faulty)
		out = append(out, s)
	}
	return out
}

// The factors on the excess of the most severe variant.
const (
	leastSeverity = 1. / 16
	mostSeverity  = 16
)

// excess is the mean of ln(time / healthy time).
func (d *Diagnosis) excess(times [][]units.Time) float64 {
	sum, n := 0., 0
	for i := range times {
		for j, took := range times[i] {
			if took != unknown {
				sum, n = sum+math.Log(float64(took)/float64(d.Predicted[i][j])), n+1
			}
		}
	}
	return sum / float64(max(1, n))
}

// best is the state that makes the log most probable, of those whose times are all known; nil if
// there is none.
func (w *weighed) best() (best *state) {
	for _, family := range w.families {
		for i := range family {
			s := &family[i]
			if len(s.unfinished) == 0 && (best == nil || s.density > best.density) {
				best = s
			}
		}
	}
	return best
}

// weigh computes the posterior probability of all hypotheses with a state that the log could show,
// of a healthy cluster, and of a fault that is none of them. Families of a hypothesis have equal
// priors. A state with unknown times counts as much as it can at most.
func (d *Diagnosis) weigh(trials []*trial) []weighed {
	var all []weighed
	var priors []float64
	sum := 0.
	for i := 0; i < len(trials); {
		h := trials[i].Hypothesis
		w := weighed{Hypothesis: h}
		for first := i; i < len(trials) && trials[i].Hypothesis == h; i++ {
			t := trials[i]
			if t.err != nil || t.grade.at != nil && slices.ContainsFunc(trials[first:i], t.sameFamily) {
				continue // it has no states, or they are already counted
			}
			if states := d.states(trials[i], trials); len(states) > 0 {
				w.families = append(w.families, states)
			}
		}
		if len(w.families) == 0 {
			continue
		}
		weight := h.weight
		if h.said(d.Log, d.Tasks) != "" {
			weight *= namedInLog
			if more := d.ofAnySeverity(slices.Concat(w.families...)); len(more) > 0 {
				w.families = append(w.families, more)
			}
		} else if h.chosen && d.hasCommand() {
			weight *= unsaid
		}
		sum += weight
		all, priors = append(all, w), append(priors, weight)
	}
	var logs []float64
	for i := range all {
		logs = append(logs, all[i].evidence(priorFaults*priors[i]/sum))
	}
	logs = append(logs, d.density(d.Predicted, described)+math.Log(PriorHealthy), d.density(d.Predicted, guessed)+math.Log(priorOther*(1+math.Exp(d.burst))/2))
	shares := normalised(logs)
	for i := range all {
		all[i].share = shares[i]
	}
	d.Healthy, d.Other = shares[len(all)], shares[len(all)+1]
	d.unfinished(all, logs)
	sorting.StableFunc(all, func(a, b weighed) int { return cmp.Compare(b.share, a.share) })
	return all
}

// unfinished divides the evidence into that of states whose times are all known, and the rest. logs
// are the parts of all hypotheses, of a healthy cluster, and of another fault.
func (d *Diagnosis) unfinished(all []weighed, logs []float64) {
	whole, sure := logSum(logs), slices.Clone(logs[len(all):])
	d.Open = 0
	for i := range all {
		w := &all[i]
		var known []float64
		for _, s := range slices.Concat(w.families...) {
			if len(s.unfinished) == 0 {
				known = append(known, s.evidence)
			}
		}
		w.sure = math.Exp(logSum(known) - whole)
		d.Open += max(0, w.share-w.sure)
		sure = append(sure, known...)
	}
	d.evidence = logSum(sure)
}

// evidence gives each state of a hypothesis with that prior probability its part of the evidence,
// and returns the logarithm of their sum.
func (w *weighed) evidence(prior float64) float64 {
	var logs []float64
	for _, family := range w.families {
		odds := 0.
		for i := range family {
			odds += family[i].odds
		}
		for i := range family {
			s := &family[i]
			s.evidence = s.density + math.Log(prior*s.odds/odds/float64(len(w.families)))
			logs = append(logs, s.evidence)
		}
	}
	return logSum(logs)
}

// states are the states of a trial's family that the log could show: each simulated one, and
// between two neighbours even steps of the logarithm, whose times are interpolated.
func (d *Diagnosis) states(t *trial, trials []*trial) (out []state) {
	line := []state{t.state()}
	if t.grade.at != nil {
		line = line[:0]
		for _, other := range trials {
			if other.err == nil && t.sameFamily(other) {
				line = append(line, other.state())
			}
		}
		if t.grade.sound > 0 {
			line = append(line, state{of: t, scale: t.grade.sound, times: d.Predicted})
		}
		sorting.Func(line, func(a, b state) int { return cmp.Compare(a.scale, b.scale) })
	}
	keep := func(s state) {
		if d.shows(s.times) {
			s.density, s.odds = d.density(s.times, faulty), 1
			if t.bursty {
				s.density += d.burst
			}
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
			next, part := line[i+1], float64(step)/betweenTwo
			scale := math.Exp(math.Log(s.scale) + part*math.Log(next.scale/s.scale))
			if label := t.grade.at(scale).label; !slices.ContainsFunc(trials, func(o *trial) bool { return o.Hypothesis == t.Hypothesis && o.label == label }) {
				keep(state{
					of: t, scale: scale, times: interpolated(s.times, next.times, part),
					unfinished: slices.Concat(s.unfinished, next.unfinished),
				})
			}
		}
	}
	return out
}

// state is a trial's own state.
func (t *trial) state() state {
	s := state{of: t, scale: t.grade.scale, times: t.times, simulated: true}
	if !t.finished() {
		s.unfinished = []*trial{t}
	}
	return s
}

// interpolated are times between two others, by their logarithms; unknown if one of them is.
func interpolated(a, b [][]units.Time, part float64) (out [][]units.Time) {
	for i := range a {
		var task []units.Time
		for j := range a[i] {
			if a[i][j] == unknown || b[i][j] == unknown {
				task = append(task, unknown)
				continue
			}
			from, to := math.Log(float64(a[i][j])), math.Log(float64(b[i][j]))
			task = append(task, units.Time(math.Round(math.Exp(from+part*(to-from)))))
		}
		out = append(out, task)
	}
	return out
}

// shows reports whether the log could show that a cluster takes these times. Unknown ones may
// differ.
func (d *Diagnosis) shows(times [][]units.Time) bool {
	for _, task := range times {
		if slices.Contains(task, unknown) {
			return true
		}
	}
	return d.differs(times)
}

// differs reports whether known times differ at some size from the healthy cluster's by more than
// the errors of weft and of the log.
func (d *Diagnosis) differs(times [][]units.Time) bool {
	for i, t := range d.Tasks {
		for j := range t.Points {
			off := math.Abs(offBy(times[i][j], d.Predicted[i][j]))
			if times[i][j] != unknown && off > math.Hypot(t.Points[j].Known, d.Noise) {
				return true
			}
		}
	}
	return false
}

// logSum is the logarithm of a sum, from the logarithms of its terms.
func logSum(logs []float64) float64 {
	top, sum := math.Inf(-1), 0.
	for _, l := range logs {
		top = max(top, l)
	}
	if math.IsInf(top, -1) {
		return top
	}
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
