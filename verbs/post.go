package verbs

import (
	"fmt"

	"weft/internal/sim/transport"
)

// PostSend posts sends. It stops at the first invalid one and returns the reason; the sends before
// it are posted. Behind many unfinished sends of RC it sends nothing itself: the next poll does, or
// the device's goroutine when an acknowledgement arrives, at the latest a millisecond after the
// last poll. Wrong memory is not such a reason: that work request completes with LocProtErr after
// the earlier ones, and sends nothing.
func (q *QP) PostSend(list ...SendWR) error {
	port := q.pd.dev.port
	port.Lock()
	defer port.Unlock()
	if q.dead {
		return ErrClosed
	}
	if q.attr.Type == XRCRecv {
		return invalid("the receiving end of XRC sends nothing")
	}
	var err error
	for i := range list {
		if err = q.postSend(&list[i]); err != nil {
			err = fmt.Errorf("work request %d of %d: %w", i+1, len(list), err)
			break
		}
		if len(port.Batch().Completions) > 0 {
			port.Process(&q.end) // it may end at once, and its record may be reused
		}
	}
	if q.attr.Type == RC && q.sends.unfinished() > manyUnfinished {
		port.Schedule(&q.end)
	} else {
		port.Process(&q.end)
	}
	return err
}

func (q *QP) postSend(wr *SendWR) error {
	what, ok := operations[wr.Opcode]
	if !ok {
		return invalid("no operation with the number %d", wr.Opcode)
	}
	switch {
	case wr.Opcode == BindMW && wr.Bind != nil && wr.Bind.MW != nil && wr.Bind.MW.kind != MWType2:
		return invalid("a work request binds windows of type 2: use QP.BindMW for type 1")
	case wr.Opcode == BindMW || wr.Opcode == LocalInv:
		return q.postLocal(wr)
	}
	if err := q.sendRoom(); err != nil {
		return err
	}
	rec := sendRecord{
		wrid: wr.WRID, wr: q.sends.posted, op: what.wc, ah: wr.AH, srq: wr.RemoteSRQ,
		signalled: q.attr.SignalAll || wr.Flags&SendSignaled != 0,
	}
	total, ok, err := q.buffers(&rec, wr, what.op)
	switch {
	case err != nil:
		return err
	case !ok:
		return q.postRefused(&rec)
	}
	t := transport.WorkRequest{
		Op: what.op, Solicited: wr.Flags&SendSolicited != 0, Unsignaled: !rec.signalled,
		Fence: wr.Flags&SendFence != 0,
		Imm:   wr.ImmData, RKey: wr.RKey, RemoteVA: wr.RemoteAddr, DestQP: wr.DestQPN, QKey: wr.QKey,
	}
	if wr.QKey&ownQKey != 0 {
		t.QKey = q.qkey
	}
	switch what.op {
	case transport.OpSendInv:
		t.Imm = wr.InvalidateRKey
	case transport.OpCmpSwap:
		rec.comp, rec.swap = wr.CompareAdd, wr.Swap
	case transport.OpFetchAdd:
		rec.swap = wr.CompareAdd
	case transport.OpRead:
		return q.postRead(&rec, t, total)
	}
	rec.total = uint32(total)
	t.Length = uint32(total)
	if err := q.enqueue(&rec, t); err != nil {
		return err
	}
	q.sends.posted++
	return nil
}

// buffers checks the memory of a send, and returns its length; false says that the queue pair has
// no right to it.
func (q *QP) buffers(
	rec *sendRecord, wr *SendWR, op transport.Op,
) (total uint64, ok bool, err error) {
	if q.attr.Type == UD && (wr.AH == nil || wr.AH.dead || wr.AH.pd != q.pd) {
		return 0, false, invalid("a datagram needs an address handle of its protection domain")
	}
	if wr.Flags&SendInline != 0 {
		switch {
		case op >= transport.OpRead && op != transport.OpSendInv:
			return 0, false, invalid("READs and atomics have no inline data")
		case len(wr.Inline) > q.attr.MaxInlineData:
			return 0, false, invalid("%d bytes of inline data: the queue pair takes %d", len(wr.Inline),
				q.attr.MaxInlineData)
		}
		rec.inline = append([]byte{}, wr.Inline...)
		return uint64(len(wr.Inline)), true, nil
	}
	need := Access(0)
	if op == transport.OpRead || op == transport.OpCmpSwap || op == transport.OpFetchAdd {
		need = AccessLocalWrite
	}
	q.scratch, total, ok, err = q.pd.segments(q.scratch[:0], wr.SGL, need)
	rec.segs = q.scratch
	if err == nil && ok && (op == transport.OpCmpSwap || op == transport.OpFetchAdd) &&
		total != transport.AtomicBytes {
		return 0, false, invalid("an atomic returns %d bytes: its list of buffers has %d",
			transport.AtomicBytes, total)
	}
	return total, ok, err
}

// postRead posts a READ in parts; the last part completes it.
func (q *QP) postRead(rec *sendRecord, t transport.WorkRequest, total uint64) error {
	size := q.readPart()
	parts := max(1, (total+size-1)/size)
	if uint64(q.end.QP.Pending())+parts > transport.MaxSendQueue {
		return fmt.Errorf("%w: a READ of %d bytes does not fit beside the unfinished sends", ErrNoMemory,
			total)
	}
	addr := t.RemoteVA
	for i := range parts {
		r := *rec
		r.base, r.total = i*size, uint32(total)
		part := t
		part.RemoteVA = addr + r.base
		part.Length = uint32(min(size, total-r.base))
		part.Fence = t.Fence && i == 0
		part.Unsignaled = t.Unsignaled || i+1 < parts
		if err := q.enqueue(&r, part); err != nil {
			return err
		}
	}
	q.sends.posted++
	return nil
}

// readPart is the length of the parts of a long READ, in bytes.
func (q *QP) readPart() uint64 {
	part := uint64(leastReadPart)
	if q.end.Peer == nil || q.pd.dev.fabric != nil {
		return part
	}
	for most := uint64(q.end.Peer.Most() * q.pd.dev.mtu); part < mostReadPart && 16*part <= most; {
		part *= 2
	}
	return part
}

// PostRecv posts receives. It stops at the first invalid one; the receives before it are posted.
// Wrong memory is found when a message arrives for it: the receive then completes with LocProtErr.
func (q *QP) PostRecv(list ...RecvWR) error {
	port := q.pd.dev.port
	port.Lock()
	defer port.Unlock()
	switch {
	case q.dead:
		return ErrClosed
	case q.attr.SRQ != nil || q.attr.Type >= XRCSend:
		return invalid("the queue pair has a shared receive queue, or receives nothing")
	}
	for i := range list {
		if q.recvs.posted >= q.attr.MaxRecvWR {
			return fmt.Errorf("%w: %d receives are in the queue, which has room for as many", ErrNoMemory,
				q.attr.MaxRecvWR)
		}
		var rec recvRecord
		if err := rec.fill(q.pd, &list[i]); err != nil {
			return err
		}
		if err := q.addRecv(&rec); err != nil {
			return fmt.Errorf("%w: %w", ErrInvalid, err)
		}
	}
	if q.end.QP.State() == transport.StateErr {
		port.Process(&q.end) // in ERR it is flushed; otherwise it sends nothing
	}
	return nil
}
