package sm

import (
	"slices"

	"weft/internal/ib/subnet"
	"weft/units"
	"weft/wire/mad"
)

// access decides which ports the sender of a query may see.
type access struct {
	*routed
	partitions *partitions
	smKey      uint64
}

// trusts reports whether a query has the manager's key.
func (a *access) trusts(q *query) bool { return a.smKey != 0 && q.p.MAD.SMKey() == a.smKey }

// hasKey reports whether the port of a LID is a member, full or limited, of a key's partition.
func (a *access) hasKey(lid units.LID, key mad.PKey) bool {
	at, exists := a.owner(lid)
	if !exists {
		return false
	}
	return slices.ContainsFunc(a.partitions.keysOf(at), func(k mad.PKey) bool { return k.Partition() == key.Partition() })
}

// shows reports whether the sender of a query may see a port: it shares a partition with the port,
// or its query has the manager's key (IBA vol. 1, 15.4.1.2). Without partitions all ports share the
// default partition.
func (a *access) shows(q *query, at subnet.End) bool {
	if !a.partitions.inUse() || a.trusts(q) {
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
