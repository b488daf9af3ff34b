package cc

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"weft/units"
)

// nsccParams are the parameters for 400 Gb/s and 12 us with trimming: 600 kB in flight,
// four times the reference network's.
func nsccParams() *NSCCParams {
	return &NSCCParams{
		LineRate: 400 * units.Gbps, Packet: 4096, BaseRTT: 12 * us, TargetDelay: 9 * us,
		Proportional: 4 * 4 * 4096 * 3 / 4, Fair: 5 * 4 * 4096, Steady: 15 * 4 * 4096 / 100,
		FastScale: one, Beta: one * 8 / 10, MaxDecrease: one / 2, QuickGate: 3, QuickDelay: units.Forever,
	}
}

// floatNSCC is the pseudo-code of the UET specification, 3.6.13.5 and 3.6.13.6, in
// floating point, bytes and nanoseconds (which floats hold exactly).
type floatNSCC struct {
	cwnd, base, maxWnd, avg            float64
	inc, received, achieved            float64
	calm                               float64
	increase, trigger                  bool
	adjusted, decreased, qaEnd         float64
	sampled                            float64
	ignore, ignored                    float64
	mtu, target, alpha, fi, eta, gamma float64
	config                             float64
}

func newFloatNSCC() *floatNSCC {
	return &floatNSCC{
		cwnd: 900e3, base: 12e3, maxWnd: 900e3, mtu: 4096, target: 9e3, config: 12e3,
		alpha: 4.0 * 4 * 0.75 * 4096 / 9e3, fi: 5 * 4096 * 4, eta: 0.15 * 4096 * 4, gamma: 0.8,
	}
}

// sample is get_avg_delay, the mean of the last base round trip.
func (f *floatNSCC) sample(now, delay float64) {
	f.avg += (delay - f.avg) * min(1, (now-f.sampled)/f.base)
	f.sampled = now
}

func (f *floatNSCC) bound() { f.cwnd = min(max(f.cwnd, f.mtu), f.maxWnd) }

func (f *floatNSCC) quickAdapt(now float64, loss, marked bool, flight float64) bool {
	done := false
	if f.ignored < f.ignore && marked {
		done = true
	} else if now >= f.qaEnd {
		if f.qaEnd != 0 && (f.trigger || loss) && f.achieved < math.Floor(f.maxWnd/8) {
			f.cwnd = max(f.achieved, f.mtu)
			f.ignore, f.ignored, f.trigger, done = flight, 0, false, true
		}
		f.achieved = 0
		f.qaEnd = now + f.base + f.target
	}
	if done {
		f.inc, f.received = 0, 0
	}
	return done
}

func (f *floatNSCC) ack(now, rtt, bytes, flight float64, marked bool) {
	f.ignored += bytes
	f.received += bytes
	f.achieved += bytes
	if rtt < f.base {
		f.base, f.maxWnd = rtt, 1.5*50*rtt
	}
	delay := rtt - f.base
	f.sample(now, delay)
	if f.quickAdapt(now, false, marked, flight) {
		f.bound()
		return
	}
	switch {
	case !marked && delay >= f.target:
		f.inc += f.fi * bytes
	case !marked:
		f.proportional(bytes, delay)
	case delay >= f.target:
		f.increase, f.calm = false, 0
		if f.avg > f.target && now-f.decreased > f.base {
			f.cwnd *= max(1-f.gamma*(f.avg-f.target)/f.avg, 0.5)
			f.decreased = now
		}
	}
	if now-f.adjusted >= f.config || f.received > 8*f.mtu {
		f.cwnd += f.inc / f.cwnd
		if now-f.adjusted >= f.config {
			f.adjusted = now
			f.cwnd += f.eta
		}
		f.inc, f.received = 0, 0
	}
	f.bound()
}

func (f *floatNSCC) proportional(bytes, delay float64) {
	if delay < 1000 {
		f.calm += bytes
		if f.calm > f.cwnd || f.increase {
			f.cwnd += bytes
			f.increase = true
			return
		}
	} else {
		f.calm, f.increase = 0, false
	}
	f.inc += f.alpha * bytes * (f.target - delay)
}

func (f *floatNSCC) nack(now, bytes, flight float64) {
	f.sample(now, f.config)
	f.ignored += bytes
	f.trigger = true
	if !f.quickAdapt(now, true, true, flight) {
		f.cwnd -= bytes
	}
	f.bound()
}

