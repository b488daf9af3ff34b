package fabric

import (
	"weft/internal/sim/engine"
	"weft/internal/sim/state"
	"weft/internal/sim/transport"
	"weft/internal/sim/transport/cc"
	"weft/units"
	"weft/wire"
)

// walk visits the state of the network and of its application, between two events. The ports are first: most states
// differ in when their wires are free, and to put the events in order takes longer.
func (n *Network) walk(w *state.Walk) {
	w.Visit(&n.ports)
	if w.Differs() {
		return
	}
	for _, p := range n.parts {
		w.Within = p
		p.walk(w)
	}
	for i := range n.nodes {
		if w.Differs() {
			return
		}
		w.Within = n.parts[n.nodes[i].part]
		n.nodes[i].walkQueues(w, n)
		n.nodes[i].walkTurn(w, n.periods.cycles[i])
	}
	w.Visit(n)
	n.periods.app.WalkState(w)
}

// walkTurn visits the turn of spraying and adaptive routing, of which only the place in a set of ports
// matters.
func (nd *node) walkTurn(w *state.Walk, cycle int64) {
	turn := int64(nd.turn)
	w.Word(uint64(turn % cycle))
	w.Count(&turn)
	nd.turn = uint64(turn)
}

// within is the partition that a walk visits.
func within(w *state.Walk) *Partition {
	p, _ := w.Within.(*Partition)
	return p
}

// walkQueues visits the packets that wait at a node.
func (nd *node) walkQueues(w *state.Walk, n *Network) {
	for link := nd.base; link < nd.base+nd.ports; link++ {
		n.ports[link].walk(w)
		from, to := int(link)*n.classes, int(n.back[link])*n.classes
		for class := range n.classes {
			switch {
			case nd.kind == kindNIC:
				w.Visit(&n.nicQueues[from+class])
			case nd.kind == kindEthernet:
				w.Visit(&n.egress[from+class])
			case nd.infiniband != nil && nd.infiniband.fifo && to >= 0:
				w.Visit(&n.fifos[to+class])
			}
		}
	}
	if nd.kind == kindGPU {
		w.Visit(&n.gpus[nd.state])
	}
	if s := nd.infiniband; s != nil && !s.fifo {
		for i := range int(nd.ports) * int(nd.ports) * n.classes {
			if q := &n.voqs[int(s.voq)+i]; q.head >= 0 { // most are empty
				w.Word(uint64(i))
				q.WalkState(w)
			}
		}
		w.End()
	}
}

// walk visits the pending events of a partition, their packets, and the partition's counters.
func (p *Partition) walk(w *state.Walk) {
	events := p.queue.Pending(p.pending[:0])
	ends := len(events)
	if p.cells != nil {
		events = p.cells.Pending(events)
	}
	p.pending = events
	for i := range events {
		if w.Differs() {
			return
		}
		p.walkEvent(w, &events[i])
	}
	w.End()
	w.Word(uint64(p.pool.live))
	w.Visit(p)
	w.Visit(&p.batch.Refusals)
	for _, a := range p.adapters {
		w.Visit(&a.Now)
	}
	if p.sums.Open() > 0 {
		w.Refuse("sums in a switch")
	}
	if _, by, moving := w.Moves(); moving {
		p.queue.Restart(w.Now+by, events[:ends])
		if p.cells != nil {
			p.cells.Restart(w.Now+by, events[ends:])
		}
	}
}

// walkEvent visits a pending event, with the packet that it carries.
func (p *Partition) walkEvent(w *state.Walk, e *engine.Waiting) {
	if e.Class == classTimer || e.Class == classExpire { // these look at a time that is visited
		w.Bound(&e.Time)
		return
	}
	if e.Class == classApp {
		w.Due(&e.Time)
	} else {
		w.Time(&e.Time)
	}
	w.Word(uint64(e.Class))
	if e.Class != classArrive {
		w.Word(e.Source)
		return
	}
	link, i := arriving(e.Source)
	w.Word(uint64(link))
	p.walkPacket(w, i)
}

// walkPacket visits a packet.
func (p *Partition) walkPacket(w *state.Walk, i int32) {
	k, h := &p.pool.hot[i], &p.pool.cold[i]
	switch k.role {
	case roleData, roleContribution:
		w.Group = groupOf(k.dst, h.DestQP, true)
	case roleReply:
		w.Group = groupOf(k.dst, h.DestQP, false)
	case roleBurst:
		w.Group = groupLocal
		w.Visit(k)
		tag, burst := h.VA, h.Offset
		h.VA, h.Offset = 0, 0
		w.Visit(h)
		p.net.periods.app.WalkTag(w, p, &tag)
		w.Word(uint64(burst)) // it counts bursts
		h.VA, h.Offset = tag, burst
		return
	default:
		w.Refuse("packet that is copied or summed")
		return
	}
	w.Visit(k)
	if h.Op == wire.CNP { // its numbers are 0
		w.Refuse("congestion notification")
		return
	}
	w.Visit(h)
	if k.wants != 0 {
		w.Visit(p.pool.report(i))
	}
}

