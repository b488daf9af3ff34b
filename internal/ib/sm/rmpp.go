package sm

import (
	"weft/units"
	"weft/wire/mad"
)

// transfer is an answer in several pieces, of which some wait for the receiver
// to acknowledge those before (IBA vol. 1, 13.6).
type transfer struct {
	to      Packet // the request that it answers
	records []byte
	stride  int
	acked   uint32 // segments
	window  uint32 // the last segment that may be sent
	until   units.Time
}

// answerQuery sends the answer to a query: one datagram, or the first of several
// pieces.
func (m *Manager) answerQuery(q *query) {
	t := transfer{to: *q.p, records: q.records, window: 1, until: m.now + transferTime}
	d := &t.to.MAD
	d.SetMethod(d.Method().Answer())
	d.SetStatus(q.status)
	t.to.DLID, t.to.SLID = q.p.SLID, q.p.DLID
	clear(d.SAData())
	t.stride = d.SetRecordStride(q.bytes)
	if d.Method() != mad.GetTable|mad.Response {
		d.SetRMPP(mad.RMPP{})
		copy(d.SAData(), q.records)
		m.out.Send = append(m.out.Send, t.to)
		return
	}
	m.sendSegments(&t, 1)
	if t.segments() == 1 {
		return
	}
	kept := m.admin.transfers[:0]
	for _, other := range m.admin.transfers {
		if other.until > m.now {
			kept = append(kept, other)
		}
	}
	m.admin.transfers = kept
	if len(kept) < maxTransfers {
		m.admin.transfers = append(m.admin.transfers, t)
	}
}

// segments is how many pieces a transfer has. One without records has one.
func (t *transfer) segments() uint32 {
	return max(uint32((len(t.records)+mad.SADataBytes-1)/mad.SADataBytes), 1)
}

// sendSegments sends the pieces from one on that the window allows.
func (m *Manager) sendSegments(t *transfer, from uint32) {
	last := t.segments()
	for s := from; s <= min(last, t.window); s++ {
		piece := t.to
		data := t.records[min(int(s-1)*mad.SADataBytes, len(t.records)):]
		data = data[:min(len(data), mad.SADataBytes)]
		r := mad.RMPP{Version: 1, Type: mad.RMPPData, RespTime: noRespTime, Active: true, First: s == 1, Last: s == last, Segment: s}
		switch {
		case r.Last:
			r.Length = mad.Payload(len(data))
		case r.First: // each piece counts the class's header
			r.Length = uint32(len(t.records)) + last*mad.Payload(0)
		}
		piece.MAD.SetRMPP(r)
		clear(piece.MAD.SAData())
		copy(piece.MAD.SAData(), data)
		m.out.Send = append(m.out.Send, piece)
	}
}

// acknowledged goes on with a transfer, or ends it.
func (m *Manager) acknowledged(p *Packet, r *mad.RMPP) {
	for i := range m.admin.transfers {
		t := &m.admin.transfers[i]
		if t.to.MAD.TID() != p.MAD.TID() || t.to.DLID != p.SLID {
			continue
		}
		if r.Type != mad.RMPPAck || r.Segment >= t.segments() || t.until <= m.now {
			m.admin.transfers = append(m.admin.transfers[:i], m.admin.transfers[i+1:]...)
			return
		}
		if r.Segment > t.window {
			return // of what was never sent
		}
		t.acked = max(t.acked, r.Segment)
		sent := t.window
		if r.Segment < t.acked || r.Length <= sent {
			sent = t.acked // an acknowledgement again: what followed was lost
		}
		t.window = min(max(r.Length, t.acked+1), t.acked+maxSegments)
		m.sendSegments(t, sent+1)
		t.until = m.now + transferTime
		return
	}
}
