package sm

import (
	"slices"

	"weft/units"
	"weft/wire/mad"
)

// transfer is an answer in several segments. Segments beyond the window wait for the
// receiver's acknowledgements (IBA vol. 1, 13.6).
type transfer struct {
	to      Packet // addressed as the answer to the query
	records []byte
	acked   uint32 // segments
	window  uint32 // the last segment that may be sent
	until   units.Time
}

// transfers is the unfinished answers in several segments.
type transfers struct {
	*outbox
	all []transfer
}

// answer sends the answer to a query: one datagram, or the first of several segments.
func (s *transfers) answer(q *query) {
	t := transfer{to: *q.p, records: q.records, window: 1, until: s.now + transferTime}
	d := &t.to.MAD
	d.SetMethod(d.Method().Answer())
	d.SetStatus(q.status)
	t.to.DLID, t.to.SLID = q.p.SLID, q.p.DLID
	clear(d.SAData())
	d.SetRecordStride(q.bytes)
	if d.Method() != mad.GetTable|mad.Response {
		d.SetRMPP(mad.RMPP{})
		copy(d.SAData(), q.records)
		s.send(t.to)
		return
	}
	s.sendSegments(&t, 1)
	if t.segments() == 1 {
		return
	}
	s.all = slices.DeleteFunc(s.all, func(other transfer) bool { return other.until <= s.now })
	if len(s.all) < maxTransfers {
		s.all = append(s.all, t)
	}
}

// segments is the number of segments, at least 1.
func (t *transfer) segments() uint32 {
	return max(uint32((len(t.records)+mad.SADataBytes-1)/mad.SADataBytes), 1)
}

// sendSegments sends the segments within the window, from a number on.
func (s *transfers) sendSegments(t *transfer, from uint32) {
	last := t.segments()
	for n := from; n <= min(last, t.window); n++ {
		piece := t.to
		data := t.records[min(int(n-1)*mad.SADataBytes, len(t.records)):]
		data = data[:min(len(data), mad.SADataBytes)]
		r := mad.RMPP{Version: 1, Type: mad.RMPPData, RespTime: noRespTime, Active: true, First: n == 1, Last: n == last, Segment: n}
		switch {
		case r.Last:
			r.Length = mad.Payload(len(data))
		case r.First: // each segment counts the class's header
			r.Length = uint32(len(t.records)) + last*mad.Payload(0)
		}
		piece.MAD.SetRMPP(r)
		clear(piece.MAD.SAData())
		copy(piece.MAD.SAData(), data)
		s.send(piece)
	}
}

// acknowledged continues a transfer, or ends it.
func (s *transfers) acknowledged(p *Packet, r *mad.RMPP) {
	for i := range s.all {
		t := &s.all[i]
		if t.to.MAD.TID() != p.MAD.TID() || t.to.DLID != p.SLID {
			continue
		}
		if r.Type != mad.RMPPAck || r.Segment >= t.segments() || t.until <= s.now {
			s.all = slices.Delete(s.all, i, i+1)
			return
		}
		if r.Segment > t.window {
			return // it acknowledges a segment that was never sent
		}
		t.acked = max(t.acked, r.Segment)
		sent := t.window
		if r.Segment < t.acked || r.Length <= sent {
			sent = t.acked // a repeated acknowledgement: the segments after it were lost
		}
		t.window = min(max(r.Length, t.acked+1), t.acked+maxSegments)
		s.sendSegments(t, sent+1)
		t.until = s.now + transferTime
		return
	}
}
