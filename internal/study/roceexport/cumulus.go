package roceexport

import (
	"fmt"
	"strings"

	"weft/scenario"
	"weft/units"
)

// lines collects the lines of a file.
type lines struct{ strings.Builder }

func (l *lines) add(format string, args ...any) { fmt.Fprintf(l, format+"\n", args...) }

// Cumulus writes NVUE commands, a file for each role of a switch. The default profiles apply to all
// ports; ports with shorter cables than the longest of the role have a profile of PFC with theirs. It
// leaves buffers and headroom to NVUE, as NVIDIA recommends: NVUE sizes them by the speed and the
// cable.
func (p *Plan) Cumulus() (*Output, error) {
	if err := p.ownQueues("NVUE"); err != nil {
		return nil, err
	}
	roles, err := p.roles()
	if err != nil {
		return nil, err
	}
	out := &Output{Notes: p.unwatched("cumulus")}
	for i := range roles {
		text, notes, err := p.nvue(&roles[i])
		if err != nil {
			return nil, err
		}
		out.Files = append(out.Files, File{roles[i].file("nvue", ".txt"), text})
		if i == 0 {
			out.Notes = append(out.Notes, notes...)
		}
	}
	if p.lossless() {
		out.Notes = append(out.Notes, fmt.Sprintf("cumulus: NVUE sizes headroom by cable-length itself; the simulation had %d bytes", p.headroom()))
	}
	return out, nil
}

// nvue are the commands of a role.
func (p *Plan) nvue(r *role) (text string, notes []string, err error) {
	l, out := &lines{}, &Output{}
	l.add("# weft: %s, %v, cables up to %v", p.Name, p.Speed, r.longest())
	l.add("nv set qos mapping default-global trust l3")
	l.add("nv set qos mapping default-global dscp %d switch-priority %d", p.DSCP, p.Data)
	l.add("nv set qos mapping default-global dscp %d switch-priority %d", p.CNPDSCP, p.CNP)
	for _, q := range p.Ethernet.Queues {
		l.add("nv set qos egress-queue-mapping default-global switch-priority %d traffic-class %d", q.Priority, q.Priority)
	}
	p.nvuePauses(l, r)
	if err := p.cumulusWatchdog(l, out); err != nil {
		return "", nil, err
	}
	if e := &p.Ethernet.ECN; e.Enabled {
		chance, ok := percent(e.Pmax)
		if !ok {
			return "", nil, fmt.Errorf("ethernet.ecn.pmax is %v, and NVUE knows whole percents", e.Pmax)
		}
		const of = "nv set qos congestion-control default-global traffic-class %d "
		l.add(of+"min-threshold %d", p.Data, e.Kmin)
		l.add(of+"max-threshold %d", p.Data, e.Kmax)
		l.add(of+"probability %d", p.Data, chance)
		l.add(of+"ecn enable", p.Data)
		out.Notes = append(out.Notes, "cumulus: thresholds are written as min-threshold and max-threshold, as NVUE's reference has them; some releases call them min-threshold-bytes and max-threshold-bytes")
	}
	shares := p.shares()
	for _, q := range p.Ethernet.Queues {
		const of = "nv set qos egress-scheduler default-global traffic-class %d "
		if p.strict(q.Priority) {
			l.add(of+"mode strict", q.Priority)
			continue
		}
		l.add(of+"mode dwrr", q.Priority)
		l.add(of+"bw-percent %d", q.Priority, shares[q.Priority])
	}
	l.add("nv config apply")
	return l.String(), out.Notes, nil
}

// nvuePauses writes PFC: of all ports, and of ports with shorter cables.
func (p *Plan) nvuePauses(l *lines, r *role) {
	if len(p.priorities()) == 0 {
		return
	}
	for _, cable := range r.lengths() {
		profile := fmt.Sprintf("weft-%dm", metres(cable))
		if metres(cable) == metres(r.longest()) {
			profile = "default-global"
		}
		for _, n := range p.priorities() {
			l.add("nv set qos pfc %s switch-priority %d", profile, n)
		}
		l.add("nv set qos pfc %s tx enable", profile)
		l.add("nv set qos pfc %s rx enable", profile)
		l.add("nv set qos pfc %s cable-length %d", profile, metres(cable))
		if profile == "default-global" {
			continue
		}
		for _, ports := range r.ranges(cable) {
			l.add("nv set interface swp%s qos pfc profile %s", ports, profile)
		}
	}
}

// The range of NVUE's polling interval, in ms.
const leastNVUEPoll, mostNVUEPoll = 100, 5000

// cumulusWatchdog writes the watchdog, which drops after a number of polls.
func (p *Plan) cumulusWatchdog(l *lines, out *Output) error {
	w := p.watchdog()
	if w == nil {
		return nil
	}
	if w.Action != scenario.WatchdogDrop {
		return fmt.Errorf("ethernet.pfc.watchdog.action is %s, and NVUE's watchdog drops", w.Action)
	}
	poll := int64(w.Poll / units.Millisecond)
	if poll < leastNVUEPoll || poll > mostNVUEPoll || w.Poll%units.Millisecond != 0 {
		return fmt.Errorf("ethernet.pfc.watchdog.poll is %v, and NVUE takes whole milliseconds from %d to %d", w.Poll, leastNVUEPoll, mostNVUEPoll)
	}
	l.add("nv set qos pfc-watchdog polling-interval %d", poll)
	l.add("nv set qos pfc-watchdog robustness %d", (w.Detection+w.Poll-1)/w.Poll)
	l.add("nv set interface swp1-%d qos pfc-watchdog state enable", p.Ports)
	out.Notes = append(out.Notes, "cumulus: NVUE's watchdog goes by polls; the time of restoration is its own")
	return nil
}
