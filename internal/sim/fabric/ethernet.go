package fabric

import (
	"math"
	"math/bits"
	"math/rand/v2"

	"weft/internal/sim/engine"
	"weft/internal/sim/fabric/arbitration"
	"weft/internal/sim/fabric/buffer"
	"weft/internal/sim/fabric/counts"
	"weft/internal/sim/fabric/impair"
	"weft/internal/sim/fabric/marking"
	"weft/internal/sim/fabric/watchdog"
	"weft/units"
)

// EthernetSwitch describes a kind of Ethernet switch: a buffer shared by all ports (package buffer), one
// queue per egress port and priority, accounting per ingress port and priority.
type EthernetSwitch struct {
	// Pipeline is the fixed time from the head (cut-through) or tail
	// (store-and-forward) of a packet at the input to its first bit at an idle
	// output.
	Pipeline   units.Time
	CutThrough bool
	// Jitter, if not nil, is the random time of each packet in the pipeline, in addition to
	// Pipeline.
	Jitter impair.Jitter

	// Shared is the shared pool in bytes. Reserve and Headroom are in bytes
	// per ingress port and priority and are not part of it.
	Shared            int64
	Reserve, Headroom int32
	// HeadroomPool, if not 0, is the maximum of all headroom of the switch together, in bytes:
	// ingress queues draw on it, each up to its own Headroom.
	HeadroomPool int64
	// AlphaNum/AlphaDen is alpha, the dynamic threshold's factor.
	AlphaNum, AlphaDen int64
	// EgressNum/EgressDen is the alpha of an egress queue of a lossy priority, which drops above
	// its threshold; 0 is no such bound.
	EgressNum, EgressDen int64
	// EgressLimit, if not 0, is by class the maximum of such a queue in bytes, if that is lower.
	EgressLimit [8]int32
	// Trim cuts off packets that do not fit into such a queue.
	Trim Trim
	// StaticXoff, if not 0, is a fixed threshold instead of the dynamic one.
	StaticXoff int64
	// XonOffset is the distance below the threshold, in bytes, at which the sender of a queue is
	// resumed.
	XonOffset int32
	// Xon, if not 0, resumes a sender whose queue holds at most this number of bytes, with its
	// reserve. Without an XonOffset this is the only condition.
	Xon int32
	// EarlyRelease frees a packet's buffer at the start of its transmission instead of the end, as
	// the ns-3 RDMA simulators do.
	EarlyRelease bool

	// Ingress, if not nil, is by class what a class has of its own, in place of Headroom, the alpha, Reserve and Xon.
	Ingress []IngressClass
	// HashIgnores are the bits of a packet's entropy that the switch's hash leaves out.
	HashIgnores uint32
	// HashFunction, if not 0, is the number of the function by which the switch hashes: switches with the same one choose
	// alike among as many ports. Without it the switch has a function of its own.
	HashFunction uint64

	PFC PFC
	// Watchdog, if not nil, ends pauses that do not end.
	Watchdog *watchdog.Config
	ECN      [8]marking.ECN
	// Ports, if not nil, replaces for each port what an EthernetPort has.
	Ports []EthernetPort
	// MaxFrame, if not 0, is the longest packet that a port accepts, in bytes on the wire; longer
	// packets are dropped.
	MaxFrame uint16
	// Schedule orders the priorities at every egress port.
	Schedule arbitration.Schedule

	inspects units.PerByte // of a middlebox; zero: a switch
}

// ethernetPorts is the state of the ports of Ethernet switches.
type ethernetPorts struct {
	ethernet []ethernetState
	egress   []egress                 `state:"-"` // by port and class
	ingress  []buffer.Ingress         // by link and class
	rounds   []arbitration.RoundRobin // by port
	random   []rand.PCG               // by port
}

// ethernetState is the state of one switch.
type ethernetState struct {
	spec *EthernetSwitch `state:"-"`
	// buffer still includes the packets that have left, if their port has not run since; settle
	// releases these when the difference could change a decision.
	buffer buffer.Buffer
	paused int32 // ingress queues with a paused sender
	// leastIn and leastOut are the lengths of an egress queue up to which nothing is marked, at
	// queueing and at leaving.
	leastIn, leastOut int32  `state:"-"`
	lossless          uint16 `state:"-"`
	bounded           uint16 `state:"-"` // classes whose egress queues are bounded at some port
	longest           uint16 `state:"-"` // longest packet that all ports accept
	early             bool   `state:"-"` // spec.EarlyRelease
	inspects          bool   `state:"-"` // a middlebox, with spec.inspects
	outrun            bool   `state:"-"` // with cut-through, some input is slower than some output
	odd               bool   `state:"-"` // early, inspects, outrun, or marks at leaving
}

