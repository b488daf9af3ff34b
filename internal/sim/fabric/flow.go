package fabric

import (
	"weft/internal/sim/fabric/isolation"
	"weft/internal/sim/transport"
	"weft/internal/sim/transport/cc"
	"weft/internal/sim/transport/tcp"
	"weft/units"
	"weft/wire"
)

// flow is one end of a connection in its NIC: a queue pair of RDMA, or a socket of TCP.
//
// Its first cache line has the data that every packet touches. The beginning of the queue pair's
// data is in the same line: see transport.QP.
type flow struct {
	timerAt units.Time   `state:"bound"` // when the NIC next runs it; Forever if it need not
	id      units.QPN    `state:"-"`     // its number in the NIC
	dst     int32        `state:"-"`     // node of the peer
	port    int32        `state:"-"`     // its sending port of the NIC
	entropy uint32       `state:"-"`
	class   uint8        `state:"-"` // of data
	reply   uint8        `state:"-"` // of acknowledgements
	ready   bool         // it is in the ring of its class
	socket  bool         `state:"-"` // the flow is conn, and not qp
	role    role         `state:"-"` // of its packets: data, or contributions to reductions in the network
	sl      units.SL     `state:"-"`
	wants   cc.Wants     `state:"-"` // telemetry that its data packets must report
	qp      transport.QP `state:"-"`
	conn    *tcp.Conn    `state:"-"` // nil for RDMA
	timer   int32        `state:"-"` // its index among the NIC's timers; -1 if it has none
	cnp     uint8        `state:"-"` // class of congestion notifications
	pkey    uint16       `state:"-"` // P_Key of its packets, which packets for it must match; used if Builder.PKeys is set
	order   uint64       `state:"-"` // order among timers of the same instant
	_       [16]byte     // padding to a multiple of cache lines
}

// readyAt is when the flow may next send.
func (f *flow) readyAt(now units.Time) units.Time {
	if f.socket {
		return f.conn.Ready(now)
	}
	return f.qp.Ready(now)
}

// deadline is the flow's earliest timer.
func (f *flow) deadline() units.Time {
	if f.socket {
		return f.conn.NextTimeout()
	}
	return f.qp.NextTimeout()
}

// longWait is the wait of a packet for the rate of its congestion control from which on it is counted:
// one of 4 KiB goes at 3 Gb/s then.
const longWait = 10 * units.Microsecond

// nextPacket fills the header of packet i and returns its size on the wire; 0 if the flow has no
// packet to send.
func (f *flow) nextPacket(p *Partition, s *NIC, i int32) uint16 {
	if f.socket {
		seg := p.pool.segment(i)
		if f.conn.Ready(p.now) > p.now || !f.conn.Next(p.now, seg) {
			return 0
		}
		return s.segmentBytes(seg)
	}
	h := &p.pool.cold[i]
	if f.qp.Held(p.now) {
		return 0
	}
	wait := f.qp.PaceWait(p.now)
	if !f.qp.Next(p.now, h) {
		return 0
	}
	if wait >= longWait && h.Offset > 0 { // the message was there when the wait began
		p.stats.PaceWaits++
		p.stats.PaceWait += wait
	}
	return s.wireBytes(h.Op, h.Length)
}

// receive passes packet i to its flow.
func (nic *nicState) receive(p *Partition, i int32) *flow {
	k := &p.pool.hot[i]
	ce := k.mark&marked != 0
	if nic.spec.TCP != nil {
		seg := p.pool.segment(i)
		if ce {
			seg.Flags |= tcp.FlagCE
		}
		f := nic.flows.flow(units.QPN(seg.Conn))
		f.conn.Receive(p.now, seg, &p.segments)
		return f
	}
	h := &p.pool.cold[i]
	if ce {
		h.Flags |= transport.FlagCE
	}
	f := nic.flows.flow(h.DestQP)
	if h.Op == wire.CNP {
		p.stats.CNPsTaken++
		p.stats.CNPDelay += p.now - units.Time(h.VA)
	}
	if k.wants != 0 {
		p.handOver(i, k)
	}
	wrong := p.batch.Refusals.QKey
	f.qp.Receive(p.now, h, &p.batch)
	if p.batch.Refusals.QKey != wrong && p.net.offences != nil {
		p.logKey(isolation.TrapQKey, f.port, true, i)
	}
	return f
}

