package control

import (
	"cmp"
	"slices"

	"weft/internal/base/topology"

	"weft/internal/sim/fabric/fault"
	"weft/internal/sim/routing"
	"weft/internal/sim/run/network"
	"weft/results"
	"weft/scenario"
	"weft/units"
)

// bgpPlan is the reaction of an Ethernet fabric's switches to faults, each by itself: a switch that
// has lost a neighbour removes the port from its ECMP groups, which rehash over the remaining
// ports. It withdraws unreachable destinations from its neighbours, which choose again and withdraw
// in turn.
type bgpPlan struct {
	*network.Plan
	spec   *scenario.Control
	routes sets // routes known to all switches before the turn
	ready  []units.Time
	out    *network.Faults
}

// sets are the ports of each switch for each endpoint.
type sets func(sw, dst int) []uint16

// around are the routes around failed cables, as many as BGP uses.
func (b *bgpPlan) around(down []bool) sets {
	return network.Multipath(b.Fabric, b.Graph).Of(b.Graph, routing.NewDetours(b.Graph, down).Set)
}

// mendByBGP computes the table changes of each switch, with their times.
func mendByBGP(p *network.Plan, fp *network.Faults, spec *scenario.Control) {
	b := &bgpPlan{Plan: p, spec: spec, out: fp, ready: make([]units.Time, p.Graph.Switches())}
	b.routes = b.around(make([]bool, len(p.Graph.Cables)))
	fp.Control.Plane = bgpPlane
	known := b.known(fp.Outages)
	for i := range fp.Turns {
		t := &fp.Turns[i]
		if t.Manager {
			continue
		}
		news := news(t, known)
		if len(news.Cables) == 0 && len(t.Cables) > 0 {
			fp.Control.Recoveries = append(fp.Control.Recoveries, newRecovery(t))
			continue
		}
		fp.Control.Recoveries = append(fp.Control.Recoveries, b.turn(&news))
	}
	order(fp.Changes)
}

// known are the outages that the switches at the ends of cables detect. An outage that is over
// before its detection does not count. If a cable fails again before its session is back, the
// switches see one long outage.
func (b *bgpPlan) known(outages []network.Span) (all []network.Span) {
	detected, _ := b.detection(&network.Turn{})
	back, _ := b.detection(&network.Turn{Repaired: true})
	for _, s := range lasting(outages, detected) {
		if n := len(all); n > 0 && all[n-1].Cable == s.Cable && s.From < all[n-1].Until+back {
			all[n-1].Until = s.Until
			continue
		}
		all = append(all, s)
	}
	return all
}

// lasting are the outages longer than a time: shorter ones remain undetected.
func lasting(outages []network.Span, than units.Time) (all []network.Span) {
	for _, s := range outages {
		if s.Until == units.Forever || s.Until-s.From > than {
			all = append(all, s)
		}
	}
	return all
}

// news is the content of a turn for the switches that know of such outages: the cables that they
// learn of, and all that they then consider down.
func news(t *network.Turn, known []network.Span) network.Turn {
	n := *t
	n.Cables, n.Down = nil, make([]bool, len(t.Down))
	for _, s := range known {
		n.Down[s.Cable] = n.Down[s.Cable] || s.From <= t.At && t.At < s.Until
		if (s.From == t.At && !t.Repaired || s.Until == t.At && t.Repaired) && slices.Contains(t.Cables, s.Cable) {
			n.Cables = append(n.Cables, s.Cable)
		}
	}
	return n
}

// order sorts changes by time; changes of the same entry keep their order.
func order(changes []fault.TableChange) {
	slices.SortStableFunc(changes, func(a, b fault.TableChange) int { return cmp.Compare(a.At, b.At) })
}

// detection is the time until a switch detects a turn at one of its cables, and the mechanism.
func (b *bgpPlan) detection(t *network.Turn) (units.Time, string) {
	c := &b.spec.BGP
	switch {
	case t.Repaired:
		return b.spec.LossOfSignal + c.Session, "session"
	case c.Detection == scenario.DetectBFD:
		return units.Time(c.BFDMultiplier) * c.BFDInterval, string(scenario.DetectBFD)
	}
	return b.spec.LossOfSignal, string(scenario.DetectSignal)
}

