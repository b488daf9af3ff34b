package cablediff

import (
	"fmt"
	"strings"

	"weft/internal/base/cabling"
	"weft/units"
)

// values compares the cables that are as planned: rate, width, part; and the devices: model, firmware.
func (d *diff) values() {
	slow := map[string][]*cable{}
	usual := usualWidths(d.m.real)
	var order []string
	for _, c := range d.m.plan.cables {
		if !asPlanned(c) {
			continue
		}
		r := c.ends[0].port.real.cable
		if kind, text := slower(c, r); kind != "" {
			if len(slow[string(kind)+text]) == 0 {
				order = append(order, string(kind)+text)
			}
			slow[string(kind)+text] = append(slow[string(kind)+text], c)
		}
		if width, speed := linkOf(r.Link); c.Rate == 0 && c.Link == "" && width > 0 && width < usual[c.class] && !below(r.Rate, r.Could) {
			d.found = append(d.found, found{Finding: Finding{
				Kind: Narrower, Text: fmt.Sprintf("%s runs at %s, nearly all %s have %d lanes: a lane may be lost", cableText(r), r.Link, classNames[c.class], usual[c.class]), Ends: endsOf(c),
				Evidence: []string{evidence(c), evidence(r)}, Action: fmt.Sprintf("clean and reseat the plugs of %s until it is %dx%s; if it stays so, replace the cable", cableText(r), usual[c.class], speed),
			}})
		}
		if c.Part != "" && r.Part != "" && !alike(c.Part, r.Part) {
			d.found = append(d.found, found{Finding: Finding{
				Kind: OtherPart, Text: fmt.Sprintf("the cable %s is %s, planned %s", cableText(r), r.Part, c.Part), Ends: endsOf(c),
				Evidence: []string{evidence(c), evidence(r)}, Action: fmt.Sprintf("replace the cable %s with %s, or correct the plan", cableText(r), c.Part),
			}})
		}
	}
	for _, key := range order {
		d.slow(slow[key])
	}
	d.devices()
}

// usualWidths are the widths that nine tenths of the real links of a class have, if there are at least ten; else 0.
func usualWidths(s *side) (usual [classes]int) {
	var count [classes]map[int]int
	var all [classes]int
	for _, c := range s.cables {
		if width, _ := linkOf(c.Link); width > 0 {
			if count[c.class] == nil {
				count[c.class] = map[int]int{}
			}
			count[c.class][width]++
			all[c.class]++
		}
	}
	for k := range classes {
		for width, n := range count[k] {
			if all[k] >= 10 && 10*n >= 9*all[k] {
				usual[k] = width
			}
		}
	}
	return usual
}

func endsOf(c *cable) []string { return []string{endText(c.ends[0].port), endText(c.ends[1].port)} }

// many is from how many cables with one and the same difference there is one finding for all of them.
const many = 20

// slow reports cables that all run at one rate in place of another.
func (d *diff) slow(cables []*cable) {
	if len(cables) >= many && 2*len(cables) > d.r.AsPlanned {
		c := cables[0]
		kind, text := slower(c, c.ends[0].port.real.cable)
		f := Finding{Kind: kind, Text: fmt.Sprintf("%d of the %d cables that are where planned run at %s", len(cables), d.r.AsPlanned, text)}
		for _, c := range cables {
			f.Ends = append(f.Ends, endsOf(c)...)
			f.Evidence = append(f.Evidence, evidence(c.ends[0].port.real.cable))
		}
		f.Action = "find what the devices and cables of these links support: most of the fabric is so, and no single cable is at fault"
		d.found = append(d.found, found{Finding: f})
		return
	}
	for _, c := range cables {
		r := c.ends[0].port.real.cable
		kind, text := slower(c, r)
		d.found = append(d.found, found{Finding: Finding{
			Kind: kind, Text: fmt.Sprintf("%s runs at %s", cableText(r), text), Ends: endsOf(c), Evidence: []string{evidence(c), evidence(r)},
			Action: fmt.Sprintf("clean and reseat the plugs of %s; if it stays so, replace the cable", cableText(r)),
		}})
	}
}

// lanes are the rates that plans write for a lane of InfiniBand: of the signal up to QDR, whose data rate is a fifth less.
var lanes = map[string]units.Rate{
	"SDR": 2500 * units.Mbps, "DDR": 5 * units.Gbps, "QDR": 10 * units.Gbps, "FDR10": 10 * units.Gbps, "FDR": 14 * units.Gbps,
	"EDR": 25 * units.Gbps, "HDR": 50 * units.Gbps, "NDR": 100 * units.Gbps, "XDR": 200 * units.Gbps,
}

