package sim

import (
	"cmp"
	"slices"

	"weft/internal/fabric"
	"weft/internal/runstore"
	"weft/internal/topology"
	"weft/scenario"
	"weft/units"
)

// bgpPlan is what the switches of an Ethernet fabric do about faults, each for
// itself: a switch that finds a neighbour gone leaves the port out of its ECMP
// groups, which hash anew over the others; what it can no longer reach it tells its
// neighbours, which choose again and tell theirs.
type bgpPlan struct {
	*plan
	spec   *scenario.Control
	routes *detours // as all switches know them before the turn
	ready  []units.Time
	out    *faultPlan
}

// mendByBGP works out when which switch changes its tables.
func (p *plan) mendByBGP(fp *faultPlan, spec *scenario.Control) {
	b := &bgpPlan{plan: p, spec: spec, out: fp, ready: make([]units.Time, p.graph.Switches())}
	b.routes = newDetours(p.graph, make([]bool, len(p.graph.Cables)))
	fp.control.Plane = bgpPlane
	known := b.known(fp.outages)
	for i := range fp.turns {
		t := &fp.turns[i]
		if t.manager {
			continue
		}
		news := t.news(known)
		if len(news.cables) == 0 && len(t.cables) > 0 {
			fp.control.Recoveries = append(fp.control.Recoveries, newRecovery(t))
			continue
		}
		fp.control.Recoveries = append(fp.control.Recoveries, b.turn(&news))
	}
	order(fp.changes)
}

// known are the outages that the switches at the ends of cables come to know of. One
// that is over before it is detected is none; and where a cable fails again before
// its session is back, it has not worked in between, for all that they know.
func (b *bgpPlan) known(outages []span) (all []span) {
	detected, _ := b.detection(&turn{})
	back, _ := b.detection(&turn{repaired: true})
	for _, s := range lasting(outages, detected) {
		if n := len(all); n > 0 && all[n-1].cable == s.cable && s.from < all[n-1].until+back {
			all[n-1].until = s.until
			continue
		}
		all = append(all, s)
	}
	return all
}

// lasting are the outages that are longer than a time: others nobody notices.
func lasting(outages []span, than units.Time) (all []span) {
	for _, s := range outages {
		if s.until == units.Forever || s.until-s.from > than {
			all = append(all, s)
		}
	}
	return all
}

// news is what a turn tells those who know of such outages: the cables of which they
// come to know, and all that they then take to be down.
func (t *turn) news(known []span) turn {
	n := *t
	n.cables, n.down = nil, make([]bool, len(t.down))
	for _, s := range known {
		n.down[s.cable] = n.down[s.cable] || s.from <= t.at && t.at < s.until
		if (s.from == t.at && !t.repaired || s.until == t.at && t.repaired) && slices.Contains(t.cables, s.cable) {
			n.cables = append(n.cables, s.cable)
		}
	}
	return n
}

// order sorts changes by time; those of an entry stay in the order in which they
// were found.
func order(changes []fabric.TableChange) {
	slices.SortStableFunc(changes, func(a, b fabric.TableChange) int { return cmp.Compare(a.At, b.At) })
}

// detection is how long a switch takes to know of a turn at one of its cables, and
// what tells it.
func (b *bgpPlan) detection(t *turn) (units.Time, string) {
	c := &b.spec.BGP
	switch {
	case t.repaired:
		return b.spec.LossOfSignal + c.Session, "session"
	case c.Detection == scenario.DetectBFD:
		return units.Time(c.BFDMultiplier) * c.BFDInterval, string(scenario.DetectBFD)
	}
	return b.spec.LossOfSignal, string(scenario.DetectSignal)
}

