package fabric

import (
	"math/bits"

	"weft/internal/sim/fabric/adapter"
	"weft/internal/sim/fabric/arbitration"
	"weft/internal/sim/fabric/credit"
	"weft/internal/sim/fabric/impair"
	"weft/internal/sim/fabric/messages"
	"weft/internal/sim/transport"
	"weft/internal/sim/transport/tcp"
	"weft/units"
)

// NIC describes a kind of network adapter.
type NIC struct {
	// Pipeline is the fixed time from the tail of a packet at the port to the
	// transport's work on it.
	Pipeline units.Time
	// Credits is the grant of its input buffer on a credit-based fabric.
	Credits credit.Grant
	// PFC is its reaction to pauses on Ethernet.
	PFC PFC
	// PacketGap is the minimum time from the start of one packet to the next: the adapter's packet
	// rate. HostPerByte, if not zero, is the time of a byte on a host bus slower than the wire: the
	// next packet waits for it.
	PacketGap   units.Time
	HostPerByte units.PerByte
	// Overhead is the length of each packet on the wire beyond its payload, by opcode; the payload
	// is padded to 4 bytes. MinFrame is the minimum size.
	Overhead [256]uint16
	MinFrame uint16
	// PayloadPad rounds payloads up, 4 on both fabrics; 1 pads nothing.
	PayloadPad uint16
	// RepliesFirst sends acknowledgements and other replies before data of the same class;
	// otherwise they take turns.
	RepliesFirst bool
	// Schedule, if not nil, shares the port between classes by weight, on Ethernet
	// only; otherwise they take turns, packet by packet.
	Schedule *arbitration.Schedule
	// VLArb, if not nil, arbitrates between the lanes of an InfiniBand port, before
	// all else: replies go first, or take turns, within a lane. A lane's weight is
	// charged when it has sent.
	VLArb *arbitration.VLArb
	// Transport is the common configuration of its queue pairs, TCP of its sockets. A NIC has one
	// of the two.
	Transport *transport.Config
	TCP       *tcp.Config
	// MPA, if not nil, is the framing of iWARP that its TCP carries.
	MPA *adapter.MPA
	// CNPInterval is the minimum time between two CNPs of a port, in addition to the queue pairs'
	// own; 0 is none.
	CNPInterval units.Time
	// Contexts, if not nil, are the queue pairs that can send without a fetch.
	Contexts *adapter.Contexts
	// Generating and Reacting, if not nil, draw the time from a marked packet to its CNP, and from
	// a CNP's arrival to its effect.
	Generating, Reacting impair.Jitter
	// FrameOverhead is the length of a TCP packet on the wire beyond the IP packet.
	FrameOverhead uint16
}

// nicState is the state of one NIC.
type nicState struct {
	spec   *NIC      `state:"-"`
	flows  flowTable // by queue pair number
	timers timers
	wakeAt units.Time `state:"bound"` // the next timer event; Forever if none
	later  units.Time `state:"bound"` // the timer event after it, if remembered
	// receiver is not nil for a slow or failed NIC.
	receiver *receiver
	slot     *adapter.Slot   `state:"-"` // of the GPU, if other NICs share it; with it there is a receiver
	contexts *adapter.Store  // nil if every context is at hand
	cnps     *cnpDelays      // nil if CNPs take no time
	delays   bool            `state:"-"` // receiver or cnps is not nil
	messages messages.Queues // in progress, if they are recorded
}

// nicPorts is the state of the NICs and of their ports.
type nicPorts struct {
	nics      []nicState
	nicQueues []nicQueue   `state:"-"`     // by port and class
	cnpAt     []units.Time `state:"until"` // by port: earliest time of the next CNP
	slab      flowSlab     `state:"-"`     // room for further flows
}

// nicQueue is the queue of one port of a NIC in one class, in one cache line.
type nicQueue struct {
	replies list
	held    int32 `state:"-"` // the packet that was pulled from a flow and waits for credits; -1 if none
	turn    bool  // the last packet was a reply
	early   bool  // the last flow of the ring is not ready yet, but will be when the wire is free
	ring    ring  // flows that may send
	data    block `state:"-"` // records for its data packets
	answers block `state:"-"` // records for its replies
}

