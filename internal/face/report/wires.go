package report

import (
	"fmt"
	"math"
	"slices"

	"weft/internal/sim/protocol"
	"weft/results"
	"weft/scenario"
)

const (
	// busyLink is the share of time from which on a link is called the limit, and idleLink the
	// share below which no wire can be the limit, even if its load comes in bursts.
	busyLink = 0.9
	idleLink = 0.25
	// crowdedBusy and crowded are the minimum busy time of a link, and the minimum ratio to the
	// mean of its tier, for flows to collide on it.
	crowdedBusy = 0.6
	crowded     = 1.25
	// namedFlows is the number of a link's flows that a sentence names.
	namedFlows = 4
	// queuedShare is the share of queued, or of retransmitted, packets from which on they are named.
	queuedShare = 0.05
)

// wire describes the busiest link of a fabric at a size: flows collide on the link, or it is at the
// limit of its wire, with new packets or with retransmissions, or all wires are idle. It is empty
// if the link shows none of this.
func (v *judgement) wire(f, s int) string {
	p := v.points[f][s]
	h, known := hottest(p)
	switch {
	case !known:
		return ""
	case h.Busy >= busyLink && shared(h) != "":
		return fmt.Sprintf("shares a link that is at its limit: %s is busy %s of the time; of its bytes, %s", h.Name, percent(h.Busy), shared(h))
	case collides(h):
		return v.collision(f, h)
	case h.Busy >= busyLink && float64(p.Counts.Retransmissions) >= queuedShare*float64(p.Counts.Packets):
		return fmt.Sprintf("fills its wire with retransmissions, %s of its packets: %s is busy %s of the time",
			percent(float64(p.Counts.Retransmissions)/float64(p.Counts.Packets)), h.Name, percent(h.Busy))
	case h.Busy >= busyLink:
		return fmt.Sprintf("is at the limit of its wire: %s is busy %s of the time", h.Name, percent(h.Busy))
	case h.Busy < idleLink && quiet(p.Counts) && v.throughKernel(f):
		return fmt.Sprintf("is limited by the host, not by the network: links stay below %s busy, no drops or pauses", percent(busyBound(h.Busy)))
	case h.Busy < idleLink && quiet(p.Counts):
		return fmt.Sprintf("is not limited by its links: they stay below %s busy, no drops or pauses", percent(busyBound(h.Busy)))
	}
	return ""
}

// busyBound is a share of time rounded up to whole per cent.
func busyBound(busy float64) float64 { return math.Ceil(busy*100+1e-9) / 100 }

// throughKernel reports whether the CPU and the kernel move a fabric's bytes.
func (v *judgement) throughKernel(f int) bool {
	if sc := v.spec(f); sc != nil {
		return sc.Host.Path == scenario.PathCPU
	}
	return !protocol.Of(v.result(f).Protocol).RDMA()
}

// collides reports whether a link among which routing could choose is the limit because it carries
// more than its share.
func collides(h results.HotLink) bool {
	return h.Choice() && h.Busy >= crowdedBusy && h.Spread() >= crowded
}

// byFlow reports whether a fabric's routing chooses a path for each flow, among several: on a
// dragonfly and a torus the shortest path may be unique, and in Ultra Ethernet ECMP chooses for
// each packet.
func byFlow(f *scenario.Fabric) bool {
	switch f.Topology.Shape {
	case scenario.Dragonfly, scenario.Torus, scenario.Listed:
		return false
	}
	return !protocol.Of(f.Kind).Unordered
}

// collision names the link on which flows collide, and the ratio of its load to the others'.
func (v *judgement) collision(f int, h results.HotLink) string {
	what := "spreads its load unevenly"
	if sc := v.spec(f); sc != nil && byFlow(sc) {
		switch sc.Routing.Mode {
		case scenario.ECMP:
			what = "has flows that ECMP hashes onto one link"
		case scenario.Flowlet:
			what = "has several flowlets on one link"
		case scenario.Deterministic:
			what = "has several flows on one link, by the routes of their destinations"
		}
	}
	carries := fmt.Sprintf("%s carries %s times the mean of its tier (%s)", h.Name, times(h.Spread()), h.Tier)
	if n := len(h.Flows); n > 1 {
		named := h.Flows[:min(n, namedFlows)]
		if n > len(named) {
			named = append(slices.Clone(named), "others")
		}
		carries += ", by " + list(named) + ","
	}
	return fmt.Sprintf("%s: %s and is busy %s of the time", what, carries, percent(h.Busy))
}

// queueing is the number of packets that met a queue beyond ECN's threshold: a part of these is
// marked.
func (v *judgement) queueing(f, s int) string {
	sc, c := v.spec(f), v.points[f][s].Counts
	if sc == nil || c.Packets == 0 || float64(c.Marks) < queuedShare*float64(c.Packets) {
		return ""
	}
	return fmt.Sprintf("queues: at least %s of its packets met more than %s before them", percent(float64(c.Marks)/float64(c.Packets)), written(sc.Ethernet.ECN.Kmin))
}
