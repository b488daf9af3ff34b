package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"weft/internal/study/contest"
	"weft/results"
	"weft/units"
)

// claim is what the verdict says of ranges of sizes: who is first there, why, and whether that holds.
// Ranges of which the same can be said share a claim.
type claim struct {
	v      *judgement
	spans  []sizeRange
	first  []int // fabrics that are not told apart; one is the leader
	rivals []int // near fabrics that are behind, in the order of the results
	tested []testedLead
}

// testedLead is a lead that was tested.
type testedLead struct {
	slower, faster, size int // fabrics and a size of the judgement
	trial                *results.Trial
	reads                reads
}

// claims are the claims of all sizes.
func (v *judgement) claims(far []int) (out []*claim) {
	byKey := map[string]*claim{}
	for _, s := range v.spans(far) {
		c := &claim{v: v, spans: []sizeRange{s}, first: s.first}
		for f := range v.fabrics {
			if !slices.Contains(s.first, f) && !slices.Contains(far, f) {
				c.rivals = append(c.rivals, f)
			}
		}
		for _, f := range c.rivals {
			for _, w := range s.first {
				for k := s.from; k <= s.to; k++ {
					if t := v.trial(f, w, k); t != nil {
						c.tested = append(c.tested, testedLead{f, w, k, t, v.readingsOf(f, w, k)})
					}
				}
			}
		}
		key := fmt.Sprint(c.first, c.ties(s), c.causes(), c.against())
		if same := byKey[key]; same != nil {
			same.spans, same.tested = append(same.spans, s), append(same.tested, c.tested...)
			continue
		}
		byKey[key] = c
		out = append(out, c)
	}
	return out
}

// text is the claim in a few sentences.
func (c *claim) text() string {
	parts := []string{c.tied()}
	if len(c.first) == 1 {
		parts = []string{c.leading()}
	}
	if len(c.rivals) > 0 {
		parts = append(parts, c.reasons(), c.limits())
	}
	return begun(strings.Join(slices.DeleteFunc(parts, func(text string) bool { return text == "" }), " "))
}

// sizes are the sizes of the claim in words: "1 KiB to 64 KiB and 1 MiB: "; "" for a pattern without
// sizes.
func (c *claim) sizes() string {
	var parts []string
	for _, s := range c.spans {
		switch from, to := c.v.sizes[s.from], c.v.sizes[s.to]; {
		case from == 0:
			return ""
		case s.from == s.to:
			parts = append(parts, sizeText(from))
		default:
			parts = append(parts, spanOfSizes(from, to))
		}
	}
	return list(parts) + ": "
}

// spanOfSizes is a range of sizes in words: "1 to 64 KiB", "128 KiB to 2 MiB".
func spanOfSizes(from, to int64) string {
	a, b := sizeText(from), sizeText(to)
	_, unit, _ := strings.Cut(b, " ")
	return strings.TrimSuffix(a, " "+unit) + " to " + b
}

// span is the least and the most ratio of the times of rivals to that of a fabric.
func (c *claim) span(rivals []int, over int) string {
	lo, hi := math.Inf(1), 0.0
	for _, s := range c.spans {
		for _, f := range rivals {
			a, b := c.v.ratios(f, over, s.from, s.to)
			lo, hi = min(lo, a), max(hi, b)
		}
	}
	return span2(lo, hi)
}

// several reports whether the claim is about more than one size.
func (c *claim) several() bool { return len(c.spans) > 1 || c.spans[0].from != c.spans[0].to }

// at is a size, if the claim has several: " at 1 KiB".
func (c *claim) at(s int) string {
	if !c.several() {
		return ""
	}
	return c.v.at(s)
}

// leading says by how much the leader leads.
func (c *claim) leading() string {
	v, w := c.v, c.first[0]
	s := c.shown()
	own := timeOf(v.points[w][s])
	verb := " leads"
	if !v.repeated {
		verb = " takes the least time in this run,"
	}
	if len(c.rivals) == 1 {
		f := c.rivals[0]
		if !v.repeated {
			verb += " before"
		}
		means := ""
		if v.contrast(f, w, s, s).Typical {
			means = " in the median"
		}
		return fmt.Sprintf("%s%s%s %s by %s times%s (%s, %s%s).%s", c.sizes(), v.name(w), verb, v.name(f), c.span(c.rivals, w), means,
			own, timeOf(v.points[f][s]), c.at(s), c.outliers(s))
	}
	others := make([]string, len(c.rivals))
	for i, f := range c.rivals {
		others[i] = v.name(f) + " " + timeOf(v.points[f][s])
	}
	return fmt.Sprintf("%s%s%s by %s times (%s%s; %s).%s", c.sizes(), v.name(w), verb, c.span(c.rivals, w), own, c.at(s), strings.Join(others, ", "), c.outliers(s))
}

