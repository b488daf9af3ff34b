package cc

import (
	"testing"

	"pgregory.net/rapid"

	"weft/units"
)

// table has delays of 0, 1/2, 1, 3/2 … packets.
func table(n int) (t []TableEntry) {
	for i := range n {
		t = append(t, TableEntry{Multiplier: uint16(i), Shift: 1})
	}
	return t
}

func TestADelayOfThreePacketsIsAQuarterOfTheRate(t *testing.T) {
	p := IBCCParams{LineRate: 400 * units.Gbps, Timer: 10 * us, Increase: 6, Table: table(20)}
	c := NewIBCC(&p)
	var a Allowance
	c.Start(0, &a)
	if a.Rate != 0 || a.Wake != units.Forever {
		t.Fatalf("at the start the rate is %d and the timer at %d, want unpaced and never", a.Rate, a.Wake)
	}
	c.Notified(us, &a)
	if a.Rate != 100*units.Gbps || a.Wake != 11*us {
		t.Errorf("after a BECN at 1 us the rate is %d and the timer at %d, want 100 Gb/s and 11 us", a.Rate, a.Wake)
	}
	c.Timer(11*us, &a)
	if want := 400 * units.Gbps * 2 / 7; a.Rate != want || a.Wake != 21*us {
		t.Errorf("a CCTI_Timer later the rate is %d and the timer at %d, want %d and 21 us", a.Rate, a.Wake, want)
	}
}

// metronome is IBCC with a counter for every microsecond, as its twin.
type metronome struct {
	p     *IBCCParams
	index int
	left  int // microseconds until the index falls; 0 if the timer rests
}

func (m *metronome) tick() {
	if m.left == 0 {
		return
	}
	if m.left--; m.left == 0 {
		if m.index--; m.index > m.p.Min {
			m.left = int(m.p.Timer / us)
		}
	}
}

func (m *metronome) becn() {
	for range m.p.Increase {
		if m.index < len(m.p.Table)-1 {
			m.index++
		}
	}
	if m.left == 0 && m.index > m.p.Min {
		m.left = int(m.p.Timer / us)
	}
}

func TestTheIndexFollowsItsTwin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := IBCCParams{
			LineRate: 400 * units.Gbps, Timer: units.Time(rapid.IntRange(1, 30).Draw(t, "timer")) * us,
			Increase: rapid.IntRange(1, 10).Draw(t, "increase"), Table: table(rapid.IntRange(1, 40).Draw(t, "entries")),
		}
		p.Min = rapid.IntRange(0, len(p.Table)-1).Draw(t, "min")
		c, m := NewIBCC(&p), &metronome{p: &p, index: p.Min}
		var a Allowance
		c.Start(0, &a)
		now := units.Time(0)
		for range rapid.IntRange(1, 50).Draw(t, "events") {
			for range rapid.IntRange(0, 50).Draw(t, "pause") {
				now += us
				m.tick()
			}
			for a.Wake <= now {
				c.Timer(a.Wake, &a)
			}
			if rapid.Bool().Draw(t, "becn") {
				c.Notified(now, &a)
				m.becn()
			}
			if c.ccti != m.index {
				t.Fatalf("at %d ps the index is %d, want %d", now, c.ccti, m.index)
			}
		}
	})
}
