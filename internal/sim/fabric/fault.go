package fabric

import (
	"cmp"
	"slices"

	"weft/internal/sim/routing"
	"weft/units"
)

// Faults are the faults of a run and the reactions of the control plane. A network with Faults,
// even empty ones, has one more port at every switch of the scale-out fabric: packets without a
// route go there, and are dropped.
//
// A failed cable loses the packets on it, the packets that wait for it, and the packets sent to it;
// each is counted. A packet whose head has left the receiver's pipeline before the fault has
// arrived. A NIC with a failed cable sends nothing. Flow control restarts when a cable works again:
// no sender is paused, and all credits are available.
type Faults struct {
	Outages []Outage
	Changes []TableChange
	Lanes   []LaneChange // if Builder.Lanes follows service levels
}

// Outage is the time of a failed cable, from From, after 0, until Until, which may be
// units.Forever. One of its ends identifies the cable; ports count from 0.
type Outage struct {
	Node, Port  int32
	From, Until units.Time
}

// TableChange is a switch's new entry for a destination, from At on. Of several changes of an entry
// at the same time, the last is valid.
type TableChange struct {
	At  units.Time
	Row int32 // of the forwarding tables
	Dst int32
	// Ports are the ports that the switch chooses from, ascending; none: it drops. Port is the port
	// of static routing, and one of Ports.
	Ports []uint16
	Port  uint16
}

// faultState is the pending changes of a network. Each cable end and each row of the tables is a
// source of events, which belongs to one simulation partition, and has one pending event.
type faultState struct {
	links []linkFaults // by link
	rows  []rowChanges // by row of the tables
}

// linkFaults are the times at which a link goes down and comes up in turn, beginning with down. Its
// two ends process them independently.
type linkFaults struct {
	times    []units.Time
	out, in  int      // number of times processed at the sender and at the receiver
	receiver nodeKind // the receiver's kind while the link works
}

// rowChanges are the changes of a row, and of its switch's SL2VL table, in order of
// time.
type rowChanges struct {
	changes []entryChange
	next    int
	lanes   []LaneChange
	lane    int // the next SL2VL change
}

// due is the time of the next change; Forever after the last.
func (r *rowChanges) due() units.Time {
	at := units.Forever
	if r.next < len(r.changes) {
		at = r.changes[r.next].at
	}
	if r.lane < len(r.lanes) {
		at = min(at, r.lanes[r.lane].At)
	}
	return at
}

type entryChange struct {
	at          units.Time
	dst         int32
	port, group uint16
}

// The sources of fault events: sending ends, receiving ends, rows.
func (n *Network) receiverSource(link int32) uint64 { return uint64(len(n.ports)) + uint64(link) }
func (n *Network) rowSource(row int32) uint64       { return 2*uint64(len(n.ports)) + uint64(row) }

// sink is the port of a switch for packets without a route.
func (nd *node) sink() int32 { return nd.ports - 1 }

// faults prepares the Faults; the partitions exist already.
func (b *Builder) faults() {
	n := &b.n
	n.faults = &faultState{links: make([]linkFaults, len(n.ports)), rows: make([]rowChanges, n.tables.Switches)}
	for i := range n.nodes {
		if nd := &n.nodes[i]; nd.apart() {
			n.ports[nd.base+nd.sink()].flags |= flagDown
		}
	}
	for _, o := range b.Faults.Outages {
		b.outage(&o)
	}
	b.changes()
	b.laneChanges()
	for row := range n.faults.rows {
		b.watchRow(int32(row))
	}
	for link := range n.faults.links {
		f := &n.faults.links[link]
		if len(f.times) == 0 {
			continue
		}
		f.receiver = n.inboxes[link].kind
		n.watchLink(int32(link))
	}
}

