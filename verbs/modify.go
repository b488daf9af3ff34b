package verbs

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"weft/internal/sim/transport"
	"weft/units"
)

// QPAttr are the attributes of a queue pair; a QPAttrMask selects the valid ones
// (ibv_modify_qp(3)).
type QPAttr struct {
	State           QPState
	Access          Access // the peer's rights
	QKey            uint32 // UD
	PathMTU         int
	Dest            netip.AddrPort // the peer's device; port 0 is 4791
	DestQPN         QPN
	RQPSN           units.PSN // of the peer's first request
	SQPSN           units.PSN // of the own first request
	MaxRdAtomic     int       // READs and atomics outstanding as a requester
	MaxDestRdAtomic int       // READs and atomics served as a responder
	MinRNRTimer     uint8     // code of the time that peers must wait, 0 to 31
	Timeout         uint8     // 4.096 us times 2^Timeout; 0 is for ever
	RetryCnt        uint8     // 0 to 7
	RNRRetry        uint8     // 0 to 7; 7 is for ever
	// SelectiveRepeat says that the peer, too, is weft with this attribute set: both then use
	// selective repeat. The connection manager agrees on it by itself.
	SelectiveRepeat bool
}

// QPAttrMask selects attributes.
type QPAttrMask uint32

// The attributes.
const (
	AttrState QPAttrMask = 1 << iota
	AttrAccess
	AttrQKey
	AttrPathMTU
	AttrAV // Dest
	AttrDestQPN
	AttrRQPSN
	AttrSQPSN
	AttrMaxRdAtomic
	AttrMaxDestRdAtomic
	AttrMinRNRTimer
	AttrTimeout
	AttrRetryCnt
	AttrRNRRetry
	AttrSelectiveRepeat // optional, to RTR of RC
)

var attrNames = []string{
	"State", "Access", "QKey", "PathMTU", "AV", "DestQPN", "RQPSN", "SQPSN", "MaxRdAtomic",
	"MaxDestRdAtomic", "MinRNRTimer", "Timeout", "RetryCnt", "RNRRetry",
	"SelectiveRepeat",
}

func (m QPAttrMask) String() string {
	var names []string
	for i, name := range attrNames {
		if m&(1<<i) != 0 {
			names = append(names, name)
		}
	}
	return strings.Join(names, "|")
}

// needs are the required and the optional attributes of each transition (ibv_modify_qp(3), the
// tables of the services). Each end of XRC takes what is of the other, too, as in the kernel.
var needs = map[QPState][6]struct{ must, may QPAttrMask }{
	StateInit: {
		RC: {must: AttrState | AttrAccess},
		UC: {must: AttrState | AttrAccess},
		UD: {must: AttrState | AttrQKey},

		XRCSend: {must: AttrState | AttrAccess},
		XRCRecv: {must: AttrState | AttrAccess},
	},
	StateRTR: {
		RC: {AttrState | AttrAV | AttrPathMTU | AttrDestQPN | AttrRQPSN | AttrMaxDestRdAtomic | AttrMinRNRTimer, AttrAccess | AttrSelectiveRepeat},
		UC: {AttrState | AttrAV | AttrPathMTU | AttrDestQPN | AttrRQPSN, AttrAccess},
		UD: {AttrState, AttrQKey},

		XRCSend: {AttrState | AttrAV | AttrPathMTU | AttrDestQPN | AttrRQPSN, AttrAccess | AttrMaxDestRdAtomic | AttrMinRNRTimer},
		XRCRecv: {AttrState | AttrAV | AttrPathMTU | AttrDestQPN | AttrRQPSN | AttrMaxDestRdAtomic | AttrMinRNRTimer, AttrAccess},
	},
	StateRTS: {
		RC: {AttrState | AttrSQPSN | AttrMaxRdAtomic | AttrRetryCnt | AttrRNRRetry | AttrTimeout, AttrAccess | AttrMinRNRTimer},
		UC: {AttrState | AttrSQPSN, AttrAccess},
		UD: {AttrState | AttrSQPSN, AttrQKey},

		XRCSend: {AttrState | AttrSQPSN | AttrMaxRdAtomic | AttrRetryCnt | AttrRNRRetry | AttrTimeout, AttrAccess | AttrMinRNRTimer},
		XRCRecv: {AttrState | AttrSQPSN | AttrTimeout, AttrAccess | AttrMinRNRTimer | AttrMaxRdAtomic | AttrRetryCnt | AttrRNRRetry},
	},
}

// need is the required attributes of a transition.
func (q *QP) need(to QPState) QPAttrMask {
	if n, ok := needs[to]; ok {
		return n[q.attr.Type].must
	}
	return AttrState
}

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
		return invalid("path MTU %d: 256, 512, 1024, 2048 or 4096, and at most the device's %d", a.PathMTU, q.pd.dev.mtu)
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
	q.take(a, mask)
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

// take stores the attributes of the mask in the queue pair.
func (q *QP) take(a *QPAttr, mask QPAttrMask) {
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
	keep(&s.Access, all.Access, mask&AttrAccess)
	keep(&s.QKey, all.QKey, mask&AttrQKey)
	keep(&s.PathMTU, all.PathMTU, mask&AttrPathMTU)
	keep(&s.Dest, all.Dest, mask&AttrAV)
	keep(&s.DestQPN, all.DestQPN, mask&AttrDestQPN)
	keep(&s.MaxRdAtomic, all.MaxRdAtomic, mask&AttrMaxRdAtomic)
	keep(&s.MaxDestRdAtomic, all.MaxDestRdAtomic, mask&AttrMaxDestRdAtomic)
	keep(&s.MinRNRTimer, all.MinRNRTimer, mask&AttrMinRNRTimer)
	keep(&s.Timeout, all.Timeout, mask&AttrTimeout)
	keep(&s.RetryCnt, all.RetryCnt, mask&AttrRetryCnt)
	keep(&s.RNRRetry, all.RNRRetry, mask&AttrRNRRetry)
}

func keep[T any](to *T, v T, counts QPAttrMask) {
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
