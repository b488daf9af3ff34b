package sim

import (
	"fmt"

	"weft/internal/collective"
	"weft/internal/collective/nccl"
	"weft/internal/fabric"
	"weft/internal/transport"
	"weft/scenario"
	"weft/units"
)

// A message's tag names the step that waits for it at its receiver: iteration
// parity, lane and step fit the 32 bits of immediate data.
const (
	stepBits = 13
	laneBits = 18
	maxSteps = 1 << stepBits
	maxLanes = 1 << laneBits
)

func tagOf(iteration, lane, step int) uint32 {
	return uint32(iteration&1)<<31 | uint32(lane)<<stepBits | uint32(step)
}

// collectiveRun is the application that carries out a collective: it is told of
// arrivals and timers, and posts what the program says next.
type collectiveRun struct {
	net        *network
	prog       collective.Program
	choice     nccl.Choice
	cost       nccl.Overheads
	layout     collective.Layout
	path       hostPath
	pace       pace
	jitter     *jitter   // nil is none
	ping       *pingPong // nil, unless the ranks play ping-pong instead of a collective
	ranks      []rankState
	links      map[pair]*connections
	ends       [][]endpoint // by NIC and number of its end: who is at the other side
	relays     []relay
	reductions reductions // in the network
	unused     int32      // the first of the relays that are free; -1 if none
	flows      *flowTimes
	total      int // iterations, warm-up included
	warmup     int
	step       collective.Step
	unsent     int // ranks that have not finished
	began      units.Time
	ended      units.Time
	failure    error
}

// rankState is one rank's progress.
type rankState struct {
	iteration int
	open      int                // channels that are not finished
	channels  []channelRun       // by channel
	early     map[uint32]arrival // messages that came before their step
	timers    timers
	sending   units.Time // the copies of what it sends are done then
	receiving units.Time // the same of what it receives
}

// channelRun is one channel of a rank: the lanes that are active.
type channelRun struct {
	next   int // the next lane to enter
	active []laneRun
	kernel units.Time // when its kernel is done with what it has taken
}

// laneRun is an active lane, in a step that waits for messages.
type laneRun struct {
	lane, step int
	missing    int        // messages that have not arrived
	bytes      int64      // that the kernel takes of them
	ready      units.Time // when the software is done with those that have
}

// arrival is what has arrived for a step that has not been entered.
type arrival struct {
	count int
	ready units.Time
}

// relay is a message that goes to the GPU beside a NIC first.
type relay struct {
	from, to   int32
	tag        uint32
	rail       int
	channel    int
	bytes      int64
	nextUnused int32
}

// layoutOf is the cluster as collectives see it.
func layoutOf(c *scenario.Cluster) collective.Layout {
	return collective.Layout{Nodes: c.Nodes, PerNode: c.Node.GPUs, NICs: c.Node.NICs}
}

// start enters the first lanes of every rank at time 0.
func (r *collectiveRun) start() error {
	if steps := longestLane(r.prog); steps > maxSteps || r.prog.Lanes() > maxLanes {
		return fmt.Errorf("a collective of %d lanes of %d steps is beyond what weft runs (%d lanes, %d steps): use larger chunks", r.prog.Lanes(), steps, maxLanes, maxSteps)
	}
	r.unsent = len(r.ranks)
	for rank := range r.ranks {
		p := r.net.Partition(r.gpu(rank))
		// The software's fixed time comes once, before the first step.
		r.schedule(p, rank, p.Now()+r.cost.Base, timer{kind: timerBegin})
	}
	return nil
}

func longestLane(p collective.Program) (n int) {
	var s collective.Step
	for p.Step(0, 0, n, &s) {
		n++
	}
	return n
}

// gpu is the node of a rank's GPU.
func (r *collectiveRun) gpu(rank int) int32 { return r.net.firstGPU + int32(rank) }

// nic is the node of a NIC of a rank's node.
func (r *collectiveRun) nic(rank, rail int) int32 {
	return int32(r.layout.Node(rank)*r.layout.Rails() + rail)
}

// begin starts an iteration of a rank.
func (r *collectiveRun) begin(p *fabric.Partition, rank int) {
	st := &r.ranks[rank]
	st.open = r.prog.Channels()
	for c := range st.channels {
		st.channels[c] = channelRun{next: c, active: st.channels[c].active[:0], kernel: st.channels[c].kernel}
	}
	for c := range st.channels {
		r.fill(p, rank, c)
	}
}

