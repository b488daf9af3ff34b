package sma

import (
	"weft/internal/ib/subnet"
	"weft/wire/mad"
)

// The fields of trap 259 that a switch fills in: LIDs, P_Key, SL, queue pairs
// and GIDs, all of them (IBA vol. 1, 13.4.9, recalled).
const everyField = 0xFF

// PKeyViolation notes that a port has discarded packets for their P_Key. An adapter counts
// them in its PortInfo and sends trap 257. A switch port counts them as constraint errors,
// incoming or outgoing, and sends trap 259. The notice names the packets' ends.
func (f *Fabric) PKeyViolation(at subnet.End, in bool, packets int, n *mad.KeyNotice) {
	q := &f.nodes[at.Node].ports[at.Port]
	if f.sub.Nodes[at.Node].Kind != subnet.Switch {
		sum(&q.info.PKeyViolations, uint16(min(packets, 0xFFFF)))
		f.trap(at, mad.NoticeSecurity, mad.TrapBadPKey, n)
		return
	}
	counter := &q.counters.short.XmitConstraint
	if in {
		counter = &q.counters.short.RcvConstraint
	}
	sum(counter, uint8(min(packets, 0xFF)))
	f.trap(at, mad.NoticeSecurity, mad.TrapSwitchPKey, &mad.SwitchKeyNotice{
		Valid: everyField, LID1: n.LID1, LID2: n.LID2, PKey: mad.PKey(n.Key), SL: n.SL, QP1: n.QP1, QP2: n.QP2,
		GID1: n.GID1, GID2: n.GID2, SwitchLID: f.lidAt(at), Port: uint8(at.Port),
	})
}

// QKeyViolation notes that an adapter has discarded datagrams for their Q_Key, and sends trap 258.
func (f *Fabric) QKeyViolation(at subnet.End, packets int, n *mad.KeyNotice) {
	sum(&f.nodes[at.Node].ports[at.Port].info.QKeyViolations, uint16(min(packets, 0xFFFF)))
	f.trap(at, mad.NoticeSecurity, mad.TrapBadQKey, n)
}

// Counters is a port's PortCounters, as in the answer to a Get.
func (f *Fabric) Counters(at subnet.End) mad.PortCounters {
	return f.nodes[at.Node].ports[at.Port].counters.short
}
