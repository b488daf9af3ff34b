package executor

import (
	"fmt"

	"weft/internal/sim/collective"
	"weft/internal/sim/fabric"
	"weft/internal/sim/run/host"
	"weft/internal/sim/run/network"
	"weft/internal/sim/workload"
	"weft/units"
)

// A tag identifies the purpose of a message: the operation, the lane, and the receiver's step that
// waits for it. The tag of a reduction in a switch also has the receiver's number in its node.
const (
	stepBits      = 15
	laneBits      = 18
	operationBits = 21
	localBits     = 64 - operationBits - laneBits - stepBits // of the receiver's number
	maxSteps      = 1 << stepBits
	maxLanes      = 1 << laneBits
	maxOperations = 1 << operationBits
	maxLocals     = 1 << localBits // GPUs of a node with reductions in its switch
)

func tagOf(operation, lane, step int) uint64 {
	return uint64(operation)<<(laneBits+stepBits) | uint64(lane)<<stepBits | uint64(step)
}

func partsOf(tag uint64) (operation, lane, step int) {
	return int(tag >> (laneBits + stepBits) & (maxOperations - 1)), int(tag >> stepBits & (maxLanes - 1)), int(tag & (maxSteps - 1))
}

// CollectivePlan is the configuration and the costs of a collective of a size.
type CollectivePlan struct {
	chosen
	number int // of a planner's plans
	Limits HostLimits
	// The time of a GPU's kernel for a byte that it sends to another GPU of its node, directly and
	// through reductions in the switch; zero: no limit beyond the link's.
	unicast, inSwitch units.PerByte
	length            map[int]int // length of lanes in steps, once computed
	known             []Edge      // its edges, once computed
}

// operation is a collective in progress on a communicator.
type operation struct {
	number     int
	serial     uint64 // number in the order of beginnings, never reused
	comm       *Communicator
	plan       *CollectivePlan
	members    []memberState
	absent     int                // number of members that have not begun
	unfinished int                // number of members that have not finished
	free       bool               // all members have finished
	leads      bool               // its steps are beats
	message    int32              // the message of a workload that it carries
	posting    *workload.Posting  // of that message; nil is one WRITE
	looks      [2]collective.Step // scratch for comparing steps
}

// memberState is the progress of a member in an operation.
type memberState struct {
	open     int                // number of unfinished channels
	channels []channelRun       // by channel
	early    map[uint64]arrival // messages that arrived before their step, by tag
}

// channelRun is one channel of a member, with its active lanes.
type channelRun struct {
	next   int // the next lane to enter
	active []laneRun
}

// laneRun is an active lane, in a step that waits for messages.
type laneRun struct {
	lane, step int
	missing    int        // messages still to arrive
	bytes      int64      // bytes of them for the kernel
	end        units.Time // end of the kernel's last turn
	turned     bool       // the turn is taken
	ready      units.Time // time at which the software has processed the arrived ones
}

// arrival is the early messages of a step.
type arrival struct {
	count int
	ready units.Time
}

// relay is a message that first goes to the GPU beside a NIC, or to the pool of memory from which
// GPU to reads it.
type relay struct {
	key        Pair
	limits     *HostLimits
	to         int32
	tag        uint64
	bytes      int64
	nextUnused int32
}

// collectives runs collectives of any groups, all at the same time.
type collectives struct {
	carrier
	cluster collective.Layout
	*register
	steps *stepRecord   // nil if steps are not recorded
	times *pieceTimes   // nil if they are not recorded
	work  *network.Work // nil if nobody asks
	// finished is called when a member has finished its part of an operation.
	finished func(p *fabric.Partition, o *operation, member int)
}

