package socket

import (
	"time"

	"weft/units"
)

// lookout says how long the port's goroutine looks for packets before it sleeps. Where the sender of the next
// packet waits for the same processor, it looks in vain each time: after each vain look the next one is half as
// long, and soon there is none. After looksAgain sleeps, or when a packet comes in time, a look is long again.
type lookout struct {
	last   units.Time // arrival of packets
	time   units.Time // of a look
	looked bool       // since the last sleep
	sleeps int
}

// on reports whether to look again rather than to sleep. Packets have just arrived or not.
func (l *lookout) on(arrived bool, now units.Time) bool {
	if arrived {
		l.last = now
	}
	if arrived && l.looked || l.sleeps >= looksAgain {
		l.time, l.sleeps = spin, 0
	}
	if now-l.last < l.time {
		l.looked = true
		return true
	}
	if l.looked {
		l.time /= 2
	}
	if l.time < spin/16 {
		l.time = 0
	}
	l.looked = false
	l.sleeps++
	return false
}

// grace is the time for which the port's goroutine leaves the work to pollers. It is short after packets that
// waited for a poller who had stopped, and grows while there are polls.
type grace struct {
	time  time.Duration
	timer *time.Timer
}

// late says that packets have waited.
func (g *grace) late() { g.time = leastGrace / 2 }

// next begins a rest, and returns its time. It is short while somebody may wait.
func (g *grace) next(short bool) units.Time {
	g.time = min(2*g.time, pollGrace)
	if short {
		g.time = min(g.time, leastGrace)
	}
	return units.Time(g.time) * units.Nanosecond
}

// wait waits until the end of the rest, and reports whether a nudge ends it. It waits in Go's scheduler, not in
// the kernel: a thread that is in a system call for longer than 20 us makes Go's monitor wake up every 20 us, on
// the pollers' processors.
func (g *grace) wait(nudge <-chan struct{}) (nudged bool) {
	if g.timer == nil {
		g.timer = time.NewTimer(g.time)
	} else {
		g.timer.Reset(g.time)
	}
	select {
	case <-nudge:
		return true
	case <-g.timer.C:
		return false
	}
}
