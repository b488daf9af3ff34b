package sim

import (
	"weft/internal/sim/fabric"
	"weft/results"
	"weft/units"
)

// mostArrivals is the maximum number of parts of a run in which arriving bytes are counted.
const mostArrivals = 200

// withArrivals makes a simulation count what arrives at NICs over its time.
func (j *job) withArrivals(into *results.FaultPoint) {
	plan := *j.Plan
	tell := plan.Series
	plan.Series = func(s *results.Series) {
		into.Slice, into.Arrived = arrivals(s)
		if tell != nil {
			tell(s)
		}
	}
	j.Plan = &plan
}

// arrivals are the bytes that arrive at NICs from the network in each part of a simulation, and the
// length of a part.
func arrivals(s *results.Series) (slice units.Time, arrived []int64) {
	nic := make(map[int32]bool)
	for _, x := range s.Nodes {
		nic[x.Node] = x.Kind == fabric.KindNIC
	}
	last := make(map[int32]bool) // by link
	for _, l := range s.Links {
		last[l.Link] = l.Tier != results.ScaleUpTier && nic[l.To]
	}
	interval := max(1, s.Simulation.IntervalPs)
	merged := 1 + s.Simulation.DurationPs/interval/mostArrivals
	slice = units.Time(merged * interval)
	arrived = make([]int64, (s.Simulation.DurationPs+int64(slice)-1)/int64(slice))
	for x := range s.Samples {
		if at := x.TimePs / int64(slice); last[x.Link] && at < int64(len(arrived)) {
			arrived[at] += x.Bytes
		}
	}
	return slice, arrived
}
