package control

import (
	"weft/internal/ib/sm"
	"weft/units"
	"weft/wire/mad"
)

// managerLog is the record of managers' actions, sweep by sweep.
type managerLog struct {
	traps     []units.Time // times at which a manager received the trap of a changed link
	masters   []units.Time // when a manager became master
	notices   []noticed    // received traps of key mismatches
	sweeps    []sweep      // heavy sweeps that reached routing, in order
	datagrams int          // number of datagrams sent by managers
	failure   string       // the last reported failure
}

// noticed is a trap that a manager received.
type noticed struct {
	at     units.Time
	notice mad.Notice
}

// sweep is a heavy sweep of a subnet. Times that were not reached are Forever.
type sweep struct {
	began    units.Time
	found    units.Time // all nodes and links are known, computing begins
	computed units.Time
	last     units.Time // last receipt of a part of a table at a node
	up       units.Time // all is written, all ports are active
	blocks   int
	circle   string // ports of a credit loop with its tables
}

// routing records that a manager computes tables.
func (l *managerLog) routing(from, to units.Time) {
	l.sweeps = append(l.sweeps, sweep{began: units.Forever, found: from, computed: to, last: units.Forever, up: units.Forever})
}

// wroteBlock records a block of a forwarding table that a switch has received.
func (l *managerLog) wroteBlock(at units.Time) {
	l.sweeps[len(l.sweeps)-1].blocks++
	l.wrote(at)
}

// wrote records that a node has received a part of a table.
func (l *managerLog) wrote(at units.Time) {
	s := &l.sweeps[len(l.sweeps)-1]
	if s.last == units.Forever {
		s.last = at
	}
	s.last = max(s.last, at)
}

// event records an event of a manager.
func (l *managerLog) event(now units.Time, e *sm.Event) {
	switch e.Kind {
	case sm.TrapReceived:
		switch e.Trap {
		case mad.TrapLinkState:
			l.traps = append(l.traps, now)
		case mad.TrapBadPKey, mad.TrapBadQKey, mad.TrapSwitchPKey:
			l.notices = append(l.notices, noticed{now, e.Notice})
		}
	case sm.Entered:
		if e.State == mad.SMMaster {
			l.masters = append(l.masters, now)
		}
	case sm.NotRouted, sm.NotAssigned, sm.TooLarge, sm.DuplicateGUID:
		l.failure = e.String()
	case sm.SubnetUp:
		s := &l.sweeps[len(l.sweeps)-1]
		s.began, s.up = now-e.Took, now
	}
}

// trouble is the last failure that a manager reported.
func (l *managerLog) trouble() string {
	if l.failure == "" {
		return "its requests are not answered"
	}
	return l.failure
}
