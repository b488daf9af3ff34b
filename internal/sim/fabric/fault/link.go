package fault

import "weft/units"

// Link is the times at which a link goes down and comes up in turn, beginning with down. Its two ends
// process them independently.
type Link struct {
	times   []units.Time
	Out, In End
}

// End is the number of times that an end of a link has processed.
type End int

// IsDown reports whether the link is down at the end.
func (e End) IsDown() bool { return e%2 == 1 }

// HasOutages reports whether the link ever fails.
func (l *Link) HasOutages() bool { return len(l.times) > 0 }

// AddOutage adds an outage behind those before. It returns false, and adds none, if the outage is not
// after the start, or not longer than a time, or begins earlier than this time after the one before.
func (l *Link) AddOutage(from, until, shortest units.Time) bool {
	if from <= 0 || until-from <= shortest || len(l.times) > 0 && from <= l.times[len(l.times)-1]+shortest {
		return false
	}
	l.times = append(l.times, from)
	if until != units.Forever {
		l.times = append(l.times, until)
	}
	return true
}

// Next is the next time at an end; Forever after the last.
func (l *Link) Next(e End) units.Time {
	if int(e) >= len(l.times) {
		return units.Forever
	}
	return l.times[e]
}

// Pass processes the time at an end that is due now. It returns false if none is: the faults were amended.
func (l *Link) Pass(e *End, now units.Time) bool {
	if l.Next(*e) != now {
		return false
	}
	*e++
	return true
}
