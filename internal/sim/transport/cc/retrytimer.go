package cc

import "weft/units"

// RetryTimer is the time that a packet waits for its acknowledgement before it is retransmitted:
// the smoothed round trip and four times its deviation (RFC 6298), within bounds.
type RetryTimer struct {
	srtt, rttvar units.Time `state:"fixed"`
	wait         units.Time `state:"fixed"`
	least, most  units.Time `state:"fixed"`
}

// timerGranularity is the least that the deviation counts for (RFC 6298's G): a thread
// that sleeps wakes 50 us late, the default of Linux's timer slack, prctl(2).
const timerGranularity = 50 * units.Microsecond

// NewRetryTimer waits first as long as nothing was measured, then least to most.
func NewRetryTimer(first, least, most units.Time) RetryTimer {
	return RetryTimer{wait: min(max(first, least), most), least: least, most: most}
}

// Wait is the current timeout.
func (t *RetryTimer) Wait() units.Time { return t.wait }

// RTT is the smoothed round trip; 0 before the first sample.
func (t *RetryTimer) RTT() units.Time { return t.srtt }

// Sample adds the round trip of a packet that was sent once (Karn's rule: after a retransmission it
// is unknown which one was answered). It ends backing off.
func (t *RetryTimer) Sample(rtt units.Time) {
	if t.srtt == 0 {
		t.srtt, t.rttvar = max(1, rtt), rtt/2
	} else {
		off := rtt - t.srtt
		t.srtt += off / 8
		t.rttvar += (max(off, -off) - t.rttvar) / 4
	}
	t.wait = min(max(t.srtt+max(timerGranularity, 4*t.rttvar), t.least), t.most)
}

// Backoff doubles the wait after a timeout.
func (t *RetryTimer) Backoff() { t.wait = min(2*t.wait, t.most) }
