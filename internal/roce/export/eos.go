package export

import (
	"fmt"
)

// EOS writes a QoS profile and gives it to all ports. Buffers and headroom follow
// from the platform.
func (p *Plan) EOS() (*Output, error) {
	l := &lines{}
	l.add("! weft: %s, %v, cables up to %v", p.Name, p.Speed, p.Cable)
	l.add("qos map dscp %d to traffic-class %d", p.DSCP, p.Data)
	l.add("qos map dscp %d to traffic-class %d", p.CNPDSCP, p.CNP)
	for _, q := range p.Ethernet.Queues {
		l.add("qos map traffic-class %d to uc-tx-queue %d", q.Priority, q.Priority)
	}
	if len(p.priorities()) > 0 {
		// The interval is at most half of the others.
		l.add("priority-flow-control pause watchdog default timeout %s", seconds(p.Watchdog.Detect))
		l.add("priority-flow-control pause watchdog default recovery-time %s", seconds(p.Watchdog.Restore))
		l.add("priority-flow-control pause watchdog default polling-interval %s", seconds(min(p.Watchdog.Poll, p.Watchdog.Detect/2)))
		l.add("priority-flow-control pause watchdog action drop")
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
			if e.Kmin == 0 {
				return nil, fmt.Errorf("ethernet.ecn.kmin is 0, and EOS marks from 1 byte on at the least")
			}
			l.add("      random-detect ecn minimum-threshold %d bytes maximum-threshold %d bytes max-mark-probability %d weight 0", e.Kmin, e.Kmax, chance)
			l.add("      random-detect ecn count")
		}
	}
	l.add("interface Ethernet1-%d", p.Ports)
	l.add("   service-profile WEFT_ROCE")
	out := &Output{Files: []File{{"eos.cfg", l.String()}}}
	if p.lossless() {
		out.Notes = append(out.Notes, fmt.Sprintf("eos: headroom follows from the platform; the simulation had %d bytes for %v of cable", p.headroom(), p.Cable))
	}
	return out, nil
}
