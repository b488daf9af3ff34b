package cablediff

import (
	"fmt"
	"slices"
	"strings"

	"weft/internal/base/cabling"
	"weft/internal/base/sorting"
)

// drop removes findings.
func (d *diff) drop(gone func(f *found) bool) {
	d.found = slices.DeleteFunc(d.found, func(f found) bool { return gone(&f) })
}

// devicePair is two devices, in a fixed order.
type devicePair [2]*site

func pairOf(c *cable) devicePair {
	a, b := place(c.ends[0].port), place(c.ends[1].port)
	if a.number > b.number || a.number == b.number && a.name > b.name {
		a, b = b, a
	}
	return devicePair{a, b}
}

// joinMissingAndExtra joins a missing and an extra cable between the same two devices: one cable, both plugs of which
// are in the wrong port.
func (d *diff) joinMissingAndExtra() {
	extras := map[devicePair][]*cable{}
	for i := range d.found {
		if c := d.found[i].extra; c != nil {
			extras[pairOf(c)] = append(extras[pairOf(c)], c)
		}
	}
	gone := map[*cable]bool{}
	for i := range d.found {
		f := &d.found[i]
		if f.missing == nil {
			continue
		}
		list := extras[pairOf(f.missing)]
		if len(list) == 0 {
			continue
		}
		c, planned := list[0], f.missing
		extras[pairOf(planned)] = list[1:]
		gone[c] = true
		*f = found{Finding: Finding{
			Kind: Moved, Ends: []string{endText(c.ends[0].port), endText(c.ends[1].port)}, Evidence: []string{evidence(planned), evidence(c)},
			Text:   fmt.Sprintf("the cable %s is in other ports of the same devices than planned: %s", cableText(c), cableText(planned)),
			Action: fmt.Sprintf("move both plugs of the cable %s to %s and %s", cableText(c), endText(planned.ends[0].port), endText(planned.ends[1].port)),
		}}
	}
	d.drop(func(f *found) bool { return f.extra != nil && gone[f.extra] })
}

// joinSwaps joins crossed pairs of cables that come from two devices in each other's place: all planned cables of both
// are crossed.
func (d *diff) joinSwaps() {
	count := map[devicePair][]int{} // findings by pair of devices
	var order []devicePair
	for i := range d.found {
		c := d.found[i].swap
		if c == nil || len(c.plan) != 2 {
			continue
		}
		for _, p := range [2]devicePair{{place(c.ports[0]), place(c.ports[2])}, {place(c.ports[1]), place(c.ports[3])}} {
			if p[0] == p[1] {
				continue
			}
			if p[0].number > p[1].number {
				p[0], p[1] = p[1], p[0]
			}
			if len(count[p]) == 0 {
				order = append(order, p)
			}
			count[p] = append(count[p], i)
		}
	}
	gone := map[int]bool{}
	for _, p := range order {
		of := count[p]
		if len(of) < 2 || len(of) != d.judgedAt(p[0]) || len(of) != d.judgedAt(p[1]) || slices.ContainsFunc(of, func(i int) bool { return gone[i] }) {
			continue
		}
		f := &d.found[of[0]]
		for _, i := range of[1:] {
			gone[i] = true
			f.Ends = append(f.Ends, d.found[i].Ends...)
			f.Evidence = append(f.Evidence, d.found[i].Evidence...)
			if f.Hosts == "" {
				f.Hosts = d.found[i].Hosts
			}
		}
		f.Text = fmt.Sprintf("%s and %s are in each other's place: the %d cables of each are the other's", p[0].name, p[1].name, len(of))
		if f.Hosts != "" {
			f.Text += map[string]string{"unit": ", each in the other's unit", "rail": ", each on the other's rail"}[f.Hosts]
		}
		f.Action = fmt.Sprintf("exchange all cables of %s and %s, or the devices", p[0].name, p[1].name)
	}
	i := -1
	d.drop(func(*found) bool { i++; return gone[i] })
}

// judgedAt is the number of planned cables of a device that are judged.
func (d *diff) judgedAt(t *site) (n int) {
	for _, e := range t.ends {
		if !d.aside[e.cable] {
			n++
		}
	}
	return n
}

// joinDevices joins the missing cables of a device that is not there, and the extra cables of one that is not planned.
func (d *diff) joinDevices() {
	d.joinAt(func(f *found) *cable { return f.missing }, func(t *site, cables []*cable) Finding {
		f := Finding{
			Kind: NoDevice, Text: fmt.Sprintf("%s %s is not there, so %d planned cables are missing", t.role, t.name, len(cables)),
			Action: fmt.Sprintf("switch %s on, or connect it as planned", t.name),
		}
		f.Evidence = append(f.Evidence, fmt.Sprintf("%s: no device %s", d.m.real.name, t.name))
		return f
	})
	d.joinAt(func(f *found) *cable { return f.extra }, func(t *site, cables []*cable) Finding {
		return Finding{
			Kind: NewDevice, Text: fmt.Sprintf("%s %s with %d cables is not planned", t.role, t.name, len(cables)),
			Action: fmt.Sprintf("add %s to the plan, or unplug it", t.name),
		}
	})
}

