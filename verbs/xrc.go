package verbs

import (
	"fmt"
)

// The extended reliable connection (IBA vol. 1, annex A14): a queue pair that only sends, and one
// that only receives, at the peer. A message names the shared receive queue that it is for, so one
// connection serves all the queues, and all the protection domains, of the receiver's domain. The
// state machines are RC's; the packets have codes of their own, and requests have the number of the
// queue in front.

// XRCD is the domain of the queues that a receiving queue pair serves.
type XRCD struct {
	pd   *PD // of its queue pairs; it has no memory
	srqs map[uint32]*SRQ
	refs int // queue pairs
}

// AllocXRCD allocates a domain.
func (d *Device) AllocXRCD() *XRCD { return &XRCD{pd: d.AllocPD(), srqs: map[uint32]*SRQ{}} }

// Dealloc frees the domain; it must be empty.
func (x *XRCD) Dealloc() error {
	x.pd.dev.port.Lock()
	n := x.refs + len(x.srqs)
	x.pd.dev.port.Unlock()
	if n > 0 {
		return fmt.Errorf("%w: %d objects are in the domain", ErrBusy, n)
	}
	return x.pd.Dealloc()
}

// CreateXRCSRQ creates a shared receive queue for messages that name it. Its receives complete at
// cq, with the number of the queue pair that has received.
func (p *PD) CreateXRCSRQ(maxWR int, x *XRCD, cq *CQ) (*SRQ, error) {
	if x == nil || cq == nil || x.pd.dev != p.dev || cq.dev != p.dev {
		return nil, invalid(
			"a shared receive queue of XRC needs a domain and a completion queue of its device")
	}
	s, err := p.CreateSRQ(maxWR)
	if err != nil {
		return nil, err
	}
	p.dev.port.Lock()
	defer p.dev.port.Unlock()
	if len(x.srqs) == MaxXRCSRQ {
		p.refs--
		return nil, fmt.Errorf("%w: %d shared receive queues are in the domain", ErrNoMemory, MaxXRCSRQ)
	}
	for s.number == 0 || x.srqs[s.number] != nil {
		s.number = uint32(secret()) & 0xff_ffff
	}
	s.cq = cq
	x.srqs[s.number] = s
	cq.refs++
	s.left = func() {
		delete(x.srqs, s.number)
		cq.refs--
	}
	return s, nil
}

// Number is the number by which messages of XRC name the queue; 0 of any other queue.
func (s *SRQ) Number() uint32 { return s.number }

// namedSRQ is the queue that the arrived packet names; nil if it is not there.
func (x *XRCD) namedSRQ() *SRQ { return x.srqs[x.pd.dev.port.Arrived().SRQ] }

// serves reports whether the arrived request may reach the memory of a key: it is of the protection
// domain of the queue that the request names.
func (x *XRCD) serves(rkey uint32) bool {
	mr, s := x.pd.dev.region(rkey), x.namedSRQ()
	return mr != nil && s != nil && mr.pd == s.pd
}
