package tcp

import (
	"errors"
	"math"
	"testing"

	"weft/units"
)

// plain is a configuration whose closed forms are simple: 1,000-byte
// segments, no early exit from slow start.
func plain() Config {
	cfg := Linux(1500)
	cfg.MSS = 1000
	cfg.HyStart = false
	return cfg
}

func within(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if math.Abs(got-want) > tolerance {
		t.Errorf("%s is %.6g, expected %.6g ± %.3g", what, got, want, tolerance)
	}
}

// RFC 5681, 3.1: the window doubles each round trip.
func TestSlowStartDoublesPerRoundTrip(t *testing.T) {
	cfg := plain()
	cfg.Window = 100 * units.MB
	n := newNetwork(t, &cfg, 50*us)
	n.send(0, 50*units.MB, 1)
	for round, want := 0, uint32(10); round < 10; round, want = round+1, 2*want {
		n.run(units.Time(round)*100*us + us)
		if got := n.ends[0].Snapshot().Window; got != want {
			t.Errorf("after %d round trips the window is %d packets, expected %d", round, got, want)
		}
	}
}

// A connection that its receive window limits moves one window per round trip.
func TestThroughputIsWindowPerRoundTrip(t *testing.T) {
	cfg := plain()
	cfg.Window = 64_000
	n := newNetwork(t, &cfg, 50*us)
	n.send(0, units.GB, 1)
	n.run(10 * ms)
	before := n.ends[1].rcv.nxt
	n.run(20 * ms)
	if got, want := n.ends[1].rcv.nxt-before, uint64(100*64_000); got != want {
		t.Errorf("100 round trips move %d bytes, expected %d", got, want)
	}
}

// A lone message takes the latency of one packet, whatever the timers.
func TestLoneMessageTakesOneWayTime(t *testing.T) {
	cfg := plain()
	n := newNetwork(t, &cfg, 7*us)
	n.byteTime = 20 // 400 Gb/s
	var received, sent units.Time
	n.onComplete = func(_ int, c Completion) {
		if c.Outcome == Received {
			received = n.now
		} else {
			sent = n.now
		}
	}
	n.send(0, 5_500, 1)
	n.run(ms)
	// Departure of the last bit of six segments, 5 full and one of 500 bytes;
	// the pipe here takes a segment when its port has finished it.
	want := 20*units.Time(5*(1000+52)+500+52) + 7*us
	if received != want || sent != want+7*us {
		t.Errorf("received at %d ps and acknowledged at %d ps, expected %d and %d", received, sent, want, want+7*us)
	}
}

// W_cubic of RFC 9438, 4.2, in floating point, and its integer form.
func TestCubedAndCubeRootAgreeWithFloats(t *testing.T) {
	for _, t0 := range []uint64{0, 1, 1000, 12_345, 1_000_000, 7_654_321, 60_000_000} {
		s := float64(t0) / 1e6
		want := 0.4 * s * s * s * cubicOne
		within(t, "C·t³", float64(cubed(t0)), want, 1+want*1e-12)
	}
	for _, packets := range []uint64{1, 10, 300, 30_000} {
		want := math.Cbrt(float64(packets)/0.4) * 1e6
		within(t, "K", float64(cubeRoot(packets*cubicOne)), want, 1+want*1e-6)
	}
}

// cubicTrace reduces a window of w packets and returns it after each of the
// round trips that follow, all packets of each acknowledged one by one.
func cubicTrace(w uint32, rtt units.Time, rounds int) []float64 {
	c := &cubic{}
	win := window{cwnd: w, ssthresh: w}
	c.prior = w
	win.ssthresh = c.threshold(&win, dropped)
	win.cwnd = win.ssthresh
	var trace []float64
	now := units.Second
	for range rounds {
		n := win.cwnd
		for i := range n {
			c.grow(&win, ack{now: now + rtt*units.Time(i)/units.Time(n), delivered: 1, minRTT: rtt})
		}
		now += rtt
		trace = append(trace, float64(win.cwnd))
	}
	return trace
}

// At long round-trip times the window follows the cubic.
func TestCubicFollowsTheFormulaBetweenLosses(t *testing.T) {
	const wMax, rtt = 1000, 0.1
	k := math.Cbrt(wMax * (1 - 0.7) / 0.4)
	for i, got := range cubicTrace(wMax, 100*ms, 150) {
		at := float64(i+1) * rtt
		want := 0.4*(at-k)*(at-k)*(at-k) + wMax
		within(t, "the window", got, want, 2+0.005*want)
	}
}

