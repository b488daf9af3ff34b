package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"weft/internal/base/sorting"
	"weft/internal/face/doc"
	"weft/results"
	"weft/units"
)

// stormPause is the mean pause from which on a NIC that pauses its switch is in a storm: longer than ten pauses of the
// longest kind at 400 Gb/s (65,535 quanta, 84 us), so that it must have renewed them.
const stormPause = units.Millisecond

// The bounds of a story of pauses: names in a list, and steps from switch to switch.
const (
	storyNames = 3
	storySteps = 4
)

// story is the pauses of a simulation behind one root: who began, whom it stopped, and who suffered without a part in it.
type story struct {
	fabric results.FabricResult
	point  results.Point
	p      *results.Pauses
	roots  []int // the links of the root
	paused int64 // the longest time in pause of a port below it, which is not the NIC's own
}

// storyOf is the story of the root with the most time in pause below it; nil if pauses were not recorded.
func storyOf(f results.FabricResult, p results.Point) *story {
	if p.Pauses == nil || len(p.Pauses.Links) == 0 {
		return nil
	}
	links := p.Pauses.Links
	sum, under := map[string]int64{}, map[string][]int{}
	best := ""
	for i := range links {
		root := rootText(p.Pauses, rootOf(links, i))
		if sum[root] += links[i].PausedPs; links[i].Root() {
			under[root] = append(under[root], i)
		}
		if sum[root] > sum[best] {
			best = root
		}
	}
	s := &story{fabric: f, point: p, p: p.Pauses, roots: under[best]}
	for i := range links {
		if own := links[i].Root() && links[i].Cause == ""; s.below(i) && !own {
			s.paused = max(s.paused, links[i].PausedPs)
		}
	}
	return s
}

// rootOf is the link at which the chain of pauses behind a link began.
func rootOf(links []results.PausedLink, i int) int {
	for !links[i].Root() {
		i = links[i].After
	}
	return i
}

// root is the first link of the root.
func (s *story) root() *results.PausedLink { return &s.p.Links[s.roots[0]] }

// short names the root of the pauses in a few words.
func (s *story) short() string {
	switch l := s.root(); {
	case l.Circle:
		return fmt.Sprintf("a circle of %d ports", len(circleOf(s.p, s.roots[0])))
	case l.Cause == "":
		return l.By
	default:
		return l.Cause
	}
}

// begins is the sentence about the root.
func (s *story) begins(on string) string {
	l := s.root()
	took := fmt.Sprintf("from %s on it stopped %s for %s in %s", shortTime(units.Time(l.FirstPs)), l.Sender, shortTime(units.Time(l.PausedPs)), plural(l.Pauses, "pause", "pauses"))
	if l.Pauses == 1 {
		took = strings.TrimSuffix(took, "in 1 pause") + "without a break"
	}
	switch {
	case l.Circle:
		return fmt.Sprintf("%s, %d ports wait for one another in a circle: %s.", begun(on), len(circleOf(s.p, s.roots[0])), few(s.senders(circleOf(s.p, s.roots[0]))))
	case l.Cause == "" && l.PausedPs >= int64(stormPause)*l.Pauses:
		return fmt.Sprintf("%s stormed %s: %s. That is where the pauses begin; look at this NIC and its host first.", l.By, on, took)
	case l.Cause == "":
		return fmt.Sprintf("%s takes in less than comes for it %s: %s. That is where the pauses begin; look at this NIC and its host first.", l.By, on, took)
	case l.CauseNIC != "":
		return fmt.Sprintf("The load on one receiver is too high %s (incast): more came to %s for %s than its port carries, and %s was not in pause itself for most of that time.", on, l.By, l.CauseNIC, l.Cause)
	}
	return fmt.Sprintf("A link between switches has too much load %s: more came for %s than it carries, and it was not in pause itself for most of that time.", on, l.Cause)
}

// spread is the sentence about those who were stopped, from the root on; empty if that is the root's link alone.
func (s *story) spread() string {
	var steps []string
	level := s.roots
	if s.root().Cause == "" { // begins has told of it
		level = s.after(level)
	}
	for seen := map[int]bool{}; len(level) > 0 && len(steps) < storySteps; level = s.after(level) {
		level = slices.DeleteFunc(level, func(i int) bool { return seen[i] })
		by := map[string][]int{}
		var order []string
		for _, i := range level {
			seen[i] = true
			if at := s.p.Links[i].By; by[at] == nil {
				order = append(order, at)
			}
			by[s.p.Links[i].By] = append(by[s.p.Links[i].By], i)
		}
		for _, at := range order {
			steps = append(steps, fmt.Sprintf("%s stopped %s (%s)", at, few(s.senders(by[at])), s.times(by[at])))
		}
	}
	if len(steps) == 0 {
		return ""
	}
	if len(steps) > storySteps {
		steps = append(steps[:storySteps], "so on")
	}
	return list(steps) + "."
}

// after are the links whose pauses some links caused.
func (s *story) after(links []int) (out []int) {
	for i := range s.p.Links {
		if l := &s.p.Links[i]; !l.Circle && slices.Contains(links, l.After) {
			out = append(out, i)
		}
	}
	return out
}

