package transport

// recvQueue is the posted receives, from rhead to rtail, which count modulo 2^16. A
// datagram gets a receive only with the Q_Key.
type recvQueue struct {
	rhead, rtail uint16
	qkey         uint32     // UD
	rq           []recvWork // a ring; its length is a power of two
}

// empty reports whether no receive is posted.
func (q *recvQueue) empty() bool { return q.rhead == q.rtail }

// push appends a receive.
func (q *recvQueue) push(r RecvRequest) error {
	n := len(q.rq)
	if int(q.rtail-q.rhead) == n {
		if n >= MaxRecvQueue {
			return ErrQueueFull
		}
		bigger := make([]recvWork, max(minRing, 2*n))
		for i := q.rhead; i != q.rtail; i++ {
			bigger[int(i)&(len(bigger)-1)] = q.rq[int(i)&(n-1)]
		}
		q.rq = bigger
	}
	q.rq[int(q.rtail)&(len(q.rq)-1)] = recvWork{id: r.ID, length: r.Length}
	q.rtail++
	return nil
}

// oldest is the receive that was posted first; there must be one.
func (q *recvQueue) oldest() recvWork { return q.rq[int(q.rhead)&(len(q.rq)-1)] }

// pop removes the oldest receive.
func (q *recvQueue) pop() recvWork {
	w := q.oldest()
	q.rhead++
	return w
}
