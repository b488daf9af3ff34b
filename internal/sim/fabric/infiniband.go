package fabric

import (
	"math/bits"

	"weft/internal/sim/engine"
	"weft/internal/sim/fabric/arbitration"
	"weft/internal/sim/fabric/counts"
	"weft/internal/sim/fabric/credit"
	"weft/internal/sim/fabric/impair"
	"weft/internal/sim/fabric/marking"
	"weft/units"
)

// InfiniBandSwitch describes a kind of credit-based switch: input buffers with
// a virtual output queue per output and lane, an arbiter per output. The
// scale-up switch is of this kind too.
type InfiniBandSwitch struct {
	// Pipeline is the fixed time from the head of a packet at the input to its
	// first bit at an idle output.
	Pipeline units.Time
	// Jitter, if not nil, is the random time of each packet in the pipeline, in addition to
	// Pipeline.
	Jitter  impair.Jitter
	Credits credit.Grant
	// ReadPorts is the internal speed-up: the number of packets that an input buffer can send to
	// different outputs at the same time; 0 is no limit.
	ReadPorts int
	// FIFO gives each input one queue per lane instead of virtual output queues, so that a waiting
	// packet blocks the packets behind it.
	FIFO bool
	// Lifetime is the head-of-queue lifetime: a packet that has waited at the head of its queue for
	// this time without credits is discarded; 0 is for ever. LeafLifetime is the same at ports that
	// lead to NICs.
	Lifetime, LeafLifetime units.Time
	// StallCount is VLStallCount: after this number of consecutive discards a lane discards
	// everything for eight lifetimes; 0 is never. LeafStallCount is the same at ports that lead to
	// NICs.
	StallCount, LeafStallCount int
	VLArb                      arbitration.VLArb
	// FECN marks packets that leave by a congested output. With FIFO, outputs have no queues, and
	// nothing is marked.
	FECN marking.FECN

	inspects units.PerByte // of a middlebox; zero: a switch
}

// infinibandState is the state of one switch.
type infinibandState struct {
	spec  *InfiniBandSwitch
	voq   int32 // first of its queues: (output, input, lane)
	want  int32 // first of its request words: (output, lane, word)
	words int32 // request words per output and lane: a bit per input
	// Properties of spec that every hop tests: Lifetime or LeafLifetime, FECN, ReadPorts and
	// inspects are not 0, and FIFO.
	expires, marks, limited, inspects, fifo bool
	outrun                                  bool // some input is slower than some output
	odd                                     bool // fifo, marks, inspects or outrun
}

// infinibandPorts is the state of the ports of switches with credits.
type infinibandPorts struct {
	infiniband []infinibandState `state:"-"`
	readers    []reader          `state:"until"` // by link: read ports of input buffers beyond two; nil if none has more
	voqs       []list            `state:"-"`     // visited by node
	fifos      []list            `state:"-"`     // by link and class
	deferred   []uint16          // by link: the lanes whose FIFO's head waits until that of another lane is gone
	requests   []uint64
	arbiters   []arbitration.Lanes // by port
	starved    []units.Time        // by port and class
	expiring   []bool              `state:"-"` // by port and class: an event of classExpire is pending
	stalls     []stall             // by port and class
	fecn       []marking.Lane      // by port and class; nil if no switch marks
}

// prepare computes the properties that every hop tests.
func (s *infinibandState) prepare() {
	s.expires = s.spec.Lifetime > 0 || s.spec.LeafLifetime > 0
	s.marks = s.spec.FECN.Threshold > 0
	s.limited = s.spec.ReadPorts > 0
	s.inspects = s.spec.inspects.Num > 0
	s.fifo = s.spec.FIFO
	s.odd = s.fifo || s.marks || s.inspects || s.outrun
}

