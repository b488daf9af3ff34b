package tcp

import "weft/units"

// rttEstimator is RFC 6298 with Linux's minimum: the timeout is SRTT plus the variance term, and
// the minimum of that term is MinRTO.
type rttEstimator struct {
	smoothed units.Time // SRTT; 0: no sample yet
	variance units.Time // RTTVAR
	timeout  units.Time // RTO, with backoff
	backoffs uint8      // doublings, one for each timeout in a row
}

// sample adds a measurement of a segment that was sent once (Karn).
func (e *rttEstimator) sample(rtt units.Time, cfg *Config) {
	if e.smoothed == 0 {
		e.smoothed, e.variance = rtt, rtt/2
	} else {
		// Section 2.3: alpha = 1/8, beta = 1/4, RTTVAR first.
		off := rtt - e.smoothed
		e.variance += (max(off, -off) - e.variance) / 4
		e.smoothed += off / 8
	}
	e.reset(cfg)
}

// reset ends the backoff. Karn's rule would wait for an unambiguous sample; with timestamps (which
// Linux has and this model leaves out) every advance gives one.
func (e *rttEstimator) reset(cfg *Config) {
	e.backoffs = 0
	if e.smoothed == 0 {
		e.timeout = cfg.InitialRTO
		return
	}
	e.timeout = min(e.smoothed+max(4*e.variance, cfg.MinRTO), maxRTO)
}

// backOff doubles the timeout (5.5).
func (e *rttEstimator) backOff() {
	e.backoffs++
	e.timeout = min(2*e.timeout, maxRTO)
}
