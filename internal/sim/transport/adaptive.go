package transport

import "weft/units"

// Schedule is the times at which an adapter with adaptive retransmission repeats unacknowledged
// packets. The local acknowledgement timeout does not determine the first repetition: it determines
// the length of the schedule, and the regular timeouts after it.
//
// The schedule was measured on a ConnectX-6 (firmware 20.43.4100, RoCE, a silent responder), whose
// repetitions fall at fixed times after the last progress; the first is at one of the first few of
// them. Steps that are longer than the timeout are left out. Then follow regular timeouts of twice
// the timeout each, one fewer than the retry count. The time of the first repetition is drawn with
// equal odds: their real frequencies are unknown.
type Schedule struct {
	times   []units.Time // after the last progress
	first   uint64       // number of times that the first repetition may take
	least   units.Time   // of all waits
	regular units.Time   // the timeouts after them
	tries   int          // their number; the queue pair fails at the end of the last
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

// place is the index of the next repetition in the schedule: for the first it was drawn, by the
// oldest packet in flight; each later one is the next.
func (s *Schedule) place(p *progress, una units.PSN) int {
	x := (uint64(p.chance)<<32 | uint64(una)) * 0x9e3779b97f4a7c15
	x = (x ^ x>>32) * 0xd6e8feb86659fd93
	return int(x>>32*s.first>>32) + int(p.waits)
}

// wait is the time from the last progress, or the last repetition, to the next.
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

// over reports whether the completed wait was the last.
func (s *Schedule) over(p *progress, una units.PSN) bool {
	return s.place(p, una)-len(s.times)+1 >= s.tries
}

// leastWait is the minimum of retryWait before the next progress.
func (r *requester) leastWait() units.Time {
	if r.cfg.Schedule != nil {
		return r.cfg.Schedule.least
	}
	return r.retryWait()
}
