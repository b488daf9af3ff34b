package tcp

import "weft/units"

// alphaOne is 1 in the fixed point of DCTCP's alpha. Linux keeps 2^-10, with which
// small estimates stall; the finer unit follows RFC 8257 more closely.
const alphaOne = 1 << 20

// dctcp is RFC 8257: the share of marked packets, averaged per window of
// data, sets how far a mark reduces the window. Growth is Reno's (3.4).
type dctcp struct {
	end     uint64 // DCTCP.WindowEnd
	arrived uint32 // packets of this window, as bytes in the RFC, as Linux
	ce      uint32 // marked packets among them
	alpha   uint32 // 2^-20
	count   uint32 // packets towards the next increment
	shift   uint8  // g = 2^-shift
}

func (d *dctcp) delivered(a ack) {
	d.arrived += a.delivered
	if a.ece {
		d.ce += a.delivered
	}
	if a.una < d.end {
		return
	}
	// 3.3, steps 3 to 6: M, then alpha = alpha·(1−g) + g·M.
	if d.arrived > 0 {
		m := uint64(d.ce) * alphaOne / uint64(d.arrived)
		d.alpha = uint32((uint64(d.alpha)<<d.shift - uint64(d.alpha) + m) >> d.shift)
	}
	d.end = a.nxt
	d.arrived, d.ce = 0, 0
}

func (d *dctcp) grow(w *window, a ack) {
	n := a.delivered
	if w.slowStarting() {
		if n = w.slowStart(n); n == 0 {
			return
		}
	}
	for d.count += n; d.count >= w.cwnd; {
		d.count -= w.cwnd
		w.cwnd = min(w.cwnd+1, maxCwnd)
	}
}

func (d *dctcp) threshold(w *window, why cause) uint32 {
	d.count = 0
	if why != marked { // 3.5: as conventional TCP
		return max(w.cwnd/2, minCwnd)
	}
	cut := uint64(w.cwnd) * uint64(d.alpha) / (2 * alphaOne)
	return max(w.cwnd-uint32(cut), minCwnd)
}

func (d *dctcp) idle(_, _ units.Time) {}
