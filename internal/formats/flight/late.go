package flight

import (
	"cmp"
	"maps"
	"slices"

	"weft/internal/base/sorting"
	"weft/internal/base/stats"
)

// Bounds of lateness. Kernels of one collective end apart by some microseconds, and clocks of hosts under NTP differ by some
// milliseconds at worst (assumptions).
const (
	leastWait      = 20.0  // us: a shorter wait is none
	leastClockWait = 2e3   // us, where hosts' clocks are compared
	leastShare     = 0.1   // of the collective's own time
	fewest         = 4     // collectives that a verdict needs
	mostWait       = 3.6e9 // us: an hour is no wait
)

// Late is a rank with how long the others wait for it.
type Late struct {
	Member
	Collectives int `json:"collectives"` // that it took part in
	LateIn      int `json:"late_in"`     // of them
	// Wait is how long the other ranks wait for it in us: the median over its collectives of the median over the others.
	// It is negative for a rank that waits itself.
	Wait float64 `json:"wait_us"`
}

// Stragglers says for which ranks the others wait.
type Stragglers struct {
	// ByClock says that no durations are recorded, and clocks of the hosts are compared.
	ByClock     bool    `json:"by_clock,omitempty"`
	Collectives int     `json:"collectives"` // that two ranks and more have recorded
	Ranks       int     `json:"ranks"`
	Typical     float64 `json:"typical_us"` // duration of a collective: the median; 0 by clock
	// Late are the ranks that come late in most of their collectives, the worst first.
	Late []Late `json:"late,omitempty"`
	// All are all ranks, the worst first.
	All []Late `json:"all"`
	// Behind are the ranks that have not ended a collective that another rank of its group has ended, with the collective.
	Behind []Behind `json:"behind,omitempty"`
}

// Behind is a rank that hangs, or whose record is older than those of the others.
type Behind struct {
	Member
	Group string `json:"group"`
	Last  int64  `json:"last"`  // number of the last collective that it ended, 0 if none
	Front int64  `json:"front"` // number of the last one that a rank of the group ended
}

// Stragglers finds the ranks for which the others wait; nil if no collective has two ranks and more.
func (f *Fleet) Stragglers() *Stragglers {
	s := &Stragglers{Behind: f.behind()}
	calls := f.calls()
	s.ByClock = !timed(calls)
	waits := map[Member][]float64{}
	late := map[Member]int{}
	var typical []float64
	for _, call := range sorting.Sorted(maps.Keys(calls), order) {
		events := calls[call]
		values := s.values(events)
		if len(values) < 2 {
			continue
		}
		s.Collectives++
		sorted := slices.Sorted(slices.Values(values))
		middle := stats.Quantile(sorted, 0.5)
		typical = append(typical, middle)
		for i, e := range values {
			wait := othersMedian(sorted, e) - e
			if wait > mostWait || wait < -mostWait {
				continue
			}
			who := events[i].Who
			waits[who] = append(waits[who], wait)
			if wait > s.least(middle) {
				late[who]++
			}
		}
	}
	if s.Collectives == 0 {
		return nil
	}
	if !s.ByClock {
		s.Typical = median(typical)
	}
	s.judge(waits, late)
	return s
}

// Enough is the number of ranks with so many collectives that they were judged.
func (s *Stragglers) Enough() (n int) {
	for _, l := range s.All {
		if l.Collectives >= fewest {
			n++
		}
	}
	return n
}

// order is an order of calls.
func order(a, b Call) int {
	return cmp.Or(cmp.Compare(a.Group, b.Group), cmp.Compare(a.Seq, b.Seq), cmp.Compare(a.Op, b.Op), cmp.Compare(a.Part, b.Part))
}

