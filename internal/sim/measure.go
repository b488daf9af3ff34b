package sim

import (
	"slices"

	"github.com/HdrHistogram/hdrhistogram-go"

	"weft/internal/fabric"
	"weft/internal/runstore"
	"weft/units"
)

// flowTimes gathers the completion times of messages between nodes. Quantiles
// are exact to three digits, whatever the number of messages.
type flowTimes struct {
	histogram *hdrhistogram.Histogram
	sum       units.Time
	most      units.Time
	n         int64
}

// longestFlow bounds what the histogram tells apart: 1000 s in nanoseconds.
const longestFlow = int64(1e12)

func newFlowTimes() *flowTimes {
	return &flowTimes{histogram: hdrhistogram.New(1, longestFlow, 3)}
}

func (f *flowTimes) add(t units.Time) {
	f.n++
	f.sum += t
	f.most = max(f.most, t)
	// Out of range is beyond any run's limit.
	_ = f.histogram.RecordValue(min(longestFlow, int64(t/units.Nanosecond)))
}

// join adds what another has gathered.
func (f *flowTimes) join(o *flowTimes) {
	f.n += o.n
	f.sum += o.sum
	f.most = max(f.most, o.most)
	f.histogram.Merge(o.histogram)
}

func (f *flowTimes) distribution() (d runstore.Distribution) {
	if f.n == 0 {
		return d
	}
	at := func(q float64) units.Time {
		return min(f.most, units.Time(f.histogram.ValueAtQuantile(q))*units.Nanosecond)
	}
	return runstore.Distribution{
		N: f.n, Mean: f.sum / units.Time(f.n), P50: at(50), P99: at(99), P999: at(99.9), Max: f.most,
	}
}

// counts are what a network counted.
func counts(n *fabric.Network) runstore.Counts {
	s, refused := n.Stats(), n.Refusals()
	return runstore.Counts{
		DroppedNoReceive: refused.NoReceive, DroppedOutOfTurn: refused.OutOfTurn, RNRNAKs: refused.RNRNAKs,
		Packets: s.Injected - s.Trains, PacketHops: s.Hops, Events: s.Events,
		Pauses: s.Pauses, Resumes: s.Resumes, CreditStalls: s.Stalls, Marks: s.Marked, CNPs: s.CNPs,
		Retransmissions: n.Retransmissions(),
		DroppedBuffer:   s.Dropped[fabric.DropBuffer], DroppedHeadroom: s.Dropped[fabric.DropHeadroom],
		DroppedLifetime: s.Dropped[fabric.DropLifetime], DroppedStalled: s.Dropped[fabric.DropStall],
	}
}

// hottestLinks is how many busy links a result names.
const hottestLinks = 8

// hottest are the busiest links of the scale-out fabric over a time.
func hottest(n *fabric.Network, span units.Time) []runstore.HotLink {
	var all []int32
	for link := range int32(n.Links()) {
		if n.ScaleOut(link) && n.LinkBytes(link) > 0 {
			all = append(all, link)
		}
	}
	slices.SortStableFunc(all, func(a, b int32) int {
		return int(n.LinkBusy(b)/units.Nanosecond) - int(n.LinkBusy(a)/units.Nanosecond)
	})
	var hot []runstore.HotLink
	for _, link := range all[:min(len(all), hottestLinks)] {
		hot = append(hot, runstore.HotLink{
			Name: n.LinkName(link), Bytes: n.LinkBytes(link),
			Busy: min(1, float64(n.LinkBusy(link))/float64(max(1, span))),
		})
	}
	return hot
}