// joinAt joins findings of one kind at a device that only one side has.
func (d *diff) joinAt(of func(*found) *cable, join func(*site, []*cable) Finding) {
	at := map[*site][]*cable{}
	var order []*site
	for i := range d.found {
		c := of(&d.found[i])
		if c == nil {
			continue
		}
		for _, e := range c.ends {
			if e.site.mate == nil {
				if len(at[e.site]) == 0 {
					order = append(order, e.site)
				}
				at[e.site] = append(at[e.site], c)
			}
		}
	}
	sorting.StableFunc(order, func(a, b *site) int { return len(at[b]) - len(at[a]) })
	gone := map[*cable]bool{}
	for _, t := range order {
		cables := slices.DeleteFunc(at[t], func(c *cable) bool { return gone[c] })
		if len(cables) < 2 {
			continue
		}
		f := join(t, cables)
		for _, c := range cables {
			gone[c] = true
			f.Evidence = append(f.Evidence, evidence(c))
			f.Ends = append(f.Ends, nameOfEnd(c.ends[0]), nameOfEnd(c.ends[1]))
		}
		d.found = append(d.found, found{Finding: f})
	}
	d.drop(func(f *found) bool { c := of(f); return c != nil && gone[c] })
}

// joinHosts joins the cables of one host that are all in one other unit.
func (d *diff) joinHosts() {
	type key struct {
		host *site
		unit string
	}
	at := map[key][]int{}
	var order []key
	for i := range d.found {
		f := &d.found[i]
		if f.Kind != WrongUnit || len(f.moves) != 1 || roleOf(place(f.moves[0].keep)) != cabling.Host {
			continue
		}
		k := key{place(f.moves[0].keep), d.layout.unit[place(f.moves[0].from)]}
		if len(at[k]) == 0 {
			order = append(order, k)
		}
		at[k] = append(at[k], i)
	}
	gone := map[int]bool{}
	for _, k := range order {
		of := at[k]
		if len(of) < 2 {
			continue
		}
		f := &d.found[of[0]]
		var steps []string
		for n, i := range of {
			g := &d.found[i]
			steps = append(steps, endText(g.moves[0].from)+" to "+endText(g.moves[0].to))
			if n > 0 {
				gone[i] = true
				f.Ends, f.Evidence = append(f.Ends, g.Ends...), append(f.Evidence, g.Evidence...)
			}
		}
		f.Text = fmt.Sprintf("%d cables of %s are in %s, planned in %s", len(of), k.host.name, k.unit, d.layout.unit[place(f.moves[0].to)])
		f.Action = fmt.Sprintf("move the plugs of %s: %s", k.host.name, strings.Join(steps, ", "))
		f.moves = nil
	}
	i := -1
	d.drop(func(*found) bool { i++; return gone[i] })
}

// joinNames joins the cables of one device that are all at one of another name.
func (d *diff) joinNames() {
	first := map[devicePair]int{}
	gone := map[int]bool{}
	for i := range d.found {
		f := &d.found[i]
		if f.Kind != OtherName || len(f.moves) != 1 {
			continue
		}
		key := devicePair{f.moves[0].to.plan.site, f.moves[0].from.real.site}
		at, known := first[key]
		if !known {
			first[key] = i
			continue
		}
		gone[i] = true
		g := &d.found[at]
		g.Ends, g.Evidence = append(g.Ends, f.Ends...), append(g.Evidence, f.Evidence...)
	}
	i := -1
	d.drop(func(*found) bool { i++; return gone[i] })
}

// names reports devices at the place of others.
func (d *diff) names() {
	for _, t := range d.m.plan.sites {
		if t.mate == nil || t.key == "" || t.mate.key == "" || strings.HasPrefix(t.key+".", t.mate.key+".") || strings.HasPrefix(t.mate.key+".", t.key+".") {
			continue
		}
		f := Finding{Kind: OtherName, Text: fmt.Sprintf("at the place of %s is %s", t.name, t.mate.name)}
		for _, e := range t.ends {
			if asPlanned(e.cable) {
				f.Ends = append(f.Ends, endText(e.far().port))
				f.Evidence = append(f.Evidence, evidence(e.cable), evidence(e.port.real.cable))
			}
		}
		f.Action = fmt.Sprintf("give the device the name %s, or correct the plan", t.name)
		if t.by == byGUID {
			f.Text = fmt.Sprintf("%s is now named %s: the GUID is the same", t.name, t.mate.name)
		}
		d.found = append(d.found, found{Finding: f})
	}
}