// fill enters lanes of a channel until its window is full, and closes it when
// no lane is left.
func (r *collectiveRun) fill(p *fabric.Partition, rank, channel int) {
	st := &r.ranks[rank]
	ch := &st.channels[channel]
	for len(ch.active) < r.prog.Window() && ch.next < r.prog.Lanes() {
		lane := ch.next
		ch.next += r.prog.Channels()
		l := laneRun{lane: lane, step: -1}
		if r.advance(p, rank, &l) {
			ch.active = append(ch.active, l)
		}
	}
	if len(ch.active) == 0 && ch.next >= r.prog.Lanes() && ch.next < 1<<30 {
		ch.next = 1 << 30
		st.open--
		if st.open == 0 {
			r.finish(p, rank)
		}
	}
}

// advance goes on to the next step of a lane that waits for something; false
// when the lane has none. Of a step whose messages all came early the software
// time may have passed as well.
func (r *collectiveRun) advance(p *fabric.Partition, rank int, l *laneRun) bool {
	st := &r.ranks[rank]
	for {
		l.step++
		if !r.prog.Step(rank, l.lane, l.step, &r.step) {
			return false
		}
		for i := range r.step.Sends {
			r.send(p, rank, l.lane, &r.step.Sends[i])
		}
		if r.step.Recvs == 0 {
			continue
		}
		tag := tagOf(st.iteration, l.lane, l.step)
		a := st.early[tag]
		delete(st.early, tag)
		l.missing, l.ready = r.step.Recvs-a.count, a.ready
		l.bytes = r.step.RecvBytes
		if r.step.Reduce { // all inputs at once
			l.bytes /= int64(r.step.Recvs)
		}
		if l.missing > 0 || !r.take(p, rank, l) {
			return true
		}
	}
}

// take has the kernel of a channel take the messages of a lane's step, which are
// all there. It reports whether that is done already, or else has the lane go on
// later. It takes them while they arrive: a kernel that has been idle is done
// with them when the software is, and a busy one no sooner than its rate allows.
func (r *collectiveRun) take(p *fabric.Partition, rank int, l *laneRun) bool {
	if r.pace.kernel.Num > 0 {
		k := &r.ranks[rank].channels[l.lane%r.prog.Channels()].kernel
		*k = max(*k+units.Time(l.bytes*r.pace.kernel.Num/r.pace.kernel.Den), l.ready)
		l.ready = *k
	}
	if l.ready <= p.Now() {
		return true
	}
	r.schedule(p, rank, l.ready, timer{kind: timerStep, tag: uint32(l.lane)})
	return false
}

// resume goes on after a step.
func (r *collectiveRun) resume(p *fabric.Partition, rank, lane int) {
	channel := lane % r.prog.Channels()
	ch := &r.ranks[rank].channels[channel]
	for i := range ch.active {
		if l := &ch.active[i]; l.lane == lane {
			if !r.advance(p, rank, l) {
				ch.active = append(ch.active[:i], ch.active[i+1:]...)
				r.fill(p, rank, channel)
			}
			return
		}
	}
}

// arrived counts a message for a step of a rank. The software takes its time from
// here on, whatever the rank is at: it is a delay of each message, and the
// messages of one connection overlap in it.
func (r *collectiveRun) arrived(p *fabric.Partition, rank int, tag uint32, remote bool) {
	ready := p.Now() + r.cost.PerStepIntra
	if remote {
		ready = p.Now() + r.cost.PerStepInter
	}
	st := &r.ranks[rank]
	lane, step := int(tag>>stepBits&(maxLanes-1)), int(tag&(maxSteps-1))
	if tag == tagOf(st.iteration, lane, step) && st.open > 0 {
		ch := &st.channels[lane%r.prog.Channels()]
		for i := range ch.active {
			l := &ch.active[i]
			if l.lane != lane || l.step != step {
				continue
			}
			l.missing--
			l.ready = max(l.ready, ready)
			if l.missing == 0 && r.take(p, rank, l) {
				r.resume(p, rank, lane)
			}
			return
		}
	}
	a := st.early[tag]
	st.early[tag] = arrival{a.count + 1, max(a.ready, ready)}
}

// finish ends an iteration of a rank and begins the next.
func (r *collectiveRun) finish(p *fabric.Partition, rank int) {
	st := &r.ranks[rank]
	st.iteration++
	if st.iteration == r.warmup {
		r.began = max(r.began, p.Now())
	}
	if st.iteration < r.total {
		r.schedule(p, rank, p.Now()+r.cost.Base, timer{kind: timerBegin})
		return
	}
	r.ended = max(r.ended, p.Now())
	r.unsent--
}

