package fabric

import (
	"math/bits"

	"weft/internal/sim/fabric/credit"
	"weft/internal/sim/transport"
	"weft/units"
)

// GPU describes a GPU on the scale-up network. It sends messages as bursts: consecutive link
// packets with up to BurstBytes of payload, which share one event. The queues of a GPU take turns,
// burst by burst; the messages of one queue follow each other, as the chunks of one channel of a
// collective do.
type GPU struct {
	// Pipeline is the fixed time from a burst's tail at the GPU to its data being visible in
	// memory.
	Pipeline units.Time
	Credits  credit.Grant
	// BurstBytes is the payload of a full burst.
	BurstBytes int32
	// PacketBytes and PacketOverhead are the payload and the overhead of the
	// link's own packets, in bytes.
	PacketBytes, PacketOverhead int32
	// StandsFor is the number of GPUs of the node that the GPU stands for, itself included: alike GPUs of
	// which one is simulated. What it sends to another of them comes back to it. 0 is 1.
	StandsFor int32
}

// wireBytes is the size of a burst on the wire.
func (s *GPU) wireBytes(payload int32) uint16 {
	packets := (payload + s.PacketBytes - 1) / s.PacketBytes
	return uint16(payload + packets*s.PacketOverhead)
}

// LocalKind is the kind of a message through the scale-up switch.
type LocalKind uint8

// The kinds of local message.
const (
	Unicast LocalKind = iota
	// Multicast is delivered to every other GPU of the switch.
	Multicast
	// Reduce is one contribution to a reduction in the switch: when Parts GPUs have contributed
	// under the same Key, the GPU To gets one message of the size of a contribution.
	Reduce
)

// LocalMessage is a message on the scale-up network. The receiver gets Tag.
type LocalMessage struct {
	// KernelPerByte, if not zero, is the time of the GPU's kernel for a byte of the message, if it
	// is longer than the link's: the next burst waits for it.
	KernelPerByte units.PerByte
	// Due is the earliest time at which the message's last burst leaves: the GPU's kernel signals a
	// message after its last store.
	Due   units.Time
	Tag   uint64
	Key   uint64 // Reduce: identifies the reduction; unique among the reductions in progress
	Bytes int64
	To    int32 // the receiving GPU's node; unused with Multicast
	Parts int16
	Queue uint8
	Kind  LocalKind
}

// gpuState is the state of one GPU.
type gpuState struct {
	spec   *GPU `state:"-"`
	queues []localQueue
	busy   int       // queues with messages
	turn   int       // the queue that sent last
	filled [4]uint64 `state:"-"` // a bit for each queue with messages: a message has one of 256
}

// localQueue is a queue of messages in the partition's localPool, first in, first out.
type localQueue struct {
	head, tail int32 // 0: none
}

// localPool holds the messages that wait at the GPUs of a simulation partition. A message takes the record
// that was returned last, which is still in the caches.
type localPool struct {
	records []localRecord // the first is not used
	free    int32         // the first free record; 0: none
}

// localRecord is a message in a queue, or a free record: one cache line.
type localRecord struct {
	LocalMessage
	next int32
}

// push adds a message to a queue.
func (l *localPool) push(q *localQueue, m *LocalMessage) {
	i := l.newRecord()
	l.records[i] = localRecord{LocalMessage: *m}
	if q.head == 0 {
		q.head = i
	} else {
		l.records[q.tail].next = i
	}
	q.tail = i
}

// newRecord is a free record.
func (l *localPool) newRecord() int32 {
	if i := l.free; i > 0 {
		l.free = l.records[i].next
		return i
	}
	n := max(1, len(l.records))
	if n >= cap(l.records) {
		bigger := makeHuge[localRecord](n, 2*max(n, 32))
		copy(bigger, l.records)
		l.records = bigger
	}
	l.records = l.records[:n+1]
	return int32(n)
}

// pop drops the first message of a queue.
func (l *localPool) pop(q *localQueue) {
	i := q.head
	q.head, l.records[i].next, l.free = l.records[i].next, l.free, i
}

// next is the queue whose turn it is; there must be one.
func (g *gpuState) next() *localQueue {
	at := uint(g.turn+1) & 255
	word := at >> 6
	rest := g.filled[word] >> (at & 63) << (at & 63)
	for rest == 0 {
		word = (word + 1) & 3
		rest = g.filled[word]
	}
	g.turn = int(word)<<6 + bits.TrailingZeros64(rest)
	return &g.queues[g.turn]
}

// LocalApp is implemented by an App that sends on the scale-up network.
type LocalApp interface {
	// Arrived reports that a message's last byte is in the GPU's memory.
	Arrived(p *Partition, gpu int32, tag uint64)
}

