package cablediff

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"weft/internal/base/cabling"
	"weft/internal/base/sorting"
	"weft/internal/base/wording"
)

// diff is a comparison at work.
type diff struct {
	m      *matcher
	r      *Report
	cover  *cover
	layout *layout
	aside  map[*cable]bool // cables that are not judged
	found  []found
	listed bool // the fabrics have nothing but the cables that the other lacks
}

// found is a finding before it is joined with others.
type found struct {
	Finding
	missing, extra *cable
	moves          []move
	swap           *chain
}

// Compare compares a real fabric with its plan. The names are of the files, for messages.
func Compare(plan, actual *cabling.Fabric, planName, realName string) *Report {
	d := newDiff(plan, actual, planName, realName)
	d.m.match()
	if !slices.ContainsFunc(d.m.plan.sites, func(t *site) bool { return t.mate != nil }) {
		d.r.NotJudged = append(d.r.NotJudged, fmt.Sprintf("everything: no device of %s is in %s by GUID, name or neighbours", planName, realName))
		return d.r
	}
	d.cover = coverOf(d.m.plan, d.m.real)
	d.layout = layoutOf(d.m.plan)
	d.setAside()
	d.count()
	d.differences()
	return d.r
}

// Differences explains what another tool has found in comparing: the planned cables that are not there, and the real
// ones that are not planned. Devices, units and rails are not judged, since their other cables are not listed. second are
// cables that the other tool lists at a port where it lists another.
func Differences(plan, actual *cabling.Fabric, second [2][]cabling.Cable, name string) *Report {
	d := newDiff(plan, actual, name, name)
	d.listed, d.r.Listed = true, true
	d.m.match()
	d.cover = coverOf(d.m.plan, d.m.real)
	for k := range classes {
		d.cover.whole[k] = true
	}
	d.layout = &layout{}
	d.setAside()
	d.count()
	d.second(second)
	d.differences()
	return d.r
}

// second reports cables at a port that has another one.
func (d *diff) second(cables [2][]cabling.Cable) {
	for i, kind := range [2]Kind{Missing, Extra} {
		f := [2]*side{d.m.plan, d.m.real}[i].f
		for _, c := range cables[i] {
			a, b := f.EndName(c.A), f.EndName(c.B)
			d.found = append(d.found, found{Finding: Finding{
				Kind: kind, Ends: []string{a, b}, Evidence: []string{fmt.Sprintf("%s: %s – %s", c.Place, a, b)},
				Text:   fmt.Sprintf("the cable from %s to %s is %s, and another one is listed at one of its ports", a, b, [2]string{"missing", "not planned"}[i]),
				Action: fmt.Sprintf("look which cable is at %s and at %s, and compare again", a, b),
			}})
		}
	}
}

func newDiff(plan, actual *cabling.Fabric, planName, realName string) *diff {
	return &diff{
		m:     &matcher{plan: newSide(planName, plan, false), real: newSide(realName, actual, true)},
		r:     &Report{Plan: sideOf(planName, plan), Real: sideOf(realName, actual), Counts: map[Kind]int{}, Findings: []Finding{}},
		aside: map[*cable]bool{},
	}
}

// differences makes the findings.
func (d *diff) differences() {
	for _, c := range d.chains() {
		d.chain(c)
	}
	d.joinMissingAndExtra()
	d.joinSwaps()
	if !d.listed {
		d.joinDevices()
		d.joinChips()
	}
	d.joinHosts()
	d.joinNames()
	d.names()
	d.values()
	d.finish()
}

// setAside leaves out the cables that are not judged.
func (d *diff) setAside() {
	told, sorts := map[string]int{}, []string{}
	say := func(what string) {
		if told[what]++; told[what] == 1 {
			sorts = append(sorts, what)
		}
	}
	hasReal := func(k class) bool { return d.cover.all[1][k] > 0 }
	for _, c := range d.m.plan.cables {
		if asPlanned(c) {
			continue
		}
		a, b := c.ends[0].site, c.ends[1].site
		switch {
		case d.m.real.unsure(c):
			d.aside[c] = true
			say(fmt.Sprintf("planned cables at ports of which lines of %s contradict each other", d.m.real.name))
		case !hasReal(c.class) && !d.listed:
			d.aside[c] = true
			say(fmt.Sprintf("planned %s: %s has none", classNames[c.class], d.m.real.name))
		case anyPartial(d.m.real) && !heard(a.mate, b.mate):
			d.aside[c] = true
			say(fmt.Sprintf("planned cables between devices that %s does not ask", d.m.real.name))
		case d.unnamed(c):
			d.aside[c] = true
			say("planned cables whose ports lead to devices with a name that several have, or with none")
		}
	}
	d.uncovered()
	for _, what := range sorts {
		text := fmt.Sprintf("%d %s", told[what], what)
		if told[what] == 1 {
			text = strings.Replace(text, "planned cables", "planned cable", 1)
		}
		d.r.NotJudged = append(d.r.NotJudged, text)
	}
}

