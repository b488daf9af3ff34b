package transport

import (
	"weft/units"
	"weft/wire"
)

// startRetryTimer counts from the first packet that is in flight.
func (q *QP) startRetryTimer(now units.Time) {
	q.progressAt = now
	if q.cfg.RetryTimeout > 0 {
		q.wake = min(q.wake, now+q.leastWait())
	}
}

// retryAt is when the retry timer expires: the timeout after the last progress
// or the end of an RNR wait. It is never armed with nothing in flight.
func (q *QP) retryAt() units.Time {
	if q.una == q.nxt || q.cfg.RetryTimeout == 0 {
		return units.Forever
	}
	return max(q.progressAt, q.holdUntil) + q.retryWait()
}

// RetransmitAt is when what is in flight is sent again unless it is acknowledged
// before; units.Forever where nothing is in flight or no timeout is set.
func (q *QP) RetransmitAt() units.Time { return q.retryAt() }

// progress is what a newly acknowledged packet means to the timers.
func (q *QP) progress(now units.Time) {
	q.progressAt = now
	q.retries, q.waits, q.rnrRetries, q.recovering = 0, 0, 0, false
	if q.locals != 0 {
		q.heedLocals(now)
	}
	known := int32(0)
	if q.beyond != nil {
		known = q.movedOn(now) + q.beyond.drained
		q.beyond.drained = 0
	}
	if q.cfg.Flow != nil {
		q.flow.moved(now, q.una, known)
		q.wake = min(q.wake, q.retryAt()) // the wait may have become shorter
	}
	if q.ackHigh.Before(q.una) {
		q.ackHigh = q.una
	}
}

// goBack makes the requester send everything from una again.
func (q *QP) goBack() {
	q.nxt, q.cur, q.flight, q.readsOut = q.una, q.head, 0, 0
	q.flow.wentBack(q.una)
	if q.beyond != nil {
		q.endPass()
	}
}

// tryAgain goes back, or repeats what is missing, unless it has done so too often without progress.
func (q *QP) tryAgain(now units.Time, b *Batch) {
	if int(q.retries) >= q.cfg.RetryCount {
		q.retriesExceeded(b)
		return
	}
	q.retries++
	q.repeat(now, b)
}

// retriesExceeded gives the connection up.
func (q *QP) retriesExceeded(b *Batch) {
	q.failHead(RetryExcErr, b)
	q.breakConnection(b)
}

// repeat goes back, or repeats what is missing.
func (q *QP) repeat(now units.Time, b *Batch) {
	q.progressAt = now
	if q.sprays() {
		q.allLost(now, b)
		return
	}
	if q.cfg.Delivery.selective() && q.readsOut == 0 {
		q.repeatMissing()
		return
	}
	q.goBack()
}

// timedOut is what an expired retry timer does.
func (q *QP) timedOut(now units.Time, b *Batch) {
	q.recovering = false
	q.expired += min(1, ^q.expired)
	s := q.cfg.Schedule
	switch {
	case q.flow.timedOut(q.cfg.RetryTimeout):
		q.repeat(now, b)
	case s == nil:
		q.tryAgain(now, b)
	case s.over(q):
		q.retriesExceeded(b)
	default:
		q.waits++
		q.repeat(now, b)
	}
}

// refused is what a NAK for the packet una does.
func (q *QP) refused(now units.Time, syndrome wire.Syndrome, b *Batch) {
	status := BadRespErr
	switch syndrome {
	case wire.NAKSequence:
		q.flow.halved()
		q.tryAgain(now, b)
		return
	case wire.NAKInvalidRequest:
		status = RemInvReqErr
	case wire.NAKRemoteAccess:
		status = RemAccessErr
	case wire.NAKRemoteOperational:
		status = RemOpErr
	case wire.NAKInvalidRD:
		status = RemInvRDReqErr
	}
	q.failHead(status, b)
	q.breakOff(b)
}

// receiverNotReady is what an RNR NAK for the packet una does.
func (q *QP) receiverNotReady(now units.Time, code uint8, b *Batch) {
	if q.cfg.RNRRetry != rnrInfinite {
		if int(q.rnrRetries) >= q.cfg.RNRRetry {
			q.failHead(RNRRetryExcErr, b)
			q.breakOff(b)
			return
		}
		q.rnrRetries++
	}
	q.holdUntil = now + wire.RNRTimer(code)
	q.goBack()
}

// missingResponse is what an acknowledgement behind a READ that is not
// complete does: its responses are lost, and the READ is asked for again, once
// (IBA vol. 1, 9.7.5.1.3: an implied NAK). Out of order they may still come, and
// the acknowledgement is remembered; live, enough that has overtaken them says that they
// are lost (holes.go).
func (q *QP) missingResponse(now units.Time, to units.PSN, b *Batch) {
	if q.cfg.Delivery.anyOrder() {
		if q.ackHigh.Before(to) {
			q.ackHigh = to
		}
		q.unanswered(to)
		return
	}
	if q.recovering {
		return
	}
	q.flow.halved()
	q.tryAgain(now, b)
	q.recovering = true
}