// arrive takes a packet from the wire.
func (nic *nicState) arrive(p *Partition, b *inbox, link, i int32) {
	if nic.delays && nic.holdBack(p, b.node, link, i) {
		return
	}
	nic.deliver(p, b.node, link, i)
}

// holdBack keeps a packet that the NIC does not pass on at once; false if it does.
func (nic *nicState) holdBack(p *Partition, node, link, i int32) bool {
	p.pool.hot[i].in = link
	if nic.cnps != nil && nic.cnps.holdArrived(p, node, i) {
		return true
	}
	return nic.receiver != nil && nic.receiver.receive(p, node, i)
}

// deliver passes a packet to its queue pair.
func (nic *nicState) deliver(p *Partition, node, link, i int32) {
	k := &p.pool.hot[i]
	if nic.spec.Credits.Period > 0 {
		p.net.pass(p, link, k, p.now)
	}
	if p.net.pkeys != nil && nic.dropTrespasser(p, link, i) {
		return
	}
	p.stats.Delivered++
	p.stats.OutBytes += int64(k.size)
	if p.adapters != nil {
		nic.countArrival(p, link, i)
	}
	if k.role == roleForeign {
		p.landForeign(node, i, k)
		p.pool.put(i)
		return
	}
	f := nic.receive(p, i)
	p.pool.put(i)
	if f == p.leader {
		p.Beat()
	}
	nic.afterQP(p, node, f)
}

// afterQP sends and delivers the content of a flow's batches, and checks the flow's next action.
func (nic *nicState) afterQP(p *Partition, node int32, f *flow) {
	nic.queueReplies(p, f)
	nic.updateFlow(p, node, f)
	f.deliverCompletions(p, node)
}

// queueReply queues a packet that goes before data.
func (f *flow) queueReply(p *Partition, i int32, size uint16, class uint8) {
	n := p.net
	f.fill(p, i, size, class, roleReply)
	o := &n.ports[f.port]
	p.pool.push(&n.nicQueues[int(f.port)*n.classes+int(class)].replies, i)
	o.nonEmpty |= 1 << class
	o.touch(p, f.port)
}

// fill makes the fabric's record of a packet.
func (f *flow) fill(p *Partition, i int32, size uint16, class uint8, r role) {
	p.pool.hot[i] = pkt{
		next: -1, dst: f.dst, in: -1, entropy: f.entropy, size: size, class: class, role: r, mark: markBits(f.sl) << levelShift,
	}
	if !f.socket || p.pool.segment(i).Flags&tcp.FlagECT != 0 {
		p.pool.hot[i].mark |= capable
	}
	p.stats.Injected++
	p.stats.InBytes += int64(size)
	if p.adapters != nil {
		p.net.adapters[f.port].Now.Sent++
	}
}

// updateFlow updates a flow's place after a change: the flow goes into the ring of its class if it may
// send, and among the NIC's timers if it may send later or has a timer.
func (nic *nicState) updateFlow(p *Partition, node int32, f *flow) {
	if f.ready {
		nic.updateTurn(p, node, f, p.now)
	} else if nic.updateTurn(p, node, f, p.now); f.ready {
		p.net.ports[f.port].touch(p, f.port)
	}
}

// updateTurn is updateFlow for a flow whose port decides anyway, but not before a time: the pace of
// a flow that sends at the rate of the wire then needs no timer.
func (nic *nicState) updateTurn(p *Partition, node int32, f *flow, decides units.Time) {
	t := f.deadline()
	if !f.ready {
		if next := f.readyAt(p.now); next > decides {
			t = min(t, next)
		} else {
			f.queueUp(p, next > p.now)
		}
	}
	if t < f.timerAt {
		nic.arm(p, node, f, t)
	}
}

// queueUp puts a flow that may send into the ring of its class; early says that it may do so later, but before
// its port decides. Flows that may send before it go first.
func (f *flow) queueUp(p *Partition, early bool) {
	n := p.net
	f.ready = true
	q := &n.nicQueues[int(f.port)*n.classes+int(f.class)]
	q.ring.push(f)
	if q.early && f.isReadyBefore(p, q.ring.beforeLast()) {
		q.ring.swapLast()
	} else {
		q.early = early
	}
	n.ports[f.port].nonEmpty |= 1 << f.class
}

