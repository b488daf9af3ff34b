package cc

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"weft/units"
)

func swiftParams() *SwiftParams {
	return &SwiftParams{
		Packet: 1000, BaseTarget: 20 * us, HopTarget: us, Increase: one, Beta: one * 8 / 10, MaxDecrease: one / 2,
		FlowRange: 100 * us, FlowMin: one / 10, FlowMax: 100 * one, MinWindow: one / 100, MaxWindow: 200 * one,
	}
}

// floatSwift is algorithm 1 of the paper in floating point, in packets and
// picoseconds.
type floatSwift struct{ window, lastCut float64 }

func (f *floatSwift) target(hops int) float64 {
	alpha := 100e6 / (1/math.Sqrt(0.1) - 1/math.Sqrt(100))
	beta := -alpha / math.Sqrt(100)
	return 20e6 + float64(hops)*1e6 + min(max(alpha/math.Sqrt(f.window)+beta, 0), 100e6)
}

func (f *floatSwift) acked(now, rtt float64, hops int) {
	switch target := f.target(hops); {
	case rtt < target && f.window >= 1:
		f.window += 1 / f.window
	case rtt < target:
		f.window++
	case now >= f.lastCut+rtt:
		f.window *= max(1-0.8*(rtt-target)/rtt, 0.5)
		f.lastCut = now
	}
	f.window = min(max(f.window, 0.01), 200)
}

func TestSwiftFollowsThePaper(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c, f := newSwift(swiftParams()), floatSwift{window: 200, lastCut: -1e12}
		var a Allowance
		c.Start(0, &a)
		rtt, hops := units.Time(rapid.IntRange(10_000, 400_000).Draw(t, "ns"))*units.Nanosecond, rapid.IntRange(0, 5).Draw(t, "hops")
		for i := range rapid.IntRange(1, 80).Draw(t, "acks") {
			// At the target itself rounding would decide which way it goes.
			if math.Abs(float64(rtt)-f.target(hops)) < 1e5 {
				return
			}
			now := units.Time(i) * units.Time(rapid.IntRange(1, 100).Draw(t, "us")) * us
			if now < c.decreaseAt && float64(now) >= f.lastCut+float64(rtt) {
				return // the round trip of the cut and this one's differ
			}
			c.Acked(now, Ack{Bytes: 1000, RTT: rtt, Hops: hops}, &a)
			f.acked(float64(now), float64(rtt), hops)
			if got := float64(c.Window()) / one; math.Abs(got-f.window) > 1e-3*f.window+1e-3 {
				t.Fatalf("window %.4f, the paper's arithmetic gives %.4f", got, f.window)
			}
		}
	})
}

func TestSwiftsTargetGrowsAsTheWindowShrinks(t *testing.T) {
	c := newSwift(swiftParams())
	for _, x := range []struct {
		window int64
		extra  units.Time
	}{
		{100 * one, 0},
		{200 * one, 0},
		{one / 10, 100 * us},
		{one / 50, 100 * us},
		// (1 - 0.1) / (√10 - 0.1) of the range
		{one, units.Time(100e6 * 0.9 / (math.Sqrt(10) - 0.1))},
	} {
		c.window = x.window
		if got, want := c.Target(3), 23*us+x.extra; got < want-10*units.Nanosecond || got > want+10*units.Nanosecond {
			t.Errorf("at a window of %.2f packets and three switches the target is %d ps, want %d", float64(x.window)/one, got, want)
		}
	}
}

// A delay of twice the target takes 0.8 · 1/2 of the window, and only once in a
// round trip.
func TestSwiftCutsOnceInARoundTrip(t *testing.T) {
	c := newSwift(swiftParams())
	var a Allowance
	c.Start(0, &a)
	c.Acked(0, Ack{Bytes: 1000, RTT: 40 * us}, &a)
	c.Acked(39*us, Ack{Bytes: 1000, RTT: 60 * us}, &a)
	if c.Window()/one != 119 && c.Window()/one != 120 {
		t.Errorf("the window is %d packets, want 200 · 0.6", c.Window()/one)
	}
	if a.Rate != 0 || a.Window != 1000*units.Bytes(c.Window()/one) {
		t.Errorf("rate %d, window %d bytes, want unpaced and the whole packets", a.Rate, a.Window)
	}
}

// A quarter of a packet in a round trip of 40 us is a packet in 160 us.
func TestSwiftPacesBelowOnePacket(t *testing.T) {
	p := swiftParams()
	p.MaxWindow = one / 4
	c := newSwift(p)
	var a Allowance
	c.Start(0, &a)
	c.Acked(0, Ack{Bytes: 1000, RTT: 40 * us}, &a)
	if want := rateOf(1000, 160*us); a.Window != 1 || a.Rate < want-1 || a.Rate > want {
		t.Errorf("window %d bytes, rate %d, want one packet and %d", a.Window, a.Rate, want)
	}
}
