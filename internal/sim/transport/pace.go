package transport

import (
	"weft/internal/sim/transport/cc"
	"weft/units"
)

// congestion is the allowance of congestion control, and its use by the requester.
type congestion struct {
	alg        cc.Algorithm
	allow      cc.Allowance
	pacedAt    units.Time `state:"-"` // sending time of the last paced packet
	pacedBytes uint32     // its size on the wire
	repeated   uint32     // packets sent more than once, modulo 2^32

	paceAt units.Time  `state:"-"` // earliest time of the next packet by congestion control
	flight units.Bytes // payload from una to nxt
}

// start begins congestion control, for a queue pair that has an algorithm.
func (c *congestion) start(e *endpoint, now units.Time) {
	e.wants |= c.alg.Start(now, &c.allow)
	e.wake = min(e.wake, c.allow.Wake)
}

// expire calls the algorithm's timer if it is due.
func (c *congestion) expire(cfg *Config, now units.Time) {
	if c.allow.Wake <= now {
		c.alg.Timer(now, &c.allow)
		c.repace(cfg, now)
	}
}

// notified reports a notification to congestion control.
func (c *congestion) notified(e *endpoint, now units.Time) {
	c.alg.Notified(now, &c.allow)
	e.wake = min(e.wake, c.allow.Wake)
}

// tell passes an acknowledgement to congestion control, with the telemetry of the packet that
// caused it.
func (c *congestion) tell(e *endpoint, now units.Time, a cc.Ack, s *cc.Seen) {
	if s != nil {
		a.RTT, a.Hops, a.Path = now-s.Sent, s.Hops, s.Path
	}
	c.alg.Acked(now, a, &c.allow)
	e.wake = min(e.wake, c.allow.Wake)
	c.repace(e.cfg, now)
}

// pace delays the next packet by the wire time of this one at the allowed rate, and subtracts it
// from the allowance's budget. A late packet counts from its allowed time, so that the next
// compensates for it.
func (c *congestion) pace(e *endpoint, now units.Time, payload units.Bytes) {
	if !e.controlled {
		return
	}
	if c.allow.Rate > 0 {
		late := min(max(0, now-c.paceAt), e.cfg.PaceSlack)
		c.pacedAt, c.pacedBytes = now-late, uint32(payload+e.cfg.PacedOverhead)
		c.paceAt = c.pacedAt + gap(c.pacedBytes, c.allow.Rate)
	}
	if c.allow.Budget != cc.Unlimited {
		c.allow.Budget -= payload
		if c.allow.Budget <= 0 {
			c.alg.Sent(now, &c.allow)
			e.wake = min(e.wake, c.allow.Wake)
		}
	}
}

// gap is the time of a number of bytes at a rate.
func gap(bytes uint32, r units.Rate) units.Time {
	return units.Time(int64(bytes) * 8 * int64(units.Second) / int64(r))
}

// repace brings the next packet forward when the allowed rate has risen: a released limiter does
// not finish the wait at its old rate.
func (c *congestion) repace(cfg *Config, now units.Time) {
	if cfg.KeepPace || c.pacedBytes == 0 || c.paceAt <= now {
		return
	}
	at := c.pacedAt
	if c.allow.Rate > 0 {
		at += gap(c.pacedBytes, c.allow.Rate)
	}
	c.paceAt = min(c.paceAt, max(at, now))
}
