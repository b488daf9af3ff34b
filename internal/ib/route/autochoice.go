package route

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"weft/internal/ib/proof"
	"weft/internal/ib/subnet"
)

// Auto asks for the best tables that weft can prove, from any engine.
const Auto Name = "auto"

// Attempt is the result of an engine that Auto tried.
type Attempt struct {
	Engine Name   `json:"engine"`
	With   string `json:"with,omitempty"` // the engine's options in words; "" for none
	// Refused is the reason why its tables are not used; "" if they are proven.
	Refused string `json:"refused,omitempty"`
	// Lanes is the number of data lanes that the tables need.
	Lanes int `json:"lanes,omitempty"`
	// Bandwidth is the share of a cable's rate that the slowest end gets, Contention the
	// number of flows on the worst cable (see proof.Pattern). Both are means over all
	// shifts of all ends, and 0 if nothing was routed.
	Bandwidth  float64 `json:"shift_bandwidth,omitempty"`
	Contention float64 `json:"shift_contention,omitempty"`

	score   score
	pairs   bool // at least two ends, so patterns have flows
	attempt int
}

// score ranks tables, in integers.
type score struct {
	bandwidth int64 // sum over shifts, in parts of whole
	flows     int64 // sum over shifts
	paths     int64 // between all ends, on the worst cable
	lanes     int
	best      bool // no tables can have more bandwidth
}

// whole is the full rate of a cable: divisible by all numbers up to 16, and fine enough for higher
// ones.
const whole = 720720 << 20

// maxRanked is the maximum number of ends for which all engines are tried, which takes a second or
// two of each core. On larger fabrics the slow engines are only tried if the others give no proven
// tables at least as good as minhop's.
const maxRanked = 2048

// choose routes with all engines that may fit the fabric. It keeps the proven tables with
// the most bandwidth over shifts of all ends. Tables that are worse for shifts than the
// tables of minhop, OpenSM's default, are not used. The search stops when no tables can be
// better.
func choose(s *subnet.Subnet, o Options) (*Result, error) {
	o.AsOpenSM = false // an engine that fails is skipped
	f, err := newFabric(s)
	if err != nil {
		return nil, err
	}
	all := attempts(f, o)
	var tried []Attempt
	var kept *Result // best so far; all tables of a large fabric take gigabytes
	ahead := -1
	for i := range all {
		if all[i].needless(tried, len(f.ends)) {
			continue
		}
		t, r, err := try(s, &all[i])
		if err != nil {
			return nil, err
		}
		t.attempt = i
		tried = append(tried, *t)
		if n := len(tried) - 1; t.Refused == "" && (ahead < 0 || t.score.over(&tried[ahead].score)) {
			ahead, kept = n, r
		}
		if t.Refused == "" && t.score.best {
			break
		}
	}
	best := choice(tried)
	if best != ahead {
		if _, kept, err = try(s, &all[tried[best].attempt]); err != nil {
			return nil, err
		}
	}
	kept.Report.Asked = Auto
	kept.Report.Reason = whyChosen(tried, best)
	kept.Report.Tried = tried
	return kept, nil
}

// needless reports whether the attempts so far make this one superfluous.
func (a *attempt) needless(tried []Attempt, ends int) bool {
	if a.slow && ends > maxRanked && fit(tried) {
		return true
	}
	if a.poor && slices.ContainsFunc(tried, func(t Attempt) bool { return t.Refused == "" }) {
		return true
	}
	return a.last && slices.ContainsFunc(tried, func(t Attempt) bool { return t.Engine == a.name && t.Refused == "" })
}

// fit reports whether some tables are proven and no worse than minhop's.
func fit(tried []Attempt) bool {
	best := choice(tried)
	if best < 0 {
		return false
	}
	t := &tried[best]
	return t.Refused == "" && !t.score.below(floor(tried))
}

// floor is the score of minhop's tables, or the lowest possible score if minhop was not tried.
func floor(tried []Attempt) *score {
	for i := range tried {
		if tried[i].Engine == "minhop" {
			return &tried[i].score
		}
	}
	return &score{flows: math.MaxInt64}
}