func newEthernetState(s *EthernetSwitch) ethernetState {
	e := ethernetState{
		spec: s, buffer: buffer.Buffer{Limits: s.bufferLimits()}, lossless: s.PFC.Lossless, early: s.EarlyRelease,
		leastIn: math.MaxInt32, leastOut: math.MaxInt32, longest: math.MaxUint16, inspects: s.inspects.Num > 0,
	}
	if s.MaxFrame != 0 && s.Ports == nil {
		e.longest = s.MaxFrame
	}
	if s.EgressDen != 0 && s.Ports == nil {
		e.bounded = ^s.PFC.Lossless
	}
	e.noteMarking(&s.ECN)
	for i := range s.Ports {
		e.notePort(&s.Ports[i])
	}
	return e
}

// prepare computes what a departure tests once for all packets.
func (s *ethernetState) prepare() {
	s.odd = s.early || s.inspects || s.outrun || s.leastOut != math.MaxInt32
}

// noteMarking computes the queue length from which on packets may be marked.
func (s *ethernetState) noteMarking(ecn *[8]marking.ECN) {
	for i := range ecn {
		switch e := &ecn[i]; {
		case e.KMax <= 0:
		case e.AtDequeue:
			s.leastOut = min(s.leastOut, e.KMin)
		default:
			s.leastIn = min(s.leastIn, e.KMin)
		}
	}
}

// egress is the queue of one egress port and priority.
type egress struct {
	packets list
	bytes   int32
}

// handle handles the events of a switch's cell in a slot before limit, as Partition.handle does for any node,
// and is not inlined for its reason.
//
//go:noinline
func (s *ethernetState) handle(p *Partition, nd *node, bucket *engine.Bucket, limit units.Time) {
	for {
		e, ok := bucket.Next(limit)
		if !ok {
			return
		}
		p.reach(e)
		switch e.Class {
		case classArrive:
			link, i := arriving(e.Source)
			s.arrive(p, nd, link, i)
		case classPort:
			link := int32(e.Source)
			switch o := &p.net.ports[link]; {
			case !o.acceptWake(p):
			case o.canDecideNow(p):
				s.send(p, o, link)
			default:
				o.touch(p, link)
			}
		default:
			p.handleOther(e.Class, e.Source)
		}
		if p.last && len(p.dirty) > 0 {
			p.decide()
		}
	}
}

// arrive admits a packet and queues it at its output port.
//
// In arrive and the functions that most packets take after it, a call is the last thing that
// happens: a value that is needed after a call is stored before it and loaded again, which was a fifth of the
// instructions of a packet-hop. What happens rarely has functions of its own, which do not come back.
func (s *ethernetState) arrive(p *Partition, nd *node, link, i int32) {
	k := &p.pool.hot[i]
	k.in = link
	if k.size > s.longest || !nd.plain {
		s.arriveRarely(p, nd, link, i)
		return
	}
	if out := nd.onlyPort(p.net, k); out >= 0 {
		s.admitTowards(p, out, link, i, k)
		return
	}
	p.stats.Hashed++
	s.admitTowards(p, nd.hashedPort(p.net, k), link, i, k)
}

// arriveRarely is arrive for a packet that is too long, or at a switch whose choice of a port is not
// plain.
func (s *ethernetState) arriveRarely(p *Partition, nd *node, link, i int32) {
	k := &p.pool.hot[i]
	if s.isTooLong(p.net, link, k.size) {
		p.dropFrom(link, i, counts.DropMTU)
		return
	}
	if p.net.segments != nil && nd.dropUnrouted(p, link, i) {
		return
	}
	if nd.hashes(p.net, k) {
		p.stats.Hashed++
	}
	s.admitTowards(p, nd.route(p, k), link, i, k)
}

