package ranks

import (
	"context"
	"encoding/binary"
	"errors"
	"math"

	"weft/verbs"
)

// operation is an all-reduce in progress.
type operation struct {
	r    *rank
	p    *plan
	bank uint32
	at   []int // the step of each lane
	busy int   // lanes that are not finished
	next []int // per channel: the next lane to enter
	open []int // per channel: lanes that are entered and not finished
	hold []bool
}

// The immediate data: bank, lane and step of the receiver.
func immediate(bank uint32, lane, step int) uint32 { return bank<<31 | uint32(lane)<<16 | uint32(step) }

// allReduce adds up the vectors of all ranks, in place.
func (r *rank) allReduce(ctx context.Context, p *plan) error {
	o := &operation{r: r, p: p, bank: r.ops & 1, at: make([]int, len(p.lanes)), next: make([]int, p.channels), open: make([]int, p.channels), hold: make([]bool, len(p.lanes))}
	r.ops++
	for _, lane := range p.lanes {
		if len(lane) > 0 {
			o.busy++
		}
	}
	for c := range p.channels {
		o.next[c] = c
		if err := o.enter(ctx, c); err != nil {
			return err
		}
	}
	if err := o.wait(ctx, func() bool { return o.busy == 0 && r.outstanding() == 0 }); err != nil {
		return err
	}
	clear(r.got[o.bank])
	return nil
}

// wait continues the operation until a condition holds.
func (o *operation) wait(ctx context.Context, until func() bool) error {
	return o.r.wait(ctx, until, func() (int, error) { return o.r.poll(ctx, o) })
}

// wait takes completions until a condition holds. It polls for a while, and then sleeps.
func (r *rank) wait(ctx context.Context, until func() bool, take func() (int, error)) error {
	for empty := 0; !until(); empty++ {
		n, err := take()
		switch {
		case err != nil:
			return err
		case n > 0:
			empty = 0
		case empty >= emptyPolls:
			if err := r.sleep(ctx); err != nil {
				return err
			}
		}
	}
	return nil
}

// sleep waits for a completion. There may be more ranks than cores: a polling rank would take the
// core from the ranks that it waits for.
func (r *rank) sleep(ctx context.Context) error {
	r.cq.ReqNotify(false)
	if r.cq.Pending() > 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	err := r.cq.Wait(ctx)
	if errors.Is(err, context.DeadlineExceeded) {
		return errors.New("ranks: nothing has arrived for a minute: a rank has gone")
	}
	return err
}

// enter enters lanes of a channel until its window is full.
func (o *operation) enter(ctx context.Context, c int) error {
	for o.next[c] < len(o.p.lanes) && o.open[c] < o.p.window {
		lane := o.next[c]
		o.next[c] += o.p.channels
		if len(o.p.lanes[lane]) == 0 {
			continue
		}
		o.open[c]++
		if err := o.post(ctx, lane); err != nil {
			return err
		}
		if err := o.advance(ctx, lane); err != nil {
			return err
		}
	}
	return nil
}

// post sends the messages of the lane's step. While it waits for room, other lanes continue and
// this lane does not.
func (o *operation) post(ctx context.Context, lane int) error {
	o.hold[lane] = true
	defer func() { o.hold[lane] = false }()
	s := &o.p.lanes[lane][o.at[lane]]
	for i := range s.sends {
		m := &s.sends[i]
		q := &o.r.peers[m.peer]
		if err := o.wait(ctx, func() bool { return q.out < depth }); err != nil {
			return err
		}
		wr := verbs.SendWR{
			Opcode: verbs.RDMAWriteWithImm, Flags: verbs.SendSignaled, ImmData: immediate(o.bank, m.lane, m.step),
			SGL: []verbs.SGE{o.r.vector.mr.SGE(int(m.src), int(m.bytes))}, RemoteAddr: q.there.vector + uint64(m.dst), RKey: q.there.vKey,
		}
		if m.reduced {
			wr.RemoteAddr, wr.RKey = q.there.scratch[o.bank]+uint64(m.dst), q.there.sKey[o.bank]
		}
		q.out++
		if err := q.qp.PostSend(wr); err != nil {
			return err
		}
	}
	return nil
}

// advance leaves all steps of a lane that have all their messages.
func (o *operation) advance(ctx context.Context, lane int) error {
	steps := o.p.lanes[lane]
	for o.at[lane] < len(steps) {
		s := &steps[o.at[lane]]
		here := o.r.got[o.bank][immediate(0, lane, o.at[lane])]
		if len(here) < s.recvs {
			return nil
		}
		if s.reduce {
			for _, a := range s.from {
				from := o.r.peers[a.peer].scratch[o.bank].buf[a.dst : a.dst+a.bytes]
				add(o.r.vector.buf[a.dst:a.dst+a.bytes], from)
			}
		}
		if o.at[lane]++; o.at[lane] == len(steps) {
			break
		}
		if err := o.post(ctx, lane); err != nil {
			return err
		}
	}
	o.busy--
	c := lane % o.p.channels
	o.open[c]--
	return o.enter(ctx, c)
}

// add adds floats to floats.
func add(to, from []byte) {
	le := binary.LittleEndian
	for len(to) >= elementBytes && len(from) >= elementBytes {
		le.PutUint32(to, math.Float32bits(math.Float32frombits(le.Uint32(to))+math.Float32frombits(le.Uint32(from))))
		to, from = to[elementBytes:], from[elementBytes:]
	}
}

// poll takes completions. Data for a step that is not entered yet is kept.
func (r *rank) poll(ctx context.Context, o *operation) (int, error) {
	n, err := r.drain()
	if err != nil {
		return n, err
	}
	arrived := make([]int, 0, len(r.wc))
	for i := range r.wc[:n] {
		wc := &r.wc[i]
		if wc.Opcode != verbs.WCRecvRDMAWithImm {
			continue
		}
		bank, key := wc.ImmData>>31, wc.ImmData&^(1<<31)
		r.got[bank][key] = append(r.got[bank][key], r.byQP[wc.QPN])
		if lane := int(key >> 16); bank == o.bank && lane < len(o.at) && o.at[lane] == int(key&(maxSteps-1)) {
			arrived = append(arrived, lane)
		}
	}
	for _, lane := range arrived {
		if o.entered(lane) {
			if err := o.advance(ctx, lane); err != nil {
				return n, err
			}
		}
	}
	return n, nil
}

// drain takes completions into r.wc. It counts sends as done and posts receives again.
func (r *rank) drain() (int, error) {
	n, err := r.cq.Poll(r.wc)
	if err != nil {
		return 0, err
	}
	for i := range r.wc[:n] {
		wc := &r.wc[i]
		if err := wc.Status.Err(); err != nil {
			return n, err
		}
		if wc.Opcode != verbs.WCRecvRDMAWithImm {
			r.peers[r.byQP[wc.QPN]].out--
		} else if err := r.srq.PostRecv(verbs.RecvWR{}); err != nil {
			return n, err
		}
	}
	return n, nil
}

// entered reports whether a lane is in progress and may continue.
func (o *operation) entered(lane int) bool {
	return !o.hold[lane] && lane < o.next[lane%o.p.channels] && o.at[lane] < len(o.p.lanes[lane])
}

func (r *rank) outstanding() (n int) {
	for i := range r.peers {
		n += r.peers[i].out
	}
	return n
}
