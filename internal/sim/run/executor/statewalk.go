package executor

import (
	"maps"
	"slices"

	"weft/internal/sim/fabric"
	"weft/internal/sim/run/host"
	"weft/internal/sim/state"
)

// The kinds of groups of numbers, beside those of the fabric.
const (
	groupTags    state.Group = 3 << 60       // of the lanes of a channel
	groupNumbers state.Group = 1 << 60       // of a connection's messages
	groupRanks   state.Group = 3<<60 | 1<<58 // of the operations of a rank
	// groupIterations are the iterations of the ranks.
	groupIterations state.Group = 5 << 59
)

// WalkState visits the state of the run.
func (r *collectiveRun) WalkState(w *state.Walk) {
	r.walkOperations(w)
	r.all.walk(w)
	r.walkHosts(w, nil)
	r.walkConnections(w)
	for i := range r.plan.Limits.passed {
		w.Until(&r.plan.Limits.passed[i])
	}
	walkIterations(w, r.done)
	for i := range r.parts {
		p := &r.parts[i]
		w.Word(uint64(p.over))
		w.Word(uint64(p.began))
		w.Word(uint64(p.ended))
	}
	r.steps.recordAgain(w, r.plan.program.Channels())
}

// walkOperations visits the operations.
func (r *collectives) walkOperations(w *state.Walk) {
	w.Part("operations")
	w.Word(uint64(r.used))
	w.Word(uint64(len(r.others)))
	for _, o := range r.register.all[:r.used] {
		if w.Differs() {
			return
		}
		w.Visit(&o.free)
		if !o.free {
			o.walk(w)
		}
	}
}

// walkHosts visits the hosts of the ranks, and the times of the messages. over visits the tag of a timer of
// kind TimerOver.
func (r *collectives) walkHosts(w *state.Walk, over func(rank int, tag *uint64)) {
	for i := range r.partitions {
		w.Visit(r.partitions[i].flows)
		if r.partitions[i].failure.err != nil {
			w.Refuse("failure")
		}
	}
	for i := range r.hosts {
		if w.Differs() {
			return
		}
		r.hosts[i].walk(w, r, int32(i), over)
	}
	if len(r.copies) > 0 {
		w.Refuse("copies by switches")
	}
}

// walk visits the host of a rank.
func (h *rankHost) walk(w *state.Walk, c *collectives, rank int32, over func(rank int, tag *uint64)) {
	w.Part("timers")
	h.timers.Walk(w, func(t *host.Timer) {
		switch t.Kind {
		case host.TimerArrive:
			c.walkTag(w, &t.Tag)
		case host.TimerStep:
			o, lane := c.operationOf(t.Tag)
			o.walkLane(w, o.comm.member(int(rank)), lane, &t.Tag)
		case host.TimerOver:
			over(int(rank), &t.Tag)
		default:
			w.Word(t.Tag)
		}
	})
	w.Visit(&h.cores)
	w.Part("host")
	w.Until(&h.sending)
	w.Until(&h.receiving)
	w.Word(uint64(len(h.proxies)))
	for _, group := range slices.Sorted(maps.Keys(h.proxies)) {
		w.Word(uint64(group))
		w.Until(&h.proxies[group].free)
	}
}

// walkConnections visits the ends of all connections, and with its first end what a connection has.
func (r *collectives) walkConnections(w *state.Walk) {
	for nic := range r.ends {
		w.Word(uint64(len(r.ends[nic])))
		for end := range r.ends[nic] {
			if w.Differs() {
				return
			}
			e := &r.ends[nic][end]
			if state.Once(w, e.of) {
				e.of.walk(w, r)
			}
			if state.Once(w, e.under) {
				e.under.walk(w, r, r.links[e.pair].numbers())
			}
			if e.from != nil {
				e.from.walk(w, r.links[e.pair].numbers())
			}
			if len(e.leaving) > 0 || e.thread != nil {
				w.Refuse("connection of several kinds of messages")
			}
		}
	}
}

// numbers is the group of the numbers of a connection's messages.
func (l *connections) numbers() state.Group {
	return groupNumbers | state.Group(l.ends[0].nic)<<24 | state.Group(l.ends[0].qpn)
}

// walk visits a connection.
func (l *connections) walk(w *state.Walk, c *collectives) {
	w.Part("connection")
	w.Word(uint64(l.turn % len(l.ends)))
	for i := range l.ends {
		w.Count(&l.ends[i].bytes)
	}
	w.Word(uint64(l.posted))
	w.Until(&l.written)
	w.Number(l.numbers(), uint64(l.sent), 32)
	l.unacknowledged.walk(w, l.numbers())
	w.Word(uint64(len(l.waiting)))
	for i := range l.waiting {
		m := &l.waiting[i]
		w.Word(uint64(m.rank))
		c.walkTag(w, &m.tag)
		w.Word(uint64(m.bytes))
		w.Time(&m.due)
		w.Time(&m.at)
		w.Number(l.numbers(), uint64(m.number), 32)
		w.Word(uint64(m.parts))
	}
	if len(l.early) > 0 {
		w.Refuse("reduction in the network")
	}
}

// walk visits the parts that are missing.
func (left *partsLeft) walk(w *state.Walk, g state.Group) {
	w.Word(uint64(len(*left)))
	if len(*left) == 0 {
		return // without a call: mostly
	}
	for _, number := range slices.Sorted(maps.Keys(*left)) {
		w.Number(g, uint64(number), 32)
		w.Word(uint64((*left)[number]))
	}
}