// turn works out a fault or a repair.
func (b *bgpPlan) turn(t *turn) runstore.Recovery {
	next := newDetours(b.graph, t.down)
	detected, how := b.detection(t)
	rec := newRecovery(t)
	rec.How, rec.Detected = how, detected
	hops := b.hops(t)
	for sw := range b.graph.Switches() {
		if hops[sw] < 0 || b.dark(t, sw) {
			continue // nobody tells it
		}
		changed := b.changed(next, sw)
		if len(changed) == 0 {
			continue
		}
		rec.Switches++
		if hops[sw] == 0 && !t.repaired {
			changed = b.repair(t, &rec, sw, changed, next)
		}
		c := &b.spec.BGP
		at := max(b.ready[sw], t.at+detected+units.Time(hops[sw]+1)*c.Update+units.Time(hops[sw])*c.Advertisement)
		for _, dst := range changed {
			at += c.Entry
			b.change(&rec, sw, dst, at, next.set(sw, dst))
			b.ready[sw] = at
		}
	}
	b.routes = next
	return rec
}

// newRecovery is of a turn about which nothing has been done yet.
func newRecovery(t *turn) runstore.Recovery {
	const never = runstore.Never
	return runstore.Recovery{
		What: t.what, Repaired: t.repaired, At: t.at, How: "not noticed", Detected: never, Swept: never, Computed: never, First: never, Last: never,
	}
}

// changed are the endpoints to which a switch has other ways than before.
func (b *bgpPlan) changed(next *detours, sw int) (dsts []int) {
	for dst := range b.graph.Endpoints {
		if !slices.Equal(b.routes.set(sw, dst), next.set(sw, dst)) {
			dsts = append(dsts, dst)
		}
	}
	return dsts
}

// repair leaves the ports of cables that have failed out of the groups of a switch
// at their end, all at once. It gives the endpoints of which that is not all.
func (b *bgpPlan) repair(t *turn, rec *runstore.Recovery, sw int, changed []int, next *detours) (rest []int) {
	detected, _ := b.detection(t)
	at := max(b.ready[sw], t.at+detected+b.spec.BGP.Repair)
	b.ready[sw] = at
	for _, dst := range changed {
		left := slices.DeleteFunc(slices.Clone(b.routes.set(sw, dst)), func(port uint16) bool {
			return t.down[b.graph.Nodes[b.graph.Endpoints+sw].Cables[port]]
		})
		b.change(rec, sw, dst, at, left)
		if !slices.Equal(left, next.set(sw, dst)) {
			rest = append(rest, dst)
		}
	}
	return rest
}

// dark reports whether a switch has no cable that works.
func (b *bgpPlan) dark(t *turn, sw int) bool {
	for _, c := range b.graph.Nodes[b.graph.Endpoints+sw].Cables {
		if c >= 0 && !t.down[c] {
			return false
		}
	}
	return true
}

// change gives a switch an entry.
func (b *bgpPlan) change(rec *runstore.Recovery, sw, dst int, at units.Time, ports []uint16) {
	c := fabric.TableChange{At: at, Row: int32(sw), Dst: int32(dst), Ports: ports}
	if len(ports) > 0 {
		c.Port = ports[dst%len(ports)]
	}
	b.out.changes = append(b.out.changes, c)
	rec.Entries++
	noteTable(rec, at)
}

// noteTable notes that a switch has new entries.
func noteTable(rec *runstore.Recovery, at units.Time) {
	since := at - rec.At
	if rec.First == runstore.Never || since < rec.First {
		rec.First = since
	}
	rec.Last = max(rec.Last, since)
}

// hops is how many switches the news of a turn passes on its way to each: 0 at the
// ends of the cables; -1 where it does not come.
func (b *bgpPlan) hops(t *turn) []int {
	hops := make([]int, b.graph.Switches())
	for i := range hops {
		hops[i] = -1
	}
	var queue []int32
	for _, c := range t.cables {
		for _, end := range []topology.End{b.graph.Cables[c].A, b.graph.Cables[c].B} {
			if sw := int(end.Node) - b.graph.Endpoints; sw >= 0 && hops[sw] < 0 {
				hops[sw] = 0
				queue = append(queue, int32(sw))
			}
		}
	}
	walk := detours{g: b.graph, down: t.down}
	for i := 0; i < len(queue); i++ {
		walk.neighbours(queue[i], func(_ uint16, far int32) {
			if hops[far] < 0 {
				hops[far] = hops[queue[i]] + 1
				queue = append(queue, far)
			}
		})
	}
	return hops
}
