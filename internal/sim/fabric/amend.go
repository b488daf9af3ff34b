package fabric

import (
	"errors"

	"weft/internal/sim/fabric/fault"
	"weft/units"
)

// Amend replaces the faults of a network under way, for an application that learns of faults as they happen.
// The new ones agree with the old ones until now. It needs an application with foreign packets, and a
// network that was built with Faults. After an error the old ones are valid.
func (n *Network) Amend(f *fault.Plan) error {
	b, old, rule, tables := n.builder, n.faults, n.laneRule, n.tables
	b.Faults, b.err = f, nil
	b.planFaults()
	if err := errors.Join(b.err...); err != nil {
		n.faults, n.laneRule, n.tables = old, rule, tables
		return err
	}
	n.flowlets = make([][]flowletEntry, len(n.tables.SetStart))
	b.assignRows()
	p := n.parts[0]
	for row := range n.faults.rows {
		n.faults.rows[row].PassEntries(p.now) // they have been made
		n.faults.rows[row].PassLanes(p.now)
		b.watchRow(int32(row))
	}
	for link := range n.faults.links {
		f := &n.faults.links[link]
		f.Out, f.In = old.links[link].Out, old.links[link].In
		if old.links[link].HasOutages() {
			n.faults.receivers[link] = old.receivers[link]
		}
		n.watchLink(int32(link))
	}
	return nil
}

// watchLink requests the next events of both ends of a link.
func (n *Network) watchLink(link int32) {
	n.watchSender(link)
	n.watchReceiver(link)
}

// watchSender requests the next event of the sending end of a link.
func (n *Network) watchSender(link int32) {
	if f := &n.faults.links[link]; f.Next(f.Out) != units.Forever {
		n.Partition(n.ports[link].node).push(n.cell(link), f.Next(f.Out), classFault, uint64(link))
	}
}

// watchReceiver requests the next event of the receiving end of a link.
func (n *Network) watchReceiver(link int32) {
	if f := &n.faults.links[link]; f.Next(f.In) != units.Forever {
		n.Partition(n.inboxes[link].node).push(n.ports[link].to, f.Next(f.In), classFault, n.receiverSource(link))
	}
}
