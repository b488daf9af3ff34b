package faultcost

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"

	"weft/internal/base/sorting"
	"weft/internal/roce/lint"
	"weft/internal/study/many"
	"weft/results"
	"weft/scenario"
)

// maxFaults bounds the faults that are simulated: each takes a simulation for each job.
const maxFaults = 16

// Report is what the faults of a fabric cost.
type Report struct {
	Jobs []Job `json:"jobs"`
	// Costs are the faults, the most expensive first, and then those that were not judged.
	Costs []Cost `json:"costs"`
}

// Job is a workload on the fabric as found, and with all faults mended.
type Job struct {
	Name   string  `json:"job"`
	Found  Outcome `json:"as_found"`
	Mended Outcome `json:"all_mended"`
	// NotMended is the reason why there is no simulation with all faults mended.
	NotMended string `json:"all_mended_not_judged,omitempty"`
}

// Cost is a fault and the jobs without it.
type Cost struct {
	Rule      string        `json:"rule"`
	Value     string        `json:"value"`
	Severity  lint.Severity `json:"severity"`
	Places    []string      `json:"places"` // of the findings
	NotJudged string        `json:"not_judged,omitempty"`
	Mended    []Outcome     `json:"mended,omitempty"` // by job: without this fault
	// Hidden says that the fault has no effect as long as others are there. Then Alone has by job what it does without
	// them.
	Hidden bool      `json:"hidden,omitempty"`
	Alone  []Outcome `json:"alone,omitempty"`
}

// Outcome is the result of a job.
type Outcome struct {
	TimePs  int64  `json:"time_ps,omitempty"` // 0: it did not end
	Dropped int64  `json:"dropped_packets"`
	Resent  int64  `json:"resent_packets"`
	Pauses  int64  `json:"pfc_pauses"`
	Storms  int64  `json:"pfc_storms,omitempty"`
	Marks   int64  `json:"ecn_marks"`
	Failed  string `json:"failed,omitempty"` // why it did not end
}

// Of are the outcomes of a job between which a fault makes the difference.
func (c *Cost) Of(job int, j *Job) (with, without Outcome) {
	if c.Hidden {
		return c.Alone[job], j.Mended
	}
	return j.Found, c.Mended[job]
}

// Share is what a fault adds to a job's time, as a share of the time without it: 0.1 is a tenth. ok is false if one of the two did
// not end.
func Share(with, without Outcome) (share float64, ok bool) {
	if with.TimePs == 0 || without.TimePs == 0 {
		return 0, false
	}
	return float64(with.TimePs)/float64(without.TimePs) - 1, true
}

// Resolver makes the scenarios of a variant, one for each job, each with one fabric and one size.
type Resolver func(Variant) ([]*scenario.Resolved, error)

