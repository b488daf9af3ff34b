package cablediff

import (
	"fmt"
	"strings"

	"weft/internal/base/cabling"
	"weft/internal/base/wording"
)

// endText is a port in messages, by the real fabric's names if it has the port.
func endText(p *port) string {
	e := p.real
	if e == nil {
		e = p.plan
	}
	return nameOfEnd(e)
}

func nameOfEnd(e *end) string {
	d := &e.side.f.Devices[e.at.Device]
	if housing, place, ok := cabling.Chip(d.Name); ok && d.Role != cabling.Host {
		if place == "U1" {
			return housing + " port " + e.at.Port
		}
		return housing + " " + place + "/" + e.at.Port
	}
	if d.Role == cabling.Host && d.Group != "" && (e.at.Port == "1" || e.at.Port == "") && !strings.EqualFold(d.Name, d.Group) {
		return e.side.f.NameOf(e.at.Device) // an adapter with one port
	}
	text := e.side.f.EndName(e.at)
	if rest, ok := strings.CutPrefix(text, d.Name); ok && e.site.repeated {
		return e.site.name + rest
	}
	return text
}

// portText is a port without its device: "port 12", "Ethernet48".
func portText(p *port) string {
	e := p.real
	if e == nil {
		e = p.plan
	}
	text := nameOfEnd(e)
	for _, name := range []string{e.site.name, e.side.f.NameOf(e.at.Device)} {
		if rest, ok := strings.CutPrefix(text, name+" "); ok {
			return rest
		}
	}
	return text
}

func cableText(c *cable) string { return nameOfEnd(c.ends[0]) + " – " + nameOfEnd(c.ends[1]) }

// evidence is a cable with its place.
func evidence(c *cable) string {
	s := c.ends[0].side
	at := c.Place.String()
	if at == "" {
		at = s.name
	}
	return at + ": " + cableText(c)
}

// none says that a file has no cable at a port.
func (d *diff) none(p *port) string { return d.m.real.name + ": " + endText(p) + " has no cable" }

func (d *diff) missing(c *cable) found {
	a, b := c.ends[0].port, c.ends[1].port
	f := Finding{
		Kind: Missing, Text: fmt.Sprintf("the cable from %s to %s is missing", endText(a), endText(b)), Ends: []string{endText(a), endText(b)},
		Evidence: []string{evidence(c)}, Action: fmt.Sprintf("connect %s with %s", endText(a), endText(b)),
	}
	for _, p := range []*port{a, b} {
		switch {
		case d.listed: // the file does not say what else is there
		case p.plan.site.mate == nil:
			f.Evidence = append(f.Evidence, fmt.Sprintf("%s: no device %s", d.m.real.name, p.plan.site.name))
		case p.real == nil:
			f.Evidence = append(f.Evidence, d.none(p))
		}
	}
	return found{Finding: f, missing: c}
}

func (d *diff) extra(c *cable) found {
	a, b := c.ends[0].port, c.ends[1].port
	return found{extra: c, Finding: Finding{
		Kind: Extra, Text: fmt.Sprintf("the cable from %s to %s is not planned", endText(a), endText(b)), Ends: []string{endText(a), endText(b)},
		Evidence: []string{evidence(c)}, Action: fmt.Sprintf("unplug the cable between %s and %s, or add it to the plan", endText(a), endText(b)),
	}}
}

// plug says which plug goes where.
func plug(m move) string {
	if sameDevice(m.from, m.to) {
		return fmt.Sprintf("move the plug at %s from %s to %s", nameAt(m.from), portText(m.from), portText(m.to))
	}
	return fmt.Sprintf("move the plug from %s to %s", endText(m.from), endText(m.to))
}

func nameAt(p *port) string {
	if p.real != nil {
		return p.real.site.name
	}
	return p.plan.site.name
}

func (d *diff) moved(m move) found {
	planned := m.keep.plan.cable
	f := Finding{
		Kind: Moved, Ends: []string{endText(m.keep), endText(m.from), endText(m.to)},
		Text:     fmt.Sprintf("the cable from %s ends at %s in place of %s", endText(m.keep), endText(m.from), endText(m.to)),
		Evidence: []string{evidence(planned), evidence(m.cable)}, Action: plug(m),
	}
	if m.to.plan.site.mate == nil && m.from.real.site.mate == nil {
		to, from := m.to.plan.site, m.from.real.site
		f.Kind = OtherName
		f.Text = fmt.Sprintf("at %s is %s in place of %s, and neither is elsewhere", endText(m.keep), from.name, to.name)
		f.Action = fmt.Sprintf("give %s the name %s if it is the same device, else exchange them, or correct the plan", from.name, to.name)
		return found{Finding: f, moves: []move{m}}
	}
	if roleOf(place(m.keep)) == cabling.Host && !sameDevice(m.from, m.to) {
		f.Hosts = d.layout.other(place(m.from), place(m.to))
		f.Kind = d.hostKind(f.Hosts, f.Kind)
		f.Text += d.whichUnits(f.Hosts, place(m.from), place(m.to))
	}
	return found{Finding: f, moves: []move{m}}
}

