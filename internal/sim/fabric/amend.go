package fabric

import (
	"errors"
	"slices"

	"weft/units"
)

// Amend replaces the faults of a network under way, for an application that learns of faults as they happen.
// The new ones agree with the old ones until now. It needs an application with foreign packets, and a
// network that was built with Faults. After an error the old ones are valid.
func (n *Network) Amend(f *Faults) error {
	b, old, rule, tables := n.builder, n.faults, n.laneRule, n.tables
	b.Faults, b.err = f, nil
	n.faults = &faultState{links: make([]linkFaults, len(n.ports)), rows: make([]rowChanges, n.tables.Switches)}
	for _, o := range f.Outages {
		b.outage(&o)
	}
	b.changes()
	b.laneChanges()
	if err := errors.Join(b.err...); err != nil {
		n.faults, n.laneRule, n.tables = old, rule, tables
		return err
	}
	n.flowlets = make([][]flowletEntry, len(n.tables.SetStart))
	b.ways()
	p := n.parts[0]
	for row := range n.faults.rows {
		n.faults.rows[row].skip(p.now)
		b.watchRow(int32(row))
	}
	for link := range n.faults.links {
		n.faults.links[link].follow(&old.links[link], n.inboxes[link].kind)
		n.watchLink(int32(link))
	}
	return nil
}

// follow takes over what has happened to a link whose receiver has a kind.
func (f *linkFaults) follow(old *linkFaults, kind nodeKind) {
	f.out, f.in, f.receiver = old.out, old.in, old.receiver
	if len(old.times) == 0 {
		f.receiver = kind
	}
}

// skip passes over the changes until now, which have been made.
func (r *rowChanges) skip(now units.Time) {
	r.next, _ = slices.BinarySearchFunc(r.changes, now+1, func(c entryChange, at units.Time) int { return int(min(1, max(-1, c.at-at))) })
	r.lane, _ = slices.BinarySearchFunc(r.lanes, now+1, func(c LaneChange, at units.Time) int { return int(min(1, max(-1, c.At-at))) })
}

// watchLink requests the next events of both ends of a link.
func (n *Network) watchLink(link int32) {
	f := &n.faults.links[link]
	if f.out < len(f.times) {
		n.Partition(n.ports[link].node).push(n.cell(link), f.times[f.out], classFault, uint64(link))
	}
	if f.in < len(f.times) {
		n.Partition(n.inboxes[link].node).push(n.ports[link].to, f.times[f.in], classFault, n.receiverSource(link))
	}
}
