package cablehealth

import (
	"fmt"

	"weft/internal/base/portstate"
)

// shortfall is a link that is slower than it could be.
type shortfall struct {
	port          *port
	active, could portstate.Link
	byChip        bool
}

// active is the link as it runs: the slower of what its ends say.
func (p *port) active() (portstate.Said[portstate.Link], bool) {
	link := p.facts.Link
	if p.far != nil && p.far.facts.Link.Known() && (!link.Known() || p.far.facts.Link.Value.Rate() < link.Value.Rate()) {
		link = p.far.facts.Link
	}
	return link, link.Known() && link.Value.Rate() > 0 && p.facts.State.Value != portstate.Down && p.facts.State.Value != portstate.Disabled
}

// fabricSpeed finds a fabric that is slow as a whole: most links with known abilities run with the same
// link below the same one. The abilities of chips alone need all links: a port can be sold as slower than its chip.
func (j *judge) fabricSpeed() {
	j.slow = map[int]bool{}
	said, chips := j.shortfalls()
	for _, all := range [][]shortfall{said, chips} {
		if len(all) < leastLinks {
			continue
		}
		count := map[string]int{}
		most := ""
		for _, s := range all {
			pair := fmt.Sprint(s.active, s.could)
			if s.active.Rate() < s.could.Rate() {
				count[pair]++
				if count[pair] > count[most] || count[pair] == count[most] && pair < most {
					most = pair
				}
			}
		}
		byChip := all[0].byChip
		if n := count[most]; 2*n > len(all) && (!byChip || n == len(all)) {
			j.fabricFinding(all, most)
			return
		}
	}
}

// leastLinks is the number of links that make a fabric.
const leastLinks = 2

// shortfalls lists the links of which it is known what both ends support, and those of which only the
// chips are known.
func (j *judge) shortfalls() (said, chips []shortfall) {
	seen := map[int]bool{}
	for _, p := range j.ports {
		if !p.isLink() || seen[p.link()] {
			continue
		}
		active, ok := p.active()
		if !ok {
			continue
		}
		if could, ok := p.could(); ok {
			seen[p.link()] = true
			said = append(said, shortfall{p, active.Value, could, false})
		} else if could, ok := p.byChip(); ok {
			seen[p.link()] = true
			chips = append(chips, shortfall{p, active.Value, could, true})
		}
	}
	return said, chips
}

// fabricFinding is the finding about all links that run with one link below another.
func (j *judge) fabricFinding(all []shortfall, pair string) {
	var first *shortfall
	n := 0
	for i := range all {
		s := &all[i]
		if fmt.Sprint(s.active, s.could) != pair {
			continue
		}
		if n++; first == nil {
			first = s
		}
		j.slow[s.port.link()] = true
	}
	who := "both ends can"
	if first.byChip {
		who = "the chips of both ends can"
	}
	at, _ := first.port.active()
	what := fmt.Sprintf("The whole fabric is slow: %d of %d links run at %v where %s %v", n, len(all), first.active, who, first.could)
	factor := float64(first.could.Rate()) / float64(first.active.Rate())
	j.report.Findings = append(j.report.Findings, Finding{
		Tier: Fabric, What: what, Port: first.port.name(),
		Evidence: []Evidence{{Port: first.port.name(), Counter: "link", Value: fmt.Sprintf("%v, could be %v", first.active, first.could), At: at.At.String(), tier: Fabric}},
		Action:   "Look up the speeds and widths that are switched on, and what the cables are made for: a setting or the kind of cable has it, not a single cable.",
		Gain:     fmt.Sprintf("up to %.3g times the bandwidth for a job that the network limits: %v instead of %v a link", factor, first.could.Rate(), first.active.Rate()),
		Cost:     Cost{Rate: first.could.Rate() - first.active.Rate()},
	})
}

// speed judges the lanes and the speed of a link.
func (j *judge) speed(p *port) bool {
	active, okActive := p.active()
	could, okCould := p.could()
	usual := ""
	if okActive && !okCould {
		could, usual, okCould = j.usualLanes(p, active.Value)
	}
	if !okActive || !okCould {
		return j.slow[p.link()]
	}
	if j.slow[p.link()] || active.Value.Rate() >= could.Rate() || active.At != p.facts.Link.At {
		return true
	}
	missing := could.Rate() - active.Value.Rate()
	d := j.draftOf(p)
	what := "the speed is below what both ends support"
	if active.Value.Lanes < could.Lanes {
		what = fmt.Sprintf("%d of %d lanes are in use", active.Value.Lanes, could.Lanes)
	}
	if usual != "" {
		what += "; " + usual
	}
	d.add(p, Evidence{Counter: "link", Value: fmt.Sprintf("%v, could be %v", active.Value, could), What: what, At: active.At.String(), tier: Slow, wire: true})
	if missing > d.cost.Rate {
		d.cost.Rate = missing
		d.gain = fmt.Sprintf("up to %.3g times the bandwidth for what crosses the link: %v instead of %v", float64(could.Rate())/float64(active.Value.Rate()), could.Rate(), active.Value.Rate())
	}
	return true
}
