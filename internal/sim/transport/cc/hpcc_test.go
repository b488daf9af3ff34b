package cc

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"weft/units"
)

func hpccParams() *HPCCParams {
	return &HPCCParams{
		LineRate: 100 * units.Gbps, MinRate: 100 * units.Mbps, BaseRTT: 10 * us,
		Utilisation: one * 95 / 100, MaxStage: 5, Increase: 80,
	}
}

// link is a port that has sent at a share of 100 Gb/s for a time, with a queue.
type link struct {
	at    units.Time
	sent  units.Bytes
	queue units.Bytes
}

func (l *link) pass(t units.Time, share float64, queue units.Bytes) {
	l.at += t
	l.sent += units.Bytes(share * 12.5e9 * float64(t) / 1e12)
	l.queue = queue
}

func (l *link) hop() Hop { return Hop{At: l.at, Sent: l.sent, Queue: l.queue, Rate: 100 * units.Gbps} }

// A link with twice its target load halves the window in one round trip. A link at its
// target leaves the window. An idle link lets it double back at once, but only to line
// rate.
func TestHPCCBringsALinkToItsTargetInOneRoundTrip(t *testing.T) {
	c := newHPCC(hpccParams())
	var a Allowance
	var l link
	c.Start(0, &a)
	if a.Window != 125_000 || a.Rate != 100*units.Gbps {
		t.Fatalf("at the start window %d, rate %d, want 125000 and line rate", a.Window, a.Rate)
	}
	ack := func() {
		path := Path{N: 1, Hop: [MaxHops]Hop{l.hop()}}
		c.Acked(l.at, Ack{Bytes: 1000, Flight: a.Window, Path: &path}, &a)
	}
	ack()
	l.pass(10*us, 0.95, 0)
	ack() // the load is measured over a whole round trip and replaces the estimate
	before := a.Window
	l.pass(10*us, 1, 0)
	l.queue = 112_500 // 0.9 of the bandwidth-delay product, twice in a row
	ack()
	l.pass(10*us, 1, 112_500)
	ack()
	if want := float64(before) / 2; math.Abs(float64(a.Window)-want) > 0.01*want+200 {
		t.Errorf("at a load of 1.9 the window went from %d to %d, want about half", before, a.Window)
	}
}

// floatHPCC is algorithm 1 of the paper in floating point.
type floatHPCC struct {
	w, wc, u        float64
	stage           int
	acked, updateAt float64
	last            []link
	known           bool
}

func (f *floatHPCC) ack(links []link, bytes, flight float64) {
	f.acked += bytes
	if f.known {
		u, tau := -1.0, 0.0
		for i := range links {
			t := float64(links[i].at - f.last[i].at)
			if t <= 0 {
				continue
			}
			x := float64(min(links[i].queue, f.last[i].queue))/125_000 + float64(links[i].sent-f.last[i].sent)/(12.5e9*t/1e12)
			if x > u {
				u, tau = x, t
			}
		}
		if u >= 0 {
			tau = min(tau, 10e6)
			f.u = (1-tau/10e6)*f.u + tau/10e6*u
		}
		over := f.acked > f.updateAt
		full := f.u >= 0.95 || f.stage >= 5
		f.w = f.wc + 80
		if full {
			f.w = f.wc*0.95/max(f.u, 1e-6) + 80
		}
		f.w = min(max(f.w, 125), 125_000)
		if over {
			f.wc = f.w
			f.stage++
			if full {
				f.stage = 0
			}
			f.updateAt = f.acked + flight
		}
	}
	f.last, f.known = append(f.last[:0], links...), true
}

func TestHPCCFollowsThePaper(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := newHPCC(hpccParams())
		f := floatHPCC{w: 125_000, wc: 125_000, u: 1}
		var a Allowance
		c.Start(0, &a)
		links := make([]link, rapid.IntRange(1, MaxHops).Draw(t, "hops"))
		for range rapid.IntRange(1, 40).Draw(t, "acks") {
			path := Path{N: len(links)}
			step := units.Time(rapid.IntRange(1, 20_000).Draw(t, "ns")) * units.Nanosecond
			for i := range links {
				links[i].pass(step, float64(rapid.IntRange(0, 100).Draw(t, "share"))/100, units.Bytes(rapid.IntRange(0, 300_000).Draw(t, "queue")))
				path.Hop[i] = links[i].hop()
			}
			if math.Abs(f.u-0.95) < 1e-3 {
				return // rounding would decide which way it goes
			}
			flight := a.Window
			c.Acked(0, Ack{Bytes: 4000, Flight: flight, Path: &path}, &a)
			f.ack(links, 4000, float64(flight))
			if math.Abs(f.u-0.95) < 1e-3 {
				return
			}
			if got := float64(a.Window); math.Abs(got-f.w) > 0.02*f.w+5 {
				t.Fatalf("window %d at a load of %.4f, the paper's arithmetic gives %.1f at %.4f", a.Window, float64(c.Load())/loadOne, f.w, f.u)
			}
		}
	})
}