// At short round-trip times it follows Reno's estimate: 9/17 packets a round trip up to
// the window before the loss, then one.
func TestCubicIsFriendlyToRenoAtShortRoundTrips(t *testing.T) {
	const wMax = 100
	want := 70.0
	for _, got := range cubicTrace(wMax, 50*us, 150) {
		if want < wMax {
			want += 9.0 / 17
		} else {
			want++
		}
		within(t, "the window", got, want, 2+0.02*want)
	}
}

// RFC 9438, 4.7: a loss below the last plateau gives way.
func TestCubicConvergesFast(t *testing.T) {
	c := &cubic{}
	w := window{cwnd: 1000}
	if got := c.threshold(&w, dropped); got != 700 {
		t.Errorf("the threshold after a loss at 1000 is %d, expected 700", got)
	}
	w.cwnd = 800
	c.threshold(&w, dropped)
	within(t, "W_max in packets", float64(c.wMax)/cubicOne, 800*(1+0.7)/2, 0.001)
}

// RFC 8257, 3.3: alpha is an exponential average of the share of marks.
func TestDCTCPAlphaConvergesToTheShareOfMarks(t *testing.T) {
	for _, every := range []int{0, 1, 2, 4, 10} {
		d := &dctcp{shift: 4, alpha: alphaOne}
		share, alpha := 0.0, 1.0
		if every > 0 {
			share = 1 / float64(every)
		}
		una := uint64(0)
		for i := range 200 * 100 {
			una += 1000
			d.delivered(ack{una: una, nxt: una + 100_000, delivered: 1, ece: every > 0 && i%every == 0})
		}
		for range 200 {
			alpha += (share - alpha) / 16
		}
		within(t, "alpha", float64(d.alpha)/alphaOne, alpha, 0.001)
	}
}

// The first windows without marks: alpha is (15/16)^n, one step per window of
// data.
func TestDCTCPAlphaDecaysOncePerWindow(t *testing.T) {
	cfg := DataCenter(1500)
	cfg.MSS = 1000
	n := newNetwork(t, &cfg, 50*us)
	n.send(0, 50*units.MB, 1)
	for round := 1; round < 9; round++ {
		n.run(units.Time(round)*100*us + us)
		// The first acknowledgement of all ends the empty window at offset 0,
		// and every round trip ends one more.
		want := math.Pow(15.0/16, float64(round+1))
		within(t, "alpha", float64(n.ends[0].Snapshot().Alpha)/alphaOne, want, 1e-5)
	}
}

// One DCTCP flow over a slow link keeps it busy with a queue near the marking
// threshold: the point of RFC 8257.
func TestDCTCPKeepsTheLinkBusyAndTheQueueShort(t *testing.T) {
	cfg := DataCenter(9000)
	n := newNetwork(t, &cfg, 20*us)
	n.byteTime, n.slow = 20, 80 // 400 Gb/s into 100 Gb/s
	n.markAt = 20 * us
	n.send(0, units.GB, 1)
	n.run(20 * ms) // slow start is over
	n.queueMax = 0
	before := n.ends[1].rcv.nxt
	n.run(60 * ms)
	goodput := float64(n.ends[1].rcv.nxt-before) / 40e-3
	capacity := 1e12 / 80 * 8948 / 9000
	if goodput < 0.99*capacity || goodput > capacity*1.001 {
		t.Errorf("goodput is %.4g B/s of %.4g", goodput, capacity)
	}
	if n.queueMax > 30*us {
		t.Errorf("the queue reaches %d ps, marking begins at %d", n.queueMax, n.markAt)
	}
	if st := n.ends[0].Stats(); st.Retransmitted != 0 {
		t.Errorf("%d segments are sent again, none was lost", st.Retransmitted)
	}
}

// One CUBIC flow through a drop-tail queue of a bandwidth-delay product keeps
// the link busy and repairs its losses without a timeout.
func TestCubicFillsADropTailLinkWithoutTimeouts(t *testing.T) {
	cfg := Linux(9000)
	n := newNetwork(t, &cfg, 20*us)
	n.byteTime, n.slow = 20, 80
	n.limit = 40 * us
	n.send(0, units.GB, 1)
	n.run(20 * ms)
	before := n.ends[1].rcv.nxt
	n.run(80 * ms)
	goodput := float64(n.ends[1].rcv.nxt-before) / 60e-3
	capacity := 1e12 / 80 * 8948 / 9000
	if goodput < 0.95*capacity {
		t.Errorf("goodput is %.4g B/s of %.4g", goodput, capacity)
	}
	st := n.ends[0].Stats()
	if n.queueDrops == 0 || st.Timeouts != 0 {
		t.Errorf("%d drops and %d timeouts, expected some and none", n.queueDrops, st.Timeouts)
	}
	if int(st.Retransmitted) != n.queueDrops {
		t.Errorf("%d segments are sent again for %d drops", st.Retransmitted, n.queueDrops)
	}
}