// admitTowards admits a packet that goes to an output port. It sends the packet at once if the port is idle;
// else the packet waits.
func (s *ethernetState) admitTowards(p *Partition, out, link, i int32, k *pkt) {
	n := p.net
	o := &n.ports[out]
	switch {
	case o.flags&(flagStorm|flagDown) != 0 || has(s.bounded, k.class) || !s.buffer.TryCharge(&n.ingress[int(link)*n.classes+int(k.class)], int32(k.size)):
		s.admitTowardsRarely(p, o, out, link, i, k)
	case o.nonEmpty != 0:
		s.waitBehind(p, o, out, i, k)
	case !p.last || o.freeAt > p.now || len(p.dirty) > 0: // not canDecideNow
		s.wait(p, o, out, i, k)
	case int32(k.size) > s.leastIn || has(o.blocked, k.class) || !s.tryReleaseServed(p, o):
		s.offer(p, o, out, i, k)
	default:
		s.launch(p, o, out, i, k, 0)
	}
}

// admitTowardsRarely is admitTowards for a packet that may be dropped or trimmed, or that may be the cause of a pause.
func (s *ethernetState) admitTowardsRarely(p *Partition, o *port, out, link, i int32, k *pkt) {
	b := &p.net.inboxes[link]
	if o.flags&flagStorm != 0 && p.net.inStorm(p, out, k.class) {
		p.dropAt(out, i, counts.DropWatchdog)
		return
	}
	lossless := has(s.losslessAt(p.net, b.back), k.class)
	if s.isBounded(p.net, out, k.class) && s.isOverEgress(p, b, o, out, k) && !s.tryTrim(p, b, o, out, k) {
		p.dropAt(out, i, counts.DropBuffer)
		return
	}
	if !s.admit(p, b, link, k) && (!s.tryTrim(p, b, o, out, k) || !s.admit(p, b, link, k)) {
		why := counts.DropBuffer
		if lossless {
			why = counts.DropHeadroom
		}
		p.dropAt(out, i, why)
		return
	}
	s.offer(p, o, out, i, k)
}

// offer is the part of admitTowards for an admitted packet, whatever the state of its port.
func (s *ethernetState) offer(p *Partition, o *port, out, i int32, k *pkt) {
	if o.nonEmpty != 0 {
		s.waitBehind(p, o, out, i, k)
		return
	}
	if o.canDecideNow(p) {
		if o.serveIn >= 0 {
			s.releaseServed(p, o)
		}
		if o.freeAt <= p.now && !has(o.blocked, k.class) { // a PFC frame may have started just now
			s.markIn(p, out, k, int32(k.size))
			s.launch(p, o, out, i, k, 0)
			return
		}
	}
	s.wait(p, o, out, i, k)
}

// wait lets a packet wait at a port where none waits. A single waiting packet is stored in the port,
// not in a queue: many packets never enter a queue.
func (s *ethernetState) wait(p *Partition, o *port, out, i int32, k *pkt) {
	o.single = i
	o.nonEmpty = 1 << (k.class & 15)
	s.countWaiting(p, o, out, k, int32(k.size))
}

// waitBehind lets a packet wait at a port where others wait.
func (s *ethernetState) waitBehind(p *Partition, o *port, out, i int32, k *pkt) {
	o.queueSingleEthernet(p, out)
	o.nonEmpty |= 1 << (k.class & 15)
	s.countWaiting(p, o, out, k, p.queueUpEthernet(out, i, k))
}

// countWaiting counts and marks a packet that makes a queue of a length, and makes its port decide.
func (s *ethernetState) countWaiting(p *Partition, o *port, out int32, k *pkt, depth int32) {
	o.queued += int32(k.size)
	if p.record != nil || depth > s.leastIn {
		s.countWaitingRarely(p, o, out, k, depth)
		return
	}
	o.touch(p, out)
}

// countWaitingRarely is countWaiting in a run that is recorded, or for a packet that may be marked.
func (s *ethernetState) countWaitingRarely(p *Partition, o *port, out int32, k *pkt, depth int32) {
	if p.record != nil {
		p.record.Queued(p.lane(out, k.class), int32(k.size), p.now)
	}
	s.markIn(p, out, k, depth)
	o.touch(p, out)
}

// markIn marks a packet that makes a queue of the given length, if the switch marks by the length
// at arrival.
func (s *ethernetState) markIn(p *Partition, out int32, k *pkt, bytes int32) {
	if bytes > s.leastIn {
		if e := s.ecn(p.net, out, k.class); !e.AtDequeue {
			p.markECN(e, out, k, bytes)
		}
	}
}

// queueUpEthernet puts a packet into its queue and returns the bytes in it.
func (p *Partition) queueUpEthernet(out, i int32, k *pkt) int32 {
	q := &p.net.egress[int(out)*p.net.classes+int(k.class)]
	p.pool.push(&q.packets, i)
	q.bytes += int32(k.size)
	return q.bytes
}

