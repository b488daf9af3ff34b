package advise

import (
	"fmt"
	"strings"

	"weft/internal/base/wording"
	"weft/internal/sim/protocol"
	"weft/internal/study/plan"
	"weft/internal/study/roceexport"
)

// EffortPoints are the points of each kind of work that a fabric causes. They are assumptions; a
// profile can change them.
type EffortPoints struct {
	// Learn is for a team without the fabric's skills; some skills are half of it.
	Learn int `yaml:"learn" range:"0..100"`
	// Tune is for setting PFC, ECN and DCQCN alike on every switch and host, and keeping them so;
	// experts halve it, a tight schedule doubles it. A product whose maker sets it up (Spectrum-X), or that needs no PFC (Ultra
	// Ethernet), halves it.
	Tune int `yaml:"tune" range:"0..100"`
	// Monitor is for monitoring tools that do not support the fabric yet.
	Monitor int `yaml:"monitor" range:"0..100"`
	// Second is for one more kind of network beside an existing Ethernet.
	Second int `yaml:"second-network" range:"0..100"`
	// Gateway is for storage reached by Ethernet, from a fabric that is not Ethernet.
	Gateway int `yaml:"gateway" range:"0..100"`
	// TightWeeks is a schedule that leaves no time to tune.
	TightWeeks int `yaml:"tight-weeks" range:"0..520"`
}

var defaultEffort = EffortPoints{Learn: 4, Tune: 3, Monitor: 2, Second: 2, Gateway: 2, TightWeeks: 8}

// effort is one kind of work that a fabric causes.
type effort struct {
	Points float64
	Why    string
}

// effortOf is the work that a design causes for the organisation.
func effortOf(p *Profile, c *Candidate) []effort {
	d := c.Design
	o, e := p.Organisation, p.Effort
	var out []effort
	add := func(points float64, format string, args ...any) {
		if points > 0 {
			out = append(out, effort{points, fmt.Sprintf(format, args...)})
		}
	}
	if !protocol.Of(d.Kind).Ethernet() {
		add(lacking(o.Skills.InfiniBand)*float64(e.Learn), "InfiniBand skills: %s", o.Skills.InfiniBand)
		if o.Monitoring != WatchesInfiniBand && o.Monitoring != WatchesBoth {
			add(float64(e.Monitor), "the tools in use do not watch InfiniBand")
		}
		if o.Ethernet {
			add(float64(e.Second), "a second kind of network beside the Ethernet that is there")
		}
		if o.SharedStorage {
			add(float64(e.Gateway), "storage is reached by Ethernet: a gateway, or adapters of its own")
		}
		return out
	}
	add(lacking(o.Skills.Ethernet)*float64(e.Learn), "Ethernet skills: %s", o.Skills.Ethernet)
	if o.Monitoring != WatchesEthernet && o.Monitoring != WatchesBoth {
		add(float64(e.Monitor), "the tools in use do not watch Ethernet")
	}
	tune, tight := float64(e.Tune), ""
	if o.Skills.Ethernet == Expert {
		tune /= 2
	}
	if c.tune > 0 {
		tune *= c.tune
	}
	if o.Weeks < e.TightWeeks {
		tune, tight = 2*tune, fmt.Sprintf(", in %d weeks", o.Weeks)
	}
	add(tune, "%s alike on %s and %d hosts%s%s", settingsOf(d), wording.Counted(d.Count.TotalSwitches(), "switch", "switches"), d.Count.Nodes, settingsText(d), tight)
	return out
}

// settingsOf names what must be set alike.
func settingsOf(d *plan.Design) string {
	f := &d.Resolved.Fabrics[0]
	if protocol.Of(d.Kind).Name == "ultra-ethernet" {
		return "trimming, ECN and NSCC"
	}
	return "PFC, ECN and " + strings.ToUpper(string(f.CC.Algorithm))
}

// lacking is the share of a skill still to be learnt.
func lacking(s Skill) float64 {
	switch s {
	case NoSkill:
		return 1
	case SomeSkill:
		return 0.5
	}
	return 0
}

// settingsText states the number of commands that weft roce export writes for a switch and a host.
func settingsText(d *plan.Design) string {
	p, err := roceexport.Of(d.Resolved, &d.Resolved.Fabrics[0])
	if err != nil {
		return ""
	}
	sw, err1 := p.Cumulus()
	host, err2 := p.Host()
	if err1 != nil || err2 != nil {
		return ""
	}
	sw.Files = sw.Files[:1] // of a leaf; those of other roles are as many or fewer
	return fmt.Sprintf(" (%d commands a switch and %d lines a host, by weft roce export)", commands(sw), commands(host))
}

// commands counts the lines that are not comments.
func commands(o *roceexport.Output) int {
	n := 0
	for _, f := range o.Files {
		for line := range strings.Lines(f.Text) {
			if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
				n++
			}
		}
	}
	return n
}

// effortSum is the points of all reasons.
func effortSum(all []effort) float64 {
	sum := 0.0
	for _, e := range all {
		sum += e.Points
	}
	return sum
}