// turn computes the reaction to a fault or a repair.
func (b *bgpPlan) turn(t *network.Turn) results.Recovery {
	next := b.around(t.Down)
	detected, how := b.detection(t)
	rec := newRecovery(t)
	rec.How, rec.Detected = how, detected
	hops := b.hops(t)
	for sw := range b.Graph.Switches() {
		if hops[sw] < 0 || b.dark(t, sw) {
			continue // it remains undetected
		}
		changed := b.changed(next, sw)
		if len(changed) == 0 {
			continue
		}
		rec.Switches++
		if hops[sw] == 0 && !t.Repaired {
			changed = b.repair(t, &rec, sw, changed, next)
		}
		c := &b.spec.BGP
		at := max(b.ready[sw], t.At+detected+units.Time(hops[sw]+1)*c.Update+units.Time(hops[sw])*c.Advertisement)
		for _, dst := range changed {
			at += c.Entry
			b.change(&rec, sw, dst, at, next(sw, dst))
			b.ready[sw] = at
		}
	}
	b.routes = next
	return rec
}

// newRecovery is the recovery for a turn without any reaction yet.
func newRecovery(t *network.Turn) results.Recovery {
	const never = results.Never
	return results.Recovery{
		What: t.What, Repaired: t.Repaired, At: t.At, How: "not noticed", Detected: never, Swept: never, Computed: never, First: never, Last: never,
	}
}

// changed are the endpoints with new routes at a switch.
func (b *bgpPlan) changed(next sets, sw int) (dsts []int) {
	for dst := range b.Graph.Endpoints {
		if !slices.Equal(b.routes(sw, dst), next(sw, dst)) {
			dsts = append(dsts, dst)
		}
	}
	return dsts
}

// repair removes the ports of failed cables from the groups of a switch at their end, all at once.
// It returns the endpoints that need more than this.
func (b *bgpPlan) repair(t *network.Turn, rec *results.Recovery, sw int, changed []int, next sets) (rest []int) {
	detected, _ := b.detection(t)
	at := max(b.ready[sw], t.At+detected+b.spec.BGP.Repair)
	b.ready[sw] = at
	for _, dst := range changed {
		left := slices.DeleteFunc(slices.Clone(b.routes(sw, dst)), func(port uint16) bool {
			return t.Down[b.Graph.Nodes[b.Graph.Endpoints+sw].Cables[port]]
		})
		b.change(rec, sw, dst, at, left)
		if !slices.Equal(left, next(sw, dst)) {
			rest = append(rest, dst)
		}
	}
	return rest
}

// dark reports whether a switch has no working cable.
func (b *bgpPlan) dark(t *network.Turn, sw int) bool {
	for _, c := range b.Graph.Nodes[b.Graph.Endpoints+sw].Cables {
		if c >= 0 && !t.Down[c] {
			return false
		}
	}
	return true
}

// change sets an entry of a switch.
func (b *bgpPlan) change(rec *results.Recovery, sw, dst int, at units.Time, ports []uint16) {
	c := fault.TableChange{At: at, Row: int32(sw), Dst: int32(dst), Ports: ports}
	if len(ports) > 0 {
		c.Port = ports[dst%len(ports)]
	}
	b.out.Changes = append(b.out.Changes, c)
	rec.Entries++
	noteTable(rec, at)
}

// noteTable records that a switch has new entries.
func noteTable(rec *results.Recovery, at units.Time) {
	since := at - rec.At
	if rec.First == results.Never || since < rec.First {
		rec.First = since
	}
	rec.Last = max(rec.Last, since)
}

// hops is the number of switches that the updates of a turn pass on the way to each switch: 0 at
// the ends of the cables; -1 if they do not arrive.
func (b *bgpPlan) hops(t *network.Turn) []int {
	hops := make([]int, b.Graph.Switches())
	for i := range hops {
		hops[i] = -1
	}
	var queue []int32
	for _, c := range t.Cables {
		for _, end := range []topology.End{b.Graph.Cables[c].A, b.Graph.Cables[c].B} {
			if sw := int(end.Node) - b.Graph.Endpoints; sw >= 0 && hops[sw] < 0 {
				hops[sw] = 0
				queue = append(queue, int32(sw))
			}
		}
	}
	for i := 0; i < len(queue); i++ {
		routing.Neighbours(b.Graph, t.Down, queue[i], func(_ uint16, far int32) {
			if hops[far] < 0 {
				hops[far] = hops[queue[i]] + 1
				queue = append(queue, far)
			}
		})
	}
	return hops
}
