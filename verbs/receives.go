package verbs

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

// copyFrom copies a record; a few segments are stored in the record itself.
func (r *recvRecord) copyFrom(from *recvRecord) {
	*r = *from
	if len(from.segs) <= len(r.few) {
		r.segs = r.few[:copy(r.few[:], from.segs)]
	}
}

// recvRecords holds the records of receives by the transport's IDs.
type recvRecords struct {
	ring   []recvRecord // its length is a power of two
	next   uint64       // ID of the next record
	posted int          // receives that have not completed
}

// record is the record of a posted receive.
func (s *recvRecords) record(id uint64) *recvRecord { return &s.ring[id&uint64(len(s.ring)-1)] }

// reserve makes room for one more record.
func (s *recvRecords) reserve() {
	n := len(s.ring)
	if s.posted < n {
		return
	}
	bigger := make([]recvRecord, max(16, 2*n))
	for i := range uint64(s.posted) {
		id := s.next - 1 - i
		bigger[id&uint64(len(bigger)-1)].copyFrom(s.record(id))
	}
	s.ring = bigger
}

// append keeps a record under the next ID.
func (s *recvRecords) append(rec *recvRecord) {
	s.reserve()
	s.record(s.next).copyFrom(rec)
	s.next++
	s.posted++
}

// forget drops all records.
func (s *recvRecords) forget() {
	clear(s.ring)
	s.posted = 0
}

// SRQ is a shared receive queue.
type SRQ struct {
	pd    *PD
	ring  []recvRecord
	head  int
	size  int
	limit int
	refs  int

	left   func() // takes a destroyed queue of XRC out of its domain; nil: of no domain
	cq     *CQ    // likewise: for the completions of its receives
	number uint32 // likewise, 24 bits
}

// CreateSRQ creates a queue for maxWR receives.
func (p *PD) CreateSRQ(maxWR int) (*SRQ, error) {
	if maxWR < 1 || maxWR > MaxQPWR {
		return nil, invalid("%d receives: 1 to %d", maxWR, MaxQPWR)
	}
	p.dev.port.Lock()
	defer p.dev.port.Unlock()
	p.refs++
	return &SRQ{pd: p, ring: make([]recvRecord, maxWR)}, nil
}

// PostRecv posts receives. It stops at the first invalid one; the receives before it are posted.
func (s *SRQ) PostRecv(list ...RecvWR) error {
	s.pd.dev.port.Lock()
	defer s.pd.dev.port.Unlock()
	for i := range list {
		if s.size == len(s.ring) {
			return ErrNoMemory
		}
		r := &s.ring[(s.head+s.size)%len(s.ring)]
		if err := r.fill(s.pd, &list[i]); err != nil {
			return err
		}
		s.size++
	}
	return nil
}

// Arm raises EventSRQLimitReached once fewer than limit receives are left.
func (s *SRQ) Arm(limit int) {
	s.pd.dev.port.Lock()
	defer s.pd.dev.port.Unlock()
	s.limit = limit
}

// pop moves the oldest receive to r; false if there is none.
func (s *SRQ) pop(r *recvRecord) bool {
	if s.size == 0 {
		return false
	}
	r.copyFrom(&s.ring[s.head])
	r.srq = s
	s.ring[s.head] = recvRecord{}
	s.head = (s.head + 1) % len(s.ring)
	s.size--
	if s.size < s.limit {
		s.limit = 0
		s.pd.dev.raise(AsyncEvent{Type: EventSRQLimitReached, SRQ: s})
	}
	return true
}

// Destroy destroys the queue; no queue pair may use it.
func (s *SRQ) Destroy() error {
	s.pd.dev.port.Lock()
	defer s.pd.dev.port.Unlock()
	if s.refs > 0 {
		return ErrBusy
	}
	s.pd.refs--
	if s.left != nil {
		s.left()
	}
	return nil
}
