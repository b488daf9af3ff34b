package tcp

import (
	"math/bits"

	"weft/units"
)

// The constants of CUBIC (RFC 9438, 4.1 and 4.6): C = 0.4 packets/s³,
// beta = 0.7, and alpha = 3·(1−beta)/(1+beta) = 9/17 for the part that is
// friendly to Reno.
const (
	betaNum, betaDen   = 7, 10
	alphaNum, alphaDen = 9, 17
)

// Windows within CUBIC are in 2^-20 packets, times in whole microseconds.
const (
	cubicOne = 1 << 20

	// maxCubicTime bounds |t−K|: after 67 s the cube is 120,000 packets.
	maxCubicTime = 1<<26 - 1
)

// cubed is C·t³ in 2^-20 packets, t in microseconds. C·2^20/10^18 is
// 8/19,073,486,328,125 exactly, and the product is below 2^81.
func cubed(t uint64) uint64 {
	t = min(t, maxCubicTime)
	hi, lo := bits.Mul64(t*t, t)
	q, _ := bits.Div64(hi<<3|lo>>61, lo<<3, 19_073_486_328_125)
	return q
}

// cubeRoot is the greatest t, in microseconds, with cubed(t) ≤ w: bit by bit,
// once per congestion event.
func cubeRoot(w uint64) uint64 {
	t := uint64(0)
	for bit := uint64(1) << 25; bit != 0; bit >>= 1 {
		if cubed(t|bit) <= w {
			t |= bit
		}
	}
	return t
}

// cubic is RFC 9438. Between two congestion events the window follows
// W_cubic(t) = C·(t−K)³ + W_max, or Reno's estimate if that is larger: at
// the round-trip times of one building, nearly always.
type cubic struct {
	epoch   units.Time // begin of this stage of congestion avoidance
	wMax    uint64     // W_max, 2^-20 packets
	wEst    uint64     // W_est, 2^-20 packets
	k       uint64     // K, microseconds
	frac    uint32     // fraction of a packet, in 2^-20, of the window above cwnd
	prior   uint32     // cwnd_prior, packets
	started bool       // epoch, wEst and k are valid

	useHyStart bool
	hystart    hystart
}

func (c *cubic) delivered(ack) {}

func (c *cubic) grow(w *window, a ack) {
	n := a.delivered
	if w.slowStarting() {
		if c.useHyStart && c.hystart.leave(w, a) {
			w.ssthresh = w.cwnd
		} else if n = w.slowStart(n); n == 0 {
			return
		}
	}
	c.avoid(w, a, n)
}

// avoid is congestion avoidance, RFC 9438, 4.2 to 4.5.
func (c *cubic) avoid(w *window, a ack, n uint32) {
	cw := uint64(w.cwnd)<<20 | uint64(c.frac)
	if !c.started {
		c.begin(a.now, cw)
	}
	c.estimateReno(w, n)
	t := uint64(a.now-c.epoch) / uint64(units.Microsecond)
	if at := c.at(t); at < c.wEst {
		cw = max(cw, c.wEst) // 4.3
	} else {
		target := c.at(t + uint64(a.minRTT/units.Microsecond))
		target = min(max(target, cw), cw+cw/2)
		cw += (target - cw) * uint64(n) / uint64(w.cwnd)
	}
	cw = min(cw, maxCwnd<<20)
	w.cwnd = uint32(cw >> 20)
	c.frac = uint32(cw & (cubicOne - 1))
}

// begin starts a stage of congestion avoidance at the window cw (4.2).
func (c *cubic) begin(now units.Time, cw uint64) {
	c.started = true
	c.epoch = now
	c.wEst = cw
	c.k = 0
	if cw < c.wMax {
		c.k = cubeRoot(c.wMax - cw)
	} else {
		c.wMax = cw
	}
}

// estimateReno advances W_est by n packets (4.3).
func (c *cubic) estimateReno(w *window, n uint32) {
	step := uint64(n) * cubicOne / uint64(w.cwnd)
	if c.wEst < uint64(c.prior)<<20 {
		step = step * alphaNum / alphaDen
	}
	c.wEst += step
}

// at is W_cubic(t), not below zero.
func (c *cubic) at(t uint64) uint64 {
	if t >= c.k {
		return c.wMax + cubed(t-c.k)
	}
	below := cubed(c.k - t)
	return c.wMax - min(below, c.wMax)
}

// threshold is multiplicative decrease with fast convergence (4.6, 4.7). After
// a timeout the next stage starts at the plateau (4.8).
func (c *cubic) threshold(w *window, why cause) uint32 {
	cw := uint64(w.cwnd)<<20 | uint64(c.frac)
	if cw < c.wMax {
		c.wMax = cw * (betaDen + betaNum) / (2 * betaDen)
	} else {
		c.wMax = cw
	}
	if why == timedOut {
		c.wMax = 0
	}
	c.prior = w.cwnd
	c.frac = 0
	c.started = false
	c.hystart = hystart{}
	return max(w.cwnd*betaNum/betaDen, minCwnd)
}

// idle moves the curve: the idle time was not used for probing (5.8).
func (c *cubic) idle(now, gap units.Time) {
	if c.started {
		c.epoch = min(c.epoch+gap, now)
	}
}