// RFC 6298 with the floor of Linux: a lone segment that is lost comes again
// after SRTT + MinRTO, as a probe, and then in doubling steps.
func TestLoneSegmentComesAgainAfterTheTimeoutThenDoubles(t *testing.T) {
	cfg := plain()
	cfg.InitialRTT = 100 * us
	n := newNetwork(t, &cfg, 50*us)
	var at []units.Time
	n.judge = func(from, _ int, _ *Segment) fate {
		if from == 0 {
			at = append(at, n.now)
		}
		return fate{drop: from == 0 && len(at) < 5}
	}
	n.send(0, 100, 1)
	n.run(100 * units.Second)
	rto := 100*us + 200*ms
	want := []units.Time{0, rto, 2 * rto, 4 * rto, 8 * rto}
	for i := range want {
		if len(at) != len(want) || at[i] != want[i] {
			t.Fatalf("transmissions at %d, expected %d", at, want)
		}
	}
}

// After maxTimeouts in a row the connection gives up, and its messages fail.
func TestDeadPathFailsTheMessages(t *testing.T) {
	cfg := plain()
	n := newNetwork(t, &cfg, 50*us)
	n.judge = func(int, int, *Segment) fate { return fate{drop: true} }
	var failed []uint32
	n.onComplete = func(_ int, c Completion) {
		if c.Outcome == Failed {
			failed = append(failed, c.ID)
		}
	}
	n.send(0, 100_000, 7)
	n.send(0, 1, 8)
	if n.run(10_000 * units.Second) {
		t.Error("timers run on a connection that has given up")
	}
	if len(failed) != 2 || failed[0] != 7 || failed[1] != 8 {
		t.Errorf("messages %d fail, expected 7 and 8", failed)
	}
	if err := n.ends[0].Send(n.now, 1, 9); !errors.Is(err, ErrGone) {
		t.Errorf("Send gives %v, expected %v", err, ErrGone)
	}
}

// RFC 2861: the window halves for each timeout of silence, down to the initial window.
func TestIdleHalvesTheWindowPerTimeout(t *testing.T) {
	for _, tc := range []struct {
		idle units.Time
		want uint32
	}{{100 * ms, 1000}, {250 * ms, 500}, {650 * ms, 125}, {10 * units.Second, 10}} {
		cfg := plain()
		c := New(&cfg, 1)
		c.snd.win = window{cwnd: 1000, ssthresh: 20}
		c.snd.nxt, c.snd.una, c.snd.written = 1, 1, 1
		c.snd.rtt.timeout = 200 * ms
		if err := c.Send(tc.idle, 1, 1); err != nil {
			t.Fatal(err)
		}
		v := c.Snapshot()
		if v.Window != tc.want {
			t.Errorf("after %d ps the window is %d packets, expected %d", tc.idle, v.Window, tc.want)
		}
		if v.SSThresh != 750 && tc.want != 1000 {
			t.Errorf("after %d ps the threshold is %d packets, expected three quarters of 1000", tc.idle, v.SSThresh)
		}
	}
}

// An application that sends less than the window allows does not earn a
// larger one.
func TestWindowDoesNotGrowUnused(t *testing.T) {
	cfg := plain()
	cfg.MinRTO = units.Second
	n := newNetwork(t, &cfg, 50*us)
	for i := range 100 {
		n.send(0, 4000, uint32(i))
		n.run(n.now + ms)
	}
	if got := n.ends[0].Snapshot().Window; got != 10 {
		t.Errorf("the window is %d packets after messages of four, expected 10", got)
	}
}

// HyStart leaves slow start before the queue overflows.
func TestHyStartAvoidsTheOvershoot(t *testing.T) {
	drops := map[bool]int{}
	for _, on := range []bool{false, true} {
		cfg := Linux(9000)
		cfg.HyStart = on
		n := newNetwork(t, &cfg, 20*us)
		n.byteTime, n.slow, n.limit = 20, 80, 40*us
		n.send(0, 20*units.MB, 1)
		n.run(3 * ms)
		drops[on] = n.queueDrops
	}
	if drops[false] == 0 || drops[true]*4 > drops[false] {
		t.Errorf("%d drops with HyStart, %d without", drops[true], drops[false])
	}
}

