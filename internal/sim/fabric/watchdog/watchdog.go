package watchdog

import "weft/units"

// Config is the PFC watchdog of an Ethernet switch: it polls every paused egress queue, and ends
// a storm. The model is SONiC's (orchagent's pfcwdorch and its detect and restore scripts): a queue
// is in a storm when it is paused, holds packets and has sent none for the detection time; it is
// restored when no pause was in force for the restoration time. Both are counted in polls, so a
// storm is found up to two polls late.
//
// Polls of a switch fall on the multiples of Poll, moved by a phase of its own. A queue that is not
// paused is not polled.
//
// Left out: the drop of packets that arrive through the port of the storm; the threshold of "big
// red switch" mode, and storms by the pauses' share of time.
type Config struct {
	Detection, Restoration, Poll units.Time
	Action                       Action
}

// Action is a watchdog's action on a queue in a storm.
type Action uint8

// The actions.
const (
	Drop    Action = iota // waiting and arriving packets are dropped
	Forward               // packets are sent in spite of the pause
	Alert                 // the storm is counted, without any other action
)

// NextPoll is the first poll after now of a switch with a phase.
func (w *Config) NextPoll(now, phase units.Time) units.Time {
	next := (now-phase)/w.Poll*w.Poll + phase
	for next <= now {
		next += w.Poll
	}
	return next
}

// Queue is the watchdog's state of an egress queue.
type Queue struct {
	head   int32      // the packet at its head at the last poll; -1 if none
	came   units.Time // its arrival time
	left   units.Time `state:"fixed"` // time until it is in a storm, or restored
	polled bool       // a poll is pending
	paused bool       // a frame came since the last poll
	storm  bool
}

// IsStorm reports whether the queue is in a storm.
func (q *Queue) IsStorm() bool { return q.storm }

// Pause notes that the queue was paused. It reports whether the queue is polled from now on.
func (q *Queue) Pause(w *Config) (begins bool) {
	q.paused = true
	if q.polled {
		return false
	}
	*q = Queue{head: -1, left: w.Detection, polled: true, paused: true}
	return true
}

// Obeys reports whether the queue stops at a pause: not in a storm in which packets are forwarded.
func (q *Queue) Obeys(w *Config) bool { return !q.storm || w.Action != Forward }

// Finding is what a poll finds.
type Finding uint8

// The findings.
const (
	Nothing  Finding = iota
	Storm            // the queue is in a storm from now on
	Restored         // it is no longer in a storm
)

// Poll polls a queue with a packet at its head that came at a time; head is -1 if there is none. paused
// says that a pause is in force. again says that the queue is polled again.
func (q *Queue) Poll(w *Config, paused bool, head int32, came units.Time) (found Finding, again bool) {
	switch {
	case q.storm:
		found = q.pollStorm(w, paused)
	case paused:
		found = q.pollPaused(w, head, came)
	default:
		q.polled = false
	}
	q.paused = false
	return found, q.polled
}

// pollPaused counts the time for which the head of a paused queue has not changed.
func (q *Queue) pollPaused(w *Config, head int32, came units.Time) Finding {
	if head < 0 || head != q.head || came != q.came {
		q.head, q.came, q.left = head, came, w.Detection
		return Nothing
	}
	if q.left -= w.Poll; q.left > 0 {
		return Nothing
	}
	q.storm, q.left = true, w.Restoration
	return Storm
}

// pollStorm counts the time for which a queue in a storm was not paused.
func (q *Queue) pollStorm(w *Config, paused bool) Finding {
	if paused || q.paused {
		q.left = w.Restoration
		return Nothing
	}
	if q.left -= w.Poll; q.left > 0 {
		return Nothing
	}
	q.storm, q.polled = false, false
	return Restored
}
