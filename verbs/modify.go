package verbs

import (
	"fmt"
	"net/netip"
	"slices"

	"weft/internal/sim/transport"
	"weft/units"
)

// Modify changes the state of a queue pair, and the attributes in mask.
func (q *QP) Modify(a *QPAttr, mask QPAttrMask) error {
	q.pd.dev.port.Lock()
	defer q.pd.dev.port.Unlock()
	switch {
	case q.dead:
		return ErrClosed
	case mask&AttrState == 0:
		return invalid("a change without AttrState is not supported: give a state")
	case a.State > StateErr || a.State == StateSQE:
		return invalid("no transition to the state %d: a device enters it by itself", a.State)
	}
	from := QPState(q.end.QP.State())
	resumes := a.State == StateRTS && (from == StateSQD || from == StateSQE || from == StateRTS)
	if n, ok := needs[a.State]; ok && !resumes {
		must, may := n[q.attr.Type].must, n[q.attr.Type].may
		if missing := must &^ mask; missing != 0 {
			return invalid("%v from %v to %v needs %v, too", q.attr.Type, from, a.State, missing)
		}
		if odd := mask &^ (must | may); odd != 0 {
			return invalid("%v from %v to %v does not take %v", q.attr.Type, from, a.State, odd)
		}
	}
	if err := q.check(a, mask); err != nil {
		return err
	}
	return q.enter(a, mask)
}

// check checks the ranges of the values.
func (q *QP) check(a *QPAttr, mask QPAttrMask) error {
	for _, c := range []struct {
		attr      QPAttrMask
		value     int64
		low, high int64
	}{
		{AttrAccess, int64(a.Access), 0, int64(accessAll)},
		{AttrDestQPN, int64(a.DestQPN), 1, 1<<24 - 1},
		{AttrRQPSN, int64(a.RQPSN), 0, units.PSNMask},
		{AttrSQPSN, int64(a.SQPSN), 0, units.PSNMask},
		{AttrMaxRdAtomic, int64(a.MaxRdAtomic), 0, MaxRdAtomic},
		{AttrMaxDestRdAtomic, int64(a.MaxDestRdAtomic), 0, MaxRdAtomic},
		{AttrMinRNRTimer, int64(a.MinRNRTimer), 0, 31},
		{AttrTimeout, int64(a.Timeout), 0, 31},
		{AttrRetryCnt, int64(a.RetryCnt), 0, 7},
		{AttrRNRRetry, int64(a.RNRRetry), 0, 7},
	} {
		if mask&c.attr != 0 && (c.value < c.low || c.value > c.high) {
			return invalid("%v is %d: %d to %d", c.attr, c.value, c.low, c.high)
		}
	}
	if mask&AttrPathMTU != 0 && (!validMTU(a.PathMTU) || a.PathMTU > q.pd.dev.mtu) {
		return invalid("path MTU %d: 256, 512, 1024, 2048 or 4096, and at most the device's %d",
			a.PathMTU, q.pd.dev.mtu)
	}
	return nil
}