// Undo: when all of a flight is merely late, the reduction is taken back.
func TestReorderingIsUndone(t *testing.T) {
	cfg := plain()
	cfg.InitialRTT = 100 * us
	n := newNetwork(t, &cfg, 50*us)
	n.judge = func(from, k int, _ *Segment) (f fate) {
		if from == 0 && k == 1 {
			f.delay = 150 * us
		}
		return f
	}
	n.send(0, 10_000, 1)
	n.run(10 * ms)
	st, v := n.ends[0].Stats(), n.ends[0].Snapshot()
	if st.Recoveries != 1 || st.Undone != 1 || v.State != Open || v.Window < 10 {
		t.Errorf("%d recoveries, %d undone, %v with %d packets; expected 1, 1, open with at least 10", st.Recoveries, st.Undone, v.State, v.Window)
	}
}

func TestConfigNamesEverythingWrong(t *testing.T) {
	bad := Config{Algorithm: 9, ECN: 7, MSS: 70_000, AckDelay: -1, DCTCPShift: 20}
	err := bad.Validate()
	if err == nil || len(err.(interface{ Unwrap() []error }).Unwrap()) < 8 {
		t.Errorf("Validate gives %v", err)
	}
	for _, good := range []Config{Linux(1500), Linux(9000), DataCenter(9000)} {
		if err := good.Validate(); err != nil {
			t.Error(err)
		}
	}
}

// RFC 9438, 4.4: the target is at most half a window away.
func TestCubicGrowsAtMostByHalfPerRoundTrip(t *testing.T) {
	c := &cubic{}
	w := window{cwnd: 100, ssthresh: 100}
	c.begin(0, 100*cubicOne)
	// After 20 s the curve is at 100 + 0.4·20³ = 3,300 packets.
	for range 100 {
		c.avoid(&w, ack{now: 20 * units.Second, minRTT: ms}, 1)
	}
	within(t, "the window after a round trip", float64(w.cwnd), 150, 1)
}

// RFC 9438, 5.8: time without traffic does not count.
func TestCubicStandsStillWhileIdle(t *testing.T) {
	c := &cubic{}
	c.begin(units.Second, 100*cubicOne)
	c.idle(30*units.Second, 20*units.Second)
	if want := 21 * units.Second; c.epoch != want {
		t.Errorf("the epoch is at %d ps, expected %d", c.epoch, want)
	}
	c.idle(31*units.Second, 20*units.Second)
	if want := 31 * units.Second; c.epoch != want {
		t.Errorf("the epoch is at %d ps, expected no later than now, %d", c.epoch, want)
	}
}

// RFC 9438, 4.8: after a timeout congestion avoidance starts at the plateau.
func TestCubicForgetsThePlateauAfterATimeout(t *testing.T) {
	c := &cubic{}
	w := window{cwnd: 1000}
	c.threshold(&w, timedOut)
	c.begin(0, 10*cubicOne)
	if c.k != 0 || c.wMax != 10*cubicOne {
		t.Errorf("K is %d us and W_max %d/2^20 packets, expected 0 and 10", c.k, c.wMax)
	}
}

// RFC 8257, 3.3 and 3.5: a mark reduces by alpha/2, a loss by half.
func TestDCTCPReducesByTheShareOfMarks(t *testing.T) {
	d := &dctcp{shift: 4, alpha: alphaOne / 4}
	w := window{cwnd: 80}
	for why, want := range map[cause]uint32{marked: 70, dropped: 40, timedOut: 40} {
		if got := d.threshold(&w, why); got != want {
			t.Errorf("cause %d: the threshold is %d, expected %d", why, got, want)
		}
	}
}

// RFC 6298, 2: SRTT, RTTVAR and the timeout, in floating point.
func TestTimeoutFollowsRFC6298(t *testing.T) {
	cfg := plain()
	var e rttEstimator
	srtt, rttvar := 0.0, 0.0
	for i, r := range []float64{0.1, 0.9, 0.5, 2, 0.1, 0.1, 1.5} {
		e.sample(units.Time(r*float64(units.Second)), &cfg)
		if i == 0 {
			srtt, rttvar = r, r/2
		} else {
			rttvar = 0.75*rttvar + 0.25*math.Abs(srtt-r)
			srtt = 0.875*srtt + 0.125*r
		}
		within(t, "the timeout in s", e.timeout.Seconds(), srtt+math.Max(4*rttvar, 0.2), 1e-9)
	}
}

