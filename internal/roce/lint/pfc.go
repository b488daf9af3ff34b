package lint

import (
	"fmt"
	"slices"
	"strings"

	"weft/internal/roce/sonic"
)

// protected judges whether pauses and headroom agree.
func (c *checker) protected(p *sonic.Port) {
	for g, profile := range p.Groups {
		paused := slices.Contains(p.PFC, g)
		switch {
		case paused && profile != nil && !profile.Lossless():
			c.add(p, Finding{
				Rule: "pfc-headroom", Severity: Error, At: c.place(p.GroupAt[g]), Value: fmt.Sprintf("priority group %d has profile %s", g, profile.Name),
				Why:     fmt.Sprintf("the port pauses priority %d (line %d), and the profile (line %d) has no xoff: packets that arrive before the peer stops are dropped", g, p.PFCLine, profile.Line),
				Fixes:   c.losslessProfile(p, g),
				Traffic: c.intoGroup(p, g),
			})
		case paused && p.GroupKey[g] == "" && c.idlePause(p, g):
			c.add(p, Finding{
				Rule: "pfc-headroom", Severity: Error, At: c.place(max(p.PFCLine, p.QoSLine)), Value: "pfc_enable " + join(p.PFC),
				Why:   fmt.Sprintf("the port pauses priority %d, and its priority group has no headroom in BUFFER_PG, where groups %s have: nothing lossless is in it, and a pause of the peer for it stops lossy traffic", g, join(withHeadroom(p))),
				Fixes: []Fix{c.pauseAll(p)},
			})
		case paused && profile.Lossless() && !c.reached(p, g) && c.regroupOf(p, g) != "":
			c.add(p, Finding{
				Rule: "pfc-headroom", Severity: Warning, At: c.place(p.GroupAt[g]), Value: fmt.Sprintf("no class in priority group %d", g),
				Why:   fmt.Sprintf("the port pauses priority %d and keeps %d bytes of headroom for its priority group, and no class leads to it: what queue %d sends has no protection on its way in", g, profile.Xoff, p.PFCQueueOf(g)),
				Fixes: []Fix{{c.name(), []string{c.regroupOf(p, g)}}},
			})
		case !paused && profile.Lossless():
			c.add(p, Finding{
				Rule: "pfc-headroom", Severity: Error, At: c.place(max(p.PFCLine, p.QoSLine)), Value: "pfc_enable " + noneOr(join(p.PFC)),
				Why:     fmt.Sprintf("priority group %d has %d bytes of headroom (line %d), and the port never pauses its priority: its packets are dropped like any others", g, profile.Xoff, p.GroupAt[g]),
				Fixes:   []Fix{c.pauseAll(p)},
				Traffic: c.intoGroup(p, g),
			})
		}
	}
}

// pauseAll lets a port pause the priorities of all groups with headroom, and no others. It is one fix
// for all findings of this kind: each PFC row replaces the row before it.
func (c *checker) pauseAll(p *sonic.Port) Fix {
	list := withHeadroom(p)
	return Fix{c.name(), []string{sonic.Patch("PORT_QOS_MAP", qosKey(p), "pfc_enable", join(list), "pfcwd_sw_enable", join(list))}}
}

// regroupOf is the patch that leads the class of a protected group's queue to the group, "" if there is
// no such class, or if it is the class of ordinary traffic.
func (c *checker) regroupOf(p *sonic.Port, g int) string {
	for tc := 1; tc < sonic.Priorities; tc++ {
		class := p.ClassOfTC(tc)
		if class.Queue == p.PFCQueueOf(g) && !p.Lossless(class.Group) {
			return c.regroup(p, class)
		}
	}
	return ""
}

// idlePause reports whether a priority that is paused has nothing to protect: other groups of the
// port have headroom, and no class leads to its group or the port does not pause those others.
func (c *checker) idlePause(p *sonic.Port, g int) bool {
	return len(withHeadroom(p)) > 0 && (!c.reached(p, g) || len(unpausedHeadroom(p)) > 0)
}

// losslessProfile returns the fix that gives a group's row a lossless profile for its speed and
// cable: the row itself if all its groups are paused, or else a row of the group alone.
func (c *checker) losslessProfile(p *sonic.Port, g int) []Fix {
	key := p.GroupKey[g]
	for n := range p.GroupKey {
		if p.GroupKey[n] == p.GroupKey[g] && !slices.Contains(p.PFC, n) {
			key = fmt.Sprintf("%s|%d", p.Name, g)
		}
	}
	if lines := c.headroomFor(p, key); len(lines) > 0 {
		return []Fix{{c.name(), lines}}
	}
	return nil
}

// queueKey is the key of a queue's row in QUEUE: of the present row or of a new one.
func queueKey(p *sonic.Port, queue int) string {
	if queue >= 0 && queue < sonic.Priorities && p.Queues[queue].Key != "" {
		return p.Queues[queue].Key
	}
	return fmt.Sprintf("%s|%d", p.Name, queue)
}

// pauses judges whether a pause of each priority stops the queue with its traffic, and whether that
// queue is scheduled and marked.
func (c *checker) pauses(p *sonic.Port) {
	for tc := range sonic.Priorities {
		group, queue := tc, tc
		if p.Group != nil {
			group = p.Group.Of(tc)
		}
		if p.Queue != nil {
			queue = p.Queue.Of(tc)
		}
		if !p.Lossless(group) {
			continue
		}
		if queue < 0 || queue >= sonic.Priorities || p.Unserved(queue) {
			c.unserved(p, tc, queue)
			continue
		}
		if stopped := p.PFCQueueOf(group); stopped != queue && c.suits(p, stopped) > c.suits(p, queue) {
			c.strays(p, tc, group, queue, stopped)
			queue = stopped
		} else if stopped != queue {
			c.stops(p, tc, group, queue, stopped)
		}
		c.marks(p, queue)
		c.leaves(p, queue)
	}
}

