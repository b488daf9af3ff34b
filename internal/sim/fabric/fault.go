package fabric

import (
	"slices"

	"weft/internal/sim/fabric/fault"
	"weft/internal/sim/routing"
	"weft/units"
)

// faultState is the pending changes of a network. Each cable end and each row of the tables is a
// source of events, which belongs to one simulation partition, and has one pending event.
type faultState struct {
	links     []fault.Link // by link
	receivers []nodeKind   // by link: the receiver's kind while the link works
	rows      []fault.Row  // by row of the tables
}

// The sources of fault events: sending ends, receiving ends, rows.
func (n *Network) receiverSource(link int32) uint64 { return uint64(len(n.ports)) + uint64(link) }
func (n *Network) rowSource(row int32) uint64       { return 2*uint64(len(n.ports)) + uint64(row) }

// sink is the port of a switch for packets without a route.
func (nd *node) sink() int32 { return nd.ports - 1 }

// makeFaults prepares the Faults; the partitions exist already.
func (b *Builder) makeFaults() {
	n := &b.n
	for i := range n.nodes {
		if nd := &n.nodes[i]; nd.isApart() {
			n.ports[nd.base+nd.sink()].flags |= flagDown
		}
	}
	b.planFaults()
	for row := range n.faults.rows {
		b.watchRow(int32(row))
	}
	for link := range n.faults.links {
		if n.faults.links[link].HasOutages() {
			n.watchLink(int32(link))
		}
	}
}

// planFaults makes the network's pending changes from the Faults.
func (b *Builder) planFaults() {
	n := &b.n
	n.faults = &faultState{
		links: make([]fault.Link, len(n.ports)), receivers: make([]nodeKind, len(n.ports)), rows: make([]fault.Row, n.tables.Switches),
	}
	for link := range n.inboxes {
		n.faults.receivers[link] = n.inboxes[link].kind
	}
	for _, o := range b.Faults.Outages {
		b.addOutage(&o)
	}
	b.addEntryChanges()
	b.addLaneChanges()
	for row := range n.faults.rows {
		n.faults.rows[row].Sort()
	}
}

// addOutage adds an outage to both directions of a cable.
func (b *Builder) addOutage(o *fault.Outage) {
	n := &b.n
	link := n.nodes[o.Node].base + o.Port
	if n.inboxes[link].back < 0 {
		b.fail("%s has no cable that could fail", n.portText(o.Node, o.Port))
		return
	}
	for _, l := range []int32{link, n.inboxes[link].back} {
		shortest := units.Time(n.ports[l].delay) + n.propagation[l] + n.reaction[l]
		if !n.faults.links[l].AddOutage(o.From, o.Until, shortest) {
			b.fail("the cable at %s fails from %v to %v: outages come after the start, one after the other, and take longer than %v, a packet's way", n.LinkName(l), o.From, o.Until, shortest)
			return
		}
	}
}

// addEntryChanges gives the network its own tables, with all sets of ports that will ever be used, and
// adds the changes to their rows.
func (b *Builder) addEntryChanges() {
	n := &b.n
	if len(b.Faults.Changes) == 0 {
		return
	}
	n.tables.Port, n.tables.Group = slices.Clone(n.tables.Port), slices.Clone(n.tables.Group)
	sets := fault.NewPortSets(&n.tables)
	for i := range b.Faults.Changes {
		c := &b.Faults.Changes[i]
		ports, port := c.Ports, c.Port
		sink := uint16(b.switchOf(c.Row).sink())
		if len(ports) == 0 {
			port, ports = sink, []uint16{sink}
		}
		if slices.Contains(ports, routing.NoPort) {
			ports = slices.Clone(ports)
			for j := range ports {
				if ports[j] == routing.NoPort {
					ports[j] = sink
				}
			}
		}
		if port == routing.NoPort {
			port = sink
		}
		n.faults.rows[c.Row].AddEntry(fault.Entry{At: c.At, Dst: c.Dst, Port: port, Set: sets.Number(int(c.Row), ports)})
	}
	sets.WriteTo(&n.tables)
}

// watchRow requests the event of a row's first change.
func (b *Builder) watchRow(row int32) {
	n := &b.n
	if at := n.faults.rows[row].Next(); at != units.Forever {
		nd := b.switchOf(row)
		n.parts[nd.part].push(nd.cell, at, classFault, n.rowSource(row))
	}
}

// switchOf is the switch of a row.
func (b *Builder) switchOf(row int32) *node {
	n := &b.n
	return &n.nodes[n.tables.Endpoints+int(row)]
}

// addLaneChanges gives the network its own SL2VL tables if they change, and adds the changes to their rows.
func (b *Builder) addLaneChanges() {
	n := &b.n
	if len(b.Faults.Lanes) == 0 {
		return
	}
	if n.laneRule == nil || !n.laneRule.ByLevel() {
		b.fail("the SL2VL table of %s changes, but lanes do not follow service levels", n.names[n.tables.Endpoints+int(b.Faults.Lanes[0].Row)])
		return
	}
	ports := map[int]int{}
	for _, c := range b.Faults.Lanes {
		nd := b.switchOf(c.Row)
		if sink := nd.sink(); int32(c.In) >= sink || int32(c.Out) >= sink {
			b.fail("%s has %d ports: a change of its SL2VL table names ports %d and %d", n.names[n.tables.Endpoints+int(c.Row)], sink, c.In+1, c.Out+1)
			return
		}
		ports[int(c.Row)] = int(nd.ports)
		n.faults.rows[c.Row].AddLanes(c)
	}
	n.laneRule = n.laneRule.WithTables(ports)
}
