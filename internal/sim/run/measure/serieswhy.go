package measure

import (
	"cmp"
	"slices"

	"weft/internal/sim/fabric/messages"
	"weft/internal/sim/fabric/series"
	"weft/internal/sim/run/network"
	"weft/results"
	"weft/units"
)

// mostHopped is the number of messages of a simulation whose hops are described: the slowest.
const mostHopped = 256

// hopsOf are the hops of the slowest messages. A message whose path is chosen packet by packet has none, nor
// has a READ, whose data is on the peer's path.
func hopsOf(n *network.Network, r *series.Recording, kept []messages.Message) (rows []results.SeriesHop) {
	order := make([]int, len(kept))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Compare(kept[b].Ended-kept[b].Posted, kept[a].Ended-kept[a].Posted)
	})
	for _, i := range order[:min(len(order), mostHopped)] {
		f := &kept[i]
		if f.Read {
			continue
		}
		for hop, link := range n.Path(f.From, f.QP) {
			row := results.SeriesHop{From: f.From, Connection: int64(f.Entropy), StartPs: int64(f.Posted), Hop: int32(hop), Link: link}
			queue, stopped := during(n, r, link, f)
			row.QueueWaitPs, row.StoppedPs = int64(queue), int64(stopped)
			rows = append(rows, row)
		}
	}
	return rows
}

// during is the time that the mean queue of a link takes to leave, and the time for which the link was
// stopped, both while a message was on its way: the samples in proportion to the time that they have in common
// with the message. If lanes change on the way, all lanes of the link count.
func during(n *network.Network, r *series.Recording, link int32, f *messages.Message) (queue, stopped units.Time) {
	first, last := link*int32(r.Classes)+int32(f.Class), link*int32(r.Classes)+int32(f.Class)
	if n.Plan.Lanes != nil {
		first, last = link*int32(r.Classes), (link+1)*int32(r.Classes)-1
	}
	at, _ := slices.BinarySearchFunc(r.Samples, first, func(s series.Sample, lane int32) int { return cmp.Compare(s.Lane, lane) })
	area, halted := 0.0, 0.0
	for ; at < len(r.Samples) && r.Samples[at].Lane <= last; at++ {
		s := &r.Samples[at]
		begin := units.Time(s.Interval) * r.Interval
		common := min(begin+r.Interval, f.Ended) - max(begin, f.Posted)
		if common <= 0 {
			continue
		}
		part := float64(common) / float64(r.Interval)
		area += float64(s.Area) * part
		halted += float64(s.Stopped) * part
	}
	took, rate := float64(max(1, f.Ended-f.Posted)), n.LinkPerByte(link)
	return units.Time(area / took * float64(rate.Num) / float64(rate.Den)), units.Time(halted)
}

// pausesOf are the lanes that PFC paused until a time, the longest time first, each with its cause.
func pausesOf(n *network.Network, end units.Time) (rows []results.SeriesPause) {
	all := n.Pausings(end)
	all = all[:min(len(all), mostPaused)]
	for i := range all {
		x, l := &all[i], pausedLink(n, all, i, end)
		row := results.SeriesPause{
			Link: x.Link, Lane: int32(l.Priority), Pauses: x.Count, PausedPs: int64(x.Paused), FirstPs: int64(x.First),
			Cause: -1, Share: float32(l.Share), After: -1, Circle: l.Circle, StormPs: -1, RestoredPs: -1,
		}
		if x.Storm.Found > 0 {
			row.StormPs = int64(x.Storm.Found)
		}
		if x.Storm.Restored > 0 {
			row.RestoredPs = int64(x.Storm.Restored)
		}
		if len(x.Causes) > 0 {
			row.Cause = x.Causes[0].Port
		}
		if l.After >= 0 {
			row.After = all[l.After].Link
		}
		rows = append(rows, row)
	}
	return rows
}
