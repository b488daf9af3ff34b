package fabric

import (
	"weft/internal/base/cores"
	"weft/internal/sim/engine"
	"weft/internal/sim/fabric/counts"
	"weft/internal/sim/fabric/messages"
	"weft/internal/sim/fabric/series"
	"weft/internal/sim/transport"
	"weft/internal/sim/transport/cc"
	"weft/internal/sim/transport/tcp"
	"weft/units"
)

// The classes of events, in their order within an instant.
const (
	classFault   engine.Class = iota // a cable fails or works again, a table changes; source: faultState's
	classArrive                      // a packet at the end of a link; source: link
	classPause                       // a PFC frame takes effect; source: the paused port
	classRefresh                     // a PFC pause is renewed; source: the paused link
	classWatch                       // the PFC watchdog polls; source: port and class
	classReceive                     // a NIC has taken a packet in, fails, or has processed a CNP; source: node
	classPort                        // a port may decide; source: link
	classExpire                      // a packet has been at the head for the head-of-queue lifetime; source: link
	classTimer                       // a timer of a NIC; source: node
	classApp                         // of the application; source: its own
)

// Partition is a simulation partition: a part of the network with its own clock. It implements
// engine.Partition. It is not a partition of P_Keys.
type Partition struct {
	net      *Network      `state:"-"`
	queue    *engine.Queue `state:"-"` // of cell 0
	cells    *engine.Cells `state:"-"` // of the other cells; nil if there are none
	pool     pool          `state:"-"`
	local    localPool     `state:"-"` // visited by GPU
	now      units.Time
	flows    int             `state:"-"` // ends of connections
	dirty    []int32         `state:"-"`
	class    engine.Class    `state:"-"` // of the event being handled
	last     bool            `state:"-"` // the event being handled is the last of its instant
	batch    transport.Batch `state:"-"`
	seen     seen            `state:"-"` // telemetry of the packet being passed to the transport
	shown    cc.Seen         `state:"-"` // the same, in the transport's form
	segments tcp.Batch       `state:"-"`
	id       uint8           `state:"-"`
	stats    counts.Stats

	mailboxes `state:"-"`
	preview   `state:"-"`
	copyRecords
	record          *series.Recorder  `state:"-"` // nil: nothing is recorded
	adapters        []*series.Port    `state:"-"` // ports of NICs, if they count
	messages        messages.Recorder `state:"-"`
	partitionSearch `state:"-"`

	err error `state:"-"`
}

// RunTo handles the events before limit.
func (p *Partition) RunTo(limit units.Time, window uint64) {
	defer p.recoverFault()
	p.window = window
	events, hops, delivered := p.stats.Events, p.stats.Hops, p.stats.Delivered
	defer func() { p.addProgress(p.stats.Events-events, p.stats.Hops-hops, p.stats.Delivered-delivered) }()
	p.outgoing().reset()
	if len(p.dirty) > 0 { // posted before the run
		p.decide()
	}
	switch {
	case p.cells != nil:
		p.runCells(limit)
	case p.record != nil:
		p.runIntervals(limit)
	default:
		p.runEnds(limit)
	}
}

// runEnds handles the events of the ends before limit.
func (p *Partition) runEnds(limit units.Time) {
	looksAhead := p.wide || p.flows >= manyFlows
	for {
		p.handle(&p.queue.Bucket, min(limit, p.halt))
		if !p.queue.Advance(min(limit, p.halt)) {
			return
		}
		if looksAhead {
			p.lookAheadEnds()
		}
	}
}

// recoverFault converts a broken invariant or bound into the end of the run, and a panic on any
// core into a panic of the caller.
func (p *Partition) recoverFault() {
	switch r := recover().(type) {
	case nil:
	case *Breach:
		p.err = r
	case *Overload:
		p.err = r
	default:
		p.err = cores.Caught(r)
	}
}

// handle handles the events of a bucket before limit. After the last event of an instant the ports
// decide. It is not inlined, because its callers would then be too large for Bucket.Next.
//
//go:noinline
func (p *Partition) handle(bucket *engine.Bucket, limit units.Time) {
	for {
		e, ok := bucket.Next(limit)
		if !ok {
			return
		}
		p.reach(e)
		switch e.Class { // most events have two classes
		case classArrive:
			link, i := arriving(e.Source)
			p.arrive(link, i)
		case classPort:
			p.wakePort(int32(e.Source))
		default:
			p.handleOther(e.Class, e.Source)
		}
		if p.last && len(p.dirty) > 0 {
			p.decide()
		}
	}
}

// reach makes the time of an event the present.
func (p *Partition) reach(e engine.Event) {
	p.now, p.class, p.last = e.Time, e.Class, e.Last
	p.stats.Events++
}

