package control

import (
	"weft/internal/ib/sm"
	"weft/units"
	"weft/wire/mad"
)

// managerLog is what managers did, sweep by sweep.
type managerLog struct {
	traps     []units.Time // when a manager took the trap of a link that changed
	masters   []units.Time // when a manager became master
	notices   []noticed    // of keys that do not match, that managers took
	sweeps    []sweep      // heavy ones that got as far as routing, in their order
	datagrams int          // that managers have sent
	failure   string       // the last that was told
}

// noticed is a trap that a manager took.
type noticed struct {
	at     units.Time
	notice mad.Notice
}

// sweep is a heavy sweep of a subnet. Times that did not come are Forever.
type sweep struct {
	began     units.Time
	found     units.Time // all nodes and links are known, computing begins
	computed  units.Time
	last      units.Time // that a node took a part of a table
	up        units.Time // all is written, all ports are active
	blocks    int
	circle    string // of ports that can wait for each other, by its tables
	datagrams int    // that managers had sent by its end
}

// routing notes that a manager computes tables.
func (l *managerLog) routing(from, to units.Time) {
	l.sweeps = append(l.sweeps, sweep{began: units.Forever, found: from, computed: to, last: units.Forever, up: units.Forever})
}

// wroteBlock notes a block of a forwarding table that a switch has taken.
func (l *managerLog) wroteBlock(at units.Time) {
	l.sweeps[len(l.sweeps)-1].blocks++
	l.wrote(at)
}

// wrote notes that a node has taken a part of a table.
func (l *managerLog) wrote(at units.Time) {
	s := &l.sweeps[len(l.sweeps)-1]
	if s.last == units.Forever {
		s.last = at
	}
	s.last = max(s.last, at)
}

// event notes what a manager tells.
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
		s.began, s.up, s.datagrams = now-e.Took, now, l.datagrams
	}
}

// trouble is the last thing that a manager told of what went wrong.
func (l *managerLog) trouble() string {
	if l.failure == "" {
		return "its requests are not answered"
	}
	return l.failure
}
