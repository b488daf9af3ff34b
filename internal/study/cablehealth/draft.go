package cablehealth

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"weft/internal/base/portstate"
	"weft/internal/base/sorting"
)

// draft is a finding about a link to which evidence is added.
type draft struct {
	a, b     *port // b is nil if the other end is not known
	evidence []Evidence
	cost     Cost
	share    float64 // of the packets that are lost, of the worse direction
	gain     string
	action   string  // if nothing is wrong on the wire, and it is not the usual one of the tier
	counted  float64 // the sum of counters on the wire since an unknown time
	vague    bool    // a tool says that something is wrong and not what
	proven   bool    // evidence on the wire that is more than a few counts since an unknown time
}

// add adds evidence.
func (d *draft) add(p *port, e Evidence) {
	e.Port = p.name()
	d.evidence = append(d.evidence, e)
}

// finding completes the draft.
func (d *draft) finding() Finding {
	sorting.StableFunc(d.evidence, func(a, b Evidence) int { return int(a.tier) - int(b.tier) })
	f := Finding{Evidence: d.evidence, Tier: d.evidence[0].tier, Cost: d.cost, Port: d.a.name()}
	if d.b != nil {
		f.Far = d.b.name()
	}
	for _, e := range d.evidence {
		f.wire = f.wire || e.wire
		if e.tier == f.Tier {
			f.amount = max(f.amount, e.Number)
		}
	}
	cable := d.cable()
	f.Cable = cable.String()
	f.What = d.where() + ": " + d.sentence(f)
	f.Gain = d.gain
	if f.Gain == "" && d.share > 0 {
		f.Gain = fmt.Sprintf("%s%s of the packets over the link are lost and sent again; with go-back-N, what was sent behind them, too", atLeast(d.cost.AtLeast), Share(d.share))
	}
	switch {
	case f.wire:
		f.Action = actionOf(f, cable, !d.proven && d.counted < fewCounts)
	case d.action != "":
		f.Action = d.action
	case d.vague:
		f.Action = "Look up what the tool says about " + d.where() + "."
	default:
		f.Action = actionOf(f, cable, false)
	}
	return f
}

// fewCounts is the sum of counters since an unknown time below which a cable is not worth replacing yet:
// it can be from the day when it was plugged in.
const fewCounts = 10

// Share is a share of packets as text.
func Share(f float64) string {
	if f >= 0.001 {
		return fmt.Sprintf("%.3g %%", 100*f)
	}
	return fmt.Sprintf("%.2g", f)
}

func atLeast(is bool) string {
	if is {
		return "at least "
	}
	return ""
}

// where is the link in words.
func (d *draft) where() string {
	if d.b == nil {
		return d.a.name()
	}
	return d.a.name() + " to " + d.b.name()
}

// cable is what the module of one of the ends says of itself.
func (d *draft) cable() portstate.Cable {
	for _, p := range []*port{d.a, d.b} {
		if p != nil && p.facts.Cable.Known() {
			return p.facts.Cable.Value
		}
	}
	return portstate.Cable{}
}

// sentence is what is wrong, from the evidence of the finding's tier.
func (d *draft) sentence(f Finding) string {
	var parts []string
	for _, e := range f.Evidence {
		if (e.tier == f.Tier || f.wire && e.wire) && len(parts) < 3 {
			parts = append(parts, strings.TrimSpace(e.Counter+" "+e.Value))
		}
	}
	return f.Tier.String() + ": " + strings.Join(parts, ", ")
}

// innerPort recognises the ports between the chips of a SONiC switch (sonic-utilities, tests/portstat_test.py; backplane,
// inband, recycle).
var innerPort = regexp.MustCompile(`(^| )Ethernet-(BP|IB|Rec)[0-9]+$`)

// actionOf is the one action that mends a finding.
func actionOf(f Finding, cable portstate.Cable, few bool) string {
	what := "the cable"
	if text := cable.String(); text != "" {
		what = "the cable " + text
	}
	between := " between " + f.Port + " and " + f.Far
	if f.Far == "" {
		between = " of " + f.Port
	}
	switch {
	case (f.wire || f.Tier == LinkDown || f.Tier == Slow) && innerPort.MatchString(f.Port):
		return "Look at the switch itself: " + f.Port + " leads to another chip of it, and has no cable."
	case f.Tier == LinkDown, f.Tier == Slow:
		return "Reseat " + what + between + "."
	case f.wire && f.Tier == Unstable && !has(f, Lost, Errors) && !hasCounter(f, "LinkErrorRecoveryCounter"):
		return "Reseat " + what + between + "."
	case f.Tier == Module && f.Evidence[0].Counter == "temperature":
		return "Look at the air around the module of " + f.Evidence[0].Port + ": it is too hot."
	case f.Tier == Module:
		return "Reseat " + what + between + ", and clean it if it is optical."
	case f.wire && few:
		return "Read the counters again after some minutes, and give both files: replace " + what + between + " if they grow."
	case f.wire:
		return "Replace " + what + between + "."
	case f.Tier == Lost:
		return "Leave the cable; look for the lost packets at the ports on the way: the path of " + f.Port + " lost them."
	case f.Tier == Dropped:
		return "Leave the cable; find what takes the traffic of " + f.Port + " too slowly."
	case f.Tier == Waits:
		return "Leave the cable; look at the host of " + f.Port + ": width and speed of its PCIe slot, and its memory."
	}
	return "Look at " + f.Port + "."
}

// has reports whether a finding has evidence on the wire in one of the tiers.
func has(f Finding, tiers ...Tier) bool {
	return slices.ContainsFunc(f.Evidence, func(e Evidence) bool { return e.wire && slices.Contains(tiers, e.tier) })
}

func hasCounter(f Finding, name string) bool {
	return slices.ContainsFunc(f.Evidence, func(e Evidence) bool { return e.Counter == name })
}
