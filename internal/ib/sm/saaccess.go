package sm

import (
	"weft/internal/ib/subnet"
)

// access decides which ports the sender of a query may see.
type access struct {
	*routed
	partitions *partitions
	smKey      uint64
}

// shows reports whether the sender of a query may see a port: it shares a partition with the port,
// or its query has the manager's key (IBA vol. 1, 15.4.1.2). Without partitions all ports share the
// default partition.
func (a *access) shows(q *query, at subnet.End) bool {
	if !a.partitions.inUse() || a.smKey != 0 && q.p.MAD.SMKey() == a.smKey {
		return true
	}
	if a.sub.Nodes[at.Node].Kind == subnet.Switch {
		at.Port = 0
	}
	shown, known := q.shown[at]
	if known {
		return shown
	}
	if asker, exists := a.owner(q.p.SLID); exists {
		_, shown = a.partitions.shared(asker, at)
	}
	if q.shown == nil {
		q.shown = map[subnet.End]bool{}
	}
	q.shown[at] = shown
	return shown
}
