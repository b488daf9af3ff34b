package measure

import (
	"github.com/HdrHistogram/hdrhistogram-go"

	"weft/internal/sim/fabric"
	"weft/internal/sim/runstore"
	"weft/units"
)

// FlowTimes gathers the completion times of messages between nodes. Quantiles
// are by nearest rank and exact to three digits, whatever the number of messages;
// one that is the slowest message is exact.
type FlowTimes struct {
	histogram *hdrhistogram.Histogram
	sum       units.Time
	most      units.Time
	n         int64
}

// longestFlow bounds what the histogram tells apart: 1000 s in nanoseconds.
const longestFlow = int64(1e12)

// NewFlowTimes has gathered nothing.
func NewFlowTimes() *FlowTimes {
	return &FlowTimes{histogram: hdrhistogram.New(1, longestFlow, 3)}
}

// Add gathers the time of a message.
func (f *FlowTimes) Add(t units.Time) {
	f.n++
	f.sum += t
	f.most = max(f.most, t)
	// Out of range is beyond any run's limit.
	_ = f.histogram.RecordValue(min(longestFlow, int64(t/units.Nanosecond)))
}

// Join adds what another has gathered.
func (f *FlowTimes) Join(o *FlowTimes) {
	f.n += o.n
	f.sum += o.sum
	f.most = max(f.most, o.most)
	f.histogram.Merge(o.histogram)
}

// Distribution is what results have of the times; zero where there are none.
func (f *FlowTimes) Distribution() (d runstore.Distribution) {
	if f.n == 0 {
		return d
	}
	return runstore.Distribution{
		N: f.n, Mean: f.sum / units.Time(f.n), P50: f.quantile(500), P99: f.quantile(990), P999: f.quantile(999), Max: f.most,
		Fairness: f.fairness(),
	}
}

// fairness is Jain's index of the inverse times, exact to three digits as the
// times are. It goes over the histogram in the order of its values: the order in
// which messages came has no influence.
func (f *FlowTimes) fairness() float64 {
	sum, squares := 0.0, 0.0
	for _, b := range f.histogram.Distribution() {
		if b.Count == 0 {
			continue
		}
		rate := 1 / max(1, float64(b.From+b.To)/2) // one below a nanosecond counts as one of it
		sum += float64(b.Count) * rate
		squares += float64(b.Count) * rate * rate
	}
	return sum * sum / (float64(f.n) * squares)
}

// quantile is the time that so many of a thousand messages do not exceed: the
// one whose rank is ⌈n·perMille/1000⌉.
func (f *FlowTimes) quantile(perMille int64) units.Time {
	rank := (f.n*perMille + 999) / 1000
	if rank >= f.n {
		return f.most
	}
	at := f.histogram.ValueAtQuantile(100 * float64(rank) / float64(f.n))
	return min(f.most, units.Time(at)*units.Nanosecond)
}

// Counts are what a network counted.
func Counts(n *fabric.Network) runstore.Counts {
	s, refused := n.Stats(), n.Refusals()
	return runstore.Counts{
		DroppedNoReceive: refused.NoReceive, DroppedQKey: refused.QKey, DroppedOutOfTurn: refused.OutOfTurn, RNRNAKs: refused.RNRNAKs,
		Packets: s.Injected - s.Trains, PacketHops: s.Hops, Events: s.Events,
		Pauses: s.Pauses, Resumes: s.Resumes, CreditStalls: s.Stalls, Marks: s.Marked,
		CNPs: s.CNPs, CNPsTaken: s.CNPsTaken, CNPDelay: int64(s.CNPDelay),
		Retransmissions: n.Retransmissions(), Timeouts: n.Timeouts(), Trimmed: s.Trimmed,
		DroppedBuffer: s.Dropped[fabric.DropBuffer], DroppedHeadroom: s.Dropped[fabric.DropHeadroom],
		DroppedWatchdog: s.Dropped[fabric.DropWatchdog], DroppedReceiver: s.Dropped[fabric.DropReceiver], PFCStorms: s.Storms,
		DroppedLifetime: s.Dropped[fabric.DropLifetime], DroppedStalled: s.Dropped[fabric.DropStall],
		DroppedPKey: s.Dropped[fabric.DropPKey], DroppedCorrupt: s.Dropped[fabric.DropCorrupt],
		DroppedMTU:     s.Dropped[fabric.DropMTU],
		DroppedSegment: s.Dropped[fabric.DropSegment],
		DroppedFault:   s.Dropped[fabric.DropFault], DroppedNoRoute: s.Dropped[fabric.DropNoRoute],
	}
}
