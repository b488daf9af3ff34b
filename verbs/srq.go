package verbs

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

// take moves the oldest receive to r; false if there is none.
func (s *SRQ) take(r *recvRecord) bool {
	if s.size == 0 {
		return false
	}
	r.take(&s.ring[s.head])
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