// handleOther handles an event of a rare class.
func (p *Partition) handleOther(class engine.Class, source uint64) {
	switch class {
	case classPause:
		p.net.pauseEffect(p, int32(source))
	case classRefresh:
		p.net.refreshPause(p, int32(source))
	case classWatch:
		p.net.poll(p, int32(source))
	case classReceive:
		p.net.nicOf(int32(source&(1<<sourceShift-1))).handleReceive(p, source)
	case classExpire:
		p.expire(int32(source))
	case classFault:
		p.net.faults.handle(p, source)
	case classTimer:
		p.net.nicOf(int32(source)).runTimers(p, int32(source))
	case classApp:
		p.net.app.Timer(p, uint32(source))
	}
}

// arrive passes a packet from the wire to the receiver of the link.
func (p *Partition) arrive(link, i int32) {
	if p.net.examined {
		if !p.examine(link, i) {
			p.land(link, i)
		}
		return
	}
	p.land(link, i)
}

// land is arrive without a trace, and without errors of the link.
func (p *Partition) land(link, i int32) {
	b := &p.net.inboxes[link]
	switch b.kind {
	case kindEthernet:
		nd := &p.net.nodes[b.node]
		nd.ethernet.arrive(p, nd, link, i)
	case kindInfiniBand:
		nd := &p.net.nodes[b.node]
		nd.infiniband.arrive(p, nd, b, link, i)
	case kindNIC:
		p.net.nicOf(b.node).arrive(p, b, link, i)
	case kindGPU:
		p.arriveGPU(b, link, i)
	case kindDown:
		p.lost(link, i)
	}
}

// examine reports an arriving packet to the trace, and reports whether the packet was corrupted,
// and so dropped.
func (p *Partition) examine(link, i int32) (dropped bool) {
	if p.net.packets != nil {
		p.landed(link, i)
	}
	return (p.net.errors != nil || p.net.bursts != nil) && p.dropCorrupted(link, i)
}

// wakePort makes a port decide that had to wait for its wire or for credits.
func (p *Partition) wakePort(link int32) {
	switch o := &p.net.ports[link]; {
	case !o.acceptWake(p):
	case o.canDecideNow(p):
		o.send(p, link)
	default:
		o.touch(p, link)
	}
}

// decide makes the ports that were touched in this instant choose a packet. Their decisions affect
// only later instants, and ports of different nodes share no state, so the order of decisions has
// no effect outside a node.
func (p *Partition) decide() {
	n := p.net
	for j := 0; j < len(p.dirty); j++ { //nolint:intrange // the list grows while it is walked
		link := p.dirty[j]
		o := &n.ports[link]
		o.flags &^= flagDirty
		if o.flags&flagDown != 0 {
			o.sendDown(p, link)
			continue
		}
		if o.freeAt > p.now {
			o.wake(p, link, o.freeAt)
			continue
		}
		o.send(p, link)
	}
	p.dirty = p.dirty[:0]
}

// send makes a port whose wire is free choose a packet.
func (o *port) send(p *Partition, link int32) {
	switch nd := &p.net.nodes[o.node]; nd.kind {
	case kindEthernet:
		nd.ethernet.send(p, o, link)
	case kindInfiniBand:
		nd.infiniband.send(p, nd, o, link)
	case kindNIC:
		p.net.nics[nd.state].send(p, o, link)
	case kindGPU:
		o.sendGPU(p, link)
	}
}

// drop drops a packet, and counts it by its reason.
func (p *Partition) drop(i int32, why counts.Drop) {
	p.stats.Dropped[why]++
	p.stats.LostBytes += int64(p.pool.hot[i].size)
	p.pool.put(i)
}

// NextTime is the time of the earliest pending event.
func (p *Partition) NextTime() units.Time {
	if len(p.dirty) > 0 {
		return p.now
	}
	t := p.queue.NextTime()
	if p.cells != nil {
		t = min(t, p.cells.NextTime())
	}
	return t
}

// Stopped reports that a fault has ended the partition's run.
func (p *Partition) Stopped() bool { return p.err != nil }

// ID is the partition's number, from 0.
func (p *Partition) ID() int { return int(p.id) }

// Now is the time of the event being handled.
func (p *Partition) Now() units.Time { return p.now }

// At schedules the application's Timer with the source for t. A source has at
// most one timer pending at any instant.
func (p *Partition) At(t units.Time, source uint32) {
	cell := uint16(0)
	if p.net.hosts != nil {
		cell = p.net.nodes[p.net.hosts.NodeOf(source)].cell
	}
	p.push(cell, t, classApp, uint64(source))
}