// senders are the nodes that were paused, each once.
func (s *story) senders(links []int) (names []string) {
	for _, i := range links {
		if name := s.p.Links[i].Sender; !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// times is the shortest and the longest time in pause of some links.
func (s *story) times(links []int) string {
	lo, hi := s.p.Links[links[0]].PausedPs, int64(0)
	for _, i := range links {
		lo, hi = min(lo, s.p.Links[i].PausedPs), max(hi, s.p.Links[i].PausedPs)
	}
	return span(float64(lo), float64(hi))
}

// few is a list of names, or its beginning.
func few(names []string) string {
	if n := len(names); n > storyNames+1 {
		names = append(slices.Clone(names[:storyNames]), fmt.Sprintf("%d more", n-storyNames))
	}
	return list(names)
}

// suffered is the sentence about the flows: those for the root, and the victims, which never cross it.
func (s *story) suffered() string {
	var own, victims []*results.PausedFlow
	for i := range s.p.Flows {
		f := &s.p.Flows[i]
		if !slices.ContainsFunc(f.Links, func(l int) bool { return s.below(l) }) {
			continue
		}
		if f.Victim {
			victims = append(victims, f)
		} else {
			own = append(own, f)
		}
	}
	sorting.StableFunc(victims, func(a, b *results.PausedFlow) int { return cmp.Compare(b.TimePs, a.TimePs) })
	where, it := s.place(), "it"
	if len(own) == 0 {
		it = where
	}
	text := ""
	if len(own) > 0 {
		text = fmt.Sprintf("Flows that cross %s waited: %s.", where, few(flowTimes(own)))
	}
	switch {
	case len(own)+len(victims) == 0:
		return "" // the flows are unknown
	case len(victims) == 0:
		return text + " No other flow waited."
	}
	v := victims[0]
	shared := ""
	if l := s.first(v); l.Sender != "" {
		shared = fmt.Sprintf(", but shares %s with traffic that does", l.Name)
	}
	text += fmt.Sprintf(" Victim: %s never crosses %s%s; it took %s%s.", v.Name, it, shared, shortTime(units.Time(v.TimePs)), s.over(v))
	if n := len(victims) - 1; n > 0 {
		text += fmt.Sprintf(" So did %s.", few(flowTimes(victims[1:])))
	}
	return strings.TrimSpace(text)
}

// place is the port where the pauses begin, or the ports of which each flow that has a part in them crosses one.
func (s *story) place() string {
	l := s.root()
	other := slices.ContainsFunc(s.p.Links, func(o results.PausedLink) bool { return o.Root() && o.Cause != l.Cause })
	switch {
	case l.Circle && !slices.ContainsFunc(s.p.Links, func(o results.PausedLink) bool { return o.After < 0 }):
		return "the circle"
	case l.Circle, other, l.Cause == "" && len(s.roots) > 1:
		return "a port where pauses begin"
	case l.Cause == "":
		return l.Name
	}
	return l.Cause
}

// below reports whether a link was paused because of the root.
func (s *story) below(l int) bool { return slices.Contains(s.roots, rootOf(s.p.Links, l)) }

// first is the paused link of a victim that is nearest to the root.
func (s *story) first(f *results.PausedFlow) (l results.PausedLink) {
	for level := s.roots; len(level) > 0; level = s.after(level) {
		for _, i := range level {
			if slices.Contains(f.Links, i) {
				return s.p.Links[i]
			}
		}
		if s.root().Circle {
			break
		}
	}
	return l
}

// over is the time of a flow over that of its bytes at the rate of its port.
func (s *story) over(f *results.PausedFlow) string {
	if s.fabric.Rate <= 0 || f.Bytes <= 0 {
		return ""
	}
	line := float64(f.Bytes) * 8 / float64(s.fabric.Rate) * float64(units.Second)
	if float64(f.TimePs) < 1.5*line {
		return ""
	}
	return fmt.Sprintf(", %s times as long as its bytes take at %s", times(float64(f.TimePs)/line), s.fabric.Rate)
}

// flowTimes are flows with their times.
func flowTimes(flows []*results.PausedFlow) (out []string) {
	for _, f := range flows {
		out = append(out, fmt.Sprintf("%s (%s)", f.Name, shortTime(units.Time(f.TimePs))))
	}
	return out
}

// pauseStories say who began the pauses, whom that stopped, and which flow had no part in it: on the fabric with the
// longest pauses in full, on the others in short. There are none if no run recorded pauses.
func pauseStories(r *results.Results) []doc.Block {
	var all []*story
	for _, f := range r.Fabrics {
		var own *story
		for i := range f.Points {
			if s := storyOf(f, f.Points[i]); s != nil && (own == nil || s.point.Bytes >= own.point.Bytes) {
				own = s
			}
		}
		if own != nil {
			all = append(all, own)
		}
	}
	if len(all) == 0 {
		return nil
	}
	sorting.StableFunc(all, func(a, b *story) int { return cmp.Compare(b.paused, a.paused) })
	s := all[0]
	on := "on " + quoted(s.fabric.Name)
	if s.point.Bytes > 0 {
		on += " at " + sizeText(s.point.Bytes)
	}
	var out []string
	for _, text := range []string{s.begins(on), s.spread(), s.suffered()} {
		if text != "" {
			out = append(out, text)
		}
	}
	var others []string
	for _, other := range all[1:] {
		why := "from " + other.short()
		if other.short() == s.short() {
			why = "from there too"
		}
		others = append(others, fmt.Sprintf("%s %s (%s)", quoted(other.fabric.Name), shortTime(units.Time(other.paused)), why))
	}
	if len(others) > 0 {
		out = append(out, "On other fabrics a port was stopped for less time: "+list(others)+".")
	}
	return doc.Paragraphs(out...)
}