// Karn, as in Linux's tcp_clean_rtx_queue: an acknowledgement of a retransmission gives no sample,
// not of the once-sent segments behind it either: they have waited for the retransmission.
func TestAcknowledgementOfARepairIsNoSample(t *testing.T) {
	cfg := plain()
	cfg.LossProbe = false
	n := newNetwork(t, &cfg, 50*us)
	n.judge = func(from, nth int, _ *Segment) fate {
		return fate{drop: nth == 1} // the first of two segments, and the SACK of the second
	}
	n.send(0, 2000, 1)
	if n.run(2 * units.Second) {
		t.Fatal("after two seconds, timers still run")
	}
	if e := n.ends[0].snd.rtt; e.smoothed != 0 || e.timeout != cfg.InitialRTO {
		t.Errorf("the smoothed RTT is %v and the timeout %v, expected no sample and %v", e.smoothed, e.timeout, cfg.InitialRTO)
	}
	n.send(0, 2000, 2)
	n.run(3 * units.Second)
	if e := n.ends[0].snd.rtt; e.smoothed != 100*us {
		t.Errorf("the smoothed RTT is %v, expected the path's %v", e.smoothed, 100*us)
	}
}

// RFC 8985, 6.2, step 4: the reordering window.
func TestReorderingWindowGrowsWithDuplicates(t *testing.T) {
	cfg := plain()
	s := &New(&cfg, 1).snd
	s.rack.minRTT, s.rtt.smoothed = 100*us, 110*us
	if got := s.reorderWindow(); got != 25*us {
		t.Errorf("without reordering the window is %d ps, expected a quarter of the RTT", got)
	}
	s.board.sacked = dupThresh
	if got := s.reorderWindow(); got != 0 {
		t.Errorf("with DupThresh reached and no reordering seen the window is %d ps, expected none", got)
	}
	s.rack.reordered = true
	for i, want := range []units.Time{50 * us, 75 * us, 100 * us, 110 * us} {
		s.rack.widen(uint64(10*i), uint64(10*i+10))
		s.rack.widen(uint64(10*i), uint64(10*i+10)) // the same round trip
		if got := s.reorderWindow(); got != want {
			t.Errorf("after %d rounds with duplicates the window is %d ps, expected %d", i+1, got, want)
		}
	}
	for range reoWndPersist {
		s.rack.recovered()
	}
	if got := s.reorderWindow(); got != 25*us {
		t.Errorf("after %d recoveries without duplicates the window is %d ps", reoWndPersist, got)
	}
}

// RFC 8985, 6.2, step 3: reordering is an original that arrives after a later segment;
// a retransmission proves nothing.
func TestReorderingIsSeenOnOriginalsOnly(t *testing.T) {
	for _, marks := range []mark{0, touched} {
		var k rack
		k.arrived(200*us, &record{seq: 1000, length: 1000, sent: 10 * us})
		k.arrived(300*us, &record{seq: 0, length: 1000, sent: 5 * us, marks: marks})
		if want := marks == 0; k.reordered != want {
			t.Errorf("with marks %d reordering is %v, expected %v", marks, k.reordered, want)
		}
	}
}

// HyStart's other half: the delay of a round rises.
func TestHyStartLeavesWhenTheDelayRises(t *testing.T) {
	for _, tc := range []struct {
		rtt  units.Time
		want bool
	}{{100 * ms, false}, {111 * ms, false}, {114 * ms, true}} {
		h := hystart{}
		w := window{cwnd: 20, ssthresh: noThreshold}
		left := false
		for i := range 10 { // 3 ms apart: no train
			now := units.Second + units.Time(i)*3*ms
			left = h.leave(&w, ack{now: now, una: 1, nxt: 100, rtt: tc.rtt, minRTT: 100 * ms})
		}
		if left != tc.want {
			t.Errorf("at %d ps over 100 ms, leaving is %v, expected %v", tc.rtt, left, tc.want)
		}
	}
}