// choice is the index of the tables to keep. If none are proven, it is the index of minhop's
// tables, or -1 if minhop was not tried yet.
func choice(tried []Attempt) int {
	least := floor(tried)
	for _, floored := range []bool{true, false} { // minhop's tables may be refuted, and all proven tables worse
		best := -1
		for i := range tried {
			t := &tried[i]
			if t.Refused == "" && !(floored && t.score.below(least)) && (best < 0 || t.score.over(&tried[best].score)) {
				best = i
			}
		}
		if best >= 0 {
			return best
		}
	}
	return slices.IndexFunc(tried, func(t Attempt) bool { return t.Engine == "minhop" })
}

// over reports whether tables are better than others. The criteria in order: more bandwidth for
// shifts, fewer flows of shifts on the worst cable, fewer paths of all-to-all on it, fewer lanes.
func (c *score) over(o *score) bool {
	return cmp.Or(cmp.Compare(o.bandwidth, c.bandwidth), cmp.Compare(c.flows, o.flows),
		cmp.Compare(c.paths, o.paths), cmp.Compare(c.lanes, o.lanes)) < 0
}

// below reports whether shifts get less bandwidth than with another score.
func (c *score) below(o *score) bool { return c.bandwidth < o.bandwidth || c.flows > o.flows }

// scoreOf sums up the shifts of a proof.
func scoreOf(p *proof.Report) score {
	c := score{best: true, paths: p.Balance.Max, lanes: p.Lanes}
	for _, x := range p.Shifts {
		c.bandwidth += whole / int64(max(x.Flows, 1))
		c.flows += int64(x.Flows)
		c.best = c.best && x.Flows == x.Least
	}
	return c
}

// try routes with an engine and proves the tables. A refusal of the engine is part of the attempt,
// not an error.
func try(s *subnet.Subnet, a *attempt) (*Attempt, *Result, error) {
	t := &Attempt{Engine: a.name, With: a.with}
	r, err := proved(s, a.name, a.opt, true)
	if refusal, ok := asRefusal(err); ok {
		t.Refused = refusal.Reason
		return t, nil, nil
	}
	if err == nil {
		err = r.complete(s, a.opt)
	}
	if err == nil {
		err = r.layer(s, a.opt, true)
	}
	if err != nil {
		return nil, nil, err
	}
	p := r.Report.Proof
	t.Refused = strings.Join(p.Refutations(), ", ")
	t.Lanes, t.score, t.pairs = r.Lanes, scoreOf(p), len(p.Shifts) > 0
	if n := float64(len(p.Shifts)); n > 0 {
		t.Bandwidth, t.Contention = float64(t.score.bandwidth)/whole/n, float64(t.score.flows)/n
	}
	if a.note != "" {
		r.Report.Notes = append(r.Report.Notes, a.note)
	}
	return t, r, nil
}

func asRefusal(err error) (*Refusal, bool) {
	var refusal *Refusal
	ok := errors.As(err, &refusal)
	return refusal, ok
}

// whyChosen is the reason why tables are kept, with the deciding figures.
func whyChosen(tried []Attempt, best int) string {
	t := &tried[best]
	if t.Refused != "" {
		return "no tables are proven; the tables of minhop, OpenSM's choice, are refuted:  " + t.Refused
	}
	if !t.pairs {
		return "its tables are proven, and there are no two hosts that send to each other"
	}
	text := fmt.Sprintf("its tables are proven, and shifts of all hosts get %.1f %% of a cable's rate in the mean", 100*t.Bandwidth)
	if t.With != "" {
		text = t.With + " " + text
	}
	if t.score.best {
		return text + ": no tables give more"
	}
	var others []string
	for i := range tried {
		x := &tried[i]
		if i == best || x.Refused != "" {
			continue
		}
		other := fmt.Sprintf("%s %.1f %%", x.label(), 100*x.Bandwidth)
		if x.score.over(&t.score) {
			other += " (passed over: more flows on the worst cable than with minhop, OpenSM's default)"
		}
		others = append(others, other)
	}
	if len(others) == 0 {
		return text + "; no other engine's are"
	}
	return text + ", against " + strings.Join(others, ", ")
}

// label is the engine with its options.
func (t *Attempt) label() string {
	if t.With == "" {
		return string(t.Engine)
	}
	return string(t.Engine) + " " + t.With
}
