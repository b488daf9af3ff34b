package transport

import "weft/units"

// Awaited is the part of a READ whose responses have not come.
type Awaited struct {
	ID     uint64    // of the work request
	PSN    units.PSN // of the next response
	Offset uint32    // of its payload in the message, in bytes
	Length uint32    // of the message
	MTU    uint32    // payload of a response except the last
}

// Awaits is the part of a READ whose responses are the next to come: 0 is the READ that is served first,
// 1 the one behind it. False says that so many are not in flight, or that responses are lost or come out of turn.
func (q *QP) Awaits(i int) (Awaited, bool) { return q.req.awaits(i) }

func (r *requester) awaits(i int) (a Awaited, ok bool) {
	if r.service != RC || r.state != StateRTS && r.state != StateSQD || r.lost || r.board != nil && r.board.responses.any() {
		return a, false
	}
	for at := r.head; at != r.tail; at++ {
		w := r.work(at)
		switch {
		case r.nxt.Before(w.end()) || w.op.atomic() || w.op.local():
			return a, false
		case w.op != OpRead: // the response of a later READ acknowledges it
			continue
		case i > 0:
			i--
			continue
		}
		a = Awaited{ID: w.id, PSN: w.first, Length: w.length, MTU: uint32(r.cfg.PathMTU)}
		if a.PSN.Before(r.una) {
			a.PSN = r.una
		}
		a.Offset = w.bytesTo(a.PSN, a.MTU)
		return a, true
	}
	return a, false
}

// TakeAwaited takes the next n responses of the READ that is served first, from the PSN first on, as Receive takes each.
// They carry the full path MTU, and none of them is the last: no work request completes. The payload is at its place. False says
// that something else is awaited; then nothing is taken.
func (q *QP) TakeAwaited(now units.Time, first units.PSN, n int32) bool {
	return q.req.takeAwaited(now, first, n)
}

func (r *requester) takeAwaited(now units.Time, first units.PSN, n int32) bool {
	a, ok := r.awaits(0)
	if !ok || a.PSN != first || r.una != first || uint64(a.Offset)+uint64(n)*uint64(a.MTU) >= uint64(a.Length) {
		return false
	}
	r.una = first.Add(n)
	r.progressed(now)
	return true
}

// any reports whether any packet came ahead.
func (r *reorder) any() bool {
	for _, word := range r.bits {
		if word != 0 {
			return true
		}
	}
	return false
}