func (d *diff) hostKind(hosts string, other Kind) Kind {
	switch hosts {
	case "unit":
		return WrongUnit
	case "rail":
		return WrongRail
	}
	return other
}

// whichUnits names the units or rails.
func (d *diff) whichUnits(hosts string, is, should *site) string {
	switch hosts {
	case "unit":
		return fmt.Sprintf(": this is in %s, not %s", d.layout.unit[is], d.layout.unit[should])
	case "rail":
		return fmt.Sprintf(": this is the rail of %s, not of %s", d.layout.rail[is], d.layout.rail[should])
	}
	return ""
}

// shift is a row of plugs that are all at one device, each in the place of another.
func (d *diff) shift(moves []move) found {
	f := Finding{Kind: Moved, Text: fmt.Sprintf("%d plugs at %s are each in another port than planned", len(moves), nameAt(moves[0].from))}
	var steps []string
	for _, m := range moves {
		f.Ends = append(f.Ends, endText(m.from))
		steps = append(steps, portText(m.from)+" to "+portText(m.to))
		f.Evidence = append(f.Evidence, evidence(m.keep.plan.cable), evidence(m.cable))
	}
	f.Action = fmt.Sprintf("move the plugs at %s, in this order: %s", nameAt(moves[0].from), strings.Join(steps, ", "))
	return found{Finding: f, moves: moves}
}

// swapped is a circle: cables that have each other's plugs. The plugs to move are on the side where most stay at one
// device.
func (d *diff) swapped(c *chain) found {
	plan, actual := c.plan, c.real
	f := Finding{Kind: Swapped}
	for _, k := range plan {
		f.Evidence = append(f.Evidence, evidence(k))
	}
	for _, k := range actual {
		f.Evidence = append(f.Evidence, evidence(k))
	}
	side := d.exchange(c)
	var steps []string
	for i, p := range side {
		f.Ends = append(f.Ends, endText(p))
		steps = append(steps, endText(p)+" to "+endText(side[(i+1)%len(side)]))
	}
	if len(side) == 2 {
		if endText(side[0]) > endText(side[1]) {
			side[0], side[1] = side[1], side[0]
		}
		f.Text = fmt.Sprintf("two cables are crossed: %s and %s", cableText(actual[0]), cableText(actual[1]))
		f.Action = fmt.Sprintf("exchange the plugs of %s and %s", endText(side[0]), endText(side[1]))
		if sameDevice(side[0], side[1]) {
			f.Action = fmt.Sprintf("exchange the plugs at %s of %s and %s", nameAt(side[0]), portText(side[0]), portText(side[1]))
		}
	} else {
		f.Text = fmt.Sprintf("%d cables have each other's plugs, in a ring", len(side))
		f.Action = "move the plugs: " + strings.Join(steps, ", ")
	}
	for _, k := range actual {
		if hosts, text := d.hostOf(k); hosts != "" {
			f.Hosts = hosts
			f.Text += text
			break
		}
	}
	return found{Finding: f, swap: c}
}

// hostOf says whether a real cable of a host is in another unit or on another rail than planned.
func (d *diff) hostOf(k *cable) (hosts, text string) {
	for i, e := range k.ends {
		if e.port.plan == nil || roleOf(place(e.port)) != cabling.Host {
			continue
		}
		is, should := place(k.ends[1-i].port), place(e.port.plan.far().port)
		if hosts := d.layout.other(is, should); hosts != "" {
			return hosts, "; " + endText(e.port) + map[string]string{"unit": " is so in another unit", "rail": " is so on another rail"}[hosts] + strings.Replace(d.whichUnits(hosts, is, should), ": this is", ":", 1)
		}
	}
	return "", ""
}

// exchange is the ports of a circle at which plugs are exchanged, each one's plug going to the next. There are two
// such sets: the even ports and the odd ones.
func (d *diff) exchange(c *chain) []*port {
	// ports: planned 0–1, real 1–2, planned 2–3, …: the plug at port 2i+2 belongs to 2i, if the plug at 2i+1 stays.
	var even, odd []*port
	for i := range c.ports {
		if i%2 == 0 {
			even = append([]*port{c.ports[i]}, even...)
		} else {
			odd = append(odd, c.ports[i])
		}
	}
	if devicesOf(even) < devicesOf(odd) || devicesOf(even) == devicesOf(odd) && d.switches(even) > d.switches(odd) {
		return even
	}
	return odd
}

func devicesOf(ports []*port) int {
	seen := map[*site]bool{}
	for _, p := range ports {
		seen[place(p)] = true
	}
	return len(seen)
}

// switches counts ports of switches: a plug at a switch is nearer to the next than one in another host.
func (d *diff) switches(ports []*port) (n int) {
	for _, p := range ports {
		if roleOf(place(p)) == cabling.Switch {
			n++
		}
	}
	return n
}

// listText is at most some texts, and how many more there are.
func listText(all []string, most int) string {
	if len(all) <= most {
		return strings.Join(all, ", ")
	}
	return strings.Join(all[:most], ", ") + " and " + wording.Counted(len(all)-most, "more", "more")
}
