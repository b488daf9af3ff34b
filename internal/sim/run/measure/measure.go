package measure

import (
	"github.com/HdrHistogram/hdrhistogram-go"

	"weft/internal/sim/fabric"
	"weft/internal/sim/fabric/counts"
	"weft/results"
	"weft/units"
)

// FlowTimes collects the completion times of messages between nodes. Quantiles are by nearest rank
// and exact to three digits, for any number of messages; the quantile of the slowest message is
// exact.
type FlowTimes struct {
	histogram *hdrhistogram.Histogram
	sum       units.Time
	most      units.Time
	n         int64
	kept      []units.Time // added since a record of the simulation's state
	keeps     bool
}

// longestFlow is the longest time that the histogram resolves: 1000 s in nanoseconds.
const longestFlow = int64(1e12)

// NewFlowTimes is an empty collection.
func NewFlowTimes() *FlowTimes {
	return &FlowTimes{histogram: hdrhistogram.New(1, longestFlow, 3)}
}

// Add adds the time of a message.
func (f *FlowTimes) Add(t units.Time) {
	f.add(t, 1)
	if f.keeps {
		f.kept = append(f.kept, t)
	}
}

// Join adds the times of another collection.
func (f *FlowTimes) Join(o *FlowTimes) {
	f.n += o.n
	f.sum += o.sum
	f.most = max(f.most, o.most)
	f.histogram.Merge(o.histogram)
}

// Distribution is the summary of the times for results; zero if there are none.
func (f *FlowTimes) Distribution() (d results.Distribution) {
	if f.n == 0 {
		return d
	}
	return results.Distribution{
		N: f.n, Mean: f.sum / units.Time(f.n), P50: f.quantile(500), P99: f.quantile(990), P999: f.quantile(999), Max: f.most,
		Fairness: f.fairness(),
	}
}

// fairness is Jain's index of the inverse times, exact to three digits like the times. It goes over
// the histogram in the order of its values: the order of the messages has no influence.
func (f *FlowTimes) fairness() float64 {
	sum, squares := 0.0, 0.0
	for _, b := range f.histogram.Distribution() {
		if b.Count == 0 {
			continue
		}
		rate := 1 / max(1, float64(b.From+b.To)/2) // a time below a nanosecond counts as a nanosecond
		sum += float64(b.Count) * rate
		squares += float64(b.Count) * rate * rate
	}
	return sum * sum / (float64(f.n) * squares)
}

// quantile is the time that perMille of a thousand messages do not exceed: the time with rank
// ⌈n·perMille/1000⌉.
func (f *FlowTimes) quantile(perMille int64) units.Time {
	rank := (f.n*perMille + 999) / 1000
	if rank >= f.n {
		return f.most
	}
	at := f.histogram.ValueAtQuantile(100 * float64(rank) / float64(f.n))
	return min(f.most, units.Time(at)*units.Nanosecond)
}

// Skipped is what a network has skipped so far. It may be called while the network runs.
func Skipped(n *fabric.Network) (s results.Skipped) {
	s.Periods, s.Time, s.Events = n.Skipped()
	return s
}

// Counts are the counters of a network whose run is over. The run's time is that of its last event, until its workload
// tells its own.
func Counts(n *fabric.Network) results.Counts {
	s, refused, skipped := n.Stats(), n.Refusals(), Skipped(n)
	skipped.Of = n.LastEvent()
	return results.Counts{
		Skipped:          skipped,
		DroppedNoReceive: refused.NoReceive, DroppedQKey: refused.QKey, DroppedOutOfTurn: refused.OutOfTurn, RNRNAKs: refused.RNRNAKs,
		Packets: s.Injected - s.Bursts, PacketHops: s.Hops, Events: s.Events,
		Pauses: s.Pauses, Resumes: s.Resumes, CreditStalls: s.Stalls, Marks: s.Marked, Hashed: s.Hashed,
		CNPs: s.CNPs, CNPsTaken: s.CNPsTaken, CNPDelay: int64(s.CNPDelay),
		PaceWaits: s.PaceWaits, PaceWait: int64(s.PaceWait),
		Retransmissions: n.Retransmissions(), Timeouts: n.Timeouts(), Trimmed: s.Trimmed,
		DroppedBuffer: s.Dropped[counts.DropBuffer], DroppedHeadroom: s.Dropped[counts.DropHeadroom],
		DroppedWatchdog: s.Dropped[counts.DropWatchdog], DroppedReceiver: s.Dropped[counts.DropReceiver], PFCStorms: s.Storms,
		DroppedLifetime: s.Dropped[counts.DropLifetime], DroppedStalled: s.Dropped[counts.DropStall],
		DroppedPKey: s.Dropped[counts.DropPKey], DroppedCorrupt: s.Dropped[counts.DropCorrupt], LinkRetries: s.LinkRetries, ContextMisses: s.ContextMisses,
		DroppedMTU:     s.Dropped[counts.DropMTU],
		DroppedSegment: s.Dropped[counts.DropSegment],
		DroppedFault:   s.Dropped[counts.DropFault], DroppedNoRoute: s.Dropped[counts.DropNoRoute],
	}
}