// checkPlan refuses a program whose numbers do not fit into tags.
func checkPlan(prog collective.Program) error {
	if steps := longestLane(prog); steps > maxSteps || prog.Lanes() > maxLanes {
		return fmt.Errorf("a collective of %d lanes of %d steps is too large: use larger chunks (at most %d lanes of %d steps)", prog.Lanes(), steps, maxLanes, maxSteps)
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

// enter begins a member's next operation on a communicator. plan is the operation's: the same for
// all members.
func (r *collectives) enter(p *fabric.Partition, c *Communicator, member int, plan *CollectivePlan) *operation {
	o := r.nextOf(c, member, plan)
	if o == nil {
		r.fail(p, c.Members[member], errTooMany)
		return nil
	}
	r.join(p, o, member)
	return o
}

// join begins an operation of a member. The software's fixed time comes once, before the first
// step.
func (r *collectives) join(p *fabric.Partition, o *operation, member int) {
	r.schedule(p, int(o.comm.Members[member]), p.Now()+o.plan.overhead.Base, host.Timer{Kind: host.TimerBegin, Tag: tagOf(o.number, 0, 0)})
}

// begin enters a member's first lanes.
func (r *collectives) begin(p *fabric.Partition, o *operation, member int) {
	m := &o.members[member]
	m.open = len(m.channels)
	for c := range m.channels {
		m.channels[c] = channelRun{next: c, active: m.channels[c].active[:0]}
	}
	for c := range m.channels {
		r.fill(p, o, member, c)
	}
}

// fill enters lanes of a channel until its window is full, and closes it when
// no lane is left.
func (r *collectives) fill(p *fabric.Partition, o *operation, member, channel int) {
	prog := o.plan.program
	m := &o.members[member]
	ch := &m.channels[channel]
	for len(ch.active) < prog.Window() && ch.next < prog.Lanes() {
		lane := ch.next
		ch.next += prog.Channels()
		l := laneRun{lane: lane, step: -1}
		if r.advance(p, o, member, &l) {
			ch.active = append(ch.active, l)
		}
	}
	if len(ch.active) == 0 && ch.next >= prog.Lanes() && ch.next < 1<<30 {
		ch.next = 1 << 30
		m.open--
		if m.open == 0 {
			r.finish(p, o, member)
		}
	}
}

// finish ends a member's part.
func (r *collectives) finish(p *fabric.Partition, o *operation, member int) {
	r.finished(p, o, member)
	r.leave(o)
}

// advance goes on to the next step of a lane that waits for messages, or for its turn in the kernel;
// false if the lane has none and its last turn is over. If all messages of a step came early, its
// software time may have passed as well.
func (r *collectives) advance(p *fabric.Partition, o *operation, member int, l *laneRun) bool {
	s := &r.partition(p).step
	if o.leads && member == 0 && l.lane%o.plan.program.Channels() == 0 {
		p.Beat()
	}
	for {
		l.step++
		if !o.plan.program.Step(member, l.lane, l.step, s) {
			if !r.goOnAt(p, o, member, l, l.end) {
				l.step-- // to come here again at the end of its last turn
				return true
			}
			r.steps.turn(p.Now(), member, o, l, nil)
			r.times.laneEnded(member, l, p.Now())
			r.worked(o, member)
			return false
		}
		if len(s.Sends) > 0 && !l.turned && !r.takeFirstTurn(p, o, member, l, s) {
			l.step--
			return true
		}
		l.turned = false
		r.steps.turn(p.Now(), member, o, l, s)
		r.times.stepBegins(member, l, p.Now())
		r.sendAll(p, o, member, l, s)
		if s.Recvs > 0 && !r.await(p, o, member, l, s) {
			return true
		}
	}
}

// messageWork is the work of a message, of which each lane has an equal part; a lane of a collective has 1.
const messageWork = 1 << 16

// worked counts the work of a member's lane that has ended. The receiver of a message counts it.
func (r *collectives) worked(o *operation, member int) {
	switch {
	case o.message == workload.NoMessage:
		r.work.Done(1)
	case member > 0:
		r.work.Done(messageWork / int64(o.plan.program.Lanes()))
	}
}

// sendAll posts the messages of a step. The kernel has written all of them at the end of the lane's turn;
// of several pieces, which it writes one after another, each has the time of the later ones less.
func (r *collectives) sendAll(p *fabric.Partition, o *operation, member int, l *laneRun, s *collective.Step) {
	to, later := toNIC, int64(0)
	if s.Pieces {
		to = r.destinationOf(o, member, l.lane, s)
		for i := range s.Sends {
			later += s.Sends[i].Bytes
		}
	}
	for sends := s.Sends; len(sends) > 0; {
		parts := 1
		for sends[parts-1].More {
			parts++
		}
		due := l.end
		if s.Pieces {
			later -= sends[0].Bytes
			due -= o.plan.kernel.data(later, to)
		}
		r.send(p, o, member, l, sends[:parts], due)
		sends = sends[parts:]
	}
}

// await makes a lane wait for the messages of its step; true if they have come and the next step
// can begin.
func (r *collectives) await(p *fabric.Partition, o *operation, member int, l *laneRun, s *collective.Step) bool {
	m, tag := &o.members[member], tagOf(o.number, l.lane, l.step)
	a := m.early[tag]
	delete(m.early, tag)
	l.missing, l.ready = s.Recvs-a.count, a.ready
	l.bytes = s.RecvBytes
	if s.Reduce { // all inputs at once
		l.bytes /= int64(s.Recvs)
	}
	return l.missing == 0 && r.takeTurn(p, o, member, l)
}

// takeFirstTurn takes the kernel's turn for a step that sends without having received. It returns true if
// the step can begin now; otherwise the lane continues later.
func (r *collectives) takeFirstTurn(p *fabric.Partition, o *operation, member int, l *laneRun, s *collective.Step) bool {
	k := &o.plan.kernel
	leave, end := k.begin(r.kernel(o, member, l, l.step), p.Now(), k.bytesOf(s, o.comm.gpus), r.destinationOf(o, member, l.lane, s))
	l.turned, l.end = true, end
	return r.goOnAt(p, o, member, l, leave)
}

// takeTurn gives the messages of a lane's step, which have all arrived, their turn in the channel's
// kernel. It returns true if the next step can begin now; otherwise the lane continues later: at
// the beginning of the turn if it sends, else at its end.
func (r *collectives) takeTurn(p *fabric.Partition, o *operation, member int, l *laneRun) bool {
	s := &r.partition(p).step
	next := l.step + 1
	more := o.plan.program.Step(member, l.lane, next, s)
	k := &o.plan.kernel
	l.turned = more && len(s.Sends) > 0
	to := toSelf
	if l.turned {
		to = r.destinationOf(o, member, l.lane, s)
	}
	if more && k.staged { // the switch reduces at the wire's rate
		l.end = l.ready
		return r.goOnAt(p, o, member, l, l.ready)
	}
	start, end := k.follow(r.kernel(o, member, l, next), p.Now(), l.ready, l.bytes, to)
	l.end = end
	if l.turned {
		return r.goOnAt(p, o, member, l, start)
	}
	return r.goOnAt(p, o, member, l, end)
}

// destinationOf is the memory that a step with sends writes: that of another GPU if one of them goes there.
func (r *collectives) destinationOf(o *operation, member, lane int, s *collective.Step) destination {
	for i := range s.Sends {
		if !r.ownNIC(o, member, lane, &s.Sends[i]) {
			return toPeer
		}
	}
	return toNIC
}

// ownNIC reports whether a member's NIC reads a transfer from the member's memory.
func (r *collectives) ownNIC(o *operation, member, lane int, t *collective.Transfer) bool {
	c := o.comm
	switch {
	case t.Path.InNetwork():
		return true
	case t.Path != collective.PathAuto, r.cluster.Node(int(c.Members[member])) == r.cluster.Node(int(c.Members[t.Peer])):
		return false
	}
	_, _, relayed := c.Ends(&Edge{From: int32(member), To: t.Peer, Channel: int32(lane % o.plan.program.Channels()), rail: t.Rail})
	return !relayed
}

// kernel is the time until which the warps that serve a lane's step are busy.
func (r *collectives) kernel(o *operation, member int, l *laneRun, step int) *units.Time {
	return o.comm.kernel(member, o.plan.kernel.server(l.lane, step))
}

// goOnAt reports whether a lane may go on at once: its time has come. Otherwise the lane is scheduled.
func (r *collectives) goOnAt(p *fabric.Partition, o *operation, member int, l *laneRun, at units.Time) bool {
	if at <= p.Now() {
		return true
	}
	r.schedule(p, int(o.comm.Members[member]), at, host.Timer{Kind: host.TimerStep, Tag: tagOf(o.number, l.lane, 0)})
	return false
}

// resume continues after a step.
func (r *collectives) resume(p *fabric.Partition, o *operation, member, lane int) {
	channel := lane % o.plan.program.Channels()
	ch := &o.members[member].channels[channel]
	for i := range ch.active {
		if l := &ch.active[i]; l.lane == lane {
			if !r.advance(p, o, member, l) {
				ch.active = append(ch.active[:i], ch.active[i+1:]...)
				r.fill(p, o, member, channel)
			}
			return
		}
	}
}

// arrived counts a message for a step of a member. The software time starts now, whether or not the
// member is busy: it is a delay of each message, and the delays of a connection's messages overlap.
func (r *collectives) arrived(p *fabric.Partition, rank int, tag uint64, remote bool) {
	number, lane, step := partsOf(tag)
	o := r.of(number)
	ready := p.Now() + o.plan.overhead.PerStepIntra
	if remote {
		ready = r.hosts[rank].proxy(o.comm.ID).seesAt(p.Now(), &o.plan.Limits) + o.plan.overhead.PerStepInter
	}
	member := o.comm.member(rank)
	m := &o.members[member]
	if m.open > 0 {
		ch := &m.channels[lane%o.plan.program.Channels()]
		for i := range ch.active {
			l := &ch.active[i]
			if l.lane != lane || l.step != step {
				continue
			}
			l.missing--
			l.ready = max(l.ready, ready)
			if l.missing == 0 && r.takeTurn(p, o, member, l) {
				r.resume(p, o, member, lane)
			}
			return
		}
	}
	a := m.early[tag]
	m.early[tag] = arrival{a.count + 1, max(a.ready, ready)}
}

// send posts one message of a member, in one or several parts, that the kernel has written at a time.
func (r *collectives) send(p *fabric.Partition, o *operation, member int, l *laneRun, parts []collective.Transfer, due units.Time) {
	c, t, bytes, lane := o.comm, &parts[0], int64(0), l.lane
	for i := range parts {
		bytes += parts[i].Bytes
	}
	rank := int(c.Members[member])
	tag := tagOf(o.number, lane, int(t.PeerStep))
	m := fabric.LocalMessage{
		Bytes: o.plan.choice.Proto.WireBytes(bytes), Tag: tag, KernelPerByte: o.plan.inSwitch, Due: due,
		Queue: uint8(o.plan.kernel.server(lane, l.step)),
	}
	channel := lane % o.plan.program.Channels()
	switch t.Path {
	case collective.PathMulticast:
		m.Kind = fabric.Multicast
		p.SendLocal(r.net.GPU(rank), m)
		return
	case collective.PathReduce:
		peer := int(c.Members[t.Peer])
		m.Kind, m.To, m.Parts = fabric.Reduce, r.net.GPU(peer), int16(c.gpus-1)
		m.Key = tag<<localBits | uint64(r.cluster.Local(peer))
		p.SendLocal(r.net.GPU(rank), m)
		return
	case collective.PathNetReduce, collective.PathNetScatter, collective.PathNetGather:
		r.contribute(p, o, member, lane, parts, m)
		return
	}
	m.KernelPerByte = o.plan.unicast
	if peer := int(c.Members[t.Peer]); r.cluster.Node(rank) == r.cluster.Node(peer) && (o.posting == nil || !o.posting.Network) {
		m.To = r.net.GPU(peer)
		if o.posting != nil { // its warps store to all peers at the same time
			m.Queue = uint8(r.cluster.Local(peer))
		}
		r.sendLocal(p, rank, m)
		return
	}
	r.sendOut(p, o, member, channel, t, m)
}

// sendOut posts a transfer to another node: through its NIC, for which it may have to go to another
// GPU first, or through each end's own NIC.
func (r *collectives) sendOut(p *fabric.Partition, o *operation, member, channel int, t *collective.Transfer, m fabric.LocalMessage) {
	c, rail := o.comm, t.Rail
	if o.posting != nil { // connections take the sender's own NICs in turn
		channel, rail = int(o.posting.Connection), 0
	}
	k, relayed := c.Pair(&Edge{From: int32(member), To: t.Peer, Channel: int32(channel), rail: rail})
	if !relayed {
		r.post(p, k, message{rank: int(k.From), limits: &o.plan.Limits, tag: m.Tag, bytes: m.Bytes, due: m.Due, posting: o.posting})
		return
	}
	m.To = r.net.GPU(c.besideRail(member, int(t.Rail)-1))
	m.Tag = relayMark | uint64(r.partition(p).relay(relay{key: k, limits: &o.plan.Limits, tag: m.Tag, bytes: m.Bytes}))
	r.sendLocal(p, int(c.Members[member]), m)
}

// relayMark marks the tag of a message in transit to the GPU beside a NIC.
const relayMark = uint64(1) << 63

// relay stores the continuation of a message at the GPU beside its NIC (NCCL's PXN).
func (s *partition) relay(m relay) int32 {
	id := s.unused
	if id >= 0 {
		s.unused = s.relays[id].nextUnused
	} else {
		id = int32(len(s.relays))
		s.relays = append(s.relays, relay{})
	}
	s.relays[id] = m
	return id
}

// relayed returns the stored continuation.
func (s *partition) relayed(id int32) relay {
	m := s.relays[id]
	s.relays[id].nextUnused = s.unused
	s.unused = id
	return m
}

// Arrived is called when a message on the scale-up network has arrived.
func (r *collectives) Arrived(p *fabric.Partition, gpu int32, tag uint64) {
	if tag&relayMark == 0 {
		r.arrived(p, r.net.Rank(gpu), tag, false)
		return
	}
	m := r.partition(p).relayed(int32(tag &^ relayMark))
	if r.net.IsPool(gpu) {
		r.readPool(p, gpu, &m)
		return
	}
	r.post(p, m.key, message{rank: r.net.Rank(gpu), limits: m.limits, tag: m.tag, bytes: m.bytes})
}

// Timer is called at a rank's timer.
func (r *collectives) Timer(p *fabric.Partition, source uint32) {
	rank := int(source)
	r.hosts[rank].timers.Run(p, source, func(t *host.Timer) { r.runTimer(p, rank, t) })
}

// runTimer executes the due actions of a rank.
func (r *collectives) runTimer(p *fabric.Partition, rank int, t *host.Timer) {
	switch t.Kind {
	case host.TimerBegin:
		o, _ := r.operationOf(t.Tag)
		r.begin(p, o, o.comm.member(rank))
	case host.TimerStep:
		o, lane := r.operationOf(t.Tag)
		r.resume(p, o, o.comm.member(rank), lane)
	case host.TimerWritten:
		e := &r.ends[t.Transfer.NIC][t.Transfer.End]
		r.release(p, e.pair, e.of)
	case host.TimerPost:
		r.handOver(p, &t.Transfer)
	case host.TimerArrive:
		r.arrived(p, rank, t.Tag, true)
	}
}

// operationOf decodes a tag.
func (r *collectives) operationOf(tag uint64) (o *operation, lane int) {
	number, lane, _ := partsOf(tag)
	return r.of(number), lane
}