// handle handles the events of a switch's cell in a slot before limit, as Partition.handle does for any node,
// and is not inlined for its reason.
//
//go:noinline
func (s *infinibandState) handle(p *Partition, nd *node, bucket *engine.Bucket, limit units.Time) {
	for {
		e, ok := bucket.Next(limit)
		if !ok {
			return
		}
		p.reach(e)
		switch e.Class {
		case classArrive:
			link, i := arriving(e.Source)
			s.arrive(p, nd, &p.net.inboxes[link], link, i)
		case classPort:
			link := int32(e.Source)
			switch o := &p.net.ports[link]; {
			case !o.acceptWake(p):
			case o.canDecideNow(p):
				s.send(p, nd, o, link)
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

// arrive queues a packet at its output port, or sends it at once if the port is idle. There is always
// room: the sender had credits for it. As at an Ethernet switch, a call is the last thing that happens.
func (s *infinibandState) arrive(p *Partition, nd *node, b *inbox, link, i int32) {
	n := p.net
	k := &p.pool.hot[i]
	k.in = link
	if s.odd || !nd.plain || k.role >= roleMulticast {
		s.arriveRarely(p, nd, b, link, i)
		return
	}
	out := nd.onlyPort(n, k)
	if out < 0 {
		s.arriveRarely(p, nd, b, link, i)
		return
	}
	o := &n.ports[out]
	index := int(out)*n.classes + int(k.class)
	switch {
	case !n.accounts[int(link)*n.classes+int(k.class)].Charge(k.size):
		p.net.overfull(p, link, k.class)
	case o.nonEmpty|o.blocked != 0 || !o.canDecideNow(p) || s.limited && n.readable(link) > p.now || !n.lanes[index].HasFor(k.size):
		s.enqueue(p, nd, out, i)
	default:
		n.turns[index] = uint16(b.back - nd.base)
		s.forward(p, o, out, k.class, i, k)
	}
}

// arriveRarely is arrive at a switch with odd, or at one that is not plain.
func (s *infinibandState) arriveRarely(p *Partition, nd *node, b *inbox, link, i int32) {
	n := p.net
	k := &p.pool.hot[i]
	if k.role >= roleMulticast {
		s.arriveToCombine(p, b, link, i, k.role)
		return
	}
	p.net.hold(p, link, k)
	if n.pkeys != nil && nd.dropBarred(p, link, i) {
		return
	}
	if s.fifo {
		q := &n.fifos[int(link)*n.classes+int(k.class)]
		first := q.head < 0
		p.pool.push(q, i)
		if first {
			s.request(p, nd, link, i)
		}
		return
	}
	s.passOrQueue(p, nd, b, nd.route(p, k), i)
}

// passOrQueue sends a packet from an input by an output, or queues it there.
func (s *infinibandState) passOrQueue(p *Partition, nd *node, b *inbox, out, i int32) {
	o := &p.net.ports[out]
	if o.nonEmpty|o.blocked != 0 || !o.canDecideNow(p) || !s.tryPass(p, nd, b, o, out, i, &p.pool.hot[i]) {
		s.enqueue(p, nd, out, i)
	}
}

// tryPass sends a packet for an idle output without queueing it. It returns false if the packet has to
// wait.
func (s *infinibandState) tryPass(p *Partition, nd *node, b *inbox, o *port, out, i int32, k *pkt) bool {
	n := p.net
	if s.marks || s.limited && n.readable(k.in) > p.now {
		return false
	}
	lane := nd.laneOut(p, k, out)
	index := out*int32(n.classes) + int32(lane)
	if !n.lanes[index].HasFor(k.size) {
		return false
	}
	n.turns[index] = uint16(b.back - nd.base)
	s.forward(p, o, out, lane, i, k)
	return true
}

// arriveToCombine handles a packet for copying or reduction.
func (s *infinibandState) arriveToCombine(p *Partition, b *inbox, link, i int32, r role) {
	switch r {
	case roleMulticast:
		s.multicast(p, b, link, i)
	case roleReduce:
		s.reduce(p, b, link, i)
	case roleContribution:
		s.contribute(p, b, link, i)
	case roleSum:
		s.forwardSum(p, b, link, i)
	case roleResult:
		s.forwardResult(p, b, link, i)
	}
}

// enqueue queues a packet at an output, and lets the output decide.
func (s *infinibandState) enqueue(p *Partition, nd *node, out, i int32) {
	o := &p.net.ports[out]
	s.await(p, nd, o, out, i, &p.pool.hot[i])
	o.touch(p, out)
}

// await queues a packet at an output. A single waiting packet is stored in the port, not in a
// queue: most packets never enter a queue.
func (s *infinibandState) await(p *Partition, nd *node, o *port, out, i int32, k *pkt) {
	lane := nd.laneOut(p, k, out)
	if o.nonEmpty == 0 && !s.fifo {
		o.single = i
		o.nonEmpty = 1 << (lane & 15)
	} else {
		s.queueSingle(p, nd, o, out)
		s.queueUpOn(p, nd, out, i, lane)
	}
	o.queued += int32(k.size)
	if p.record != nil && !s.fifo {
		p.record.Queued(p.lane(out, lane), int32(k.size), p.now)
	}
	if s.marks {
		p.net.fecn[int(out)*p.net.classes+int(lane)].Waiting += int32(k.size)
	}
}

// queueUpOn puts a packet into the virtual output queue of an output, on a lane.
func (s *infinibandState) queueUpOn(p *Partition, nd *node, out, i int32, lane uint8) {
	k := &p.pool.hot[i]
	input := p.net.input(nd, k.in)
	q := s.voqAt(p.net, nd, out, input, lane)
	if q.head < 0 {
		s.setRequest(p, nd, out, input, lane)
	}
	p.pool.push(q, i)
}

// laneOut is the output lane of a packet. Until then the packet has its input lane, whose buffer it
// occupies.
func (nd *node) laneOut(p *Partition, k *pkt, out int32) uint8 {
	if p.net.laneRule == nil || nd.local != byTables || k.role >= roleContribution { // trees keep their lane
		return k.class
	}
	return nd.ruledLane(p, k, out)
}

// ruledLane is laneOut by the network's rule.
func (nd *node) ruledLane(p *Partition, k *pkt, out int32) uint8 {
	n := p.net
	in := n.inboxes[k.in].back - nd.base
	return n.laneRule.Next(int(nd.row), uint16(in), uint16(out-nd.base), k.class, k.mark.level())
}

// queueSingle moves the port's single waiting packet into its queue. The packet keeps its lane from
// its arrival, even if the SL2VL table has changed.
func (s *infinibandState) queueSingle(p *Partition, nd *node, o *port, out int32) {
	if i := o.single; i >= 0 {
		o.single = -1
		s.queueUpOn(p, nd, out, i, uint8(bits.TrailingZeros16(o.nonEmpty)))
	}
}

// request announces the head of an input FIFO to its output. Where packets change lanes, the heads
// of two FIFOs of an input may want the same lane of an output: the second is deferred.
func (s *infinibandState) request(p *Partition, nd *node, link, i int32) {
	n := p.net
	k := &p.pool.hot[i]
	out := nd.route(p, k)
	lane := nd.laneOut(p, k, out)
	input := n.input(nd, link)
	q := s.voqAt(n, nd, out, input, lane)
	if q.head >= 0 {
		n.deferred[link] |= 1 << k.class
		return
	}
	q.head = i
	s.setRequest(p, nd, out, input, lane)
	n.ports[out].touch(p, out)
}

// requestDeferred announces the deferred heads of an input after a packet of a lane has left it.
// The lanes take turns.
func (s *infinibandState) requestDeferred(p *Partition, nd *node, link int32, left uint8) {
	n := p.net
	lanes := n.deferred[link]
	n.deferred[link] = 0
	for i := 1; lanes != 0 && i < n.classes; i++ {
		if lane := (int(left) + i) % n.classes; lanes>>lane&1 != 0 {
			s.request(p, nd, link, n.fifos[int(link)*n.classes+lane].head)
		}
	}
}

// voqAt is the virtual output queue of an output for an input and lane. With FIFO inputs it holds
// at most the FIFO's head.
func (s *infinibandState) voqAt(n *Network, nd *node, out, input int32, class uint8) *list {
	return &n.voqs[int(s.voq)+(int(out-nd.base)*int(nd.ports)+int(input))*n.classes+int(class)]
}

func (s *infinibandState) requestsOf(n *Network, nd *node, out int32, class uint8) []uint64 {
	at := int(s.want) + (int(out-nd.base)*n.classes+int(class))*int(s.words)
	return n.requests[at : at+int(s.words)]
}

func (s *infinibandState) setRequest(p *Partition, nd *node, out, input int32, class uint8) {
	s.requestsOf(p.net, nd, out, class)[input>>6] |= 1 << (input & 63)
	p.net.ports[out].nonEmpty |= 1 << class
}

func (s *infinibandState) clearRequest(p *Partition, nd *node, out, input int32, class uint8) {
	w := s.requestsOf(p.net, nd, out, class)
	w[input>>6] &^= 1 << (input & 63)
	for _, x := range w {
		if x != 0 {
			return
		}
	}
	p.net.ports[out].nonEmpty &^= 1 << class
}

// send sends the next packet of an output whose wire is free: the lane follows from the arbitration
// tables, the inputs take turns.
func (s *infinibandState) send(p *Partition, nd *node, o *port, out int32) {
	if o.blocked&o.nonEmpty != 0 {
		s.discardStalled(p, nd, o, out)
	}
	if o.single >= 0 {
		s.sendSingle(p, nd, o, out)
		return
	}
	s.sendQueued(p, nd, o, out)
}

// sendQueued sends the next packet of an output's queues.
func (s *infinibandState) sendQueued(p *Partition, nd *node, o *port, out int32) {
	n := p.net
	soonest := units.Forever
	for lanes := o.nonEmpty; lanes != 0; {
		class := uint8(bits.TrailingZeros16(lanes)) & 15
		if lanes&(lanes-1) != 0 {
			class = s.arbitrate(p, out, lanes)
		}
		lanes &^= 1 << class
		input := s.nextInput(p, nd, out, class, &soonest)
		if input < 0 {
			continue
		}
		q := s.voqAt(n, nd, out, input, class)
		k := &p.pool.hot[q.head]
		if !p.net.hasCredit(p, out, out*int32(n.classes)+int32(class), k.size, &soonest) {
			p.starve(s.spec.lifetime(o), out*int32(n.classes)+int32(class))
			continue
		}
		s.grant(p, nd, o, q, out, input, class)
		if o.nonEmpty != 0 {
			o.wake(p, out, o.freeAt)
		}
		return
	}
	if soonest != units.Forever {
		o.wake(p, out, soonest)
	}
}

// sendSingle sends an output's single waiting packet: arbitration is not necessary.
func (s *infinibandState) sendSingle(p *Partition, nd *node, o *port, out int32) {
	n := p.net
	i := o.single
	k := &p.pool.hot[i]
	if s.limited {
		if at := n.readable(k.in); at > p.now {
			o.wake(p, out, at)
			return
		}
	}
	lane := uint8(bits.TrailingZeros16(o.nonEmpty))
	index := out*int32(n.classes) + int32(lane)
	soonest := units.Forever
	if !p.net.hasCredit(p, out, index, k.size, &soonest) {
		p.starve(s.spec.lifetime(o), index)
		if soonest != units.Forever {
			o.wake(p, out, soonest)
		}
		return
	}
	o.single, o.nonEmpty = -1, 0
	o.queued -= int32(k.size)
	if p.record != nil {
		p.record.Dequeued(p.lane(out, lane), int32(k.size), p.now)
	}
	n.turns[index] = uint16(n.input(nd, k.in))
	s.forward(p, o, out, lane, i, k)
}

// nextInput is the next input, after the last served one, with a packet for the output and a free
// read port; -1 if there is none.
func (s *infinibandState) nextInput(p *Partition, nd *node, out int32, class uint8, soonest *units.Time) int32 {
	n := p.net
	w := s.requestsOf(n, nd, out, class)
	first := int(n.turns[int(out)*n.classes+int(class)]) + 1
	if len(w) > 1 {
		return s.nextInputOfMany(p, nd, w, int32(first), soonest)
	}
	for x := bits.RotateLeft64(w[0], -first); x != 0; x &= x - 1 {
		input := int32(first+bits.TrailingZeros64(x)) & 63
		if !s.limited {
			return input
		}
		at := n.readable(n.back[nd.base+input])
		if at <= p.now {
			return input
		}
		*soonest = min(*soonest, at)
	}
	return -1
}

// nextInputOfMany is nextInput for a switch with more than 64 ports.
func (s *infinibandState) nextInputOfMany(p *Partition, nd *node, w []uint64, first int32, soonest *units.Time) int32 {
	last := first - 1
	for turn, input := int32(0), first; turn <= nd.ports; turn++ {
		input = nextSet(w, input)
		if input < 0 {
			return -1
		}
		if !s.limited {
			return input
		}
		at := p.net.readable(p.net.back[nd.base+input])
		if at <= p.now {
			return input
		}
		*soonest = min(*soonest, at)
		if input == last {
			return -1
		}
		input++
	}
	return -1
}

// nextSet is the first bit set from i on, around the words; -1 if none is.
func nextSet(w []uint64, i int32) int32 {
	if len(w) == 1 {
		x := w[0]
		if x == 0 {
			return -1
		}
		if i < 64 {
			if rest := x >> i; rest != 0 {
				return i + int32(bits.TrailingZeros64(rest))
			}
		}
		return int32(bits.TrailingZeros64(x))
	}
	return nextSetWide(w, i)
}

func nextSetWide(w []uint64, i int32) int32 {
	words := int32(len(w))
	if i >= words*64 {
		i = 0
	}
	at := i >> 6
	if rest := w[at] >> (i & 63); rest != 0 {
		return i + int32(bits.TrailingZeros64(rest))
	}
	for j := int32(1); j <= words; j++ {
		if x := w[(at+j)%words]; x != 0 {
			return (at+j)%words*64 + int32(bits.TrailingZeros64(x))
		}
	}
	return -1
}

// grant sends the head of the queue of an input.
func (s *infinibandState) grant(p *Partition, nd *node, o *port, q *list, out, input int32, class uint8) {
	i := s.dequeue(p, nd, o, q, out, input, class)
	s.forward(p, o, out, class, i, &p.pool.hot[i])
}

// forward puts a packet that has left its queue on the wire, on a lane.
func (s *infinibandState) forward(p *Partition, o *port, out int32, lane uint8, i int32, k *pkt) {
	if s.odd || k.role >= roleCopy {
		s.forwardRarely(p, o, out, lane, i, k)
		return
	}
	n := p.net
	in, class := k.in, k.class
	k.class = lane
	index := int(out)*n.classes + int(lane)
	if s.expires {
		n.starved[index] = units.Forever
	}
	n.lanes[index].Available -= credit.Blocks(k.size)
	start := p.now
	if o.debt > 0 {
		start = o.payDebt(start)
	}
	end := o.occupy(start, int64(k.size))
	if s.limited {
		n.occupyReader(in, p.now, end)
	}
	a := &n.accounts[int(in)*n.classes+int(class)]
	done, another := a.TryFree(n.rings, k.size, end)
	if another {
		n.ports[n.inboxes[in].back].debt += a.Frame
	}
	if !done {
		p.net.freeRarely(p, in, class, k.size, end)
	}
	o.depart(p, out, i, k, start, end)
}

// forwardRarely is forward at a switch with odd, or for a packet that is copied or reduced.
func (s *infinibandState) forwardRarely(p *Partition, o *port, out int32, lane uint8, i int32, k *pkt) {
	n := p.net
	in, class, size, role, record := k.in, k.class, k.size, k.role, k.entropy
	k.class = lane
	index := int(out)*n.classes + int(lane)
	if s.expires {
		n.starved[index] = units.Forever
	}
	n.lanes[index].Available -= credit.Blocks(size)
	if s.marks {
		s.markForward(p, int32(index), k)
	}
	start := p.now
	if o.debt > 0 {
		start = o.payDebt(start)
	}
	if s.outrun && n.inboxes[in].slower {
		start = max(start, o.notBeforeTail(p, k))
	}
	end := o.transmit(p, out, i, k, start)
	if s.inspects {
		o.hold(s.spec.inspects, size, start)
	}
	if role >= roleCopy && !p.copies.Leave(int32(record)) {
		return
	}
	if s.limited && role < roleCopy {
		n.occupyReader(in, p.now, end)
	}
	p.net.free(p, in, class, size, end)
}

// dequeue removes the head of the queue of an input at an output.
func (s *infinibandState) dequeue(p *Partition, nd *node, o *port, q *list, out, input int32, class uint8) int32 {
	n := p.net
	i := q.head
	k := &p.pool.hot[i]
	n.turns[int(out)*n.classes+int(class)] = uint16(input)
	if s.fifo {
		fifo := &n.fifos[int(k.in)*n.classes+int(k.class)]
		p.pool.pop(fifo)
		q.head = -1
		s.clearRequest(p, nd, out, input, class)
		s.requestDeferred(p, nd, k.in, k.class)
		if fifo.head >= 0 {
			s.request(p, nd, k.in, fifo.head)
		}
		return i
	}
	q.head = k.next
	o.queued -= int32(k.size)
	if p.record != nil {
		p.record.Dequeued(p.lane(out, class), int32(k.size), p.now)
	}
	if q.head < 0 {
		s.clearRequest(p, nd, out, input, class)
	}
	return i
}

// lifetime is the head-of-queue lifetime at a port.
func (s *InfiniBandSwitch) lifetime(o *port) units.Time {
	if o.flags&flagTail != 0 { // a switch of this kind never takes packets at the tail
		return s.LeafLifetime
	}
	return s.Lifetime
}

// starve records that a lane has a packet and a free wire but no credit, and starts the clock of
// the head-of-queue lifetime.
func (p *Partition) starve(lifetime units.Time, index int32) {
	if since := p.net.starved[index]; lifetime > 0 && since >= justDiscarded {
		if since == units.Forever {
			p.net.stalls[index].discards = 0
		}
		p.net.starved[index] = p.now
		p.expireAt(p.now+lifetime, index)
	}
}

// expireAt requests an event for a lane, unless one is pending: that one requests the next. Clocks start and stop
// thousands of times within a lifetime.
func (p *Partition) expireAt(at units.Time, index int32) {
	if n := p.net; !n.expiring[index] {
		n.expiring[index] = true
		p.push(n.cell(index/int32(n.classes)), at, classExpire, uint64(index))
	}
}

// expire discards the packet that has been at the head of a lane for the head-of-queue lifetime
// without credits. It does nothing if the clock was stopped or restarted since.
func (p *Partition) expire(index int32) {
	n := p.net
	n.expiring[index] = false
	out, class := index/int32(n.classes), uint8(int(index)%n.classes)
	nd := &n.nodes[n.ports[out].node]
	s, o := nd.infiniband, &n.ports[out]
	if o.blocked>>class&1 != 0 {
		o.resume(p, index)
		return
	}
	since := n.starved[index]
	if since >= justDiscarded {
		return
	}
	if end := since + s.spec.lifetime(o); p.now < end {
		p.expireAt(end, index)
		return
	}
	if o.nonEmpty>>class&1 == 0 {
		return
	}
	s.queueSingle(p, nd, o, out)
	input := nextSet(s.requestsOf(n, nd, out, class), int32(n.turns[index])+1)
	s.discardHead(p, nd, o, out, input, class, counts.DropLifetime)
	s.spec.discarded(p, index)
	o.touch(p, out)
}