// walk visits the messages in flight, the oldest first.
func (u *underWay) walk(w *state.Walk, c *collectives, g state.Group) {
	w.Part("posted")
	w.Word(uint64(u.posted - u.ended))
	w.Word(uint64(u.arrived - u.ended))
	for n := u.ended; n != u.posted; n++ {
		m := u.at(n)
		w.Time(&m.at)
		c.walkTag(w, &m.tag)
		w.Number(g, uint64(m.number), 32)
		w.Word(uint64(m.parts))
		w.Word(uint64(m.bytes))
	}
}

// walk visits the members' progress.
func (c *Communicator) walk(w *state.Walk) {
	for _, times := range c.kernels {
		w.Part("kernels")
		w.Word(uint64(len(times)))
		for i := range times {
			w.Past(&times[i]) // who uses it changes it
		}
	}
	w.Part("entered")
	for _, n := range c.entered {
		w.Word(uint64(n - c.first))
	}
	w.Word(uint64(len(c.under)))
	for _, o := range c.under {
		w.Word(uint64(o.number))
	}
}

// walkIterations visits numbers of iterations: all ranks go on by the same number.
func walkIterations(w *state.Walk, of []int) {
	times, _, moving := w.Moves()
	for i := range of {
		w.Number(groupIterations, uint64(of[i]), 63)
		if moving {
			of[i] += int(times) * int(w.MovedBy(groupIterations))
		}
	}
}

// tagGroup is the group of the tags of a channel of an operation.
func tagGroup(operation, channel int) state.Group {
	return groupTags | state.Group(operation)<<laneBits | state.Group(channel)
}

// WalkTag visits the tag of a message on the scale-up network.
func (r *collectives) WalkTag(w *state.Walk, p *fabric.Partition, tag *uint64) {
	if *tag&relayMark == 0 {
		r.walkTag(w, tag)
		return
	}
	m := &r.partition(p).relays[int32(*tag&^relayMark)]
	if state.Once(w, m) {
		w.Visit(&m.key)
		w.Word(uint64(m.to))
		r.walkTag(w, &m.tag)
		w.Word(uint64(m.bytes))
	}
}

// walkTag visits a tag: the tags of a channel move on together, by steps or by lanes.
func (r *collectives) walkTag(w *state.Walk, tag *uint64) {
	number, _, _ := partsOf(*tag)
	r.of(number).walkTag(w, tag)
}

// walkTag visits a tag of the operation.
func (o *operation) walkTag(w *state.Walk, tag *uint64) {
	_, lane, _ := partsOf(*tag)
	w.Moved(tagGroup(o.number, lane%o.plan.program.Channels()), tag)
}

// walkLane visits a tag that names an active lane of a member. The step of the tag is 0. When a period is
// skipped, the lanes have moved before: the tag then names none, and its word does not matter.
func (o *operation) walkLane(w *state.Walk, member, lane int, tag *uint64) {
	channel := lane % o.plan.program.Channels()
	active := o.members[member].channels[channel].active
	w.Word(uint64(slices.IndexFunc(active, func(l laneRun) bool { return l.lane == lane })))
	if times, _, moving := w.Moves(); moving {
		lanes, _ := progressOf(w, tagGroup(o.number, channel))
		*tag += times * uint64(lanes) << stepBits
	}
}

// walk visits an operation.
func (o *operation) walk(w *state.Walk) {
	w.Part("operation")
	w.Word(uint64(o.comm.ID))
	if o.comm.ID == MessageGroup {
		w.Visit(&o.comm.Members)
	}
	w.Word(uint64(o.plan.number))
	w.Word(uint64(o.absent))
	w.Word(uint64(o.unfinished))
	for i := range o.comm.Members {
		m := &o.members[i]
		w.Word(uint64(m.open))
		for channel := range m.channels {
			m.channels[channel].walk(w, o, channel)
		}
		m.walkEarly(w, o)
		if w.Differs() {
			return
		}
	}
}

// walk visits a channel's active lanes.
func (ch *channelRun) walk(w *state.Walk, o *operation, channel int) {
	g := tagGroup(o.number, channel)
	w.Part("channel")
	w.Word(uint64(len(ch.active)))
	ahead := 0
	if len(ch.active) > 0 {
		ahead = ch.active[0].lane
	}
	w.Word(uint64(ch.next - ahead))
	for i := range ch.active {
		l := &ch.active[i]
		w.Number(g, uint64(l.lane<<stepBits+l.step), 63)
		w.Word(uint64(l.missing))
		w.Word(uint64(l.bytes))
		w.Time(&l.end)
		w.Visit(&l.turned)
		w.Time(&l.ready)
	}
	if times, _, moving := w.Moves(); moving && len(ch.active) > 0 {
		lanes, steps := progressOf(w, g)
		for i := range ch.active {
			ch.active[i].lane += int(times) * lanes
			ch.active[i].step += int(times) * steps
		}
		ch.next += int(times) * lanes
	}
}

// walkEarly visits the messages that have come before their step.
func (m *memberState) walkEarly(w *state.Walk, o *operation) {
	w.Part("early")
	w.Word(uint64(len(m.early)))
	moved := make(map[uint64]arrival, len(m.early))
	for _, tag := range slices.Sorted(maps.Keys(m.early)) {
		a := m.early[tag]
		o.walkTag(w, &tag)
		w.Word(uint64(a.count))
		w.Time(&a.ready)
		moved[tag] = a
	}
	if _, _, moving := w.Moves(); moving {
		m.early = moved
	}
}

// progressOf is the progress of a channel in a period: by steps of the same lanes, or by whole lanes.
func progressOf(w *state.Walk, g state.Group) (lanes, steps int) {
	by := int(w.MovedBy(g))
	if by%maxSteps == 0 {
		return by / maxSteps, 0
	}
	return 0, by
}

var _ fabric.Periodic = (*collectiveRun)(nil)
