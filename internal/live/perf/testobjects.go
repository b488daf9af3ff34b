package perf

import (
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"time"

	"weft/units"
	"weft/verbs"
)

// ends are the objects of one side of a test. They share one region: messages are sent from its
// first half and received into its second.
type ends struct {
	t    *Test
	dev  *verbs.Device
	pd   *verbs.PD
	cq   *verbs.CQ
	mr   *verbs.MR
	buf  []byte
	qps  []*verbs.QP
	byN  map[verbs.QPN]int // index by number
	psn  units.PSN
	peer *End
	wc   []verbs.WC
	cpu  time.Duration // processor time of the process when the last measurement ended
}

// begin is the present time of the device's clock. On an emulated fabric that is the fabric's, and so are all results.
func (e *ends) begin() units.Time {
	_ = e.dev.Sync() // work ends with an error if the fabric has ended
	return e.dev.Clock()
}

// since is the time from then until the device's last work.
func (e *ends) since(then units.Time) time.Duration {
	return time.Duration((e.dev.Clock() - then) / units.Nanosecond)
}

// access are the rights that both sides have on the other's memory.
const access = verbs.AccessLocalWrite | verbs.AccessRemoteWrite | verbs.AccessRemoteRead

// newEnds makes the objects of a test.
func newEnds(dev *verbs.Device, t *Test) (e *ends, err error) {
	if err := t.Check(); err != nil {
		return nil, err
	}
	e = &ends{t: t, dev: dev, pd: dev.AllocPD(), byN: map[verbs.QPN]int{}, psn: firstPSN()}
	defer func() {
		if err != nil {
			e.close()
		}
	}()
	depth := max(t.Depth, 2)
	if e.cq, err = dev.CreateCQ(min(verbs.MaxCQE, 2*(depth+recvDepth(t))*t.QPs)); err != nil {
		return nil, err
	}
	half := (t.Size + 63) &^ 63
	e.buf = make([]byte, 2*half)
	for i := range e.buf[:half] {
		e.buf[i] = byte(i*7 + i>>8)
	}
	if e.mr, err = e.pd.RegMR(e.buf, access); err != nil {
		return nil, err
	}
	for i := range t.QPs {
		qp, err := e.pd.CreateQP(verbs.QPInitAttr{
			Type: verbs.RC, SendCQ: e.cq, RecvCQ: e.cq, MaxSendWR: depth, MaxRecvWR: recvDepth(t), MaxInlineData: t.Inline,
		})
		if err != nil {
			return nil, err
		}
		e.qps = append(e.qps, qp)
		e.byN[qp.QPN()] = i
	}
	e.wc = make([]verbs.WC, 64)
	return e, nil
}

// recvDepth is the number of receives that a side of a SEND keeps posted.
func recvDepth(t *Test) int {
	if t.Verb == Send {
		return max(2, min(2*t.Depth, 512))
	}
	return 1
}

// memory is the memory of a test at one side, in bytes: its buffers, and some 256 for a work
// request, 64 for a completion queue's entry and 4096 for a queue pair.
func (t *Test) memory() int64 {
	half := int64(t.Size+63) &^ 63
	if t.OverTCP {
		return half
	}
	depth, recvs, qps := int64(max(t.Depth, 2)), int64(recvDepth(t)), int64(t.QPs)
	return 2*half + qps*(4096+(depth+recvs)*(256+2*64))
}

// close destroys all objects, users before the objects that they use.
func (e *ends) close() {
	for _, q := range e.qps {
		_ = q.Destroy()
	}
	if e.cq != nil {
		_ = e.cq.Destroy()
	}
	if e.mr != nil {
		_ = e.mr.Dereg()
	}
	_ = e.pd.Dealloc()
}

// describe is the End that the peer needs.
func (e *ends) describe() *End {
	d := &End{
		Addr: e.dev.Addr().String(), VAddr: e.mr.Addr() + uint64(len(e.buf)/2), Source: e.mr.Addr(), RKey: e.mr.RKey(),
		MTU: e.t.MTU, Reads: verbs.MaxRdAtomic,
	}
	for _, q := range e.qps {
		d.QPs = append(d.QPs, EndQP{q.QPN(), e.psn})
	}
	return d
}