// enter makes the transition; the attributes are already checked.
func (q *QP) enter(a *QPAttr, mask QPAttrMask) error {
	port, qp := q.pd.dev.port, &q.end.QP
	legal := map[QPState][]transport.State{
		StateInit: {transport.StateReset, transport.StateInit},
		StateRTR:  {transport.StateInit},
		StateRTS:  {transport.StateRTR, transport.StateRTS, transport.StateSQD, transport.StateSQE},
		StateSQD:  {transport.StateRTS, transport.StateSQD},
	}
	if from, ok := legal[a.State]; ok && !slices.Contains(from, qp.State()) {
		return invalid("no transition from %v to %v", qp.State(), a.State)
	}
	if mask&AttrAV != 0 {
		peer, err := q.pd.dev.peer(a.Dest)
		if err != nil {
			return err
		}
		port.Release(q.end.Peer)
		q.end.Peer = peer
	}
	q.apply(a, mask)
	var err error
	switch a.State {
	case StateReset:
		qp.BecomeReset()
		q.forget()
		q.end.Forget()
		q.set = QPAttr{}
	case StateInit:
		err = qp.BecomeInit()
	case StateRTR:
		err = qp.BecomeRTR(a.DestQPN, a.RQPSN)
	case StateRTS:
		err = qp.BecomeRTS(port.Now(), a.SQPSN)
	case StateSQD:
		err = qp.BecomeSQD()
	case StateErr:
		qp.BecomeErr(port.Batch())
	}
	if err != nil {
		return fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	port.Process(&q.end)
	return nil
}

// apply stores the attributes of the mask in the queue pair.
func (q *QP) apply(a *QPAttr, mask QPAttrMask) {
	q.remember(a, mask)
	if mask&AttrAccess != 0 {
		q.access = a.Access
	}
	if mask&AttrQKey != 0 {
		q.qkey = a.QKey
		q.end.QP.SetQKey(a.QKey)
	}
	if mask&AttrPathMTU != 0 {
		q.cfg.PathMTU = a.PathMTU
	}
	if mask&AttrMaxRdAtomic != 0 {
		q.cfg.MaxReads = max(1, a.MaxRdAtomic)
	}
	if mask&AttrMaxDestRdAtomic != 0 {
		q.cfg.MaxServed = max(1, a.MaxDestRdAtomic)
	}
	if mask&AttrMinRNRTimer != 0 {
		q.cfg.RNRTimer = a.MinRNRTimer
	}
	if mask&AttrTimeout != 0 {
		q.cfg.RetryTimeout = transport.RetryTime(a.Timeout)
	}
	if mask&AttrRetryCnt != 0 {
		q.cfg.RetryCount = int(a.RetryCnt)
	}
	if mask&AttrRNRRetry != 0 {
		q.cfg.RNRRetry = int(a.RNRRetry)
	}
	if mask&AttrState != 0 && a.State == StateRTR {
		q.agree(mask&AttrSelectiveRepeat != 0 && a.SelectiveRepeat)
	}
}

// remember stores the attributes of the mask for Query.
func (q *QP) remember(a *QPAttr, mask QPAttrMask) {
	s, all := &q.set, *a
	all.Dest = netip.AddrPort{}
	if q.end.Peer != nil {
		all.Dest = q.end.Peer.Addr()
	}
	setIf(&s.Access, all.Access, mask&AttrAccess)
	setIf(&s.QKey, all.QKey, mask&AttrQKey)
	setIf(&s.PathMTU, all.PathMTU, mask&AttrPathMTU)
	setIf(&s.Dest, all.Dest, mask&AttrAV)
	setIf(&s.DestQPN, all.DestQPN, mask&AttrDestQPN)
	setIf(&s.MaxRdAtomic, all.MaxRdAtomic, mask&AttrMaxRdAtomic)
	setIf(&s.MaxDestRdAtomic, all.MaxDestRdAtomic, mask&AttrMaxDestRdAtomic)
	setIf(&s.MinRNRTimer, all.MinRNRTimer, mask&AttrMinRNRTimer)
	setIf(&s.Timeout, all.Timeout, mask&AttrTimeout)
	setIf(&s.RetryCnt, all.RetryCnt, mask&AttrRetryCnt)
	setIf(&s.RNRRetry, all.RNRRetry, mask&AttrRNRRetry)
}

func setIf[T any](to *T, v T, counts QPAttrMask) {
	if counts != 0 {
		*to = v
	}
}

// Drained reports whether a queue pair in SQD has finished all sends that it had begun.
func (q *QP) Drained() bool {
	q.pd.dev.port.Lock()
	defer q.pd.dev.port.Unlock()
	return q.end.QP.State() == transport.StateSQD && q.end.QP.Drained()
}

// need is the required attributes of a transition.
func (q *QP) need(to QPState) QPAttrMask {
	if n, ok := needs[to]; ok {
		return n[q.attr.Type].must
	}
	return AttrState
}

// Remote identifies a queue pair to a peer that connects to it.
type Remote struct {
	Addr netip.AddrPort // port 0 is 4791
	QPN  QPN
	PSN  units.PSN // of its first request
}

// Remote is what the peer needs to connect to the queue pair. psn is the PSN of the queue pair's
// own first request, as its Connect gets it.
func (q *QP) Remote(psn units.PSN) Remote {
	return Remote{Addr: q.pd.dev.Addr(), QPN: q.QPN(), PSN: psn}
}

// Connect takes a new queue pair of a connected service to RTS, with the usual values: the device's
// path MTU, timeout 16, 7 retries, RNR timer 12. psn is the PSN of its own first request, and
// access the peer's rights.
func (q *QP) Connect(r Remote, psn units.PSN, access Access) error {
	a := q.usual(r, psn, access)
	return q.ConnectWith(&a)
}

// usual are the attributes that Connect sets.
func (q *QP) usual(r Remote, psn units.PSN, access Access) QPAttr {
	return QPAttr{
		Access: access, PathMTU: q.pd.dev.mtu, Dest: r.Addr, DestQPN: r.QPN, RQPSN: r.PSN, SQPSN: psn,
		MaxRdAtomic: MaxRdAtomic, MaxDestRdAtomic: MaxRdAtomic, MinRNRTimer: 12, Timeout: AckTimeout,
		RetryCnt: 7, RNRRetry: 7,
	}
}

// ConnectWith takes a new queue pair through INIT and RTR to RTS. a must have all attributes that
// the three transitions require.
func (q *QP) ConnectWith(a *QPAttr) error {
	for _, s := range []QPState{StateInit, StateRTR, StateRTS} {
		a.State = s
		mask := q.need(s)
		if s == StateRTR && a.SelectiveRepeat && q.attr.Type == RC {
			mask |= AttrSelectiveRepeat
		}
		if err := q.Modify(a, mask); err != nil {
			return err
		}
	}
	return nil
}
