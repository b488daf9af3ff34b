package transport

import (
	"testing"

	"weft/internal/sim/transport/cc"
	"weft/units"
)

// lastOf is the time of the last of n packets of a queue pair that is paced at 1 Gb/s and
// whose caller comes late after each wait.
func lastOf(t *testing.T, n int, late, slack units.Time) (at units.Time) {
	t.Helper()
	p, err := cc.DCQCNPreset("paper", units.Gbps)
	if err != nil {
		t.Fatal(err)
	}
	q, err := newQP(&Config{PathMTU: 1000, PaceSlack: slack}, RC, 1, cc.NewDCQCN(&p, cc.Unlimited))
	if err != nil {
		t.Fatal(err)
	}
	if err := q.Connect(0, 2, 0, 0); err != nil {
		t.Fatal(err)
	}
	if err := q.PostSend(0, WorkRequest{Op: OpWrite, Length: uint32(1000 * n)}); err != nil {
		t.Fatal(err)
	}
	var pkt Packet
	for range n {
		if ready := q.Ready(at); ready > at {
			at = ready + late
		}
		if !q.Next(at, &pkt) {
			t.Fatal("there is nothing to send")
		}
	}
	return at
}

func TestACallerThatIsLateReachesTheRateWithinItsSlack(t *testing.T) {
	const n, gap, us = 1000, 8 * units.Microsecond, units.Microsecond // 1000 bytes at 1 Gb/s
	for _, c := range []struct{ late, slack, want units.Time }{
		{0, 0, (n - 1) * gap},
		{5 * us, 0, (n-1)*(gap+5*us) + 5*us},
		{5 * us, 10 * us, (n-1)*gap + 5*us},
		// Of each wait the time beyond the slack is lost: two packets go after one wait.
		{15 * us, 10 * us, n/2*(2*gap+5*us) + 15*us},
	} {
		// The slack lets the first packets go at once.
		if got := lastOf(t, n, c.late, c.slack); got > c.want || got < c.want-c.slack-gap {
			t.Errorf("%v late with a slack of %v: the last of %d packets went at %v, want %v", c.late, c.slack, n, got, c.want)
		}
	}
}

// A rising rate brings the next packet forward, unless the configuration keeps the wait
// that was set at the last sending. It goes no earlier than now. A falling rate delays nothing.
func TestARateThatRisesBringsTheNextPacketForward(t *testing.T) {
	const us = units.Microsecond
	for _, c := range []struct {
		keep bool
		rate units.Rate
		want units.Time
	}{
		{false, 2 * units.Gbps, 14 * us}, {true, 2 * units.Gbps, 18 * us}, {false, units.Gbps / 2, 18 * us}, {false, 0, 11 * us},
	} {
		e := &endpoint{cfg: &Config{KeepPace: c.keep, PacedOverhead: 100}, controlled: true}
		g := congestion{allow: cc.Free()}
		g.allow.Rate = units.Gbps
		g.pace(e, 10*us, 900) // 8 us at 1 Gb/s
		if g.paceAt != 18*us {
			t.Fatalf("the next packet goes at %v, want 18 us", g.paceAt)
		}
		g.allow.Rate = c.rate
		if g.repace(e.cfg, 11*us); g.paceAt != c.want {
			t.Errorf("at %v the next packet goes at %v, want %v", c.rate, g.paceAt, c.want)
		}
	}
}

// The algorithm is called when its budget is used up, and its wake-up time holds.
func TestABudgetThatIsUsedUpCallsTheAlgorithm(t *testing.T) {
	alg := &probe{}
	e := &endpoint{cfg: &Config{}, controlled: true, wake: units.Forever}
	g := congestion{alg: alg, allow: cc.Free()}
	g.start(e, 0)
	if e.wants != cc.WantAcks || e.wake != g.allow.Wake {
		t.Errorf("begun, it wants %v and wakes at %v, want acknowledgements and %v", e.wants, e.wake, g.allow.Wake)
	}
	for i, want := range []int{0, 1, 1, 2} {
		if g.pace(e, 0, 1024); alg.sents != want {
			t.Errorf("after packet %d it was called %d times, want %d", i, alg.sents, want)
		}
	}
	if g.expire(e.cfg, g.allow.Wake-1); len(alg.timers) != 0 {
		t.Error("its timer was called before its time")
	}
	if g.expire(e.cfg, g.allow.Wake); len(alg.timers) != 1 {
		t.Errorf("its timer was called %d times, want once", len(alg.timers))
	}
}