// nominal is the rate of a cable as plans write it.
func nominal(c *cable) units.Rate {
	if width, speed := linkOf(c.Link); lanes[speed] > 0 {
		return units.Rate(width) * lanes[speed]
	}
	return c.Rate
}

// slower is whether a link is slower or narrower than planned, or than both its ends can. Rates within 5 % are equal.
func slower(plan, actual *cable) (kind Kind, text string) {
	pw, ps := linkOf(plan.Link)
	rw, rs := linkOf(actual.Link)
	switch {
	case pw > 0 && rw > 0 && rw < pw:
		return Narrower, fmt.Sprintf("%s, planned %s", actual.Link, plan.Link)
	case pw > 0 && rw > 0 && rw == pw && ps == rs:
		return "", ""
	case below(nominal(actual), nominal(plan)):
		return Slower, fmt.Sprintf("%s, planned %s", rateText(actual), rateText(plan))
	case plan.Rate == 0 && plan.Link == "" && below(actual.Rate, actual.Could):
		return Slower, fmt.Sprintf("%s, while both ends support %s", rateText(actual), actual.Could)
	}
	return "", ""
}

func below(is, should units.Rate) bool { return is > 0 && should > 0 && 100*(is/100) < 95*(should/100) }

func rateText(c *cable) string {
	if c.Link != "" {
		return c.Link
	}
	return c.Rate.String()
}

// linkOf is the width and the speed of a link such as 4xNDR; 0 if it is no such text.
func linkOf(text string) (width int, speed string) {
	lanes, speed, ok := strings.Cut(text, "x")
	if !ok {
		return 0, ""
	}
	if _, err := fmt.Sscanf(lanes, "%d", &width); err != nil {
		return 0, ""
	}
	return width, strings.TrimSpace(speed)
}

// alike is whether two names of a part may mean the same: one contains the other, without case and marks.
func alike(a, b string) bool {
	plain := func(s string) string {
		return strings.Map(func(r rune) rune {
			if strings.ContainsRune(" -_./", r) {
				return -1
			}
			return r
		}, strings.ToLower(s))
	}
	a, b = plain(a), plain(b)
	return strings.Contains(a, b) || strings.Contains(b, a)
}

// devices compares models and firmware. Devices with the same two versions are one finding.
func (d *diff) devices() {
	type version struct{ planned, is string }
	at := map[version][]string{}
	var order []version
	for _, t := range d.m.plan.sites {
		if t.mate == nil || len(t.devices) != 1 || len(t.mate.devices) != 1 {
			continue
		}
		p, r := &d.m.plan.f.Devices[t.devices[0]], &d.m.real.f.Devices[t.mate.devices[0]]
		if p.Model != "" && r.Model != "" && !alike(p.Model, r.Model) {
			d.found = append(d.found, found{Finding: Finding{
				Kind: OtherPart, Text: fmt.Sprintf("%s is a %s, planned %s", t.mate.name, r.Model, p.Model), Ends: []string{t.mate.name},
				Evidence: []string{d.says(d.m.plan, p, p.Model), d.says(d.m.real, r, r.Model)}, Action: fmt.Sprintf("replace %s with a %s, or correct the plan", t.mate.name, p.Model),
			}})
		}
		if p.Firmware != "" && r.Firmware != "" && p.Firmware != r.Firmware {
			v := version{p.Firmware, r.Firmware}
			if len(at[v]) == 0 {
				order = append(order, v)
			}
			at[v] = append(at[v], t.mate.name)
		}
	}
	for _, v := range order {
		names := at[v]
		d.found = append(d.found, found{Finding: Finding{
			Kind: Firmware, Text: fmt.Sprintf("%s: firmware %s, planned %s", listText(names, 20), v.is, v.planned), Ends: names,
			Evidence: []string{d.m.plan.name + ": " + v.planned, d.m.real.name + ": " + v.is}, Action: fmt.Sprintf("install %s on %s", v.planned, listText(names, 20)),
		}})
	}
}

func (d *diff) says(s *side, dev *cabling.Device, what string) string {
	return fmt.Sprintf("%s: %s %s", s.name, dev.Name, what)
}
