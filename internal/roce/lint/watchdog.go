package lint

import (
	"fmt"
	"slices"

	"weft/internal/roce/sonic"
	"weft/units"
)

// The watchdog's times in ms: its default for 32 ports, of which each further 32 have as much again
// (sonic-utilities, pfcwd, start_default), and the ranges of sonic-pfcwd.yang.
const (
	usualDetect = 200
	usualPorts  = 32
	mostDetect  = 5000
	mostPoll    = 1000
	mostPorts   = 256 // of today's switches, with full lanes
)

// slowDetect is the detection time from which on a storm costs more than it should: queue pairs of
// RDMA give up after about as long (NCCL_IB_TIMEOUT 20 and its 7 retries are above it, the verbs'
// usual 14 is below).
const slowDetect = units.Second

// usualTime is the watchdog's default for the number of the switch's ports, in ms.
func (c *checker) usualTime() int {
	ports := len(c.sw.Ports)
	if !c.sw.Whole {
		ports = max(ports, mostPorts) // a part may name a few of them
	}
	return usualDetect * max(1, (ports-1)/usualPorts+1)
}

// watch are the rows that give a port a watchdog on priorities, with SONiC's defaults.
func (c *checker) watch(p *sonic.Port, priorities []int) (lines []string) {
	usual := c.usualTime()
	if p.Detect == 0 {
		ms := fmt.Sprint(min(usual, mostDetect))
		lines = append(lines, sonic.Patch("PFC_WD", p.Name, "action", "drop", "detection_time", ms, "restoration_time", ms))
	}
	if c.sw.Watchdog.Line == 0 {
		lines = append(lines, sonic.Patch("PFC_WD", "GLOBAL", "POLL_INTERVAL", fmt.Sprint(min(usual, mostPoll))))
	}
	if p.QoSLine > 0 && !containsAll(p.Watched, priorities) {
		lines = append(lines, sonic.Patch("PORT_QOS_MAP", qosKey(p), "pfcwd_sw_enable", join(priorities)))
	}
	return lines
}

func containsAll(list, wanted []int) bool {
	return !slices.ContainsFunc(wanted, func(n int) bool { return !slices.Contains(list, n) })
}

// watchdog judges whether a storm of pauses on a lossless priority ends, and soon, and whether a
// pause that is none is taken for one.
func (c *checker) watchdog(p *sonic.Port) {
	if len(p.PFC) == 0 || p.WDLine > 0 && p.Detect == 0 { // an entry without a time is invalid
		return
	}
	kept := c.protectedPriorities(p)
	switch {
	case p.Detect == 0 && !c.sw.Whole:
		c.cannotAt(p, "whether a watchdog ends storms of pauses: the files are parts of a configuration without PFC_WD")
		return
	case p.Detect == 0:
		c.add(p, Finding{
			Rule: "watchdog-missing", Severity: Warning, At: c.place(max(p.PFCLine, p.QoSLine)), Value: "no entry in PFC_WD", Traffic: c.lossless(p),
			Why:   fmt.Sprintf("the port obeys pauses of %s, and no watchdog looks at it: a broken adapter that pauses for ever stops its queue, and then the fabric behind it, until somebody unplugs it", join(p.PFC)),
			Fixes: []Fix{{c.name(), c.watch(p, kept)}},
		})
		return
	case !containsAll(p.Watched, kept):
		missing := slices.DeleteFunc(slices.Clone(kept), func(n int) bool { return slices.Contains(p.Watched, n) })
		c.add(p, Finding{
			Rule: "watchdog-missing", Severity: Warning, At: c.place(max(p.WatchedLine, p.QoSLine)), Value: "pfcwd_sw_enable " + noneOr(join(p.Watched)), Traffic: c.lossless(p),
			Why:   fmt.Sprintf("the port obeys pauses of %s, and the watchdog looks at %s: a storm of pauses on priority %s never ends", join(kept), noneOr(join(p.Watched)), join(missing)),
			Fixes: []Fix{{c.name(), c.watch(p, kept)}},
		})
	}
	if p.WatchAssumed {
		c.cannotAt(p, "whether the watchdog looks at any priority: pfcwd_sw_enable is missing, and SONiC fills it in only when it migrates an older configuration; otherwise it looks at none")
	}
	c.cutsOff(p)
	c.late(p)
	c.early(p)
}