// queueSingleEthernet moves the port's single waiting packet into its queue.
func (o *port) queueSingleEthernet(p *Partition, out int32) {
	if i := o.single; i >= 0 {
		o.single = -1
		p.queueUpEthernet(out, i, &p.pool.hot[i])
	}
}

// dequeueEthernet removes the next packet of a class and returns the remaining bytes of its queue.
func (o *port) dequeueEthernet(p *Partition, link int32, class uint8) (i, depth int32) {
	if i = o.single; i >= 0 {
		o.single, o.nonEmpty = -1, 0
		return i, 0
	}
	q := &p.net.egress[int(link)*p.net.classes+int(class)]
	i = p.pool.pop(&q.packets)
	q.bytes -= int32(p.pool.hot[i].size)
	if q.packets.head < 0 {
		o.nonEmpty &^= 1 << class
	}
	return i, q.bytes
}

// isOverEgress reports whether an egress queue of a lossy priority has no room
// for a packet.
func (s *ethernetState) isOverEgress(p *Partition, b *inbox, o *port, out int32, k *pkt) bool {
	o.queueSingleEthernet(p, out)
	q := &p.net.egress[int(out)*p.net.classes+int(k.class)]
	num, den := s.egressAlpha(p.net, out)
	over := func() bool {
		room := s.buffer.Free() * num / den
		if limit := int64(s.spec.EgressLimit[k.class]); limit > 0 {
			room = min(room, limit)
		}
		return int64(q.bytes)+int64(k.size) > room
	}
	if !over() {
		return false
	}
	s.settle(p, b.node)
	return over()
}

// admit charges a packet to its ingress queue. It returns false if neither the shared pool nor the
// headroom has room for it.
func (s *ethernetState) admit(p *Partition, b *inbox, link int32, k *pkt) bool {
	g := &p.net.ingress[int(link)*p.net.classes+int(k.class)]
	return s.buffer.TryCharge(g, int32(k.size)) || s.admitAtBound(p, g, b, link, k)
}

// admitAtBound is admit for an ingress queue that is above its threshold, or may be after this
// packet.
func (s *ethernetState) admitAtBound(p *Partition, g *buffer.Ingress, b *inbox, link int32, k *pkt) bool {
	size, lossless := int32(k.size), has(s.losslessAt(p.net, b.back), k.class)
	over := s.buffer.IsOver(g, size)
	if over {
		s.settle(p, b.node)
		over = s.buffer.IsOver(g, size)
	}
	switch {
	case !over:
		if used := s.buffer.Charge(g, size); used > s.spec.Shared {
			p.breach("shared buffer over its size", link, used, s.spec.Shared)
		}
	case lossless && g.HasHeadroom(size) && s.poolHasHeadroom(p, b, size):
		s.buffer.ChargeHeadroom(g, size)
	default:
		return false
	}
	if lossless && !g.Paused && s.isFull(p, g, b) {
		s.pauseSender(p, g, b, link, k.class)
	}
	return true
}

// isFull reports whether an ingress queue is full enough to pause its sender.
func (s *ethernetState) isFull(p *Partition, g *buffer.Ingress, b *inbox) bool {
	if !s.buffer.IsFull(g) {
		return false
	}
	s.settle(p, b.node)
	return s.buffer.IsFull(g)
}

// poolHasHeadroom reports whether the shared headroom has room for a packet.
func (s *ethernetState) poolHasHeadroom(p *Partition, b *inbox, size int32) bool {
	if s.buffer.PoolHasHeadroom(size) {
		return true
	}
	s.settle(p, b.node)
	return s.buffer.PoolHasHeadroom(size)
}

// release returns the buffer of a packet that has left.
func (s *ethernetState) release(p *Partition, link int32, class uint8, size int32) {
	g := &p.net.ingress[int(link)*p.net.classes+int(class)]
	if s.buffer.TryRelease(g, size) {
		return
	}
	if held := s.buffer.Release(g, size); held < 0 {
		p.breach("ingress queue holds less than nothing", link, int64(held), 0)
	}
	if g.Paused && s.buffer.MayResume(g) {
		s.resumeSender(p, g, link, class)
	}
}

// releaseServed returns the buffer of the packet that a port has sent.
func (s *ethernetState) releaseServed(p *Partition, o *port) {
	in := o.serveIn
	o.serveIn = -1
	s.release(p, in, o.class, int32(o.serve))
}