// uncovered leaves out the real cables that the plan does not cover.
func (d *diff) uncovered() {
	d.r.Covers = d.cover.text()
	beyond, partly, unknown, disputed := 0, 0, 0, 0
	at := map[string]bool{} // planned devices of which the plan has some cables
	for _, c := range d.m.real.cables {
		if asPlanned(c) || d.touches(c) {
			continue
		}
		if nameless(c) {
			d.aside[c] = true
			unknown++
			continue
		}
		if d.m.plan.unsure(c) {
			d.aside[c] = true
			disputed++
			continue
		}
		a, b := c.ends[0].site.mate, c.ends[1].site.mate
		unheard := anyPartial(d.m.plan) && !heard(a, b) && (a != nil || b != nil)
		if d.cover.covers(c) && !unheard {
			continue
		}
		d.aside[c] = true
		some := false
		for _, t := range [2]*site{a, b} {
			if n := d.cover.sites[t]; t != nil && n != nil && n[0][c.class] > 0 {
				at[t.name], some = true, true
			}
		}
		if some {
			partly++
		} else {
			beyond++
		}
	}
	if partly > 0 {
		d.r.NotJudged = append(d.r.NotJudged, fmt.Sprintf("%s at %s of which the plan has a part of the cables (%s)",
			wording.Counted(partly, "real cable", "real cables"), wording.Counted(len(at), "device", "devices"), listText(slices.Sorted(maps.Keys(at)), 6)))
	}
	if unknown > 0 {
		d.r.NotJudged = append(d.r.NotJudged, wording.Counted(unknown, "real cable", "real cables")+" between devices whose names several have")
	}
	if disputed > 0 {
		d.r.NotJudged = append(d.r.NotJudged, fmt.Sprintf("%s at ports of which lines of %s contradict each other", wording.Counted(disputed, "real cable", "real cables"), d.m.plan.name))
	}
	if beyond > 0 {
		d.r.NotJudged = append(d.r.NotJudged, wording.Counted(beyond, "real cable", "real cables")+" at devices for which the plan has none of that sort")
	}
}

// touches is whether a real cable is at a port of which the plan has a cable that is judged.
func (d *diff) touches(c *cable) bool {
	for _, e := range c.ends {
		if p := e.port.plan; p != nil && !d.aside[p.cable] {
			return true
		}
	}
	return false
}

// unnamed is whether a planned cable's port leads to a device that cannot be told from others, so that it may well be
// the planned one; its real cable is left out, too.
func (d *diff) unnamed(c *cable) bool {
	if nameless(c) {
		return true
	}
	for i, e := range c.ends {
		own, far := e.port.real, c.ends[1-i]
		if own == nil || far.site.mate != nil && far.site.by != byNeighbours {
			continue
		}
		t := own.far().site
		if t.key == "" && (t.mate == nil || t.mate == far.site) || far.site.key == "" {
			d.aside[own.cable] = true
			return true
		}
	}
	return false
}

// nameless is whether a cable joins two devices that cannot be told from others.
func nameless(c *cable) bool {
	a, b := c.ends[0].site, c.ends[1].site
	return a.key == "" && a.mate == nil && b.key == "" && b.mate == nil
}

func anyPartial(s *side) bool {
	return slices.ContainsFunc(s.sites, func(t *site) bool { return t.partial })
}

// asPlanned is whether the other side has the same cable.
func asPlanned(c *cable) bool {
	a, b := c.ends[0].port, c.ends[1].port
	return a.plan != nil && a.real != nil && a.plan.far().port == b && a.real.far().port == b
}

func (d *diff) count() {
	for _, c := range d.m.plan.cables {
		if d.aside[c] {
			continue
		}
		d.r.Judged++
		if asPlanned(c) {
			d.r.AsPlanned++
		}
	}
	alone := 0
	for _, t := range d.m.plan.sites {
		if t.by == byNeighbours && (t.key == "" || t.mate.key == "") {
			alone++
		}
	}
	if alone > 0 {
		d.r.Assumed = append(d.r.Assumed, wording.Counted(alone, "device", "devices")+" without a name of its own in one of the files: found by the neighbours")
	}
	if d.m.loose > 0 {
		d.r.Assumed = append(d.r.Assumed, wording.Counted(d.m.loose, "port has", "ports have")+" another name, or none, in one of the files: found by the neighbour")
	}
}

// chain makes findings of a chain or a circle.
func (d *diff) chain(c *chain) {
	if c.circle {
		d.found = append(d.found, d.swapped(c))
		return
	}
	moves, missing, extra := c.moves()
	if missing != nil {
		d.found = append(d.found, d.missing(missing))
	}
	if extra != nil {
		d.found = append(d.found, d.extra(extra))
	}
	if len(moves) > 1 && shifted(moves) {
		d.found = append(d.found, d.shift(moves))
		return
	}
	for _, m := range moves {
		d.found = append(d.found, d.moved(m))
	}
}

// shifted is whether all plugs move within one device, as when a row of plugs is off by one.
func shifted(moves []move) bool {
	for _, m := range moves {
		if !sameDevice(m.from, moves[0].to) || !sameDevice(m.to, moves[0].to) {
			return false
		}
	}
	return true
}

// finish sorts the findings and counts them.
func (d *diff) finish() {
	order := map[Kind]int{}
	for i, k := range Kinds {
		order[k.Kind] = i
	}
	for i := range d.found {
		d.r.Findings = append(d.r.Findings, d.found[i].Finding)
	}
	sorting.StableFunc(d.r.Findings, func(a, b Finding) int { return order[a.Kind] - order[b.Kind] })
	for _, f := range d.r.Findings {
		d.r.Counts[f.Kind]++
	}
}