// calls are the collectives with the events of their ranks, each rank once.
func (f *Fleet) calls() map[Call][]*Event {
	out := map[Call][]*Event{}
	seen := map[Call]map[Member]bool{}
	for i := range f.Events {
		e := &f.Events[i]
		if !e.Done {
			continue
		}
		if seen[e.Call] == nil {
			seen[e.Call] = map[Member]bool{}
		}
		if !seen[e.Call][e.Who] {
			seen[e.Call][e.Who] = true
			out[e.Call] = append(out[e.Call], e)
		}
	}
	return out
}

// timed reports whether a collective has durations of two ranks.
func timed(calls map[Call][]*Event) bool {
	for _, events := range calls {
		with := 0
		for _, e := range events {
			if e.Micros > 0 {
				with++
			}
		}
		if with > 1 {
			return true
		}
	}
	return false
}

// values are the durations of the events, or the times at which hosts enqueued them, before the latest. It is nil if one is
// not known.
func (s *Stragglers) values(events []*Event) (out []float64) {
	latest := int64(0)
	for _, e := range events {
		latest = max(latest, e.Created)
	}
	for _, e := range events {
		switch {
		case s.ByClock && e.Created > 0:
			out = append(out, float64(latest-e.Created))
		case !s.ByClock && e.Micros > 0:
			out = append(out, e.Micros)
		default:
			return nil
		}
	}
	return out
}

// least is the least wait that counts, for a collective of a duration.
func (s *Stragglers) least(duration float64) float64 {
	if s.ByClock {
		return leastClockWait
	}
	return max(leastWait, leastShare*duration)
}

// judge fills the ranks.
func (s *Stragglers) judge(waits map[Member][]float64, late map[Member]int) {
	for who, all := range waits {
		l := Late{Member: who, Collectives: len(all), LateIn: late[who], Wait: median(all)}
		s.All = append(s.All, l)
	}
	s.Ranks = len(s.All)
	sorting.Func(s.All, func(a, b Late) int {
		return cmp.Or(cmp.Compare(b.Wait, a.Wait), cmp.Compare(a.Rank, b.Rank), cmp.Compare(a.Host, b.Host), cmp.Compare(a.PID, b.PID))
	})
	for _, l := range s.All {
		if l.Collectives >= fewest && 2*l.LateIn > l.Collectives {
			s.Late = append(s.Late, l)
		}
	}
}

// behind are the ranks that have not ended what another rank of their group has.
func (f *Fleet) behind() (out []Behind) {
	last := map[string]map[Member]int64{}
	front := map[string]int64{}
	hanging := map[string]bool{} // groups with a collective that has not ended
	for i := range f.Events {
		e := &f.Events[i]
		group := e.Call.Group
		if last[group] == nil {
			last[group] = map[Member]int64{}
		}
		before := last[group][e.Who]
		last[group][e.Who] = before
		if !e.Done {
			hanging[group] = true
			continue
		}
		last[group][e.Who] = max(before, e.Call.Seq)
		front[group] = max(front[group], e.Call.Seq)
	}
	for _, group := range slices.Sorted(maps.Keys(last)) {
		if !hanging[group] {
			continue
		}
		for who, seq := range last[group] {
			if seq < front[group] {
				out = append(out, Behind{who, group, seq, front[group]})
			}
		}
	}
	sorting.Func(out, func(a, b Behind) int {
		return cmp.Or(cmp.Compare(a.Group, b.Group), cmp.Compare(a.Last, b.Last), cmp.Compare(a.Rank, b.Rank), cmp.Compare(a.Host, b.Host), cmp.Compare(a.PID, b.PID))
	})
	return out
}

// othersMedian is the median of sorted values without one of them.
func othersMedian(sorted []float64, one float64) float64 {
	at, _ := slices.BinarySearch(sorted, one)
	other := func(i int) float64 {
		if i >= at {
			i++
		}
		return sorted[i]
	}
	n := len(sorted) - 1
	return (other((n-1)/2) + other(n/2)) / 2
}

// median is the middle of values.
func median(values []float64) float64 {
	return stats.Quantile(slices.Sorted(slices.Values(values)), 0.5)
}