// SendLocal passes a message to a GPU. A message has at least one byte.
func (p *Partition) SendLocal(gpu int32, m LocalMessage) {
	n := p.net
	nd := &n.nodes[gpu]
	g := &n.gpus[nd.state]
	for len(g.queues) <= int(m.Queue) {
		g.queues = append(g.queues, localQueue{})
	}
	q := &g.queues[m.Queue]
	if q.head == 0 {
		g.busy++
		g.filled[m.Queue>>6] |= 1 << (m.Queue & 63)
	}
	p.local.push(q, &m)
	o := &n.ports[nd.base]
	o.nonEmpty |= 1
	o.touch(p, nd.base)
}

// sendGPU sends the next burst of a GPU whose wire is free: of the next queue in turn whose lane
// has credits.
func (o *port) sendGPU(p *Partition, link int32) {
	g := &p.net.gpus[p.net.nodes[o.node].state]
	if g.busy == 0 {
		o.nonEmpty = 0
		return
	}
	soonest, turn := units.Forever, g.turn
	for range g.busy {
		q := g.next()
		m := &p.local.records[q.head]
		payload := int32(min(m.Bytes, int64(g.spec.BurstBytes)))
		if m.Due > p.now && m.Bytes == int64(payload) {
			soonest = min(soonest, m.Due)
			continue
		}
		if p.spend(true, link, p.localClass(m.Kind), g.spec.wireBytes(payload), &soonest) {
			g.sendBurst(p, o, link, q, payload)
			return
		}
	}
	g.turn = turn
	if soonest != units.Forever {
		o.wake(p, link, soonest)
	}
}

// localClass is the lane of a message. Multicasts wait for all their copies and have a separate
// lane, if the network has one.
func (p *Partition) localClass(k LocalKind) uint8 {
	if k == Multicast && p.net.classes > 1 {
		return 1
	}
	return 0
}

// sendBurst sends the next burst of a message, the first of the queue whose turn it is.
func (g *gpuState) sendBurst(p *Partition, o *port, link int32, q *localQueue, payload int32) {
	m := &p.local.records[q.head]
	kernel := m.KernelPerByte
	size := g.spec.wireBytes(payload)
	i := p.pool.get(&p.pool.loose)
	p.pool.cold[i] = transport.Packet{VA: m.Tag, Offset: uint32(m.Bytes / int64(g.spec.BurstBytes)), Length: uint32(payload)}
	p.pool.hot[i] = pkt{next: -1, dst: m.To, in: -1, size: size, class: p.localClass(m.Kind), role: localRole(m.Kind)}
	if m.Kind == Reduce {
		h := &p.pool.cold[i]
		h.RKey, h.DMALen, h.Imm = uint32(m.Key), uint32(m.Key>>32), uint32(m.Parts)
	}
	m.Bytes -= int64(payload)
	if m.Bytes == 0 {
		p.pool.cold[i].Flags |= transport.FlagSolicited // the last burst of its message
		p.local.pop(q)
		if q.head == 0 {
			g.busy--
			g.filled[g.turn>>6&3] &^= 1 << (g.turn & 63)
		}
	}
	p.stats.Bursts++
	p.stats.Injected++
	p.stats.InBytes += int64(size)
	start := p.now
	if o.debt > 0 {
		start = o.payDebt(start)
	}
	o.transmit(p, link, i, &p.pool.hot[i], start)
	if kernel.Num > 0 {
		o.freeAt = max(o.freeAt, start+units.Time(int64(payload)*kernel.Num/kernel.Den))
	}
	if g.busy > 0 {
		o.wake(p, link, o.freeAt)
	} else {
		o.nonEmpty = 0
	}
}

func localRole(k LocalKind) role {
	switch k {
	case Multicast:
		return roleMulticast
	case Reduce:
		return roleReduce
	}
	return roleBurst
}

// landsEarly reports whether the GPU at the end of a link takes bursts when they are sent. It takes each
// at once when it arrives, in the order in which they were sent, so that the times of their credits are
// known. Only the last burst of a message is an event.
func (p *Partition) landsEarly(o *port, link int32) bool {
	return p.net.inboxes[link].kind == kindGPU && o.flags&flagRemote == 0 && !p.net.examined
}

// landEarly takes a burst on its way to a GPU. It returns false for the last of a message, which arrives.
func (p *Partition) landEarly(link, i int32, k *pkt) bool {
	p.net.pass(p, link, k, k.arrive)
	if p.pool.cold[i].Flags&transport.FlagSolicited != 0 {
		return false
	}
	p.absorb(i)
	return true
}

// arriveGPU takes a burst at its destination GPU.
func (p *Partition) arriveGPU(b *inbox, link, i int32) {
	k, h := &p.pool.hot[i], &p.pool.cold[i]
	if !p.landsEarly(&p.net.ports[link], link) {
		p.net.pass(p, link, k, p.now)
	}
	tag, last := h.VA, h.Flags&transport.FlagSolicited != 0
	p.absorb(i)
	if last {
		p.net.local.Arrived(p, b.node, tag)
	}
}
