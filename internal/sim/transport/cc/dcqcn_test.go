package cc

import (
	"testing"

	"pgregory.net/rapid"

	"weft/units"
)

const us = units.Microsecond

// eager is DCQCN with a timer for everything, as simulators implement it: alpha is
// updated every period, the decrease is checked every period, the increase timer
// never stops. It is the twin of DCQCN, whose timers are lazy.
type eager struct {
	p                              DCQCNParams
	rate, target                   units.Rate
	alpha                          uint64
	alphaAt, decreaseAt, increase  units.Time
	timeStage, byteStage           uint32
	started, alphaCNP, decreaseCNP bool
	left                           units.Bytes
}

func newEager(p DCQCNParams) *eager {
	return &eager{
		p: p, rate: p.LineRate, target: p.LineRate, alphaAt: units.Forever, decreaseAt: units.Forever,
		increase: units.Forever, left: Unlimited,
	}
}

func (e *eager) weigh(congested bool) {
	e.alpha = e.alpha * (65536 - uint64(e.p.Gain)) / 65536
	if congested {
		e.alpha += uint64(e.p.Gain) * 65536
	}
}

// run fires all timers until now, one by one.
func (e *eager) run(now units.Time) {
	for {
		at := min(e.alphaAt, e.increase, e.decreaseAt)
		switch {
		case at > now:
			return
		case at == e.alphaAt:
			e.weigh(e.alphaCNP)
			e.alphaCNP = false
			e.alphaAt += e.p.AlphaPeriod
		case at == e.increase:
			e.rise()
			e.timeStage++
			e.increase += e.p.IncreasePeriod
		default:
			e.decreaseAt += e.p.DecreasePeriod
			if e.decreaseCNP {
				e.decreaseCNP = false
				e.cut(at)
			}
		}
	}
}

func (e *eager) cut(now units.Time) {
	if e.p.ClampTarget || e.byteStage > 0 || e.p.ClampAfterTimer && e.timeStage > 0 {
		e.target = e.rate
	}
	// In two halves, so that the product fits 64 bits.
	hi, lo := uint64(e.rate)>>16, uint64(e.rate)&0xffff
	least := e.rate * units.Rate(e.p.MinDecrease) / 65536
	e.rate -= units.Rate((hi*e.alpha + lo*e.alpha>>16) >> 17)
	e.rate = max(e.rate, least, e.p.MinRate)
	e.timeStage, e.byteStage = 0, 0
	e.increase = now + e.p.IncreasePeriod
	if e.p.IncreaseBytes > 0 {
		e.left = e.p.IncreaseBytes
	}
}

func (e *eager) rise() {
	low, high := e.timeStage, e.timeStage
	if e.p.IncreaseBytes > 0 {
		low, high = min(low, e.byteStage), max(high, e.byteStage)
	}
	if low > e.p.FastRecovery {
		e.target += e.p.HyperRate
	} else if high >= e.p.FastRecovery {
		e.target += e.p.AdditiveRate
	}
	e.target = min(e.target, e.p.LineRate)
	e.rate = (e.rate + e.target + 1) / 2
}

func (e *eager) notified(now units.Time) {
	e.run(now)
	if !e.started {
		e.started = true
		e.alpha = uint64(e.p.InitialAlpha) * 65536
		e.alphaAt = now + e.p.AlphaPeriod
		if e.p.DecreasePeriod > 0 {
			e.decreaseAt = now + e.p.DecreasePeriod
			e.decreaseCNP = true
			return
		}
	}
	if e.p.DecreasePeriod > 0 {
		e.alphaCNP, e.decreaseCNP = true, true
		return
	}
	e.cut(now)
	e.weigh(true)
	e.alphaAt = now + e.p.AlphaPeriod
}

func (e *eager) sent(now units.Time, n units.Bytes) {
	if e.left == Unlimited {
		return
	}
	e.left -= n
	if e.left > 0 {
		return
	}
	e.run(now)
	if e.left > 0 {
		return
	}
	e.left += e.p.IncreaseBytes
	e.rise()
	e.byteStage++
}

