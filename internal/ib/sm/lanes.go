package sm

import (
	"slices"
	"strings"

	"weft/internal/ib/subnet"
	"weft/units"
	"weft/wire/mad"
)

// QoS is a port's treatment of service levels. The manager chooses the values of nil fields.
type QoS struct {
	MaxVLs    uint8 // data lanes for service levels, 1 to 15; 0: all lanes of the port
	HighLimit *uint8
	High, Low []mad.VLWeight // arbitration; entries beyond the port's tables are dropped
	SL2VL     *mad.SLToVL    // used if routing does not set SL2VL
}

// laneTables writes SL2VL and arbitration tables.
type laneTables struct {
	*writer
	qos     func(kind subnet.Kind, port uint8) QoS // nil: routing decides alone
	levels  bool                                   // the site gives levels to the paths of partitions
	written ledger
	most    int // most lanes of all tables so far
}

// write writes SL2VL and arbitration tables to all ports with a link, if routing or the
// site uses more than one lane or earlier tables did. The tables that a port has after
// power-on are not specified.
func (l *laneTables) write() {
	l.most = max(l.most, l.tables.Lanes)
	if l.qos == nil && l.most <= 1 && l.tables.SL2VL == nil {
		return
	}
	l.tellOfLevels()
	warned := false
	l.eachLinked(func(i int32, p uint8, here, _ *mad.PortInfo) {
		n := l.nodes[i]
		w := l.written.of(n)
		if !n.isSwitch() && here.State == mad.PortInit {
			w.forget() // its link was down; it may have lost power
		}
		if have := dataLanes(l.operational(n, p)); have < l.tables.Lanes && n.isSwitch() && !warned {
			warned = true
			l.complain(Event{Kind: TooFewLanes, Path: slices.Concat(n.agentOf(p).path, []uint8{p}), Count: have, Need: l.tables.Lanes})
		}
		q := l.qosOf(n, p)
		l.tellOfUnserved(i, p, &q)
		l.writeArbitration(i, p, here, &q, w)
		if !n.isSwitch() {
			l.writeSLToVL(i, p, 0, w, l.lanesOf(n, 0, p, &q))
			return
		}
		for in := range n.ports {
			if in == 0 || n.ports[in].peer != none {
				l.writeSLToVL(i, p, uint32(in)<<8|uint32(p), w, l.lanesOf(n, uint8(in), p, &q))
			}
		}
	})
}

// free reports whether the site may choose the lanes of service levels: routing does not need them.
func (l *laneTables) free() bool { return l.tables.Lanes <= 1 && l.tables.SL2VL == nil }

// tellOfLevels names what the site has set and routing overrides.
func (l *laneTables) tellOfLevels() {
	var table, most bool
	if !l.free() {
		l.eachLinked(func(i int32, p uint8, _, _ *mad.PortInfo) {
			q := l.qosOf(l.nodes[i], p)
			table, most = table || q.SL2VL != nil, most || q.SL2VL == nil && q.MaxVLs > 0
		})
	}
	var lost []string
	for _, one := range []struct {
		set  bool
		name string
	}{
		{table, "lanes of service levels (qos_sl2vl)"},
		{most, "number of lanes (qos_max_vls)"},
		{l.levels && l.tables.SL != nil, "service levels of partitions (sl)"},
	} {
		if one.set {
			lost = append(lost, one.name)
		}
	}
	if len(lost) > 0 {
		l.complain(Event{Kind: LevelsNotTaken, Text: strings.Join(lost, ", "), Need: l.tables.Lanes})
	}
}

// tellOfUnserved names the lanes of routing for which the site's arbitration has no weight: a port
// never sends their packets (IBA vol. 1, 7.6.9.2).
func (l *laneTables) tellOfUnserved(i int32, p uint8, q *QoS) {
	if l.free() || q.Low == nil && q.High == nil {
		return
	}
	n := l.nodes[i]
	for lane := range min(max(l.tables.Lanes, 1), dataLanes(l.operational(n, p))) {
		serves := func(e mad.VLWeight) bool { return e.VL == units.VL(lane) && e.Weight > 0 }
		if !slices.ContainsFunc(q.Low, serves) && !slices.ContainsFunc(q.High, serves) {
			l.complain(Event{Kind: LaneNotServed, Node: n.desc.String(), Port: p, Path: n.agentOf(p).path, Need: lane})
			return
		}
	}
}