// isReadyBefore reports whether a flow that may send is ready before another one, whose pace has no timer. If
// that one is ready at this instant, the place of its timer in the instant would decide.
func (f *flow) isReadyBefore(p *Partition, early *flow) bool {
	at := early.readyAt(p.now - 1)
	if at != p.now || p.class != classTimer {
		return at > p.now || at == p.now && p.class < classTimer
	}
	return (&timer{at, f}).before(&timer{at, early})
}

// send sends the next packet of a NIC's port whose wire is free.
func (nic *nicState) send(p *Partition, o *port, link int32) {
	n := p.net
	soonest := units.Forever
	for mask := o.nonEmpty &^ o.blocked; mask != 0; {
		class := uint8(bits.TrailingZeros16(mask))
		contended, by := mask&(mask-1) != 0, arbitration.NoTable
		switch {
		case !contended:
		case nic.spec.VLArb != nil:
			class, by = n.arbiters[link].Choose(nic.spec.VLArb, mask)
		default:
			class = nic.pickClass(p, link, mask)
		}
		mask &^= 1 << class
		sent := o.bytes
		if nic.sendClass(p, o, link, class, &soonest) {
			if contended && nic.spec.Schedule != nil && !n.nicQueues[int(link)*n.classes+int(class)].turn {
				n.rounds[link].Charge(nic.spec.Schedule, class, o.bytes-sent)
			}
			if by != arbitration.NoTable {
				n.arbiters[link].Charge(by, int32(o.bytes-sent))
			}
			if o.nonEmpty&^o.blocked != 0 {
				o.wake(p, link, o.freeAt)
			}
			return
		}
	}
	if soonest != units.Forever {
		o.wake(p, link, soonest)
	}
}

// pickClass chooses among the classes with something to send: first a class with replies if the NIC
// prefers them, else by weight or in turn.
func (nic *nicState) pickClass(p *Partition, link int32, mask uint16) uint8 {
	n := p.net
	if nic.spec.RepliesFirst {
		for m := mask; m != 0; m &= m - 1 {
			class := bits.TrailingZeros16(m)
			if n.nicQueues[int(link)*n.classes+class].replies.head >= 0 {
				return uint8(class)
			}
		}
	}
	if nic.spec.Schedule != nil {
		return n.rounds[link].PickSurplus(nic.spec.Schedule, mask)
	}
	last := n.turns[link*int32(n.classes)]
	if later := mask >> (last + 1) << (last + 1); later != 0 {
		mask = later
	}
	class := uint8(bits.TrailingZeros16(mask))
	n.turns[link*int32(n.classes)] = uint16(class)
	return class
}

// sendClass sends a reply or the next packet of the next flow of a class; false if credits are
// missing or no flow has a packet after all.
func (nic *nicState) sendClass(p *Partition, o *port, link int32, class uint8, soonest *units.Time) bool {
	n := p.net
	q := &n.nicQueues[int(link)*n.classes+int(class)]
	if q.replies.head >= 0 && (nic.spec.RepliesFirst || !q.turn || q.ring.n == 0 && q.held < 0) {
		if !p.spend(nic.spec.Credits.Period > 0, link, class, p.pool.hot[q.replies.head].size, soonest) {
			return false
		}
		q.turn = true
		i := p.pool.pop(&q.replies)
		nic.emit(p, o, link, i)
		o.settleClass(q, class)
		return true
	}
	for q.held >= 0 || q.ring.n > 0 {
		if q.held < 0 && !nic.pull(p, o, q, class) {
			continue
		}
		if !p.spend(nic.spec.Credits.Period > 0, link, class, p.pool.hot[q.held].size, soonest) {
			return false
		}
		q.turn = false
		i := q.held
		q.held = -1
		nic.emit(p, o, link, i)
		o.settleClass(q, class)
		return true
	}
	o.settleClass(q, class)
	return false
}

