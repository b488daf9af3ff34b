package tcp

import "weft/units"

// The constants of HyStart in Linux's tcp_cubic.c.
const (
	hyLowWindow  = 16                    // packets: below it, do not look
	hyAckDelta   = 2 * units.Millisecond // acknowledgements further apart belong to different trains (HyStart's term)
	hyMinSamples = 8
	hyDelayMin   = 4 * units.Millisecond
	hyDelayMax   = 16 * units.Millisecond
)

// hystart leaves slow start before it overruns the path (Ha and Rhee, "Taming
// the elephants", 2011): when the acknowledgements of one round come in a train
// of half the least round-trip time, or when the round-trip time has risen.
type hystart struct {
	end     uint64     // a round ends when this byte is acknowledged
	start   units.Time // of the round
	last    units.Time // acknowledgement of the train
	least   units.Time // RTT of the round
	samples uint32
	running bool
}

// leave reports whether slow start should end at acknowledgement a.
func (h *hystart) leave(w *window, a ack) bool {
	if a.minRTT == 0 {
		return false
	}
	if !h.running || a.una > h.end {
		*h = hystart{end: a.nxt, start: a.now, last: a.now, least: units.Forever, running: true}
	}
	if w.cwnd < hyLowWindow {
		return false
	}
	if a.now-h.last <= hyAckDelta {
		h.last = a.now
		if a.now-h.start > a.minRTT/2 {
			return true
		}
	}
	if a.rtt == 0 {
		return false
	}
	h.least = min(h.least, a.rtt)
	if h.samples < hyMinSamples {
		h.samples++
		return false
	}
	return h.least > a.minRTT+min(max(a.minRTT/8, hyDelayMin), hyDelayMax)
}