// tryReleaseServed is releaseServed if a port has sent a packet whose buffer TryRelease returns, and true as well if it has sent none.
func (s *ethernetState) tryReleaseServed(p *Partition, o *port) bool {
	if o.serveIn < 0 {
		return true
	}
	if !s.buffer.TryRelease(&p.net.ingress[int(o.serveIn)*p.net.classes+int(o.class)], int32(o.serve)) {
		return false
	}
	o.serveIn = -1
	return true
}

// settle returns the buffers of packets that have left unnoticed: a port with an empty queue does
// not run at the end of its transmission.
func (s *ethernetState) settle(p *Partition, node int32) {
	n := p.net
	nd := &n.nodes[node]
	for link := nd.base; link < nd.base+nd.ports; link++ {
		if o := &n.ports[link]; o.serveIn >= 0 && o.freeAt <= p.now {
			s.releaseServed(p, o)
		}
	}
}

// send sends the next packet of a port whose wire is free.
func (s *ethernetState) send(p *Partition, o *port, link int32) {
	if !s.tryReleaseServed(p, o) {
		s.releaseServed(p, o)
	}
	ready := o.nonEmpty &^ o.blocked
	if ready == 0 || o.freeAt > p.now { // a PFC frame may have started just now
		if ready != 0 {
			o.wake(p, link, o.freeAt)
		}
		return
	}
	class := uint8(bits.TrailingZeros16(ready)) & 15
	if ready&(ready-1) != 0 {
		class = p.net.rounds[link].Pick(s.schedule(p.net, link), ready, func(class uint8) int32 {
			return int32(p.pool.hot[p.net.egress[int(link)*p.net.classes+int(class)].packets.head].size)
		})
	}
	i, depth := o.dequeueEthernet(p, link, class)
	k := &p.pool.hot[i]
	o.queued -= int32(k.size)
	if p.record != nil {
		p.record.Dequeued(p.lane(link, k.class), int32(k.size), p.now)
	}
	if o.nonEmpty&^o.blocked == 0 {
		s.launch(p, o, link, i, k, depth)
		return
	}
	s.launch(p, o, link, i, k, depth)
	o.wake(p, link, o.freeAt)
}

// launch puts a packet on a free wire; bytes remain in its queue.
func (s *ethernetState) launch(p *Partition, o *port, link, i int32, k *pkt, bytes int32) {
	if s.odd || s.paused > 0 || k.wants != 0 {
		s.launchRarely(p, o, link, i, k, bytes)
		return
	}
	o.serveIn, o.serve, o.class = k.in, k.size, k.class
	o.depart(p, link, i, k, p.now, o.occupy(p.now, int64(k.size)))
}

// launchRarely is launch at a switch with odd, for a packet that reports telemetry, or while the time of
// each release matters.
func (s *ethernetState) launchRarely(p *Partition, o *port, link, i int32, k *pkt, bytes int32) {
	if bytes > s.leastOut {
		if e := s.ecn(p.net, link, k.class); e.AtDequeue {
			p.markECN(e, link, k, bytes)
		}
	}
	if k.wants != 0 && k.reports() {
		o.gather(p, i, k)
	}
	start := p.now
	if s.outrun && p.net.inboxes[k.in].slower {
		start = o.notBeforeTail(p, k)
	}
	in, size, class := k.in, k.size, k.class
	o.transmit(p, link, i, k, start)
	if s.inspects {
		o.hold(s.spec.inspects, size, start)
	}
	if s.early {
		s.release(p, in, class, int32(size))
		return
	}
	o.serveIn, o.serve, o.class = in, size, class
	if s.paused > 0 {
		o.wake(p, link, o.freeAt)
	}
}

// notBeforeTail is the earliest start of a cut-through transmission that does not run out of bits:
// the packet may not leave faster than it arrives.
func (o *port) notBeforeTail(p *Partition, k *pkt) units.Time {
	out := units.Time(int64(k.size) * int64(o.num) / int64(o.den))
	return max(p.now, k.arrive+p.net.ports[k.in].serialisation(k.size)-out)
}

// markECN marks a packet that finds a queue of a number of bytes, with the probability of its priority.
func (p *Partition) markECN(e *marking.ECN, link int32, k *pkt, bytes int32) {
	if k.markable() && e.Marks(bytes, &p.net.random[link]) {
		p.markCongestion(p.lane(link, k.class), k)
	}
}
