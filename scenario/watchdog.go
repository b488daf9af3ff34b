package scenario

import (
	"fmt"
	"slices"

	"weft/units"
)

// The watchdog's times as in SONiC's pfcwd start_default: multiplied for every 32 ports of a
// switch, with at most a second between polls (sonic-utilities, pfcwd/main.py).
const (
	watchdogTime  = 200 * units.Millisecond
	watchdogPorts = 32
	watchdogPoll  = units.Second
)

// deriveWatchdog sets the watchdog's default times.
func (r ethernetRules) deriveWatchdog() {
	w := &r.Ethernet.PFC.Watchdog
	usual := watchdogTime * units.Time(max(1, ceilDiv(r.Switch.PortsAt(r.Link.Rate()), watchdogPorts)))
	for _, x := range []struct {
		field string
		at    *units.Time
		usual units.Time
	}{{"detection", &w.Detection, usual}, {"restoration", &w.Restoration, usual}, {"poll", &w.Poll, min(usual, watchdogPoll)}} {
		if !r.stated("ethernet.pfc.watchdog." + x.field) {
			*x.at = x.usual
		}
	}
	if !r.stated("ethernet.pfc.watchdog.poll") { // short times are polled more often
		w.Poll = min(w.Poll, w.Detection, w.Restoration)
	}
}

// checkWatchdog refuses a watchdog that polls less often than its times, as pfcwd does.
func (r ethernetRules) checkWatchdog(w *Watchdog) {
	if w.Enabled && w.Poll > min(w.Detection, w.Restoration) {
		r.complain("ethernet.pfc.watchdog.poll", "a poll every %v is too rare for a detection after %v and a restoration after %v", w.Poll, w.Detection, w.Restoration)
	}
}

// checkReceivers checks that slow NICs exist and have room for packets that arrive after their
// pause.
func (r ethernetRules) checkReceivers(pfc *PFC) {
	if r.broken("cluster") {
		return // NIC numbers would be wrong
	}
	seen := map[int]bool{}
	for i := range pfc.Receivers {
		x, at := &pfc.Receivers[i], fmt.Sprintf("ethernet.pfc.receivers[%d]", i)
		for _, nic := range r.checkMembers(at, x) {
			if seen[nic] {
				r.complain(at, "%s, NIC %d, is given twice", r.Cluster.nicName(nic), nic)
				break
			}
			seen[nic] = true
		}
		switch {
		case x.Drain > 0 && x.Headroom >= x.Buffer:
			r.complain(at+".headroom", "a headroom of %s leaves nothing of the buffer of %s: take less, or a larger buffer", x.Headroom.Exact(), x.Buffer.Exact())
		case x.Drain > 0 && !r.stated(at+".headroom") && x.Buffer/2 < pfc.Headroom:
			r.complain(at+".buffer", "a buffer of %s pauses at one half, and %s may come after that (headroom): take %s or more, or state headroom", x.Buffer.Exact(), pfc.Headroom.Exact(), (2 * pfc.Headroom).Exact())
		}
	}
}

// checkUnpaused refuses settings of pauses if PFC is off.
func (r ethernetRules) checkUnpaused(pfc *PFC) {
	if pfc.Watchdog.Enabled {
		r.complain("ethernet.pfc.watchdog.enabled", "PFC is off, and a watchdog looks at pauses: set enabled: true, or take watchdog out")
	}
	if len(pfc.Stops) > 0 || pfc.LinkPause {
		r.complain("ethernet.pfc.enabled", "PFC is off, and stops and link-pause need pauses: set enabled: true, or take them out")
	}
	if len(pfc.Receivers) > 0 {
		r.complain("ethernet.pfc.receivers", "PFC is off, and these NICs pause their switches: set enabled: true, or take receivers out")
	}
}

// checkStops checks that each pause stops one queue.
func (r ethernetRules) checkStops(pfc *PFC) {
	seen := map[int]bool{}
	for i, s := range pfc.Stops {
		switch at := fmt.Sprintf("ethernet.pfc.stops[%d].priority", i); {
		case pfc.LinkPause:
			r.complain(at, "with link-pause a pause has no priority and stops every queue: take stops or link-pause out")
		case seen[s.Priority]:
			r.complain(at, "priority %d is given twice", s.Priority)
		case !r.stated(fmt.Sprintf("ethernet.pfc.stops[%d].queue", i)):
			r.complain(at, "which queue does a pause of priority %d stop? Give queue, -1 for none", s.Priority)
		}
		seen[s.Priority] = true
	}
}

// checkClasses checks that each class with a part of its own is there once, and lossless.
func (r ethernetRules) checkClasses(pfc *PFC) {
	seen := map[int]bool{}
	for i, c := range pfc.Classes {
		switch at := fmt.Sprintf("ethernet.pfc.classes[%d].priority", i); {
		case seen[c.Priority]:
			r.complain(at, "priority %d is given twice", c.Priority)
		case !slices.Contains(pfc.Priorities, c.Priority):
			r.complain(at, "priority %d is not lossless: it is none of ethernet.pfc.priorities", c.Priority)
		}
		seen[c.Priority] = true
	}
}