// redSwitch judges BIG_RED_SWITCH, with which an operator ends a storm on all ports at once. It stays
// in the configuration until it is taken back (sonic-swss, pull request 467).
func (c *checker) redSwitch() {
	if c.sw.Watchdog.Red == 0 {
		return
	}
	f := Finding{
		Rule: "red-switch", Severity: Error, At: c.place(c.sw.Watchdog.Red), Value: "BIG_RED_SWITCH enable",
		Why:   "the switch drops every packet of the priorities with PFC, on all ports, and its watchdog looks for no storm: it is an emergency stop, which stays on until it is disabled",
		Fixes: []Fix{{c.name(), []string{sonic.Patch("PFC_WD", "GLOBAL", "BIG_RED_SWITCH", "disable")}}},
	}
	c.add(nil, f)
	for _, p := range c.ports() {
		if len(p.PFC) > 0 {
			c.add(p, f)
		}
	}
}

// protectedPriorities are those that the port pauses, without faults of that list: others with
// headroom take the place of those without.
func (c *checker) protectedPriorities(p *sonic.Port) []int {
	if len(unpausedHeadroom(p)) > 0 {
		return withHeadroom(p)
	}
	return slices.DeleteFunc(slices.Clone(p.PFC), func(g int) bool { return p.GroupKey[g] == "" && c.idlePause(p, g) })
}

// cutsOff judges what the watchdog does with a storm.
func (c *checker) cutsOff(p *sonic.Port) {
	effects := map[string]string{
		"forward": "while a storm lasts the queue ignores pauses and sends on: the peer, whose buffer is full, drops lossless packets, and what it pauses for is never told apart",
		"alert":   "a storm is written to the log and goes on: the queue stands still, and then the fabric behind it",
	}
	why := effects[p.Action]
	if why == "" {
		return
	}
	c.add(p, Finding{
		Rule: "watchdog-action", Severity: Warning, At: c.place(p.WDLine), Value: "action " + p.Action, Why: why + "; SONiC's own action is drop", Traffic: c.lossless(p),
		Fixes: []Fix{{c.name(), []string{sonic.Patch("PFC_WD", p.Name, "action", "drop")}}},
	})
}

// late judges how long a storm lasts before it is found.
func (c *checker) late(p *sonic.Port) {
	usual := units.Time(min(c.usualTime(), mostDetect)) * units.Millisecond
	if p.Detect < slowDetect || p.Detect <= max(usual, c.legitimate()) {
		return
	}
	least := max(usual, (c.legitimate()/units.Millisecond+100)/100*100*units.Millisecond)
	c.add(p, Finding{
		Rule: "watchdog-slow", Severity: Warning, At: c.place(p.WDLine), Value: fmt.Sprintf("detection_time %d", p.Detect/units.Millisecond), Traffic: c.lossless(p),
		Why:   fmt.Sprintf("a storm of pauses stops the queue for %v before the watchdog acts, and queue pairs behind it time out; SONiC's default for %d ports is %v", p.Detect, len(c.sw.Ports), usual),
		Fixes: []Fix{{c.name(), []string{sonic.Patch("PFC_WD", p.Name, "detection_time", fmt.Sprint(int64(min(least, mostDetect*units.Millisecond)/units.Millisecond)))}}},
	})
}

// legitimate is how long a pause caused by congestion alone may last; 0 if it is not known.
func (c *checker) legitimate() units.Time {
	pool, slowest := c.pool(), c.slowest()
	if pool == nil || pool.Size == 0 || slowest == nil {
		return 0
	}
	drain := slowest.Speed.PerByte()
	return units.Time(int64(pool.Size) * drain.Num / drain.Den)
}

// early judges whether a pause caused by congestion alone can last as long as the watchdog's
// detection time.
func (c *checker) early(p *sonic.Port) {
	if p.Action == "alert" {
		return
	}
	longest := c.legitimate()
	if longest == 0 {
		c.cannot("how long a legitimate pause may last: the ingress pool has no size, or ports have no speed")
		return
	}
	if p.Detect > longest {
		return
	}
	pool, slowest := c.pool(), c.slowest()
	f := Finding{
		Traffic: c.lossless(p), Setting: Setting{Slow: slowest.Speed, Pool: pool.Size},
		Rule: "watchdog-short", Severity: Error, At: c.place(p.WDLine), Value: fmt.Sprintf("detection_time %d", p.Detect/units.Millisecond),
		Why: fmt.Sprintf("the pool %s of %d bytes takes %v to drain through %s at %v (line %d): a pause may last that long without any fault, and the watchdog then does %q to lossless traffic after %v",
			pool.Name, pool.Size, longest, slowest.Name, slowest.Speed, slowest.Line, p.Action, p.Detect),
	}
	if least := (longest/units.Millisecond + 100) / 100 * 100; least <= mostDetect {
		f.Fixes = []Fix{{c.name(), []string{sonic.Patch("PFC_WD", p.Name, "detection_time", fmt.Sprint(int64(least)))}}}
	}
	c.add(p, f)
}
