package transport

import (
	"weft/units"
	"weft/wire"
)

// progress is the progress of acknowledgements, and the number of tries since.
type progress struct {
	progressAt units.Time `state:"-"` // the last progress, from which the retry timer counts
	holdUntil  units.Time // RNR: the requester waits
	ackHigh    units.PSN  `state:"-"` // with out-of-order delivery: acknowledged up to here, apart from READs
	chance     uint32     // see SetChance
	retries    uint16     // since the last progress
	expired    uint16     // number of expired retransmission timeouts, up to the maximum of its type
	waits      uint8      // repetitions by the schedule since the last progress
	rnrRetries uint8
	recovering bool // it has gone back for a lost read response at una
}

// forgetTries restarts the count of tries.
func (p *progress) forgetTries() {
	p.retries, p.waits, p.rnrRetries, p.recovering = 0, 0, 0, false
}

// again counts one more try, and reports whether it was permitted.
func (p *progress) again(most int) bool {
	if int(p.retries) >= most {
		return false
	}
	p.retries++
	return true
}

// rnrAgain is again for a receiver that is not ready.
func (p *progress) rnrAgain(most int) bool {
	switch {
	case most == rnrInfinite:
		return true
	case int(p.rnrRetries) >= most:
		return false
	}
	p.rnrRetries++
	return true
}

// since is the start of the retry timer.
func (p *progress) since() units.Time { return max(p.progressAt, p.holdUntil) }

// startRetryTimer starts the timer at the first packet in flight.
func (r *requester) startRetryTimer(now units.Time) {
	r.progressAt = now
	if r.cfg.RetryTimeout > 0 {
		r.wake = min(r.wake, now+r.leastWait())
	}
}

// retryAt is when the retry timer expires: the timeout after the last progress
// or the end of an RNR wait. It is never armed with nothing in flight.
func (r *requester) retryAt() units.Time {
	if r.una == r.nxt || r.cfg.RetryTimeout == 0 {
		return units.Forever
	}
	return r.since() + r.retryWait()
}

// progressed records that a packet was newly acknowledged.
func (r *requester) progressed(now units.Time) {
	r.progressAt = now
	r.forgetTries()
	if r.locals != 0 {
		r.heedLocals(now)
	}
	known := int32(0)
	if r.board != nil {
		known = r.board.movedOn(r, now) + r.board.drained
		r.board.drained = 0
	}
	if r.cfg.Flow != nil {
		r.flow.moved(now, r.una, known)
		r.wake = min(r.wake, r.retryAt()) // the wait may have become shorter
	}
	if r.ackHigh.Before(r.una) {
		r.ackHigh = r.una
	}
}

// goBack makes the requester send everything from una again.
func (r *requester) goBack() {
	r.nxt, r.cur, r.flight, r.readsOut = r.una, r.head, 0, 0
	r.flow.wentBack(r.una)
	if r.board != nil {
		r.board.endPass(r)
	}
}

// tryAgain goes back, or repeats the missing packets, unless the maximum number of tries without
// progress is reached.
func (r *requester) tryAgain(now units.Time, b *Batch) {
	if !r.again(r.cfg.RetryCount) {
		r.retriesExceeded(b)
		return
	}
	r.repeat(now, b)
}

// timeout handles the due deadlines of the requester, and makes wake exact.
func (r *requester) timeout(now units.Time, b *Batch) {
	if r.service != RC {
		r.reportSent(b)
		if r.state == StateSQE {
			r.flush(b)
		}
	}
	if r.locals != 0 {
		r.runLocals(b)
	}
	r.congestion.expire(r.cfg, now)
	if r.retryAt() <= now {
		r.timedOut(now, b)
	}
	r.wake = min(r.retryAt(), r.allow.Wake)
}

// retriesExceeded abandons the connection.
func (r *requester) retriesExceeded(b *Batch) {
	r.failHead(RetryExcErr, b)
	r.breakConnection(b)
}

// repeat goes back, or repeats the missing packets.
func (r *requester) repeat(now units.Time, b *Batch) {
	r.progressAt = now
	if r.sprays() {
		r.board.unordered.allLost(r, now, b)
		return
	}
	if r.cfg.Delivery.selective() && r.readsOut == 0 {
		r.scoreboard().repeatMissing(r)
		return
	}
	r.goBack()
}

// timedOut handles an expired retry timer.
func (r *requester) timedOut(now units.Time, b *Batch) {
	r.recovering = false
	r.expired += min(1, ^r.expired)
	s := r.cfg.Schedule
	switch {
	case r.flow.timedOut(r.cfg.RetryTimeout):
		r.repeat(now, b)
	case s == nil:
		r.tryAgain(now, b)
	case s.over(&r.progress, r.una):
		r.retriesExceeded(b)
	default:
		r.waits++
		r.repeat(now, b)
	}
}

// refused handles a NAK for the packet una.
func (r *requester) refused(now units.Time, syndrome wire.Syndrome, b *Batch) {
	status := BadRespErr
	switch syndrome {
	case wire.NAKSequence:
		r.flow.halved()
		r.tryAgain(now, b)
		return
	case wire.NAKInvalidRequest:
		status = RemInvReqErr
	case wire.NAKRemoteAccess:
		status = RemAccessErr
	case wire.NAKRemoteOperational:
		status = RemOpErr
	case wire.NAKInvalidRD:
		if r.cfg.Delivery == EndToEnd { // RC has no such status
			status = RemInvRDReqErr
		}
	}
	r.failHead(status, b)
	r.breakOff(b)
}

// receiverNotReady handles an RNR NAK for the packet una.
func (r *requester) receiverNotReady(now units.Time, code uint8, b *Batch) {
	if !r.rnrAgain(r.cfg.RNRRetry) {
		r.failHead(RNRRetryExcErr, b)
		r.breakOff(b)
		return
	}
	r.holdUntil = now + wire.RNRTimer(code)
	r.goBack()
}

// missingResponse serves an acknowledgement behind a READ that is not complete. The
// responses of the READ are lost, and the requester asks for them again, once (IBA vol. 1,
// 9.7.5.1.3: an implied NAK). Out of order they may still come, and the requester
// remembers the acknowledgement; live, the responses are lost when enough others have
// overtaken them (holes.go).
func (r *requester) missingResponse(now units.Time, to units.PSN, b *Batch) {
	if r.cfg.Delivery.anyOrder() {
		if r.ackHigh.Before(to) {
			r.ackHigh = to
		}
		r.unanswered(to)
		return
	}
	if r.recovering {
		return
	}
	r.flow.halved()
	r.tryAgain(now, b)
	r.recovering = true
}