// Evaluate simulates the jobs of a site as found, and with each fault of the reports mended. An error is one of the site as
// found.
func Evaluate(ctx context.Context, site *Site, reports []*lint.Report, resolve Resolver, o many.Options) (*Report, error) {
	e := &evaluation{site: site, resolve: resolve, groups: groupsOf(reports)}
	if err := e.begin(); err != nil {
		return nil, err
	}
	at := make([]int, len(e.groups)) // by group: its first variant
	simulated := 0
	for i := range e.groups {
		g := &e.groups[i]
		if simulated == maxFaults {
			g.NotJudged = fmt.Sprintf("%d faults are simulated at most", maxFaults)
			continue
		}
		if at[i] = e.judge(i); g.NotJudged == "" {
			simulated++
		}
	}
	rows := many.Rows(ctx, e.variants, o, outcomeOf)
	if e.hiddenToo(at, rows) {
		rows = append(rows, many.Rows(ctx, e.variants[len(rows):], o, outcomeOf)...)
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	out := &Report{}
	for i, r := range e.found {
		j := Job{Name: jobName(r), Found: rows[i], NotMended: e.notMended}
		if i < len(site.Jobs) {
			j.Name = site.Jobs[i]
		}
		if e.notMended == "" {
			j.Mended = rows[len(e.found)+i]
		}
		out.Jobs = append(out.Jobs, j)
	}
	for i := range e.groups {
		g := &e.groups[i]
		if own := rows[at[i]:]; g.NotJudged == "" && g.Hidden {
			g.Alone = own[:len(e.found)]
		} else if g.NotJudged == "" {
			g.Mended = own[:len(e.found)]
		}
		out.Costs = append(out.Costs, g.Cost)
	}
	out.rank()
	return out, nil
}

// evaluation collects the simulations.
type evaluation struct {
	site      *Site
	resolve   Resolver
	groups    []group
	found     []*scenario.Resolved // by job: as found
	mended    []*scenario.Resolved // by job: all faults mended; nil if that is not possible
	notMended string               // why
	variants  []*scenario.Resolved // those of found, of mended, and more
}

// begin makes the scenarios as found, and with all faults mended.
func (e *evaluation) begin() (err error) {
	if e.found, err = e.scenarios(nil); err != nil {
		return err
	}
	e.variants = slices.Clone(e.found)
	if e.mended, err = e.scenarios(e.fixes(-1)); err != nil {
		e.mended, e.notMended = nil, err.Error()
	}
	e.variants = append(e.variants, e.mended...)
	return nil
}

// scenarios are the jobs with lines on the devices.
func (e *evaluation) scenarios(fixes []lint.Fix) ([]*scenario.Resolved, error) {
	v, err := e.site.with(fixes)
	if err != nil {
		return nil, err
	}
	return e.resolve(v)
}

// fixes are the fixes of all groups but one; -1 is none.
func (e *evaluation) fixes(but int) (all []lint.Fix) {
	for i := range e.groups {
		if i != but {
			all = append(all, e.groups[i].fixes...)
		}
	}
	return all
}

// judge adds the simulations of a fault mended, or of the fault alone if others hide it, and returns the number of the
// first. NotJudged is the reason if there are none.
func (e *evaluation) judge(i int) (first int) {
	g := &e.groups[i]
	if len(g.fixes) == 0 {
		g.NotJudged = cmp.Or(outside[g.Rule], "the finding has no lines that mend it")
		return 0
	}
	first = len(e.variants)
	mended, err := e.scenarios(g.fixes)
	switch {
	case err != nil:
		g.NotJudged = "the simulator refuses the mended settings: " + err.Error()
		return 0
	case !slices.EqualFunc(e.found, mended, same):
		e.variants = append(e.variants, mended...)
		return first
	}
	if alone, err := e.scenarios(e.fixes(i)); err == nil && e.mended != nil && !slices.EqualFunc(e.mended, alone, same) {
		g.Hidden = true
		e.variants = append(e.variants, alone...)
		return first
	}
	g.NotJudged = cmp.Or(outside[g.Rule], e.minority(g), "the fix changes nothing that the simulation has")
	return 0
}

// hiddenToo adds the simulations of faults alone that others hide because no job ends with these, as found or with the one fault
// mended. It reports whether there are any.
func (e *evaluation) hiddenToo(at []int, rows []Outcome) bool {
	if e.mended == nil {
		return false
	}
	n := len(e.found)
	ends := func(o Outcome) bool { return o.TimePs > 0 }
	for i := range e.groups {
		g := &e.groups[i]
		if g.NotJudged != "" || g.Hidden || slices.ContainsFunc(rows[:n], ends) || slices.ContainsFunc(rows[at[i]:at[i]+n], ends) || !slices.ContainsFunc(rows[n:2*n], ends) {
			continue
		}
		alone, err := e.scenarios(e.fixes(i))
		if err != nil {
			continue
		}
		g.Hidden, at[i] = true, len(e.variants)
		e.variants = append(e.variants, alone...)
	}
	return len(e.variants) > len(rows)
}

// minority is the reason for a fault that is mended on hosts alone, while other hosts lack it.
func (e *evaluation) minority(g *group) string {
	mended := 0
	for _, h := range e.site.Hosts {
		if len(linesOn(g.fixes, h.Name)) > 0 {
			mended++
		}
	}
	if mended == 0 || 2*mended > len(e.site.Hosts) {
		return ""
	}
	return fmt.Sprintf("%d of %d hosts have it, and all hosts of the simulation are like the most", mended, len(e.site.Hosts))
}

// same reports whether two scenarios have the same simulation.
func same(a, b *scenario.Resolved) bool {
	return reflect.DeepEqual(a.Fabrics, b.Fabrics) && reflect.DeepEqual(a.Workload, b.Workload)
}

// outside are rules about what the simulation does not have.
var outside = map[string]string{
	"drops":         "a counter is no setting",
	"gid-v1":        "all packets of the simulation are RoCE v2's",
	"fec":           "a link of the simulation has no FEC to set",
	"cable-differs": "NICs of the simulation take in all that arrives, and pause no switch",
	"pause-global":  "hosts of the simulation have PFC alone",
}

// outcomeOf is the outcome of a simulation.
func outcomeOf(r *results.Results, err error) Outcome {
	f, wrong := many.FabricOf(r, err)
	if r != nil && len(r.Fabrics) == 1 && !r.Partial {
		f, wrong = &r.Fabrics[0], nil // with its failure
	}
	switch {
	case wrong != nil:
		return Outcome{Failed: wrong.Error()}
	case len(f.Points) != 1:
		return Outcome{Failed: "the simulation gave no result"}
	}
	p := &f.Points[0]
	c := &p.Counts
	out := Outcome{TimePs: int64(p.Time), Dropped: c.Drops(), Resent: c.Retransmissions, Pauses: c.Pauses, Storms: c.PFCStorms, Marks: c.Marks, Failed: p.Failure}
	if p.Failure != "" {
		out.TimePs = 0
	}
	return out
}

// jobName is a workload in words.
func jobName(r *scenario.Resolved) string {
	w := &r.Workload
	name := cmp.Or(string(w.Collective), string(w.Pattern))
	if w.FanIn > 0 && w.Pattern == scenario.Incast {
		name += fmt.Sprintf(" of %d senders", w.FanIn)
	}
	if len(w.Sizes) > 0 {
		name += ", " + strings.TrimSpace(slices.Max(w.Sizes).String())
	}
	return name
}

// rank sorts the faults: those that keep a job from ending, then by the largest share of a job's time, then those that were not
// judged.
func (r *Report) rank() {
	weight := func(c *Cost) float64 {
		if c.NotJudged != "" {
			return -2
		}
		most := -1.0
		for i := range r.Jobs {
			with, without := c.Of(i, &r.Jobs[i])
			share, ok := Share(with, without)
			if !ok && with.TimePs == 0 && without.TimePs > 0 {
				share, ok = math.Inf(1), true
			}
			if ok {
				most = max(most, share)
			}
		}
		return most
	}
	sorting.StableFunc(r.Costs, func(a, b Cost) int { return cmp.Compare(weight(&b), weight(&a)) })
}