func (c *checker) unserved(p *sonic.Port, tc, queue int) {
	at, value := p.QoSLine, fmt.Sprintf("no queue for class %d", tc)
	if p.Queue != nil {
		at = p.Queue.LineOf(tc)
	}
	var fixes []Fix
	if name := c.scheduler(p); name != "" {
		fixes = []Fix{{c.name(), []string{sonic.Patch("QUEUE", queueKey(p, queue), "scheduler", name)}}}
	}
	why := fmt.Sprintf("class %d leads to queue %d, and the port has schedulers for others but none for it: the chip serves it with SAI's default, a weight of 1", tc, queue)
	if queue < 0 || queue >= sonic.Priorities {
		why = fmt.Sprintf("class %d leads to no queue for unicast", tc)
		fixes = []Fix{{c.name(), []string{sonic.Patch("TC_TO_QUEUE_MAP", mapName(p.Queue.Name), fmt.Sprint(tc), fmt.Sprint(tc))}}}
	} else {
		value = fmt.Sprintf("class %d in queue %d", tc, queue)
	}
	c.add(p, Finding{
		Traffic: c.into(p, func(class sonic.Class) bool { return class.TC == tc }),
		Rule:    "queue-unserved", Severity: Error, At: c.place(at), Value: value,
		Why:   why + ": lossless traffic waits while the others are served",
		Fixes: fixes,
	})
}

// scheduler is the name of a scheduler that a queue of the port has, preferably a lossless queue. A
// strict scheduler is not taken: it would starve the other queues.
func (c *checker) scheduler(p *sonic.Port) string {
	name := ""
	for n, q := range p.Queues {
		switch {
		case q.Scheduler == nil || q.Scheduler.Strict:
		case slices.ContainsFunc(p.PFC, func(g int) bool { return p.PFCQueueOf(g) == n }):
			return q.Scheduler.Name
		case name == "":
			name = q.Scheduler.Name
		}
	}
	return name
}

// suits is how many settings of a queue are those of lossless traffic.
func (c *checker) suits(p *sonic.Port, queue int) (n int) {
	if queue < 0 || queue >= sonic.Priorities {
		return -1
	}
	q := &p.Queues[queue]
	if q.WRED != nil && q.WRED.ECN {
		n++
	}
	if q.Profile != nil && c.overruns(q.Profile, queue) == "" && !strings.Contains(q.Profile.Name, "lossy") {
		n++
	}
	return n
}

// strays is the finding for a class that waits in a queue of lossy traffic, beside the one that its
// pauses stop.
func (c *checker) strays(p *sonic.Port, tc, priority, queue, stopped int) {
	c.add(p, Finding{
		Traffic: c.into(p, func(class sonic.Class) bool { return class.TC == tc }),
		Setting: Setting{Stopped: stopped},
		Rule:    "pfc-queue", Severity: Error, At: c.place(p.Queue.LineOf(tc)), Value: fmt.Sprintf("class %d in queue %d", tc, queue),
		Why:   fmt.Sprintf("class %d, which the peer protects by pausing priority %d, waits in queue %d, and such a pause stops queue %d, which has the settings of lossless traffic: the pause does not stop it, and the peer's headroom overflows", tc, priority, queue, stopped),
		Fixes: []Fix{{c.name(), []string{sonic.Patch("TC_TO_QUEUE_MAP", mapName(p.Queue.Name), fmt.Sprint(tc), fmt.Sprint(stopped))}}},
	})
}

func (c *checker) stops(p *sonic.Port, tc, priority, queue, stopped int) {
	name, at := "AZURE", p.QoSLine
	if p.PFCQueue != nil {
		name, at = mapName(p.PFCQueue.Name), p.PFCQueue.LineOf(priority)
	}
	what := fmt.Sprintf("stops queue %d", stopped)
	if stopped < 0 {
		what = "stops no queue"
	}
	c.add(p, Finding{
		Traffic: c.into(p, func(class sonic.Class) bool { return class.TC == tc }),
		Setting: Setting{Stopped: stopped},
		Rule:    "pfc-queue", Severity: Error, At: c.place(at), Value: fmt.Sprintf("a pause of priority %d %s", priority, what),
		Why:   fmt.Sprintf("class %d, which the peer protects by pausing priority %d, waits in queue %d: a pause does not stop it, and the peer's headroom overflows", tc, priority, queue),
		Fixes: []Fix{{c.name(), []string{sonic.Patch("MAP_PFC_PRIORITY_TO_QUEUE", name, fmt.Sprint(priority), fmt.Sprint(queue))}}},
	})
}

// pool is the pool of the lossless groups: from a configured profile, or else the pool in which the
// switch puts the profiles that it makes (sonic-swss, buffermgr).
func (c *checker) pool() *sonic.Pool {
	for _, p := range c.sw.Profiles {
		if p.Lossless() && p.Pool != nil {
			return p.Pool
		}
	}
	for _, p := range c.sw.Pools {
		if p.Name == losslessPool {
			return p
		}
	}
	return nil
}

// slowest is the slowest port in use.
func (c *checker) slowest() (slowest *sonic.Port) {
	for _, p := range c.ports() {
		if p.Speed > 0 && (slowest == nil || p.Speed < slowest.Speed) {
			slowest = p
		}
	}
	return slowest
}
