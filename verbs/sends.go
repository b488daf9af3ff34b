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

// localWork is the record of a local operation.
type localWork struct {
	bind    BindWR // of a bind
	key     uint32 // of an invalidation
	refused bool   // a send whose memory the queue pair has no right to
}

// copyFrom copies a record; a few segments are stored in the record itself.
func (r *sendRecord) copyFrom(from *sendRecord) {
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

// record is the record of an ID that the transport has not finished.
func (s *sendRecords) record(id uint64) *sendRecord { return &s.ring[id&uint64(len(s.ring)-1)] }

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
		bigger[id&uint64(len(bigger)-1)].copyFrom(s.record(id))
	}
	s.ring = bigger
}

// append keeps a record under the next ID.
func (s *sendRecords) append(rec *sendRecord) {
	at := s.record(s.next)
	at.copyFrom(rec)
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
