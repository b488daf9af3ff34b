package counts

import "weft/units"

// Stats are the counters of a run. They are sums: the counters of partitions add up.
type Stats struct {
	Events    int64              `state:"count"`
	Hops      int64              `state:"count"` // packet-hops of the scale-out fabric
	Bursts    int64              `state:"count"` // the part of Injected that are bursts of the scale-up network
	Injected  int64              `state:"count"` // packets that NICs and GPUs put on the wire
	Delivered int64              `state:"count"` // packets that arrived at their end
	Dropped   [DropReasons]int64 `state:"count"`
	InBytes   int64              `state:"count"` // bytes of the packets above
	OutBytes  int64              `state:"count"`
	LostBytes int64              `state:"count"`
	CNPs      int64              `state:"count"` // congestion notification packets sent
	CNPsTaken int64              `state:"count"` // received ones, and CNPDelay the sum of their times
	CNPDelay  units.Time         `state:"count"`
	PaceWaits int64              `state:"count"` // packets that waited longWait or more for their rate
	PaceWait  units.Time         `state:"count"` // the sum of their waits
	Marked    int64              `state:"count"` // ECN or FECN marks set
	Hashed    int64              `state:"count"` // ports that a hash has chosen among several, one for each packet and switch
	Trimmed   int64              `state:"count"` // packets whose payload a switch cut off
	// LinkRetries are the repetitions of packets by links with link-level retry.
	LinkRetries int64 `state:"count"`
	// ContextMisses are the fetches of queue pair contexts by NICs.
	ContextMisses int64 `state:"count"`
	Pauses        int64 `state:"count"` // PFC frames sent with XOFF
	Resumes       int64 `state:"count"` // PFC frames sent with XON
	Storms        int64 `state:"count"` // queues in which the PFC watchdog found a storm
	Stalls        int64 `state:"count"` // times that a lane of the scale-out fabric began to wait for credits
	// LastFault is the time of the last packet dropped because of a fault; it is the latest of the
	// partitions'.
	LastFault units.Time `state:"fixed"`
}

// Add adds the counters of another partition.
func (s *Stats) Add(t *Stats) {
	s.Events += t.Events
	s.Hops += t.Hops
	s.Bursts += t.Bursts
	s.Injected += t.Injected
	s.Delivered += t.Delivered
	s.InBytes += t.InBytes
	s.OutBytes += t.OutBytes
	s.LostBytes += t.LostBytes
	s.CNPs += t.CNPs
	s.CNPsTaken += t.CNPsTaken
	s.CNPDelay += t.CNPDelay
	s.PaceWaits += t.PaceWaits
	s.PaceWait += t.PaceWait
	s.Marked += t.Marked
	s.Hashed += t.Hashed
	s.Trimmed += t.Trimmed
	s.LinkRetries += t.LinkRetries
	s.ContextMisses += t.ContextMisses
	s.Pauses += t.Pauses
	s.Resumes += t.Resumes
	s.Stalls += t.Stalls
	s.Storms += t.Storms
	s.LastFault = max(s.LastFault, t.LastFault)
	for i := range s.Dropped {
		s.Dropped[i] += t.Dropped[i]
	}
}
