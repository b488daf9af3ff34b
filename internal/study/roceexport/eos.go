package roceexport

import (
	"fmt"

	"weft/scenario"
	"weft/units"
)

// eos writes a QoS profile and gives it to all ports. Buffers and headroom follow
// from the platform.
func (p *Plan) eos() (*Output, error) {
	if err := p.ownQueues("EOS"); err != nil {
		return nil, err
	}
	l := &lines{}
	l.add("! weft: %s, %v, cables up to %v", p.Name, p.Speed, p.Cable)
	l.add("qos map dscp %d to traffic-class %d", p.DSCP, p.Data)
	l.add("qos map dscp %d to traffic-class %d", p.CNPDSCP, p.CNP)
	for _, q := range p.Ethernet.Queues {
		l.add("qos map traffic-class %d to uc-tx-queue %d", q.Priority, q.Priority)
	}
	if err := p.eosWatchdog(l); err != nil {
		return nil, err
	}
	l.add("qos profile WEFT_ROCE")
	l.add("   qos trust dscp")
	if len(p.priorities()) > 0 {
		l.add("   priority-flow-control on")
	}
	for _, n := range p.priorities() {
		l.add("   priority-flow-control priority %d no-drop", n)
	}
	shares := p.shares()
	for _, q := range p.Ethernet.Queues {
		l.add("   uc-tx-queue %d", q.Priority)
		if p.strict(q.Priority) {
			l.add("      priority strict")
		} else {
			l.add("      no priority")
			l.add("      bandwidth percent %d", shares[q.Priority])
		}
		if e := &p.Ethernet.ECN; e.Enabled && q.Priority == p.Data {
			chance, ok := percent(e.Pmax)
			if !ok || chance == 0 {
				return nil, fmt.Errorf("ethernet.ecn.pmax is %v, and EOS knows whole percents from 1", e.Pmax)
			}
			if e.Kmin == 0 || e.Kmax > mostEOSThreshold {
				return nil, fmt.Errorf("ethernet.ecn has kmin %d and kmax %d, and EOS takes 1 byte to %d", e.Kmin, e.Kmax, mostEOSThreshold)
			}
			l.add("      random-detect ecn minimum-threshold %d bytes maximum-threshold %d bytes max-mark-probability %d weight 0", e.Kmin, e.Kmax, chance)
			l.add("      random-detect ecn count")
		}
	}
	l.add("interface Ethernet1-%d", p.Ports)
	l.add("   service-profile WEFT_ROCE")
	out := &Output{Files: []File{{"eos.cfg", l.String()}}, Notes: p.unwatched("eos")}
	if p.watchdog() != nil {
		out.Notes = append(out.Notes, "eos: the watchdog looks at queues with guaranteed bandwidth only: give the lossless ones some with bandwidth guaranteed, in the numbers of the platform")
	}
	if p.lossless() {
		out.Notes = append(out.Notes, fmt.Sprintf("eos: headroom follows from the platform; the simulation had %d bytes for %v of cable", p.headroom(), p.Cable))
	}
	return out, nil
}

// eosActions are EOS's names of the watchdog's actions; it has no action that only alerts.
var eosActions = map[scenario.WatchdogAction]string{scenario.WatchdogDrop: "drop", scenario.WatchdogForward: "no-drop"}

// The ranges of EOS's times and thresholds.
const (
	mostEOSThreshold = 256_000_000
	leastEOSTimeout  = 10 * units.Millisecond
	leastEOSPoll     = 5 * units.Millisecond
)

// eosWatchdog writes the watchdog, whose interval is at most half of its other times.
func (p *Plan) eosWatchdog(l *lines) error {
	w := p.watchdog()
	if w == nil {
		return nil
	}
	action, ok := eosActions[w.Action]
	if !ok {
		return fmt.Errorf("ethernet.pfc.watchdog.action is %s, and EOS knows drop and forward", w.Action)
	}
	poll := min(w.Poll, w.Detection/2, w.Restoration/2)
	if min(w.Detection, w.Restoration) < leastEOSTimeout || poll < leastEOSPoll {
		return fmt.Errorf("ethernet.pfc.watchdog has detection %v, restoration %v and poll %v: EOS takes %v and more, and polls of %v and more", w.Detection, w.Restoration, w.Poll, leastEOSTimeout, leastEOSPoll)
	}
	l.add("priority-flow-control pause watchdog default timeout %s", seconds(w.Detection))
	l.add("priority-flow-control pause watchdog default recovery-time %s", seconds(w.Restoration))
	l.add("priority-flow-control pause watchdog default polling-interval %s", seconds(poll))
	l.add("priority-flow-control pause watchdog action %s", action)
	return nil
}

// seconds is a time in EOS's form.
func seconds(t units.Time) string { return fmt.Sprintf("%.3f", float64(t)/float64(units.Second)) }
