package verbs

import (
	"fmt"

	"weft/internal/sim/transport"
)

// BindMW posts the bind of a type 1 window (ibv_bind_mw(3)); flags may have SendSignaled and
// SendFence. The window has a new key at once. Peers can use it when the bind has completed; the
// old key ends then.
func (q *QP) BindMW(mw *MW, wrid uint64, flags SendFlags, b BindInfo) error {
	port := q.pd.dev.port
	port.Lock()
	defer port.Unlock()
	switch {
	case q.dead:
		return ErrClosed
	case mw == nil || mw.kind != MWType1:
		return invalid("BindMW binds a window of type 1: use a work request for type 2")
	}
	err := q.postLocal(&SendWR{
		WRID: wrid, Opcode: BindMW, Flags: flags,
		Bind: &BindWR{MW: mw, RKey: IncRKey(mw.given), BindInfo: b},
	})
	port.Process(&q.end)
	return err
}

// postLocal posts a bind or an invalidation. Properties that cannot change before its turn are
// checked here, all others then.
func (q *QP) postLocal(wr *SendWR) error {
	if q.attr.Type == UD {
		return invalid("%v has no %v", q.attr.Type, wr.Opcode)
	}
	what := operations[wr.Opcode]
	work := &localWork{key: wr.InvalidateRKey}
	if wr.Opcode == BindMW {
		if err := q.checkBind(wr.Bind); err != nil {
			return err
		}
		work.bind = *wr.Bind
	}
	if err := q.sendRoom(); err != nil {
		return err
	}
	rec := sendRecord{
		wrid: wr.WRID, wr: q.sends.posted, op: what.wc, local: work,
		signalled: q.attr.SignalAll || wr.Flags&SendSignaled != 0,
	}
	err := q.enqueue(&rec, transport.WorkRequest{
		Op: what.op, Unsignaled: !rec.signalled, Fence: wr.Flags&SendFence != 0,
	})
	if err == nil {
		q.sends.posted++
		if b := &work.bind; b.MW != nil && b.RKey>>8 == b.MW.key>>8 {
			b.MW.given = b.RKey
		}
	}
	return err
}

// postRefused posts a send that fails when its turn comes: a local operation that sends nothing and
// waits for the earlier ones.
func (q *QP) postRefused(rec *sendRecord) error {
	rec.segs, rec.local = nil, &localWork{refused: true}
	err := q.enqueue(rec, transport.WorkRequest{Op: transport.OpLocalInv})
	if err == nil {
		q.sends.posted++
	}
	return err
}

func (q *QP) checkBind(b *BindWR) error {
	const rights = remoteRights | AccessZeroBased
	switch {
	case b == nil || b.MW == nil:
		return invalid("a bind needs a window")
	case b.MW.dead:
		return fmt.Errorf("%w: the window", ErrClosed)
	case b.MW.pd != q.pd || b.MR != nil && b.MR.pd != q.pd:
		return invalid("the queue pair, the window and the region must be of one protection domain")
	case b.MR == nil && b.Length != 0:
		return invalid("a bind of %d bytes needs a region", b.Length)
	case b.Access&^rights != 0:
		return invalid("access %#x of a window: remote rights and AccessZeroBased", uint8(b.Access))
	}
	return nil
}

// local carries out the local operation with an ID, for the transport.
func (q *QP) local(_ QPN, id uint64) transport.Status {
	rec := q.sends.record(id)
	if rec.local.refused {
		return transport.LocProtErr
	}
	if rec.op == WCBindMW {
		if !q.bind(&rec.local.bind) {
			return transport.MWBindErr
		}
		return transport.Success
	}
	if !q.invalidate(rec.local.key) {
		return transport.LocQPOpErr
	}
	return transport.Success
}

// bind binds a window, unless the rules forbid it (IBA vol. 1, 10.6.7.2; ibv_bind_mw(3)).
func (q *QP) bind(b *BindWR) bool {
	w := b.MW
	switch {
	case w.dead || b.RKey>>8 != w.key>>8:
		return false
	case w.kind == MWType2 && (w.mr != nil || b.Length == 0 || b.RKey == w.key):
		return false
	case b.Length == 0:
		w.unbind()
		w.key = b.RKey
		return true
	}
	need := AccessMWBind
	if b.Access&(AccessRemoteWrite|AccessRemoteAtomic) != 0 {
		need |= AccessLocalWrite
	}
	buf := b.MR.span(q.pd, b.Addr, b.Length, need)
	if buf == nil {
		return false
	}
	w.unbind()
	w.key, w.mr = b.RKey, b.MR
	w.mr.windows++
	w.reach = reach{buf: buf, addr: b.Addr, access: b.Access}
	if b.Access&AccessZeroBased != 0 {
		w.addr = 0
	}
	if w.kind == MWType2 {
		w.of = &q.windows
		if q.windows == nil {
			q.windows = windowSet{}
		}
		q.windows[w] = struct{}{}
	}
	return true
}

// invalidate invalidates the key of a type 2 window bound to this queue pair, for a local operation
// or for the peer's SEND. Regions and windows of type 1 cannot be invalidated: the specification
// allows only regions registered by work request, which do not exist here.
func (q *QP) invalidate(rkey uint32) bool {
	w := q.pd.dev.window(rkey)
	if w == nil || w.of != &q.windows {
		return false
	}
	w.unbind()
	return true
}