// expire processes the flow's timer if it is due.
func (f *flow) expire(p *Partition) {
	if f.deadline() > p.now {
		return
	}
	if f.socket {
		f.conn.Timeout(p.now, &p.segments)
		return
	}
	expired := f.qp.Timeouts()
	f.qp.Timeout(p.now, &p.batch)
	if p.adapters != nil {
		p.net.adapters[f.port].Now.Timeouts += int64(f.qp.Timeouts() - expired)
	}
}

// tryNotify reports whether the port of a flow may send a CNP now, and counts it as sent.
func (nic *nicState) tryNotify(p *Partition, f *flow) bool {
	if nic.spec.CNPInterval == 0 {
		return true
	}
	next := &p.net.cnpAt[f.port]
	if p.now < *next {
		return false
	}
	*next = p.now + nic.spec.CNPInterval
	return true
}

// queueReplies queues the replies of the transport, which are sent at once.
func (nic *nicState) queueReplies(p *Partition, f *flow) {
	answers := &p.net.nicQueues[int(f.port)*p.net.classes+int(f.reply)].answers
	for j := range p.batch.Packets {
		answer := &p.batch.Packets[j]
		class := f.reply
		if answer.Op == wire.CNP {
			if !nic.tryNotify(p, f) {
				continue
			}
			class = f.cnp
			p.stats.CNPs++
			if p.adapters != nil {
				p.net.adapters[f.port].Now.CNPsSent++
			}
			answer.VA = uint64(p.now) // unused in a CNP: holds the time of its cause
			if nic.cnps != nil && nic.cnps.holdMade(p, f, answer) {
				continue
			}
		}
		i := p.pool.get(answers)
		h := &p.pool.cold[i]
		*h = *answer
		f.queueReply(p, i, nic.spec.wireBytes(h.Op, h.Length), class)
		if p.batch.Seen != nil && h.Op != wire.CNP {
			f.takeBack(p, i)
		}
	}
	p.batch.Packets, p.batch.Seen = p.batch.Packets[:0], nil
	for j := range p.segments.Segments {
		i := p.pool.get(answers)
		seg := p.pool.segment(i)
		*seg = p.segments.Segments[j]
		f.queueReply(p, i, nic.spec.segmentBytes(seg), f.reply)
	}
	p.segments.Segments = p.segments.Segments[:0]
}

// deliverCompletions delivers the completions of the transport.
func (f *flow) deliverCompletions(p *Partition, node int32) {
	for j := range p.batch.Completions {
		if c := &p.batch.Completions[j]; p.record != nil && !c.Recv {
			p.net.nicOf(node).recordEnd(p, f)
		}
		p.net.app.Complete(p, node, &p.batch.Completions[j])
	}
	p.batch.Completions = p.batch.Completions[:0]
	for j := range p.segments.Completions {
		s := &p.segments.Completions[j]
		if m := p.net.nicOf(node).spec.MPA; m != nil {
			s.Bytes = m.Payload(s.Bytes)
		}
		c := transport.Completion{ID: uint64(s.ID), QPN: f.id, Imm: s.ID, HasImm: true, Bytes: uint32(s.Bytes)}
		switch s.Outcome {
		case tcp.Received:
			c.Recv = true
		case tcp.Failed:
			c.Status = transport.RetryExcErr
		}
		if p.record != nil && !c.Recv {
			p.net.nicOf(node).recordEnd(p, f)
		}
		p.net.app.Complete(p, node, &c)
	}
	p.segments.Completions = p.segments.Completions[:0]
}

// wireBytes is the size of an RDMA packet on the wire.
func (s *NIC) wireBytes(op wire.Opcode, payload uint32) uint16 {
	pad := uint32(s.PayloadPad)
	return max(s.MinFrame, uint16((payload+pad-1)/pad*pad)+s.Overhead[op])
}

// segmentBytes is the size of a TCP segment on the wire.
func (s *NIC) segmentBytes(seg *tcp.Segment) uint16 {
	if s.MPA != nil {
		return max(s.MinFrame, uint16(seg.IPBytes())+s.MPA.Overhead(seg)+s.FrameOverhead)
	}
	return max(s.MinFrame, uint16(seg.IPBytes())+s.FrameOverhead)
}