// lacksContext reports whether a flow has to wait for its context before its next packet. The NIC runs
// the flow again when the context is there.
func (nic *nicState) lacksContext(p *Partition, node int32, f *flow) bool {
	ready, miss := nic.contexts.Send(f.id, p.now)
	if miss {
		p.stats.ContextMisses++
	}
	if ready <= p.now {
		return false
	}
	if ready < f.timerAt {
		nic.arm(p, node, f, ready)
	}
	return true
}

// pull takes the next packet of the next flow of a class; false if that flow has no packet after
// all.
func (nic *nicState) pull(p *Partition, o *port, q *nicQueue, class uint8) bool {
	f := q.ring.pop()
	q.early = false
	if nic.contexts != nil && nic.lacksContext(p, o.node, f) {
		f.ready = false
		return false
	}
	i := p.pool.get(&q.data)
	size := f.nextPacket(p, nic.spec, i)
	f.ready = false
	nic.updateTurn(p, o.node, f, p.now+units.Time(int64(size)*int64(o.num)/int64(o.den)))
	if size == 0 {
		p.pool.put(i)
		return false
	}
	f.fill(p, i, size, class, f.role)
	p.pool.hot[i].ordered = !f.socket && p.pool.cold[i].Flags&transport.FlagOrdered != 0
	if f.wants != 0 {
		f.setOut(p, i)
	}
	q.held = i
	return true
}

// spend takes credits if the link has them.
func (p *Partition) spend(credited bool, link int32, class uint8, size uint16, soonest *units.Time) bool {
	n := p.net
	if !credited {
		return true
	}
	index := link*int32(n.classes) + int32(class)
	if !p.net.hasCredit(p, link, index, size, soonest) {
		return false
	}
	n.lanes[index].Available -= credit.Blocks(size)
	return true
}

// emit puts a packet on the wire; the port is free again when the wire, the adapter and the host's
// bus are free.
func (nic *nicState) emit(p *Partition, o *port, link, i int32) {
	start := p.now
	if o.debt > 0 {
		start = o.payDebt(start)
	}
	hold := nic.spec.PacketGap
	if h := nic.spec.HostPerByte; h.Num > 0 {
		hold = max(hold, units.Time(int64(p.pool.hot[i].size)*h.Num/h.Den))
	}
	if nic.slot != nil {
		hold = max(hold, nic.slot.PassSent(start, p.pool.hot[i].size)-start)
	}
	k := &p.pool.hot[i]
	if k.wants != 0 && k.reports() {
		p.pool.report(i).Sent = start
	}
	o.transmit(p, link, i, k, start)
	o.freeAt = max(o.freeAt, start+hold)
}

// settleClass clears a class's bit when nothing waits in it.
func (o *port) settleClass(q *nicQueue, class uint8) {
	if q.replies.head < 0 && q.ring.n == 0 && q.held < 0 {
		o.nonEmpty &^= 1 << class
	}
}

// arm makes the NIC run a flow at t, which is earlier than it would do so otherwise. A later time
// is requested when this one is due.
func (nic *nicState) arm(p *Partition, node int32, f *flow, t units.Time) {
	nic.timers.set(f, max(t, p.now+1))
	nic.wake(p, node)
}

// wake requests an event at the NIC's earliest timer, unless an earlier one is pending. A later
// event that is superseded is remembered and requested once: there are a thousand timers of
// congestion control between two retransmission timers.
func (nic *nicState) wake(p *Partition, node int32) {
	if len(nic.timers) == 0 || nic.timers[0].at >= nic.wakeAt {
		return
	}
	nic.later = min(nic.later, nic.wakeAt)
	nic.wakeAt = nic.timers[0].at
	p.push(p.net.nodes[node].cell, nic.wakeAt, classTimer, uint64(node))
}

// runTimers runs the due timers of a NIC.
func (nic *nicState) runTimers(p *Partition, node int32) {
	if nic.wakeAt != p.now {
		return // superseded, and its work is done
	}
	for len(nic.timers) > 0 && nic.timers[0].at <= p.now {
		f := nic.timers.pop()
		f.expire(p)
		nic.afterQP(p, node, f)
	}
	// Only now: timers armed meanwhile request no events of their own.
	nic.wakeAt, nic.later = nic.later, units.Forever
	nic.wake(p, node)
}