// shown is the size whose figures stand in the claim: the first at which a lead was tested, else that
// of the longest lead.
func (c *claim) shown() int {
	if len(c.tested) > 0 {
		return c.tested[0].size
	}
	best, most := c.spans[0].to, 0.0
	for _, s := range c.spans {
		for k := s.from; k <= s.to; k++ {
			for _, f := range c.rivals {
				if x := c.v.ratio(f, c.first[0], k); x > most {
					best, most = k, x
				}
			}
		}
	}
	return best
}

// ties is the relation between the first fabrics of a range, in words; "" for a leader.
func (c *claim) ties(s sizeRange) string {
	if len(s.first) == 1 {
		return ""
	}
	alike := true
	for _, f := range s.first {
		for _, g := range s.first {
			alike = alike && (f == g || c.v.alike(f, g, s.from, s.to))
		}
	}
	switch {
	case alike:
		return "are equal"
	case !c.v.repeated:
		return "are near each other in this run"
	}
	return "are not told apart by the seeds"
}

// tied says that the first fabrics are equal, or not told apart, and how far the rivals are behind.
func (c *claim) tied() string {
	v := c.v
	last := c.spans[len(c.spans)-1].to
	widest := 0.0
	for _, s := range c.spans { // the size at which the means differ most
		for k := s.from; k <= s.to; k++ {
			order := slices.DeleteFunc(v.order(k), func(f int) bool { return !slices.Contains(c.first, f) })
			if x := v.time(order[len(order)-1], k) / v.time(order[0], k); x > max(widest, contest.Outlying) {
				last, widest = k, x
			}
		}
	}
	names, figures := v.namesOf(c.first), v.figures(c.first, last)
	text := fmt.Sprintf("%s%s %s (%s%s)", c.sizes(), list(names), c.ties(c.spans[0]), figures, c.at(last))
	for _, f := range c.rivals {
		text += fmt.Sprintf(", %s takes %s times that", v.name(f), c.span([]int{f}, c.first[0]))
	}
	return text + "." + c.outliers(last)
}

// outliers gives the times over seeds of the first fabrics and their rivals at a size, where some of them lie
// far from the others; "" if none do.
func (c *claim) outliers(s int) string {
	text := ""
	for _, f := range slices.Concat(c.first, c.rivals) {
		if p := c.v.points[f][s]; p.Seeds != nil && contest.Outliers(contest.LogsOf(p.Seeds.TimesPs)) {
			text += fmt.Sprintf(" %s takes %s.", c.v.name(f), seedSpread(p.Seeds.TimesPs))
		}
	}
	return text
}

// cause is the tested reason of a lead in words: the property and its values, or that none was found.
func (l *testedLead) cause(v *judgement) (text string, takes units.Time, found bool) {
	cause, found := l.trial.Cause()
	switch {
	case found:
		return "Reason: " + cause.Property + v.values(l.trial, cause.Property), units.Time(l.trial.SlowerPs - cause.EffectPs), true
	case l.trial.Lead() <= 0:
		return fmt.Sprintf("Cause not found over %s: the %d seeds of the test do not show the lead", quoted(l.trial.Slower), l.trial.Seeds), 0, false
	}
	return fmt.Sprintf("Cause not found over %s: no property of %s alone takes half of the lead away", quoted(l.trial.Slower), quoted(l.trial.Faster)), 0, false
}

// causes are the distinct reasons in words.
func (c *claim) causes() (out []string) {
	for i := range c.tested {
		if text, _, _ := c.tested[i].cause(c.v); !slices.Contains(out, text) {
			out = append(out, text)
		}
	}
	return out
}