// With ticks of 4 ms a timer goes off at the first tick of its host that is no
// earlier than its time: the timeouts of two hosts differ by their phases.
func TestTimersGoOffAtTheHostsTicks(t *testing.T) {
	for _, phase := range []units.Time{0, ms, 4*ms - 1} {
		cfg := plain()
		cfg.InitialRTT, cfg.Tick, cfg.LossProbe = 100*us, 4*ms, false
		c := New(&cfg, 0)
		c.SetPhase(phase)
		if err := c.Send(0, 1000, 1); err != nil {
			t.Fatal(err)
		}
		var seg Segment
		if !c.Next(0, &seg) {
			t.Fatal("nothing to send")
		}
		exact := c.snd.deadline
		got := c.NextTimeout()
		if got < exact || got-exact >= cfg.Tick || (got-phase)%cfg.Tick != 0 {
			t.Errorf("phase %d: a timer of %d ps goes off at %d ps", phase, exact, got)
		}
		var b Batch
		c.Timeout(got-1, &b)
		if again := c.NextTimeout(); again != got {
			t.Errorf("phase %d: a tick early the timer moves to %d ps", phase, again)
		}
		c.Timeout(got, &b)
		if c.Stats().Timeouts != 1 {
			t.Errorf("phase %d: %d timeouts at the tick, want 1", phase, c.Stats().Timeouts)
		}
	}
}

// RFC 5681, 3.1: slow start ends at the threshold; the acknowledged rest grows the window
// by congestion avoidance. No window is beyond the largest.
func TestSlowStartEndsAtTheThreshold(t *testing.T) {
	for _, c := range []struct{ cwnd, ssthresh, packets, window, left uint32 }{
		{8, 10, 1, 9, 0},
		{8, 10, 2, 10, 0},
		{8, 10, 5, 10, 3},
		{maxCwnd - 2, noThreshold, 5, maxCwnd, 3},
	} {
		w := window{cwnd: c.cwnd, ssthresh: c.ssthresh}
		if left := w.slowStart(c.packets); w.cwnd != c.window || left != c.left {
			t.Errorf("a window of %d with threshold %d and %d packets becomes %d with %d left, expected %d and %d",
				c.cwnd, c.ssthresh, c.packets, w.cwnd, left, c.window, c.left)
		}
	}
}

// RetransmitAt is the time of the retransmission timeout, and not of another timer.
func TestOnlyTheRetransmissionTimeoutIsReported(t *testing.T) {
	cfg := plain()
	cfg.InitialRTT = 100 * us
	n := newNetwork(t, &cfg, 50*us)
	if c := n.ends[0]; c.RetransmitAt() != units.Forever {
		t.Errorf("idle, it is due at %v", c.RetransmitAt())
	}
	told := map[timer]bool{}
	n.judge = func(from, count int, _ *Segment) fate { return fate{drop: from == 0 && count < 12 && count > 3} }
	n.afterChange = func(end int) {
		c := n.ends[end]
		told[c.snd.timer] = true
		want := units.Forever
		if c.snd.timer == timerRTO {
			want = c.NextTimeout()
			if want == c.rcv.delack {
				return
			}
		}
		if got := c.RetransmitAt(); got != want {
			t.Fatalf("end %d at %v with timer %d: the timeout is due at %v, expected %v", end, n.now, c.snd.timer, got, want)
		}
	}
	n.send(0, 10_000, 1)
	n.run(100 * units.Second)
	if !told[timerRTO] || len(told) < 3 {
		t.Errorf("timers seen: %v", told)
	}
}

// RFC 2018, 8: a receiver that acknowledges up to the beginning of a SACK block has dropped
// the block. The sender forgets its SACKs, and the timeout sends all again.
func TestSegmentsThatAReceiverRenegesOnAreSentAgain(t *testing.T) {
	cfg := plain()
	cfg.InitialRTT = 100 * us
	n := newNetwork(t, &cfg, 50*us)
	taken := false
	again := map[uint64]int{}
	n.judge = func(from, count int, seg *Segment) fate {
		switch {
		case from == 0 && seg.Length > 0:
			again[seg.Seq]++
			return fate{drop: count == 1 || !taken && count > 10}
		case from == 1 && !taken && seg.Ack == 0 && seg.SACK.Length >= 5000:
			seg.Ack = 1000 // up to the beginning of its block
			seg.SACK = Range{}
			taken = true
		}
		return fate{}
	}
	n.send(0, 10_000, 1)
	if !n.run(100*units.Second) && !taken {
		t.Fatal("the receiver has not reneged")
	}
	s := &n.ends[0].snd
	if s.una != 10_000 || s.board.sacked != 0 || s.board.lost != 0 || s.board.pending != 0 || s.board.resent != 0 {
		t.Errorf("acknowledged to %d of 10000; on the board %d SACKed, %d lost, %d pending, %d resent", s.una, s.board.sacked, s.board.lost, s.board.pending, s.board.resent)
	}
}
