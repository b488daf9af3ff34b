package verbs

import (
	"container/list"
	"context"
	"fmt"
	"net/netip"
	"slices"

	"weft/wire/cm"
)

// UD has no connections. A peer asks once for the queue pair that serves a port, and its Q_Key:
// service ID resolution (IBA vol. 1, 12.11), as rdma_connect and rdma_accept do in the port space
// RDMA_PS_UDP.

// Resolved is the queue pair that serves a port, as the peer names it.
type Resolved struct {
	Addr        netip.AddrPort // of the device: for CreateAH
	QPN         QPN
	QKey        uint32
	PrivateData []byte
}

// sidrPrivate is the size of a SIDR_REQ's private data after the addresses.
const sidrPrivate = cm.SidrReqPrivate - cm.IPBytes

// resolution is a resolution that this device asks for.
type resolution struct {
	peer    netip.AddrPort
	tid     uint64
	message []byte
	again   int64 // time of the next repetition, by the manager's clock
	tries   int
	answer  cm.SidrRep
	err     error
	settled chan struct{}
}

// Resolve asks another device for the queue pair that serves a port, with up to 180 bytes of
// private data. Both devices must use the same UDP port.
func (d *Device) Resolve(
	ctx context.Context, to netip.Addr, port uint16, private []byte,
) (*Resolved, error) {
	if len(private) > sidrPrivate {
		return nil, invalid("%d bytes of private data: at most %d", len(private), sidrPrivate)
	}
	to, err := d.sameFamily(to)
	if err != nil {
		return nil, err
	}
	m, err := d.manager()
	if err != nil {
		return nil, err
	}
	id, r, err := m.resolve(netip.AddrPortFrom(to, d.Addr().Port()), port, private)
	if err != nil {
		return nil, err
	}
	select {
	case <-r.settled:
	case <-m.stopped:
		return nil, ErrClosed
	case <-ctx.Done():
		m.mu.Lock()
		delete(m.resolving, id)
		m.mu.Unlock()
		return nil, ctx.Err()
	}
	if r.err != nil {
		return nil, r.err
	}
	a := &r.answer
	return &Resolved{Addr: r.peer, QPN: a.QPN, QKey: a.QKey, PrivateData: a.Private[:]}, nil
}

// resolve sends a SIDR_REQ.
func (m *manager) resolve(
	peer netip.AddrPort, port uint16, private []byte,
) (cm.ID, *resolution, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.resolving) >= maxResolving {
		return 0, nil, fmt.Errorf("%w: %d resolutions are in progress", ErrNoMemory, maxResolving)
	}
	id, tid := freshID(m, m.resolving), secret()
	req := cm.SidrReq{Request: id, PKey: defaultPKey, Service: cm.DatagramServiceID(port)}
	ip := cm.IPHeader{SrcPort: uint16(id), Src: m.dev.Addr().Addr().Unmap(), Dst: peer.Addr()}
	ip.Put(req.Private[:])
	copy(req.Private[cm.IPBytes:], private)
	r := &resolution{
		peer: peer, tid: tid, message: req.AppendTo(head(tid, cm.AttrSidrReq)), again: m.nextTry(0),
		settled: make(chan struct{}),
	}
	m.resolving[id] = r
	m.send(peer, r.message)
	return id, r, nil
}

// receiveSidrRep processes the answer to a resolution.
func (m *manager) receiveSidrRep(peer netip.AddrPort, tid uint64, body []byte) bool {
	var p cm.SidrRep
	_ = p.Parse(body)
	r := m.resolving[p.Request]
	if r == nil || r.peer.Addr() != peer.Addr() || r.tid != tid {
		return false
	}
	r.answer = p
	switch p.Status {
	case cm.SidrValid:
	case cm.SidrUnsupported:
		r.err = fmt.Errorf("%w: %w", ErrRejected, ErrNoListener)
	case cm.SidrNoQP:
		r.err = fmt.Errorf("%w: %w", ErrRejected, ErrNoQP)
	default:
		r.err = fmt.Errorf("%w (SIDR status %d)", ErrRejected, p.Status)
	}
	delete(m.resolving, p.Request)
	close(r.settled)
	return true
}

// repeatResolutions repeats unanswered questions, and forgets the answered questions of peers when
// they can no longer be repeated.
func (m *manager) repeatResolutions(now int64) {
	for id, r := range m.resolving {
		switch {
		case now < r.again:
		case r.tries+1 >= answerTry:
			r.err = ErrNoAnswer
			delete(m.resolving, id)
			close(r.settled)
		default:
			if m.send(r.peer, r.message) {
				r.tries++
				r.again = m.nextTry(r.tries)
			}
		}
	}
	for _, q := range m.questions {
		if now >= q.until {
			m.forget(q)
		}
	}
}

// forget drops a question, answered or not.
func (m *manager) forget(q *Question) {
	q.at.backlog.remove(q)
	m.known.Remove(q.known)
	delete(m.questions, q.who)
}

// Service answers questions for the queue pair of a port.
type Service struct {
	m       *manager
	bound   bound
	backlog backlog[*Question]
}