// WalkState visits the telemetry of a packet. It refuses that of a path: the bytes that ports have sent, of which only
// differences matter.
func (s *seen) WalkState(w *state.Walk) {
	if s.wants&cc.WantPath != 0 {
		w.Refuse("packet with telemetry of its path")
		return
	}
	w.Time(&s.Sent)
	w.Word(uint64(s.hops))
	w.Word(uint64(s.wants))
}

// groupLocal is the group of the PSNs of the scale-up network, which has none.
const groupLocal state.Group = 1 << 59

// groupOf is the group of the PSNs that a connection's end sends, or of those in the data packets that its peer sends
// to it: a packet does not know the end from which it comes.
func groupOf(node int32, end units.QPN, peer bool) state.Group {
	g := state.Group(node)<<24 | state.Group(end)
	if peer {
		g |= 1 << 62
	}
	return g
}

// walk visits what the fields of a port do not tell: the packet that waits alone, and the due flow-control packets. On
// a wire that is idle these cost nothing.
func (o *port) walk(w *state.Walk) {
	walkAlone(w, o.single)
	if o.freeAt >= w.Now {
		w.Word(uint64(o.debt))
	}
}

// walkAlone visits a packet that is in no queue; -1 is none.
func walkAlone(w *state.Walk, i int32) {
	if i < 0 {
		w.Word(0)
		return
	}
	w.Word(1)
	within(w).walkPacket(w, i)
}

// WalkState visits the packets of a queue.
func (l *list) WalkState(w *state.Walk) {
	p := within(w)
	for i := l.head; i >= 0 && !w.Differs(); i = p.pool.hot[i].next {
		w.Word(1)
		p.walkPacket(w, i)
	}
	w.Word(0)
}

// WalkState visits the queue of a NIC, with the packet that waits for credits.
func (q *nicQueue) WalkState(w *state.Walk) {
	w.Fields(q)
	walkAlone(w, q.held)
}

// WalkState visits the flows of a ring from its head on.
func (r *ring) WalkState(w *state.Walk) {
	w.Word(uint64(r.n))
	for i := range r.n {
		w.Word(uint64(r.slots[(r.head+i)&uint32(len(r.slots)-1)].id))
	}
}

// WalkState visits the flows of a NIC.
func (t *flowTable) WalkState(w *state.Walk) {
	w.Word(uint64(t.n))
	for f := range t.all {
		if f.socket {
			w.Refuse("TCP")
			return
		}
		if w.Differs() {
			return
		}
		w.Visit(f)
		own, peer := within(w).net.ports[f.port].node, groupOf(f.dst, f.qp.Remote(), false)
		f.qp.Walk(w, groupOf(own, f.id, false), peer)
		if f.qp.Service() != transport.UD { // of which the packets have several senders
			w.Together(groupOf(own, f.id, true), peer) // the packets were visited before
		}
	}
}

// WalkState moves the timers of a NIC on, and compares none. A timer makes its flow look at its deadlines, and is never
// later than the earliest of them. So equal states may have different timers.
func (h *timers) WalkState(w *state.Walk) {
	for i := range *h {
		w.Bound(&(*h)[i].at)
	}
}

// WalkState visits the messages of a queue of a GPU from its head on.
func (q *localQueue) WalkState(w *state.Walk) {
	p := within(w)
	for i := q.head; i > 0 && !w.Differs(); i = p.local.records[i].next {
		m := &p.local.records[i].LocalMessage
		tag := m.Tag
		m.Tag = 0
		w.Word(1)
		w.Visit(m)
		p.net.periods.app.WalkTag(w, p, &tag)
		m.Tag = tag
	}
	w.Word(0)
}

// WalkState refuses CNPs that take a random time.
func (c *cnpDelays) WalkState(w *state.Walk) { w.Refuse("CNPs that take a random time") }

// WalkState refuses a slow or failed NIC: its behaviour begins and ends at given times.
func (r *receiver) WalkState(w *state.Walk) { w.Refuse("slow NIC") }

// WalkState visits the credits of all lanes: the blocks that a sender may use now, and those under way to
// it. What the sender knows of them makes no difference: it looks when it needs more.
func (c *creditPorts) WalkState(w *state.Walk) {
	p := within(w)
	n := p.net
	for index := range c.lanes {
		if w.Differs() {
			return
		}
		link := int32(index / n.classes)
		if c.creditLinks[link].Period == 0 {
			continue // a link without credits
		}
		l, u, a := &c.lanes[index], n.updatesOf(link, int32(index)), &c.accounts[index]
		w.Word(uint64(l.Need))
		w.Word(uint64(a.Held))
		w.Word(uint64(a.Odd))
		w.Word(uint64(n.creditsBy(link, int32(index), w.Now)))
		since := max(c.creditLinks[link].Latency, units.Time(a.Period))
		a.Walk(w, c.rings, since)
		if u != &a.Updates {
			u.Walk(w, c.rings, since)
		}
	}
}
