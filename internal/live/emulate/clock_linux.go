package emulate

import (
	"time"

	"golang.org/x/sys/unix"

	"weft/internal/sim/channel"
	"weft/units"
)

// clock relates the fabric's time to the machine's. The fabric runs ahead of it by lead at most: a sleep is
// longer than the time between two events.
type clock struct {
	dilation int64 // real time over simulated time; 0: as little as the machine allows
	start    int64 // by the machine's clock
	last     int64
	limit    units.Time // for dilation 0: how far the fabric may have come

	slip units.Time // the furthest that the fabric was behind
}

func newClock(dilation int64) *clock {
	t := monotonic()
	return &clock{dilation: dilation, start: t, last: t}
}

// monotonic is the machine's clock that devices read, too: CLOCK_MONOTONIC in ns.
func monotonic() int64 {
	var t unix.Timespec
	_ = unix.ClockGettime(unix.CLOCK_MONOTONIC, &t) // every Linux has it
	return t.Nano()
}

// target is the time that the fabric, which has come to at and has work at due, should have reached, and the time up to
// which it may handle events ahead of it. With a fixed dilation they follow the machine's clock, and what the
// fabric is behind with its work is its slip. Otherwise time that the machine needed for its work is lost: the fabric goes
// on at the machine's pace from where it is.
func (c *clock) target(at, due units.Time) (t, ahead units.Time) {
	now := monotonic()
	if c.dilation > 0 {
		passed := units.Time(now-c.start) * units.Nanosecond
		t = passed / units.Time(c.dilation)
		c.slip = max(c.slip, t-max(at, due))
		return t, (passed + lead) / units.Time(c.dilation)
	}
	c.limit = min(c.limit, at+grain) + units.Time(now-c.last)*units.Nanosecond
	c.last = now
	return c.limit, c.limit + lead
}

// until is the real time until the fabric may reach a time.
func (c *clock) until(t units.Time) time.Duration {
	if t == units.Forever {
		return idle
	}
	if c.dilation > 0 {
		due := time.Duration(t/units.Nanosecond+1)*time.Duration(c.dilation) - time.Duration(lead/units.Nanosecond)
		return due - c.elapsed()
	}
	return time.Duration((t-c.limit-lead)/units.Nanosecond) + 1
}

// hands say how the clock of a fabric that has come to at goes on by itself, up to most.
func (c *clock) hands(at, most units.Time) channel.Hands {
	h := channel.Hands{Machine: c.start, Dilation: c.dilation, Least: at, Most: max(at, most)}
	if c.dilation == 0 {
		h.Origin, h.Machine, h.Dilation = min(c.limit, at+grain), c.last, 1
	}
	return h
}

// elapsed is the real time since the start.
func (c *clock) elapsed() time.Duration { return time.Duration(monotonic() - c.start) }