// reasons says why the first lead, as far as tests show: for each rival the property whose removal takes
// at least half of the lead away. Rivals with one reason share a sentence; each has the time of the
// first of its tests.
func (c *claim) reasons() string {
	if len(c.tested) == 0 {
		if len(c.first) > 1 || c.v.r.Contest == nil || c.v.r.Contest.NotTested != "" {
			return "" // the last line says so
		}
		return "Reason not tested."
	}
	var out []string
	for _, reason := range c.causes() {
		var names, takes []string
		with, few, apart := "", "", false // tested at several sizes
		for i := range c.tested {
			l := &c.tested[i]
			text, time, found := l.cause(c.v)
			name := quoted(l.trial.Slower)
			if text != reason || !found || slices.Contains(names, name) {
				continue
			}
			names, takes = append(names, name), append(takes, shortTime(time))
			if l.size != c.shown() {
				apart = true
				takes[len(takes)-1] += c.v.at(l.size)
			}
			with = "that of " + quoted(l.trial.Faster)
			if strings.HasSuffix(reason, ")") { // it has the value
				with = "it"
			}
			if all := c.v.points[l.slower][l.size].Seeds; all != nil && l.trial.Seeds < len(all.TimesPs) && byChance(c.v.points[l.slower][l.size], c.v.points[l.faster][l.size]) {
				few = fmt.Sprintf(" (%d of %d seeds)", l.trial.Seeds, len(all.TimesPs))
			}
		}
		if len(names) > 0 {
			reason += proof(names, takes, with, len(names) == len(c.rivals) && !apart) + few
		}
		out = append(out, reason+".")
	}
	return strings.Join(out, " ")
}

// proof says what fabrics take with a property of the leader. All is true if they are all rivals, in their order.
func proof(names, takes []string, with string, all bool) string {
	text := ": with " + with + " "
	if len(names) == 1 {
		return text + names[0] + " takes " + takes[0]
	}
	if !all {
		each := make([]string, len(names))
		for i := range names {
			each[i] = names[i] + " takes " + takes[i]
		}
		return text + list(each)
	}
	if len(slices.Compact(slices.Clone(takes))) == 1 {
		takes = takes[:1]
	}
	return text + "they take " + list(takes)
}

// byChance reports whether the times of points differ by chance beyond jitter: their seeds draw paths, marks
// or losses.
func byChance(points ...results.Point) bool {
	return slices.ContainsFunc(points, func(p results.Point) bool { return p.Seeds != nil && p.Seeds.Draws != nil })
}

// against are the readings with which a lead of the claim does not hold: what becomes of the lead, and
// with which readings.
func (c *claim) against() (out []objection) {
	type fate struct {
		over  []string // fabrics
		turns bool     // over each of them
	}
	var order []string
	fates, rivals := map[string]*fate{}, map[string]bool{}
	add := func(text, slower string, turns bool) {
		f := fates[text]
		if f == nil {
			f = &fate{turns: true}
			fates[text], order = f, append(order, text)
		}
		f.turns = f.turns && turns
		if !slices.Contains(f.over, slower) {
			f.over = append(f.over, slower)
		}
	}
	for _, l := range c.tested {
		slower := quoted(l.trial.Slower)
		rivals[slower] = true
		for _, text := range l.reads.gone {
			add(text, slower, false)
		}
		for _, text := range l.reads.turned {
			add(text, slower, true)
		}
	}
	for _, text := range order {
		f := fates[text]
		lead := "The lead"
		if len(f.over) < len(rivals) {
			lead += " over " + list(f.over)
		}
		lead += map[bool]string{true: " turns round", false: " is gone"}[f.turns]
		at := slices.IndexFunc(out, func(o objection) bool { return o.lead == lead })
		if at < 0 {
			at, out = len(out), append(out, objection{lead: lead})
		}
		out[at].readings = append(out[at].readings, text)
	}
	return out
}

// objection is what becomes of a lead with other readings.
type objection struct {
	lead     string // "The lead over A is gone"
	readings []string
}

// limits says with which readings the lead does not hold; of many, the first two.
func (c *claim) limits() string {
	const most = 2
	left := most
	more := 0
	var out []string
	for _, o := range c.against() {
		shown := o.readings[:min(left, len(o.readings))]
		left -= len(shown)
		more += len(o.readings) - len(shown)
		if len(shown) > 0 {
			out = append(out, o.lead+" if "+strings.Join(shown, " or ")+".")
		}
	}
	if more > 0 {
		out = append(out, "It does not hold with "+plural(more, "reading more", "readings more")+", either (--details).")
	}
	return strings.Join(out, " ")
}
