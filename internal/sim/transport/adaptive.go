package transport

import "weft/units"

// Schedule is when an adapter with adaptive retransmission sends again what nobody
// acknowledges. The local acknowledgement timeout does not say when the first
// repetition goes: it says how far the schedule is followed, and how long the regular
// timeouts behind it are.
//
// The schedule was measured on a ConnectX-6 (firmware 20.43.4100, RoCE, a silent
// responder), whose repetitions fall at fixed times after the last progress; the first
// is at one of the first few of them. Steps that are longer than the timeout are left
// out. What follows are regular timeouts of twice the timeout each, one fewer than the
// retry count. Which time the first repetition takes is drawn with equal odds: how often
// each was seen is not known.
type Schedule struct {
	times   []units.Time // after the last progress
	first   uint64       // how many of them the first repetition may take
	least   units.Time   // of all waits
	regular units.Time   // the timeouts behind them
	tries   int          // how many of these there are; the queue pair fails at the end of the last
}

// NewSchedule is the schedule of repetitions at the given times after the last progress,
// which increase, for a timeout and a retry count; the first repetition takes one of the
// first times. Without times there is none.
func NewSchedule(times []units.Time, first int, timeout units.Time, retries int) *Schedule {
	n := 0
	for n < len(times) && (n < max(1, first) || times[n]-times[n-1] <= timeout) {
		n++
	}
	if n == 0 {
		return nil
	}
	s := &Schedule{
		times: times[:n:n], first: uint64(min(n, max(1, first))), least: min(times[0], 2*timeout),
		regular: 2 * timeout, tries: max(1, retries-1),
	}
	for i := 1; i < n; i++ {
		s.least = min(s.least, times[i]-times[i-1])
	}
	return s
}

// place is where in the schedule the next repetition is: the place that was drawn for
// the first, which the oldest packet in flight decides, and one further for each since.
func (s *Schedule) place(p *progress, una units.PSN) int {
	x := (uint64(p.chance)<<32 | uint64(una)) * 0x9e3779b97f4a7c15
	x = (x ^ x>>32) * 0xd6e8feb86659fd93
	return int(x>>32*s.first>>32) + int(p.waits)
}

// wait is from the last progress, or the last repetition, to the next.
func (s *Schedule) wait(p *progress, una units.PSN) units.Time {
	switch i := s.place(p, una); {
	case i >= len(s.times):
		return s.regular
	case p.waits == 0:
		return s.times[i]
	default:
		return s.times[i] - s.times[i-1]
	}
}

// over reports whether the wait that has ended was the last.
func (s *Schedule) over(p *progress, una units.PSN) bool {
	return s.place(p, una)-len(s.times)+1 >= s.tries
}

// leastWait is the least that retryWait can be before the next progress.
func (r *requester) leastWait() units.Time {
	if r.cfg.Schedule != nil {
		return r.cfg.Schedule.least
	}
	return r.retryWait()
}
