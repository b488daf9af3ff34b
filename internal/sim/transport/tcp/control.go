package tcp

import "weft/units"

// minCwnd is the minimum slow start threshold, in packets (RFC 5681, 3.1).
const minCwnd = 2

// noThreshold is a slow start threshold above every window.
const noThreshold = 1<<32 - 1

// window is the congestion window in packets.
type window struct{ cwnd, ssthresh uint32 }

// slowStarting reports whether w is below its threshold.
func (w *window) slowStarting() bool { return w.cwnd < w.ssthresh }

// slowStart grows w by one packet for each delivered packet (RFC 5681, 3.1, without a limit per
// acknowledgement, as Linux) up to the threshold, and returns the packets that are left for
// congestion avoidance.
func (w *window) slowStart(packets uint32) uint32 {
	n := min(packets, w.ssthresh-w.cwnd, maxCwnd-w.cwnd)
	w.cwnd += n
	return packets - n
}

// cause is the reason for a reduction of the window.
type cause uint8

const (
	marked   cause = iota // an echo of congestion
	dropped               // a loss detected by an acknowledgement
	timedOut              // a loss detected by the timer
)

// ack is the information of one acknowledgement for a congestion control.
type ack struct {
	now       units.Time
	una, nxt  uint64     // the oldest and the next byte, after it
	delivered uint32     // number of newly delivered packets
	ece       bool       // it echoes congestion
	rtt       units.Time // its RTT sample; 0: none
	minRTT    units.Time // the minimum sample of the connection; 0: none yet
}

// control is a congestion control. delivered is called for every acknowledgement; grow is called if
// the window may grow (neither recovering nor idle below it); threshold answers a congestion event,
// once per window, with the new slow start threshold.
type control interface {
	delivered(a ack)
	grow(w *window, a ack)
	threshold(w *window, why cause) uint32
	idle(now, gap units.Time) // sending resumes, nothing went out for gap
}

func newControl(cfg *Config) control {
	if cfg.Algorithm == DCTCP {
		return &dctcp{shift: cfg.DCTCPShift, alpha: cfg.InitialAlpha}
	}
	return &cubic{useHyStart: cfg.HyStart}
}