// lazy drives DCQCN as a queue pair does: it calls Timer at Wake and at no
// other time.
type lazy struct {
	d     *DCQCN
	a     Allowance
	calls int
}

func (l *lazy) run(now units.Time) {
	for l.a.Wake <= now {
		l.d.Timer(l.a.Wake, &l.a)
		l.calls++
	}
}

func (l *lazy) sent(now units.Time, n units.Bytes) {
	if l.a.Budget == Unlimited {
		return
	}
	l.a.Budget -= n
	if l.a.Budget <= 0 {
		l.d.Sent(now, &l.a)
	}
}

func TestLazyTimersDoWhatEagerTimersDo(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, err := DCQCNPreset(rapid.SampledFrom(DCQCNPresets()).Draw(t, "preset"), 100*units.Gbps)
		if err != nil {
			t.Fatal(err)
		}
		if p.IncreaseBytes > 0 {
			p.IncreaseBytes = units.Bytes(rapid.IntRange(50_000, 1_000_000).Draw(t, "bytes"))
		}
		if rapid.Bool().Draw(t, "fast") {
			p.AdditiveRate, p.HyperRate = 5*units.Gbps, 20*units.Gbps // so that it reaches line rate
		}
		if rapid.Bool().Draw(t, "first") {
			p.FirstCNPRate = 0
		}
		p.MinDecrease = rapid.Uint32Range(0, 1<<16).Draw(t, "least")
		e, l := newEager(p), &lazy{d: NewDCQCN(&p, 0)}
		l.d.Start(0, &l.a)
		now := units.Time(0)
		for range rapid.IntRange(1, 60).Draw(t, "events") {
			step := units.Time(rapid.IntRange(0, 5000).Draw(t, "ns")) * units.Nanosecond
			if rapid.IntRange(0, 5).Draw(t, "long") == 0 {
				step *= 1000
			}
			now += step
			e.run(now)
			l.run(now)
			switch rapid.IntRange(0, 2).Draw(t, "event") {
			case 0:
				n := units.Bytes(rapid.IntRange(1, 300_000).Draw(t, "n"))
				e.sent(now, n)
				l.sent(now, n)
			default:
				e.notified(now)
				l.d.Notified(now, &l.a)
			}
			if l.d.Rate() != e.rate || l.d.target != e.target || l.a.Rate != e.rate {
				t.Fatalf("at %d ps: rate %d target %d, want %d and %d", now, l.d.Rate(), l.d.target, e.rate, e.target)
			}
		}
	})
}

func TestARateThatIsRestoredNeedsNoTimer(t *testing.T) {
	p, _ := DCQCNPreset("ns3", 100*units.Gbps)
	l := &lazy{d: NewDCQCN(&p, 0)}
	l.d.Start(0, &l.a)
	if l.a.Wake != units.Forever || l.a.Rate != 100*units.Gbps {
		t.Fatalf("a new queue pair wakes at %d with %d b/s, want never and line rate", l.a.Wake, l.a.Rate)
	}
	l.d.Notified(0, &l.a)
	if l.a.Wake != 4*us {
		t.Fatalf("after a CNP it wakes at %d, want 4 us", l.a.Wake)
	}
	l.run(units.Second)
	if l.a.Wake != units.Forever || l.a.Rate != 100*units.Gbps {
		t.Errorf("a second later it wakes at %d with %d b/s, want never and line rate", l.a.Wake, l.a.Rate)
	}
	if l.calls > 60 {
		t.Errorf("recovery took %d timer calls, want a few dozen", l.calls)
	}
}