// send posts one transfer of a rank.
func (r *collectiveRun) send(p *fabric.Partition, rank, lane int, t *collective.Transfer) {
	tag := tagOf(r.ranks[rank].iteration, lane, int(t.PeerStep))
	bytes := r.choice.Proto.WireBytes(t.Bytes)
	channel := lane % r.prog.Channels()
	queue := uint8(2 * channel) // kernels send multicasts from warps of their own
	switch {
	case t.Path == collective.PathMulticast:
		p.SendLocal(r.gpu(rank), fabric.LocalMessage{Kind: fabric.Multicast, Bytes: bytes, Tag: uint64(tag), Queue: queue + 1})
		return
	case t.Path == collective.PathReduce:
		key := uint64(tag)<<32 | uint64(uint32(t.Peer))
		p.SendLocal(r.gpu(rank), fabric.LocalMessage{
			Kind: fabric.Reduce, Bytes: bytes, Tag: uint64(tag), Key: key, To: r.gpu(int(t.Peer)), Parts: int16(r.layout.PerNode - 1), Queue: queue,
		})
		return
	case t.Path == collective.PathNetReduce:
		r.contribute(p, rank, lane, t, tag)
		return
	case r.layout.Node(rank) == r.layout.Node(int(t.Peer)):
		p.SendLocal(r.gpu(rank), fabric.LocalMessage{Bytes: bytes, Tag: uint64(tag), To: r.gpu(int(t.Peer)), Queue: queue})
		return
	}
	from, to := r.layout.Local(rank), r.layout.Local(int(t.Peer))
	rail := int(t.Rail) - 1
	if rail < 0 { // each end takes its own NIC
		r.post(p, rank, pair{int32(rank), t.Peer, r.nic(rank, r.layout.Rail(from, channel)), r.nic(int(t.Peer), r.layout.Rail(to, channel)), int32(channel)}, tag, bytes)
		return
	}
	if beside := r.layout.RailGPU(rail); beside != from && r.layout.Rail(from, channel) != rail {
		r.relay(p, rank, beside, relay{from: int32(rank), to: t.Peer, tag: tag, rail: rail, channel: channel, bytes: bytes})
		return
	}
	r.post(p, rank, pair{int32(rank), t.Peer, r.nic(rank, rail), r.nic(int(t.Peer), rail), int32(channel)}, tag, bytes)
}

// relayMark marks the tag of a message on its way to the GPU beside a NIC.
const relayMark = uint64(1) << 63

// relay sends a message to the GPU beside the NIC that is to carry it (NCCL's
// PXN).
func (r *collectiveRun) relay(p *fabric.Partition, rank, beside int, m relay) {
	id := r.unused
	if id >= 0 {
		r.unused = r.relays[id].nextUnused
	} else {
		id = int32(len(r.relays))
		r.relays = append(r.relays, relay{})
	}
	r.relays[id] = m
	to := r.gpu(r.layout.Node(rank)*r.layout.PerNode + beside)
	p.SendLocal(r.gpu(rank), fabric.LocalMessage{Bytes: m.bytes, Tag: relayMark | uint64(id), To: to, Queue: uint8(2 * m.channel)})
}

// Arrived is called when a message on the scale-up network is there.
func (r *collectiveRun) Arrived(p *fabric.Partition, gpu int32, tag uint64) {
	rank := int(gpu - r.net.firstGPU)
	if tag&relayMark == 0 {
		r.arrived(p, rank, uint32(tag), false)
		return
	}
	id := int32(tag &^ relayMark)
	m := r.relays[id]
	r.relays[id].nextUnused = r.unused
	r.unused = id
	r.post(p, rank, pair{m.from, m.to, r.nic(rank, m.rail), r.nic(int(m.to), m.rail), int32(m.channel)}, m.tag, m.bytes)
}

// Complete is called when a work request is done: at the receiver a message is
// there, at the sender it is acknowledged or has failed.
func (r *collectiveRun) Complete(p *fabric.Partition, nic int32, c *transport.Completion) {
	switch {
	case c.Status != transport.Success && r.failure == nil:
		r.failure = fmt.Errorf("queue pair %d of NIC %d failed at %v: %v", c.QPN, nic, p.Now(), c.Status)
	case c.Status != transport.Success:
	case c.Recv:
		r.received(p, nic, c)
	default:
		r.acknowledged(p, nic, c)
	}
}

// schedule has a rank do something at a time.
func (r *collectiveRun) schedule(p *fabric.Partition, rank int, at units.Time, t timer) {
	r.ranks[rank].timers.schedule(p, uint32(rank), at, t)
}

// Timer is called when a rank's timer is due.
func (r *collectiveRun) Timer(p *fabric.Partition, source uint32) {
	rank := int(source)
	r.ranks[rank].timers.run(p, source, func(t *timer) {
		switch t.kind {
		case timerBegin:
			r.begin(p, rank)
		case timerStep:
			r.resume(p, rank, int(t.tag))
		case timerPost:
			r.handOver(p, &t.transfer)
		case timerArrive:
			if r.ping != nil {
				r.ping.answer(p, rank)
				return
			}
			r.arrived(p, rank, t.tag, true)
		}
	})
}
