package cc

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"weft/units"
)

func rttccParams() *RTTCCParams {
	return &RTTCCParams{
		LineRate: 400 * units.Gbps, MinRate: 25 * units.Mbps, Threshold: 13 * us, Slope: 6553, MaxDelay: 250 * us,
		HyperDecrease: one * 8 / 10, First: one / 2, LeastDecrease: 63570, MostIncrease: 69468,
		AdditiveRate: 37 * units.Mbps, HyperRate: 650 * units.Mbps, HyperPeriod: 2 * units.Millisecond,
	}
}

// floatRTTCC is the law of MODELS.md in floating point.
type floatRTTCC struct {
	rate, calm          float64
	congested, notified bool
}

func (f *floatRTTCC) acked(now, rtt float64) {
	target := 13e6 * (1 + 0.1*math.Sqrt(400e9/f.rate))
	switch {
	case rtt <= target && !f.notified:
		step := 37e6
		if now-f.calm >= 2e9 {
			step = 650e6
		}
		f.rate = min(f.rate+step, f.rate*1.06)
	case !f.congested:
		f.rate = min(f.rate, 200e9)
		f.congested, f.calm = true, now
	default:
		factor := math.Max(0.97, target/rtt)
		switch {
		case rtt >= 250e6:
			factor = 0.8
		case f.notified:
			factor = 0.97
		}
		f.rate *= factor
		f.calm = now
	}
	f.notified = false
	f.rate = min(max(f.rate, 25e6), 400e9)
}

func TestRTTCCFollowsItsLaw(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c, f := newRTTCC(rttccParams()), floatRTTCC{rate: 400e9}
		var a Allowance
		now := units.Time(0)
		c.Start(now, &a)
		for range rapid.IntRange(1, 200).Draw(t, "round trips") {
			rtt := units.Time(rapid.SampledFrom([]int{3, 10, 14, 15, 20, 100, 249, 251, 400}).Draw(t, "us")) * us
			if math.Abs(float64(rtt)-float64(c.Target())) < 1e4 {
				continue // too near to the target for two arithmetics to agree
			}
			now += rtt + units.Time(rapid.SampledFrom([]int{0, 0, 0, 2000}).Draw(t, "idle us"))*us
			if rapid.IntRange(0, 9).Draw(t, "CNP") == 0 {
				c.Notified(now, &a)
				f.notified = true
			}
			c.Acked(now, Ack{RTT: rtt}, &a)
			f.acked(float64(now), float64(rtt))
			// ALPHA, MAX_DEC and MAX_INC are rounded to 2^-16 in the scenario; each step rounds as much again.
			if off := math.Abs(float64(a.Rate)/f.rate - 1); off > 200*4.0/one {
				t.Fatalf("at %s the rate is %s, the law in floating point gives %.0f", now, a.Rate, f.rate)
			}
		}
	})
}

// A round trip is judged once: acknowledgements of packets that went out before the last judgement
// tell nothing of the rate that it set.
func TestRTTCCJudgesOnceInARoundTrip(t *testing.T) {
	c := newRTTCC(rttccParams())
	var a Allowance
	c.Start(0, &a)
	for i := range units.Time(100) {
		c.Acked(30*us+i*us/10, Ack{RTT: 30 * us}, &a) // all were sent before the first came back
	}
	if a.Rate != 200*units.Gbps {
		t.Errorf("one congested round trip sets the rate to %s, want half of the line rate", a.Rate)
	}
	c.Acked(61*us, Ack{RTT: 30 * us}, &a)
	if want := units.Rate(200e9 * 0.97); a.Rate > want+units.Mbps || a.Rate < want-10*units.Mbps {
		t.Errorf("the second sets it to %s, want 3 %% less", a.Rate)
	}
}

// The target of two flows of one fabric differs by their rates, so that they come to equal shares.
func TestASlowerFlowOfRTTCCHasALongerTarget(t *testing.T) {
	c := newRTTCC(rttccParams())
	var a Allowance
	c.Start(0, &a)
	for rate, want := range map[units.Rate]units.Time{
		400 * units.Gbps: 14_300_000, 100 * units.Gbps: 15_600_000, 4 * units.Gbps: 26_000_000,
	} {
		c.rate = rate
		if got := c.Target(); got < want-5000 || got > want {
			t.Errorf("at %s the target is %s, want %s", rate, got, want)
		}
	}
}

func TestADelayOnlyRTTCCIsDeafToCNPs(t *testing.T) {
	for only, want := range map[bool]units.Rate{false: 200 * units.Gbps, true: 400 * units.Gbps} {
		p := rttccParams()
		p.DelayOnly = only
		c := newRTTCC(p)
		var a Allowance
		c.Start(0, &a)
		c.Notified(us, &a)
		c.Acked(5*us, Ack{RTT: 3 * us}, &a)
		if a.Rate != want {
			t.Errorf("delay-only %t: after a CNP the rate is %s, want %s", only, a.Rate, want)
		}
	}
}