// Question is a peer's question for a queue pair of UD, to be answered or refused.
type Question struct {
	m       *manager
	who     asker
	peer    netip.AddrPort
	tid     uint64
	service uint64
	private []byte
	at      *Service
	known   *list.Element // its element in manager.known
	answer  []byte        // the answer, in case it was lost
	until   int64         // the time at which it is forgotten, answered or not
}

// ListenDatagrams accepts questions for a port of the device, as rdma_listen does in the port space
// RDMA_PS_UDP.
func (d *Device) ListenDatagrams(port uint16) (*Service, error) {
	return d.ListenDatagramsAt(netip.Addr{}, port)
}

// ListenDatagramsAt is ListenDatagrams for questions to one address, as ListenAt has it.
func (d *Device) ListenDatagramsAt(at netip.Addr, port uint16) (*Service, error) {
	m, err := d.manager()
	if err != nil {
		return nil, err
	}
	p := boundTo(cm.DatagramServiceID(port), at)
	s := &Service{m: m, bound: p, backlog: newBacklog[*Question](&m.mu, m.stopped)}
	if !addListener(m, m.services, p, s) {
		return nil, fmt.Errorf("%w: %d", ErrInUse, port)
	}
	if err := d.listens(p); err != nil {
		_ = s.Close()
		return nil, fmt.Errorf("%w: %d", err, port)
	}
	return s, nil
}

// Close stops listening.
func (s *Service) Close() error {
	if !removeListener(s.m, s.m.services, s.bound, s) {
		return ErrClosed
	}
	s.m.mu.Lock()
	defer s.m.mu.Unlock()
	close(s.backlog.closed)
	for _, q := range slices.Clone(s.backlog.waits) {
		s.m.forget(q) // a repeated question is answered anew
	}
	return nil
}

// Accept waits for a question.
func (s *Service) Accept(ctx context.Context) (*Question, error) {
	return s.backlog.next(ctx)
}

// Peer is the asking peer's address.
func (q *Question) Peer() netip.AddrPort { return q.peer }

// PrivateData is the private data that the peer sent.
func (q *Question) PrivateData() []byte { return q.private }

// Answer sends the peer a queue pair of UD, its Q_Key, and up to 136 bytes of private data.
func (q *Question) Answer(qp *QP, private []byte) error {
	switch {
	case qp.attr.Type != UD || qp.pd.dev != q.m.dev:
		return invalid("the answer must be a queue pair of UD of the same device")
	case len(private) > cm.SidrRepPrivate:
		return invalid("%d bytes of private data: at most %d", len(private), cm.SidrRepPrivate)
	}
	qp.pd.dev.port.Lock()
	qkey := qp.qkey
	qp.pd.dev.port.Unlock()
	return q.settle(&cm.SidrRep{QPN: qp.QPN(), QKey: qkey}, private)
}

// Refuse refuses the peer a queue pair.
func (q *Question) Refuse(private []byte) error {
	if len(private) > cm.SidrRepPrivate {
		return invalid("%d bytes of private data: at most %d", len(private), cm.SidrRepPrivate)
	}
	return q.settle(&cm.SidrRep{Status: cm.SidrRejected}, private)
}

// settle sends the answer, and keeps it as long as the peer may repeat the question.
func (q *Question) settle(rep *cm.SidrRep, private []byte) error {
	m := q.m
	m.mu.Lock()
	defer m.mu.Unlock()
	if q.answer != nil || m.questions[q.who] != q {
		return fmt.Errorf("%w: the question is already answered or forgotten", ErrClosed)
	}
	copy(rep.Private[:], private)
	q.answer = sidrRep(q.tid, q.who.id, q.service, rep)
	m.send(q.peer, q.answer)
	q.until = m.now() + int64(unansweredTime)
	return nil
}

// sidrRep is an answer to a question.
func sidrRep(tid uint64, id cm.ID, service uint64, rep *cm.SidrRep) []byte {
	rep.Request, rep.Service = id, service
	return rep.AppendTo(head(tid, cm.AttrSidrRep))
}

// receiveSidrReq processes a question, or its repetition.
func (m *manager) receiveSidrReq(peer netip.AddrPort, tid uint64, body []byte) bool {
	var r cm.SidrReq
	_ = r.Parse(body)
	who := asker{peer.Addr(), r.Request}
	if q := m.questions[who]; q != nil {
		if q.answer != nil && tid == q.tid {
			return m.answer(peer, q.answer)
		}
		return tid == q.tid
	}
	var ip cm.IPHeader
	_ = ip.Parse(r.Private[:]) // without addresses it is for the service of all
	s := listenerFor(m.services, r.Service, ip.Dst)
	switch {
	case s == nil:
		return m.answer(peer, sidrRep(tid, r.Request, r.Service, &cm.SidrRep{Status: cm.SidrUnsupported}))
	case !s.backlog.hasRoom():
		return false // the peer asks again
	case m.known.Len() == maxQuestions:
		if oldest, ok := m.known.Front().Value.(*Question); ok {
			m.forget(oldest)
		}
	}
	q := &Question{
		m: m, who: who, peer: peer, tid: tid, service: r.Service, private: r.Private[cm.IPBytes:], at: s,
		until: m.now() + int64(questionTime),
	}
	s.backlog.append(q)
	m.questions[who], q.known = q, m.known.PushBack(q)
	return true
}
