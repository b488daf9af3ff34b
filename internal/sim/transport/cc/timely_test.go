package cc

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"weft/units"
)

func timelyParams() *TimelyParams {
	return &TimelyParams{
		LineRate: 10 * units.Gbps, MinRate: 100 * units.Mbps, Weight: one * 7 / 8, Beta: one * 8 / 10,
		Low: 50 * us, High: 500 * us, MinRTT: 20 * us, AdditiveRate: 10 * units.Mbps, HyperAfter: 5, Segment: 16000,
	}
}

// floatTimely is algorithm 1 of the paper in floating point.
type floatTimely struct{ rate, last, diff, falling float64 }

func (f *floatTimely) acked(rtt float64) {
	if f.last == 0 {
		f.last = rtt
		return
	}
	f.diff = f.diff/8 + (rtt-f.last)*7/8
	f.last = rtt
	gradient := f.diff / 20e6
	switch {
	case rtt < 50e6:
		f.falling = 0
		f.rate += 10e6
	case rtt > 500e6:
		f.falling = 0
		f.rate *= 1 - 0.8*(1-500e6/rtt)
	case gradient <= 0:
		f.falling++
		f.rate += 10e6
		if f.falling >= 5 {
			f.rate += 40e6
		}
	default:
		f.falling = 0
		f.rate *= math.Max(0, 1-0.8*gradient)
	}
	f.rate = min(max(f.rate, 100e6), 10e9)
}

func TestTimelyFollowsThePaper(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c, f := newTimely(timelyParams()), floatTimely{rate: 10e9}
		var a Allowance
		c.Start(0, &a)
		for range rapid.IntRange(1, 60).Draw(t, "acks") {
			rtt := units.Time(rapid.IntRange(10_000, 900_000).Draw(t, "ns")) * units.Nanosecond
			if rapid.Bool().Draw(t, "repeat") && f.last > 0 {
				rtt = units.Time(f.last) // a gradient that decays
			}
			c.Acked(0, Ack{Bytes: 16000, RTT: rtt}, &a)
			f.acked(float64(rtt))
			if f.diff > 0 && f.diff < 100 {
				return // a gradient of next to nothing: picoseconds are rounded to none
			}
			// Rounding of a fraction of 2^16 with each of at most 60 cuts.
			if off := math.Abs(float64(a.Rate) - f.rate); off > 10e9*60/one {
				t.Fatalf("rate %d, the paper's arithmetic gives %.0f", a.Rate, f.rate)
			}
		}
	})
}

func TestTimelyLooksAtEachSegmentOnce(t *testing.T) {
	p := timelyParams()
	p.LineRate = 20 * units.Gbps
	c := newTimely(p)
	var a Allowance
	c.Start(0, &a)
	c.rate = 10 * units.Gbps
	for range 3 * 16 {
		c.Acked(0, Ack{Bytes: 1000, RTT: 40 * us}, &a)
	}
	c.Acked(0, Ack{Bytes: 16000}, &a) // one whose round trip is not known
	// The first segment has no difference yet.
	if want := 10*units.Gbps + 2*10*units.Mbps; a.Rate != want {
		t.Errorf("after three segments below the low threshold the rate is %d, want %d", a.Rate, want)
	}
}
