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
	dilation int64            // real time over simulated time; 0: as little as the machine allows
	now      func() time.Time // the machine's clock
	start    time.Time
	mono     int64 // CLOCK_MONOTONIC at start, in ns
	last     time.Time
	limit    units.Time // for dilation 0: how far the fabric may have come

	slip units.Time // the furthest that the fabric was behind
}

func newClock(dilation int64, now func() time.Time) *clock {
	var mono unix.Timespec
	_ = unix.ClockGettime(unix.CLOCK_MONOTONIC, &mono) // every Linux has it
	t := now()
	return &clock{dilation: dilation, now: now, start: t, mono: mono.Nano(), last: t}
}

// target is the time that the fabric, which has come to at, should have reached, and the time up to which
// it may handle events ahead of it. With a fixed dilation they follow the machine's clock, and what the
// fabric is behind is its slip. Otherwise time that the machine needed for its work is lost: the fabric goes
// on at the machine's pace from where it is.
func (c *clock) target(at units.Time) (t, ahead units.Time) {
	now := c.now()
	if c.dilation > 0 {
		t := units.Time(now.Sub(c.start).Nanoseconds()) * units.Nanosecond
		c.slip = max(c.slip, t/units.Time(c.dilation)-at)
		return t / units.Time(c.dilation), (t + lead) / units.Time(c.dilation)
	}
	c.limit = min(c.limit, at+grain) + units.Time(now.Sub(c.last).Nanoseconds())*units.Nanosecond
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
		return due - c.now().Sub(c.start)
	}
	return time.Duration((t-c.limit-lead)/units.Nanosecond) + 1
}

// hands say how the clock of a fabric that has come to at goes on by itself, up to most.
func (c *clock) hands(at, most units.Time) channel.Hands {
	h := channel.Hands{Machine: c.mono + int64(c.last.Sub(c.start)), Dilation: 1, Least: at, Most: max(at, most)}
	if c.dilation > 0 {
		h.Machine, h.Dilation = c.mono, c.dilation
		return h
	}
	h.Origin = min(c.limit, at+grain)
	return h
}

// elapsed is the real time since the start.
func (c *clock) elapsed() time.Duration { return c.now().Sub(c.start) }
