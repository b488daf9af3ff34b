package tcp

import (
	"slices"

	"weft/units"
)

// boundary is the end of a message in the stream.
type boundary struct {
	end uint64
	id  uint32
}

// receiver is the half of a connection that receives a stream.
type receiver struct {
	cfg    *Config
	nxt    uint64     // RCV.NXT: the first missing byte
	told   uint64     // the Ack of the last segment sent
	done   uint64     // end of the last reported message
	delack units.Time // time at which the pending acknowledgement is due

	spans spans      // the received data beyond nxt
	ends  []boundary // the ends of messages within spans, sorted

	ce  bool // DCTCP.CE: whether the last segment was marked
	ece bool // acknowledgements echo it
}

// reply is the answer that a data segment requires.
type reply struct {
	now   bool // at once; otherwise later, or at the timer
	dup   bool // it had no new data
	block span // the most informative SACK block; empty: none
}

// owes reports whether data has arrived without an acknowledgement.
func (r *receiver) owes() bool { return r.nxt != r.told }

// changes reports whether s changes DCTCP's state of congestion (RFC 8257, 3.2); a pending
// acknowledgement must then be sent first, with the old state.
func (r *receiver) changes(s *Segment) bool {
	return r.cfg.ECN == ECNDCTCP && r.ce != (s.Flags&FlagCE != 0)
}

// mark handles the congestion bits of s.
func (r *receiver) mark(s *Segment) {
	marked := s.Flags&FlagCE != 0
	switch r.cfg.ECN {
	case ECNDCTCP:
		r.ce, r.ece = marked, marked
	case ECNClassic: // RFC 3168, 6.1.3
		r.ece = marked || r.ece && s.Flags&FlagCWR == 0
	case ECNOff:
	}
}

// take handles the payload of s, reports the completed messages, and returns the required answer.
func (r *receiver) take(now units.Time, s *Segment, b *Batch, st *Stats) reply {
	data := span{s.Seq, s.Seq + uint64(s.Length)}
	switch {
	case data.end <= r.nxt:
		st.Duplicates++
		return reply{now: true, dup: true, block: r.lowest()}
	case data.start > r.nxt:
		return r.takeAhead(s, data, st)
	}
	return r.takeNext(now, s, data, b)
}

// takeNext moves nxt over the next data of the stream.
func (r *receiver) takeNext(now units.Time, s *Segment, data span, b *Batch) reply {
	r.nxt = data.end
	last := s.Flags&FlagPSH != 0
	if last {
		r.report(boundary{data.end, s.ID}, b)
	}
	if len(r.spans) > 0 { // RFC 5681, 4.2: (part of) a gap is filled
		r.nxt = r.spans.absorb(r.nxt)
		r.reportEnds(b)
		return reply{now: true, block: r.lowest()}
	}
	if last && r.cfg.AckPush || r.nxt-r.told > uint64(r.cfg.AckEvery-1)*uint64(r.cfg.MSS) {
		return reply{now: true}
	}
	if r.delack == units.Forever {
		r.delack = now + r.cfg.AckDelay
	}
	return reply{}
}

// takeAhead keeps data beyond a gap.
func (r *receiver) takeAhead(s *Segment, data span, st *Stats) reply {
	if data.end > r.nxt+uint64(r.cfg.Window) {
		st.Refused++
		return reply{now: true, block: r.lowest()}
	}
	whole, fresh, ok := r.spans.add(data)
	if !ok {
		st.Refused++
		return reply{now: true, block: r.lowest()}
	}
	if !fresh {
		st.Duplicates++
		return reply{now: true, dup: true, block: whole}
	}
	if s.Flags&FlagPSH != 0 {
		r.keepEnd(boundary{data.end, s.ID})
	}
	return reply{now: true, block: whole}
}

// keepEnd stores the end of a message whose beginning has not arrived.
func (r *receiver) keepEnd(e boundary) {
	i := len(r.ends)
	for i > 0 && r.ends[i-1].end > e.end {
		i--
	}
	r.ends = slices.Insert(r.ends, i, e)
}

// reportEnds reports the stored messages that are now complete.
func (r *receiver) reportEnds(b *Batch) {
	n := 0
	for n < len(r.ends) && r.ends[n].end <= r.nxt {
		r.report(r.ends[n], b)
		n++
	}
	r.ends = slices.Delete(r.ends, 0, n)
}

func (r *receiver) report(e boundary, b *Batch) {
	if e.end <= r.done {
		return
	}
	b.Completions = append(b.Completions, Completion{
		Bytes: units.Bytes(e.end - r.done), ID: e.id, Outcome: Received,
	})
	r.done = e.end
}

// lowest is the first span beyond the gap, if any.
func (r *receiver) lowest() span {
	if len(r.spans) == 0 {
		return span{}
	}
	return r.spans[0]
}

// acknowledge fills in the acknowledgement fields of every outgoing segment. Then no
// acknowledgement is pending.
func (r *receiver) acknowledge(s *Segment) {
	s.Ack = r.nxt
	s.Window = uint32(r.cfg.Window)
	s.Flags |= FlagACK
	if r.ece {
		s.Flags |= FlagECE
	}
	r.told = r.nxt
	r.delack = units.Forever
}
