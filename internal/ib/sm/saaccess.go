package sm

import "weft/internal/ib/subnet"

// shows reports whether whoever asks may learn of a port: it shares a partition with
// it, or knows the manager's key (IBA vol. 1, 15.4.1.2). Without partitions all share
// the default one.
func (m *Manager) shows(q *query, at subnet.End) bool {
	if m.cfg.Partitions == nil || m.cfg.SMKey != 0 && q.p.MAD.SMKey() == m.cfg.SMKey {
		return true
	}
	if m.sub.Nodes[at.Node].Kind == subnet.Switch {
		at.Port = 0
	}
	shown, known := q.shown[at]
	if known {
		return shown
	}
	if int(q.p.SLID) < len(m.owners) && m.owners[q.p.SLID].Exists() {
		_, shown = m.sharedKey(m.owners[q.p.SLID], at)
	}
	if q.shown == nil {
		q.shown = map[subnet.End]bool{}
	}
	q.shown[at] = shown
	return shown
}