// connect connects each queue pair with the peer's of the same index.
func (e *ends) connect(peer *End) error {
	addr, err := peer.addr()
	if err != nil {
		return err
	}
	if len(peer.QPs) != len(e.qps) {
		return fmt.Errorf("perf: this side has %d queue pairs and the peer %d: expected the same number", len(e.qps), len(peer.QPs))
	}
	e.peer = peer
	for i, q := range e.qps {
		a := verbs.QPAttr{
			Access: access, PathMTU: e.t.MTU, Dest: addr, DestQPN: peer.QPs[i].QPN, RQPSN: peer.QPs[i].PSN, SQPSN: e.psn,
			MaxRdAtomic: min(verbs.MaxRdAtomic, peer.Reads), MaxDestRdAtomic: verbs.MaxRdAtomic, MinRNRTimer: 12, Timeout: verbs.AckTimeout, RetryCnt: 7, RNRRetry: 7,
			SelectiveRepeat: e.t.Selective,
		}
		if err := q.ConnectWith(&a); err != nil {
			return err
		}
	}
	return nil
}

// out is the part of the region that messages are read from.
func (e *ends) out() verbs.SGE { return e.mr.SGE(0, e.t.Size) }

// in is the part of the region that messages are written to.
func (e *ends) in() verbs.SGE { return e.mr.SGE(len(e.buf)/2, e.t.Size) }

func (e *ends) inBytes() []byte { return e.buf[len(e.buf)/2:][:e.t.Size] }

func (e *ends) outBytes() []byte { return e.buf[:e.t.Size] }

// sum is the CRC of memory.
func sum(b []byte) uint32 { return crc32.ChecksumIEEE(b) }

// request is the work request of the test's operation.
func (e *ends) request() verbs.SendWR {
	wr := verbs.SendWR{Flags: verbs.SendSignaled, SGL: []verbs.SGE{e.out()}, RemoteAddr: e.peer.VAddr, RKey: e.peer.RKey}
	switch e.t.Verb {
	case Write:
		wr.Opcode = verbs.RDMAWrite
	case Send:
		wr.Opcode = verbs.Send
	case Read:
		wr.Opcode, wr.SGL, wr.RemoteAddr = verbs.RDMARead, []verbs.SGE{e.in()}, e.peer.Source
	}
	if e.t.Size <= e.t.Inline && (e.t.Verb == Write || e.t.Verb == Send) {
		wr.Flags |= verbs.SendInline
		wr.SGL, wr.Inline = nil, e.outBytes()
	}
	return wr
}

// errGone ends a test without a completion for a long time.
var errGone = errors.New("perf: nothing has completed for a minute: the peer has gone")

// poll polls until there are completions, and returns them. It gives up when stop does.
func (e *ends) poll(stop *stopper) ([]verbs.WC, error) {
	for {
		n, err := e.cq.Poll(e.wc)
		if err != nil || n > 0 {
			return e.wc[:n], err
		}
		if err := stop.look(); err != nil {
			return nil, err
		}
		if e.t.Events {
			if err := e.sleep(stop); err != nil {
				return nil, err
			}
		}
	}
}

// sleep waits for an event of the completion queue. It does not miss a completion that
// comes just before the request for events.
func (e *ends) sleep(stop *stopper) error {
	e.cq.ReqNotify(false)
	if e.cq.Pending() > 0 {
		return nil
	}
	return e.cq.Wait(stop.ctx)
}

// postRecv posts receives to one queue pair.
func (e *ends) postRecv(q *verbs.QP, n int) error {
	wr := verbs.RecvWR{SGL: []verbs.SGE{e.in()}}
	for range n {
		if err := q.PostRecv(wr); err != nil {
			return err
		}
	}
	return nil
}

// lookEvery is the number of turns between two looks of a polling loop at the clock.
const lookEvery = 1024

// stopper ends loops that poll.
type stopper struct {
	ctx   context.Context
	turns int
	last  time.Time
}

// look is called after each poll without a completion.
func (s *stopper) look() error {
	if s.turns++; s.turns%lookEvery != 0 {
		return nil
	}
	if err := s.ctx.Err(); err != nil {
		return err
	}
	switch now := time.Now(); {
	case s.last.IsZero():
		s.last = now
	case now.Sub(s.last) > patience:
		return errGone
	}
	return nil
}

// seen notes a completion.
func (s *stopper) seen() { s.last = time.Time{} }