// outage stores when both directions of a cable go down and come up.
func (b *Builder) outage(o *Outage) {
	n := &b.n
	link := n.nodes[o.Node].base + o.Port
	if n.inboxes[link].back < 0 {
		b.fail("%s has no cable at port %d that could fail", n.names[o.Node], o.Port+1)
		return
	}
	for _, l := range []int32{link, n.inboxes[link].back} {
		f := &n.faults.links[l]
		shortest := units.Time(n.ports[l].delay) + n.propagation[l] + n.reaction[l]
		if o.From <= 0 || o.Until-o.From <= shortest || len(f.times) > 0 && o.From <= f.times[len(f.times)-1]+shortest {
			b.fail("the cable at %s fails from %v to %v: outages come after the start, one after the other, and take longer than %v, a packet's way", n.LinkName(l), o.From, o.Until, shortest)
			return
		}
		f.times = append(f.times, o.From)
		if o.Until != units.Forever {
			f.times = append(f.times, o.Until)
		}
	}
}

// changes gives the network its own tables, with all sets of ports that will ever be used, and
// orders the changes.
func (b *Builder) changes() {
	n := &b.n
	if len(b.Faults.Changes) == 0 {
		return
	}
	n.tables.Port, n.tables.Group = slices.Clone(n.tables.Port), slices.Clone(n.tables.Group)
	sets := newSets(&n.tables)
	for i := range b.Faults.Changes {
		c := &b.Faults.Changes[i]
		nd := b.switchOf(c.Row)
		ports, port := c.Ports, c.Port
		if len(ports) == 0 {
			port = uint16(nd.sink())
			ports = []uint16{port}
		}
		r := &n.faults.rows[c.Row]
		r.changes = append(r.changes, entryChange{c.At, c.Dst, port, sets.number(int(c.Row), ports)})
	}
	sets.into(&n.tables)
	for row := range n.faults.rows {
		r := &n.faults.rows[row]
		slices.SortStableFunc(r.changes, func(a, b entryChange) int { return cmp.Compare(a.at, b.at) })
	}
}

// watchRow requests the event of a row's first change.
func (b *Builder) watchRow(row int32) {
	n := &b.n
	if at := n.faults.rows[row].due(); at != units.Forever {
		nd := b.switchOf(row)
		n.parts[nd.part].push(nd.cell, at, classFault, n.rowSource(row))
	}
}

// switchOf is the switch of a row.
func (b *Builder) switchOf(row int32) *node {
	n := &b.n
	return &n.nodes[n.tables.Endpoints+int(row)]
}

// sets are the sets of ports of each switch, beginning with the sets of its tables.
type sets struct {
	ports [][][]uint16
	known []map[string]uint16
}

func newSets(t *routing.Tables) *sets {
	s := &sets{ports: make([][][]uint16, t.Switches), known: make([]map[string]uint16, t.Switches)}
	for row := range t.Switches {
		s.known[row] = map[string]uint16{}
		for k := range t.Sets(row) {
			s.add(row, t.Set(row, uint16(k)))
		}
	}
	return s
}

func (s *sets) add(row int, ports []uint16) uint16 {
	k := uint16(len(s.ports[row]))
	s.ports[row] = append(s.ports[row], ports)
	s.known[row][setKey(ports)] = k
	return k
}

// number is the number of a set at a switch; a new set is added.
func (s *sets) number(row int, ports []uint16) uint16 {
	if k, ok := s.known[row][setKey(ports)]; ok {
		return k
	}
	return s.add(row, ports)
}

func setKey(ports []uint16) string {
	key := make([]byte, 0, 2*len(ports))
	for _, p := range ports {
		key = append(key, byte(p), byte(p>>8))
	}
	return string(key)
}

// into writes the sets to tables.
func (s *sets) into(t *routing.Tables) {
	t.SetBase, t.SetStart, t.SetPorts = nil, []int32{0}, nil
	for _, of := range s.ports {
		t.SetBase = append(t.SetBase, int32(len(t.SetStart)-1))
		for _, ports := range of {
			t.SetPorts = append(t.SetPorts, ports...)
			t.SetStart = append(t.SetStart, int32(len(t.SetPorts)))
		}
	}
	t.SetBase = append(t.SetBase, int32(len(t.SetStart)-1))
}
