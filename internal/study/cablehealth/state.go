package cablehealth

import (
	"fmt"

	"weft/internal/base/cabling"
	"weft/internal/base/portstate"
	"weft/units"
)

// state judges whether a link is up.
func (j *judge) state(p *port) bool {
	state := p.facts.State
	switch state.Value {
	case portstate.Up:
		return true
	case portstate.Down:
	default:
		return false
	}
	var why string
	carried := p.carried()
	switch {
	case p.facts.Cabled.Known() && !p.facts.Cabled.Value:
		return false
	case p.far != nil:
		why = "a cable leads to " + p.far.name()
	case p.facts.Cabled.Known():
		why = "a module is in the port (" + p.facts.Cabled.At.String() + ")"
	case carried > 0:
		why = fmt.Sprintf("it has carried %d packets", carried)
	default:
		j.down = append(j.down, p)
		return false
	}
	d := j.draftOf(p)
	d.add(p, Evidence{Counter: "state", Value: "down" + physical(p), What: why, At: state.At.String(), tier: LinkDown, wire: true})
	if rate := p.couldHave(); rate > 0 {
		d.cost.Rate = max(d.cost.Rate, rate)
		d.gain = fmt.Sprintf("%s more between its ends", rate)
	}
	return true
}

// lostUplink says that a port that is down leads to a switch on the other switches. In a tree the uplinks
// of alike switches are on the same ports; but which switches are alike is not known here, so that
// this is a hint and no finding. It needs three other switches, and three of four of them.
func (j *judge) lostUplink(p *port) string {
	if p.names.Role != cabling.Switch || p.names.Number <= 0 || !j.uplinks[p.device()] {
		return ""
	}
	c := j.sameNumber[p.names.Number]
	if c.up < 3 || 4*c.up < 3*(c.up+c.down-1) {
		return ""
	}
	return fmt.Sprintf(": on %d of %d other switches with uplinks this port leads to a switch, it can be a lost uplink", c.up, c.up+c.down-1)
}

// upDown counts switches by what one of their ports does.
type upDown struct{ up, down int }

// device identifies the device of a port.
func (p *port) device() string { return p.names.Node.String() + p.names.GUID.String() + p.names.Device }

// countUplinks counts, for each number of a port, the switches on which it leads to a switch. Switches
// without any such port, which could be in the core or alone, do not count.
func (j *judge) countUplinks() {
	j.uplinks, j.sameNumber = map[string]bool{}, map[int]upDown{}
	toSwitch := func(p *port) bool { return p.far != nil && p.far.names.Role == cabling.Switch }
	for _, p := range j.ports {
		if p.names.Role == cabling.Switch && p.isLink() && toSwitch(p) {
			j.uplinks[p.device()] = true
		}
	}
	for _, p := range j.ports {
		if p.names.Role != cabling.Switch || !p.isLink() || !j.uplinks[p.device()] {
			continue
		}
		c := j.sameNumber[p.names.Number]
		if toSwitch(p) {
			c.up++
		} else {
			c.down++
		}
		j.sameNumber[p.names.Number] = c
	}
}

// carried is the packets that a port has carried.
func (p *port) carried() uint64 {
	var most uint64
	for _, name := range []string{"RX_OK", "PortRcvPkts", "PortXmitPkts", "TX_OK", "rx_packets_phy"} {
		for _, s := range p.samples[name] {
			most = max(most, s.Value)
		}
	}
	return most
}

// couldHave is the rate of a link that is down, as far as a file says it: it ran with it before, or
// both ends support it.
func (p *port) couldHave() units.Rate {
	if p.facts.Link.Known() {
		return p.facts.Link.Value.Rate()
	}
	if best, ok := p.could(); ok {
		return best.Rate()
	}
	return 0
}

// could is the best link that both ends of a port's cable support.
func (p *port) could() (portstate.Link, bool) {
	if p.facts.Could.Known() {
		return p.facts.Could.Value, true
	}
	if p.far == nil {
		return portstate.Link{}, false
	}
	if p.far.facts.Could.Known() {
		return p.far.facts.Could.Value, true
	}
	if p.facts.Supports.Known() && p.far.facts.Supports.Known() {
		return lesser(p.facts.Supports.Value, p.far.facts.Supports.Value), true
	}
	return portstate.Link{}, false
}

// byChip is the best link that the chips of both ends are able to.
func (p *port) byChip() (portstate.Link, bool) {
	if p.far == nil || !p.facts.Chip.Known() || !p.far.facts.Chip.Known() {
		return portstate.Link{}, false
	}
	return lesser(p.facts.Chip.Value, p.far.facts.Chip.Value), true
}

// lesser is the fewer lanes and the slower lane of two links.
func lesser(a, b portstate.Link) portstate.Link {
	out := a
	out.Lanes = min(a.Lanes, b.Lanes)
	if b.Lane < a.Lane {
		out.Lane, out.Speed = b.Lane, b.Speed
	}
	return out
}

// log judges the changes of a link's state in a log.
func (j *judge) log(p *port) bool {
	if p.last.To == "" {
		return false
	}
	d := j.draftOf(p)
	if p.last.To == "DOWN" {
		d.add(p, Evidence{
			Counter: "log", Value: fmt.Sprintf("went from %s to DOWN at %s and did not come back by the end of the log", p.last.From, p.last.Time),
			At: p.last.At.String(), tier: LinkDown, wire: true,
		})
		d.proven = true
	}
	if n := len(p.downs); n > 1 || n == 1 && p.last.To != "DOWN" {
		d.add(p, Evidence{
			Counter: "log", Value: fmt.Sprintf("went down %s, last at %s", times(n), p.downs[n-1].Time),
			At: p.downs[n-1].At.String(), tier: Unstable, wire: true, Number: float64(n),
		})
	}
	return true
}

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}

// verdicts takes what a tool says against a port.
func (j *judge) verdicts(p *port) bool {
	for _, v := range p.facts.Verdicts {
		d := j.draftOf(p)
		e := Evidence{Counter: "verdict", Value: v.Value, At: v.At.String(), tier: Errors, wire: true}
		if v.Isolated {
			e.tier, e.wire = Unstable, false
			d.action = "Find out why " + p.name() + " was taken out of use, and give it back if the reason is gone."
		}
		if v.Vague && d.action == "" {
			e.wire = false
			d.vague = true
		}
		d.proven = true
		d.add(p, e)
	}
	return len(p.facts.Verdicts) > 0
}

// pausesOf judges the pause frames of a host: one that sends more than it receives takes data more
// slowly than the link brings them.
func (j *judge) pausesOf(p *port) bool {
	x := p.pauses
	if x == nil {
		return false
	}
	if x.Sent >= leastPauses && x.Sent > 2*x.Received {
		j.draftOf(p).add(p, Evidence{
			Counter: "pause frames", Value: fmt.Sprintf("%d sent, %d received", x.Sent, x.Received),
			What: "the host takes data more slowly than the link brings them", At: x.SentAt.String(), tier: Waits, Number: float64(x.Sent),
		})
	}
	return true
}

// leastPauses is the number of pause frames below which they say nothing.
const leastPauses = 100
