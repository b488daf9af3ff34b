package socket

import (
	"testing"

	"weft/units"
)

// looks lets packets arrive, and then time pass until the goroutine sleeps. It returns how long it has looked.
func (l *lookout) looks(now *units.Time) units.Time {
	start := *now
	for again := l.on(true, *now); again; again = l.on(false, *now) {
		*now += 100 * units.Nanosecond
	}
	return *now - start
}

func TestVainLooksGetShorterUntilTheyEnd(t *testing.T) {
	l, now := lookout{time: spin}, units.Second
	all, packets := units.Time(0), looksAgain-1
	for range packets {
		all += l.looks(&now)
		now += units.Microsecond
	}
	if all > 2*spin {
		t.Errorf("%v of looks in vain for %d packets that came after each: want at most twice %v", all, packets, spin)
	}
	l.looks(&now)
	if took := l.looks(&now); took < spin {
		t.Errorf("after %d sleeps a look takes %v: want %v", looksAgain, took, spin)
	}
}

func TestAPacketInTimeKeepsALookLong(t *testing.T) {
	l, now := lookout{time: spin}, units.Second
	for range 3 { // bursts, with long gaps between
		for range 5 {
			if !l.on(true, now) {
				t.Fatal("it sleeps just after a packet")
			}
			now += spin / 8
		}
		if took := l.looks(&now); took < spin {
			t.Errorf("after a burst a look takes %v: want %v", took, spin)
		}
		now += units.Millisecond
	}
}

func TestPollersGetShortGraceAfterALatePacket(t *testing.T) {
	g := grace{time: pollGrace}
	const longest, least = units.Time(pollGrace) * units.Nanosecond, units.Time(leastGrace) * units.Nanosecond
	if d := g.next(false); d != longest {
		t.Errorf("without a late packet the grace is %v: want %v", d, longest)
	}
	g.late()
	for want := least; want < longest; want *= 2 {
		if d := g.next(false); d != want {
			t.Errorf("the grace is %v: want %v", d, want)
		}
	}
	if d := g.next(false); d != longest {
		t.Errorf("the longest grace is %v: want %v", d, longest)
	}
}

// While somebody may wait for packets, no rest is longer than the least.
func TestARestIsShortWhileSomebodyMayWait(t *testing.T) {
	g := grace{time: pollGrace}
	for range 3 {
		if d := g.next(true); d != units.Time(leastGrace)*units.Nanosecond {
			t.Errorf("a rest takes %v: want %v", d, leastGrace)
		}
	}
}