func TestNSCCFollowsTheSpecification(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c, f := newNSCC(nsccParams()), newFloatNSCC()
		var a Allowance
		if wants := c.Start(0, &a); wants != WantAcks|WantRTT || a.Window != 900_000-4096+1 {
			t.Fatalf("it wants %b and starts at %d", wants, a.Window)
		}
		now := 0
		for range rapid.IntRange(1, 150).Draw(t, "acks") {
			now += rapid.IntRange(0, 3000).Draw(t, "ns")
			flight := rapid.IntRange(0, 900_000).Draw(t, "flight")
			if rapid.IntRange(0, 9).Draw(t, "nack") == 0 {
				c.Acked(units.Time(now)*units.Nanosecond, Ack{Lost: 4096, Trimmed: true, RTT: 15 * us, Flight: units.Bytes(flight)}, &a)
				f.nack(float64(now), 4096, float64(flight))
			} else {
				rtt, bytes := rapid.IntRange(10_000, 60_000).Draw(t, "rtt"), rapid.IntRange(0, 5).Draw(t, "packets")*4096
				marked := rapid.Bool().Draw(t, "marked")
				if d := rtt - int(f.base); d > 8990 && d < 9010 || d > 990 && d < 1010 {
					return // rounding would decide on which side of the target it is
				}
				c.Acked(units.Time(now)*units.Nanosecond, Ack{Bytes: units.Bytes(bytes), RTT: units.Time(rtt) * units.Nanosecond, Flight: units.Bytes(flight), Marked: marked}, &a)
				f.ack(float64(now), float64(rtt), float64(bytes), float64(flight), marked)
			}
			if math.Abs(f.avg-f.target) < 1 {
				return
			}
			if got := float64(c.Window()); math.Abs(got-f.cwnd) > 1e-3*f.cwnd+50 {
				t.Fatalf("at %d ns the window is %.0f, the specification's arithmetic gives %.0f", now, got, f.cwnd)
			}
			if a.Window != c.Window()-4096+1 || a.Rate != 0 {
				t.Fatalf("window %d is granted as %d at rate %d", c.Window(), a.Window, a.Rate)
			}
		}
	})
}

// In an empty network the window grows up to one and a half times the bytes in flight,
// no further; a shorter round trip lowers that.
func TestNSCCsWindowEndsAtOneAndAHalfTimesTheFlight(t *testing.T) {
	c := newNSCC(nsccParams())
	var a Allowance
	c.Start(0, &a)
	c.window = 4096
	for i := range 2000 {
		c.Acked(units.Time(i)*us, Ack{Bytes: 4096, RTT: 12 * us}, &a)
	}
	if c.Window() != 900_000 {
		t.Errorf("the window is %d, want 1.5 · 600 kB", c.Window())
	}
	c.Acked(2000*us, Ack{Bytes: 4096, RTT: 6 * us}, &a)
	if c.Window() != 450_000 {
		t.Errorf("after a round trip of half the time it is %d, want half", c.Window())
	}
}

// An incast: in its first round trip 40 kB came back, then a packet is trimmed. The
// window becomes these 40 kB at once, and marks of packets already in flight cut no
// further.
func TestNSCCAdaptsToATrimInARoundTrip(t *testing.T) {
	c := newNSCC(nsccParams())
	var a Allowance
	c.Start(0, &a)
	c.Acked(20*us, Ack{Bytes: 4096, RTT: 20 * us, Marked: true, Flight: 800_000}, &a) // begins a round
	for i := range 10 {
		c.Acked(units.Time(21+i)*us, Ack{Bytes: 4096, RTT: 20 * us, Marked: true, Flight: 800_000}, &a)
	}
	c.Acked(42*us, Ack{Lost: 4096, Trimmed: true, Flight: 700_000}, &a)
	if c.Window() != 40_960 {
		t.Fatalf("the window is %d, want the ten packets of the last round", c.Window())
	}
	for i := range 20 {
		c.Acked(units.Time(70+20*i)*us, Ack{Bytes: 4096, RTT: 40 * us, Marked: true, Flight: 600_000}, &a)
	}
	if c.Window() != 40_960 {
		t.Errorf("earlier marks move it to %d", c.Window())
	}
}

// The mean delay covers the last base round trip, however little of the window comes back
// in it: a sender with a quarter of the acknowledgements shrinks as soon as a sender with
// all. With 24 us of queueing the mean is 24 us · (1 − 1/e) or more after a round trip, and
// the target 9 us: the window shrinks by a third or more.
func TestNSCCsMeanDelayReachesBackOneBaseRoundTrip(t *testing.T) {
	for _, every := range []units.Time{us, 4 * us} {
		c := newNSCC(nsccParams())
		var a Allowance
		c.Start(0, &a)
		for at := every; at <= 16*us; at += every {
			c.Acked(at, Ack{Bytes: 4096, RTT: 36 * us, Marked: true, Flight: 800_000}, &a)
		}
		if c.Window() > 900_000*2/3 {
			t.Errorf("with an acknowledgement each %v, 16 us of 24 us of queueing leave a window of %d", every, c.Window())
		}
	}
}

// Bytes that are lost without a trim are taken off the window.
func TestNSCCTakesLossesOffTheWindow(t *testing.T) {
	c := newNSCC(nsccParams())
	var a Allowance
	c.Start(0, &a)
	c.Acked(0, Ack{Lost: 100_000}, &a)
	if c.Window() != 800_000 {
		t.Errorf("the window is %d, want 900 kB less 100 kB", c.Window())
	}
	c.Acked(0, Ack{Lost: 10_000_000}, &a)
	if c.Window() != 4096 {
		t.Errorf("the window is %d, want one packet", c.Window())
	}
}