// qosOf is the site's QoS for a port.
func (l *laneTables) qosOf(n *node, p uint8) QoS {
	if l.qos == nil {
		return QoS{}
	}
	return l.qos(subnet.Kind(n.info.Type), p)
}

// lanesOf is the lane of each service level from port in to port out. If routing has SL2VL tables
// or needs several lanes against deadlock, routing decides. Otherwise the site's table does.
// Without one, the lane is the service level modulo the number of lanes.
func (l *laneTables) lanesOf(n *node, in, out uint8, q *QoS) mad.SLToVL {
	var t mad.SLToVL
	dense, routed := l.dense[n]
	routed = routed && l.tables.SL2VL != nil
	free := l.free()
	lanes := max(dataLanes(l.operational(n, out)), 1)
	if free && q.MaxVLs > 0 {
		lanes = min(lanes, int(q.MaxVLs))
	}
	for sl := range t {
		switch {
		case routed:
			t[sl] = l.tables.SL2VL[dense].At(in, out, units.SL(sl))
		case free && q.SL2VL != nil:
			t[sl] = q.SL2VL[sl]
		default:
			t[sl] = units.VL(sl % lanes)
		}
	}
	return t
}

// dataLanes is the number of lanes for a code in PortInfo.
func dataLanes(code uint8) int {
	return [...]int{0, 1, 2, 4, 8, 15}[min(code, 5)]
}

func (l *laneTables) writeSLToVL(i int32, p uint8, modifier uint32, w *written, t mad.SLToVL) {
	key := modifier
	if modifier == 0 {
		key = uint32(p) // of an adapter with several ports
	}
	if had, ok := w.sl2vl[key]; ok && had == t {
		return
	}
	if w.sl2vl == nil {
		w.sl2vl = map[uint32]mad.SLToVL{}
	}
	w.sl2vl[key] = t
	l.ask(l.set(i, mad.AttrSLToVL, modifier, p, &t))
}

// writeArbitration writes both tables of a port. By default every lane in use has the
// same weight, at low priority. Lanes of earlier tables count as in use, because
// existing connections keep their service levels.
func (l *laneTables) writeArbitration(i int32, p uint8, here *mad.PortInfo, q *QoS, w *written) {
	low, high := q.Low, q.High
	if low == nil && high == nil {
		for lane := range min(max(l.most, 1), dataLanes(l.operational(l.nodes[i], p))) {
			low = append(low, mad.VLWeight{VL: units.VL(lane), Weight: evenWeight})
		}
	}
	l.writeArbTable(i, p, 1, low, here.VLArbLowCap, w)
	l.writeArbTable(i, p, 3, high, here.VLArbHighCap, w)
}

// evenWeight is 64 × 64 bytes: a packet of the largest MTU.
const evenWeight = 64

// writeArbTable writes the blocks of a table, from block first on.
func (l *laneTables) writeArbTable(i int32, p uint8, first uint32, entries []mad.VLWeight, room uint8, w *written) {
	entries = entries[:min(len(entries), int(room))]
	for b := uint32(0); int(b)*mad.VLArbPerBlock < int(room); b++ {
		var t mad.VLArb
		copy(t[:], entries[min(int(b)*mad.VLArbPerBlock, len(entries)):])
		modifier := (first+b)<<16 | uint32(p)
		if had, ok := w.arb[modifier]; ok && had == t {
			continue
		}
		if w.arb == nil {
			w.arb = map[uint32]mad.VLArb{}
		}
		w.arb[modifier] = t
		l.ask(l.set(i, mad.AttrVLArb, modifier, p, &t))
	}
}