// SIGCOMM 2015, section 3.1: the first CNP halves the rate, since alpha begins
// as 1; five steps of fast recovery bring it back to within 1/32.
func TestPaperHalvesAndRecovers(t *testing.T) {
	p, _ := DCQCNPreset("paper", 40*units.Gbps)
	d := NewDCQCN(&p, 0)
	var a Allowance
	d.Start(0, &a)
	d.Notified(0, &a)
	if a.Rate != 20*units.Gbps {
		t.Fatalf("after the first CNP the rate is %d, want 20 Gb/s", a.Rate)
	}
	for range 5 {
		d.Timer(a.Wake, &a)
	}
	if want := 40*units.Gbps - 20*units.Gbps/32; a.Rate != want {
		t.Errorf("after five steps the rate is %d, want %d", a.Rate, want)
	}
	if d.target != 40*units.Gbps {
		t.Errorf("the target is %d, want 40 Gb/s", d.target)
	}
}

// HPCC ns-3: with one CNP, alpha has decayed for four periods when the rate
// falls at the next check: 1 - (255/256)^4/2 of line rate.
func TestFirmwareStyleCutsAtTheNextCheck(t *testing.T) {
	p, _ := DCQCNPreset("ns3", 100*units.Gbps)
	d := NewDCQCN(&p, 0)
	var a Allowance
	d.Start(0, &a)
	d.Notified(7*us, &a)
	d.Notified(8*us+1, &a) // within the same period of decreases: no further cut
	if a.Rate != 100*units.Gbps || a.Wake != 11*us {
		t.Fatalf("rate %d, wake %d, want line rate until 11 us", a.Rate, a.Wake)
	}
	d.Timer(11*us, &a)
	alpha := 1.0
	for _, cnp := range []float64{0, 1, 0, 0} {
		alpha = alpha*255/256 + cnp/256
	}
	want := units.Rate(100e9 * (1 - alpha/2))
	if diff := a.Rate - want; diff < -100 || diff > 100 {
		t.Errorf("rate is %d, want %d", a.Rate, want)
	}
	if a.Wake != 311*us {
		t.Errorf("the increase timer is at %d, want 311 us", a.Wake)
	}
}

// rpg_min_dec_fac 80: a rate that would be halved keeps four fifths.
func TestADecreaseLeavesTheLeastShare(t *testing.T) {
	p, _ := DCQCNPreset("paper", 40*units.Gbps)
	p.MinDecrease = 1 << 16 * 8 / 10
	d := NewDCQCN(&p, 0)
	var a Allowance
	d.Start(0, &a)
	d.Notified(0, &a)
	if want := 40 * units.Gbps * units.Rate(p.MinDecrease) / 65536; a.Rate != want {
		t.Errorf("after the first CNP the rate is %d, want %d", a.Rate, want)
	}
}

func TestWindowShrinksWithTheRate(t *testing.T) {
	p, _ := DCQCNPreset("ns3-vwin", 100*units.Gbps)
	d := NewDCQCN(&p, 104_000)
	var a Allowance
	d.Start(0, &a)
	if a.Window != 104_000 {
		t.Fatalf("the window is %d, want 104000", a.Window)
	}
	d.Notified(0, &a)
	d.Timer(4*us, &a)
	if want := units.Bytes(104_000 * int64(a.Rate) / int64(100*units.Gbps)); a.Window != want {
		t.Errorf("the window is %d at %d b/s, want %d", a.Window, a.Rate, want)
	}
}

func TestEveryPresetHasItsSource(t *testing.T) {
	for i, name := range DCQCNPresets() {
		if dcqcnPresets[i].source == "" {
			t.Errorf("%s has no source", name)
		}
		p, err := DCQCNPreset(name, 400*units.Gbps)
		if err != nil || p.LineRate != 400*units.Gbps || p.Gain == 0 || p.AlphaPeriod == 0 || p.IncreasePeriod == 0 {
			t.Errorf("%s: %+v, %v", name, p, err)
		}
	}
	if _, err := DCQCNPreset("none", 1); err == nil {
		t.Error("an unknown name is no error")
	}
}
