package measure

import (
	"slices"

	"weft/internal/sim/fabric/pauses"
	"weft/internal/sim/run/network"
	"weft/results"
	"weft/units"
)

// mostPaused bounds the number of paused links in a result.
const mostPaused = 128

// PauseTree is the tree of pauses until a time; nil if it was not recorded or there were no pauses.
func PauseTree(n *network.Network, end units.Time) (*results.Pauses, []pauses.Pausing) {
	if !n.Plan.Run.Pauses {
		return nil, nil
	}
	all := n.Pausings(end)
	if len(all) == 0 {
		return nil, nil
	}
	out := &results.Pauses{SlicePs: int64(all[0].Width), More: max(0, len(all)-mostPaused)}
	all = all[:min(len(all), mostPaused)]
	for i := range all {
		out.Links = append(out.Links, pausedLink(n, all, i, end))
	}
	return out, all
}

// mostPausedFlows bounds the flows that are listed with pauses.
const mostPausedFlows = 32

// AddPaused adds a flow to the flows that pauses stopped, if its path, a list of links, has paused ones; a
// victim's path has no root of these pauses.
func AddPaused(n *network.Network, all []pauses.Pausing, out *results.Pauses, path []int32, flow results.PausedFlow) {
	class := n.Plan.Class.Data(n.Plan.Fabric)
	flow.Victim = true
	for j := range all {
		if all[j].Class != class || !slices.Contains(path, all[j].Link) {
			continue
		}
		flow.Links = append(flow.Links, j)
		if slices.Contains(path, rootPort(all, out, j)) {
			flow.Victim = false
		}
	}
	if len(flow.Links) > 0 && len(out.Flows) < mostPausedFlows {
		out.Flows = append(out.Flows, flow)
	}
}

// rootPort is the port where the chain of pauses behind a pause began.
func rootPort(all []pauses.Pausing, out *results.Pauses, i int) int32 {
	for !out.Links[i].Root() {
		i = out.Links[i].After
	}
	if len(all[i].Causes) > 0 && !out.Links[i].Circle {
		return all[i].Causes[0].Port
	}
	return all[i].Link // to the NIC that caused it, or in the circle
}

// pausedLink is a pause with its index.
func pausedLink(n *network.Network, all []pauses.Pausing, i int, end units.Time) results.PausedLink {
	x := &all[i]
	from, to := n.LinkEnds(x.Link)
	l := results.PausedLink{
		Name: n.LinkName(x.Link), Sender: n.NodeName(from), By: n.NodeName(to),
		Priority: n.Plan.Class.Used[x.Class], Pauses: x.Count, PausedPs: int64(x.Paused), FirstPs: int64(x.First),
		After: causeOf(all, i), Circle: inCircle(all, i),
	}
	if len(x.Causes) > 0 {
		sum := int64(0)
		for _, c := range x.Causes {
			sum += c.Bytes
		}
		l.Cause, l.Share = n.LinkName(x.Causes[0].Port), float64(x.Causes[0].Bytes)/float64(sum)
		if _, end := n.LinkEnds(x.Causes[0].Port); levelAt(n.Plan, end) == 0 {
			l.CauseNIC = n.NodeName(end)
		}
	}
	for s := units.Time(0); s*x.Width < end && int(s) < len(x.Slices); s++ {
		l.Timeline = append(l.Timeline, int(x.Slices[s]*100/x.Width))
	}
	return l
}

// causeOf is the pause that caused the pause of a link: of the port that held most of the link's
// traffic. It is -1 if that port was not paused itself for at least half of the time: then its load
// exceeds its rate.
func causeOf(all []pauses.Pausing, i int) int {
	x := &all[i]
	if len(x.Causes) == 0 {
		return -1
	}
	cause := slices.IndexFunc(all, func(y pauses.Pausing) bool {
		return y.Link == x.Causes[0].Port && y.Class == x.Class
	})
	if cause < 0 {
		return -1
	}
	both := units.Time(0)
	for s := range x.Slices {
		both += min(x.Slices[s], all[cause].Slices[s])
	}
	if 2*both < x.Paused {
		return -1
	}
	return cause
}

// inCircle reports whether following the causes from a pause leads back to it.
func inCircle(all []pauses.Pausing, i int) bool {
	at := causeOf(all, i)
	for range all {
		if at < 0 || at == i {
			break
		}
		at = causeOf(all, at)
	}
	return at == i
}
