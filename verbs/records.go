package verbs

import "slices"

// sendRecord is the record of a send until it completes: one per message of the transport.
type sendRecord struct {
	wrid       uint64
	wr         uint64 // number of its work request
	op         WCOpcode
	signalled  bool
	base       uint64 // start of its part, for a split READ
	total      uint32
	segs       []segment
	few        [2]segment // storage of segs if they are few
	inline     []byte
	ah         *AH
	srq        uint32 // XRC: the peer's
	swap, comp uint64
	local      *localWork
}

// take copies a record; a few segments are stored in the record itself.
func (r *sendRecord) take(from *sendRecord) {
	*r = *from
	if len(from.segs) <= len(r.few) {
		r.segs = r.few[:copy(r.few[:], from.segs)]
	}
}

// recvRecord is the record of a receive.
type recvRecord struct {
	wrid  uint64
	total uint64
	segs  []segment
	few   [2]segment
	srq   *SRQ // XRC: whose receive it is; nil: nobody's, for a queue that is not there
}

func (r *recvRecord) fill(p *PD, wr *RecvWR) (err error) {
	*r = recvRecord{wrid: wr.WRID}
	r.segs, r.total, _, err = p.segments(r.few[:0], wr.SGL, AccessLocalWrite)
	return err
}

// take copies a record; a few segments are stored in the record itself.
func (r *recvRecord) take(from *recvRecord) {
	*r = *from
	if len(from.segs) <= len(r.few) {
		r.segs = r.few[:copy(r.few[:], from.segs)]
	}
}

// sendRecords holds the records of sends by the transport's IDs.
type sendRecords struct {
	ring   []sendRecord // its length is a power of two
	next   uint64       // ID of the next record
	posted uint64       // work requests
	done   uint64       // work requests that have completed, in the order of posting
}

// at is the record of an ID that the transport has not finished.
func (s *sendRecords) at(id uint64) *sendRecord { return &s.ring[id&uint64(len(s.ring)-1)] }

// unfinished is the number of work requests that have not completed.
func (s *sendRecords) unfinished() uint64 { return s.posted - s.done }

// reserve makes room for one more record, beside the last records that are pending.
func (s *sendRecords) reserve(pending int) {
	n := len(s.ring)
	if pending < n {
		return
	}
	bigger := make([]sendRecord, max(16, 2*n))
	for i := range min(uint64(n), s.next) {
		id := s.next - 1 - i
		bigger[id&uint64(len(bigger)-1)].take(s.at(id))
	}
	s.ring = bigger
}

// add keeps a record under the next ID.
func (s *sendRecords) add(rec *sendRecord) {
	at := s.at(s.next)
	at.take(rec)
	if len(at.segs) > len(at.few) {
		at.segs = slices.Clone(at.segs) // they lie in the memory of the post
	}
	s.next++
}

// complete reports whether a record completes its work request: of the parts of a READ one
// does.
func (s *sendRecords) complete(rec *sendRecord) bool {
	if rec.wr < s.done {
		return false
	}
	s.done = rec.wr + 1
	return true
}

// forget drops all records.
func (s *sendRecords) forget() {
	clear(s.ring)
	s.done = s.posted
}

// recvRecords holds the records of receives by the transport's IDs.
type recvRecords struct {
	ring   []recvRecord // its length is a power of two
	next   uint64       // ID of the next record
	posted int          // receives that have not completed
}

// at is the record of a posted receive.
func (s *recvRecords) at(id uint64) *recvRecord { return &s.ring[id&uint64(len(s.ring)-1)] }

// reserve makes room for one more record.
func (s *recvRecords) reserve() {
	n := len(s.ring)
	if s.posted < n {
		return
	}
	bigger := make([]recvRecord, max(16, 2*n))
	for i := range uint64(s.posted) {
		id := s.next - 1 - i
		bigger[id&uint64(len(bigger)-1)].take(s.at(id))
	}
	s.ring = bigger
}

// add keeps a record under the next ID.
func (s *recvRecords) add(rec *recvRecord) {
	s.reserve()
	s.at(s.next).take(rec)
	s.next++
	s.posted++
}

// forget drops all records.
func (s *recvRecords) forget() {
	clear(s.ring)
	s.posted = 0
}
