package fabric

import (
	"weft/internal/sim/fabric/buffer"
	"weft/internal/sim/fabric/pauses"
	"weft/internal/sim/fabric/watchdog"
	"weft/units"
)

// PFC is priority flow control (IEEE 802.1Qbb) of a device, as sender and receiver of pauses.
type PFC struct {
	// Lossless has a bit for each priority that is paused and never dropped while its headroom
	// suffices.
	Lossless uint16
	// Quanta is the duration of a pause, in units of 512 bit times of the link; it is renewed at
	// half of that while the cause persists. 0 pauses until resumed, as simulators do.
	Quanta uint16
	// FrameBytes is the length of a PFC frame on the wire: 64 bytes plus preamble and gap.
	FrameBytes int32
	// Reaction is the time from the last bit of a frame until the device starts no further packet
	// (IEEE 802.3 31B.3.7 bounds it).
	Reaction units.Time
	// Stops, if not nil, has for each priority the egress queues, a bit each, that its pause stops,
	// instead of the queue with the same number.
	Stops *[MaxClasses]uint16
	// WholeLink makes pauses follow IEEE 802.3 Annex 31B, without priorities: a pause for any
	// class stops all classes.
	WholeLink bool
}

// pauses is the state of PFC on all links.
type pauseState struct {
	frames     [][]pause        // by port: frames in flight
	pauseUntil []units.Time     `state:"until"` // by port and class
	renewAt    []units.Time     // by link and class: time of the next renewal of the pause of its sender
	reaction   []units.Time     `state:"-"` // by link: of its receiver to PFC frames
	watched    []watchdog.Queue // by port and class; nil if no switch has a watchdog
	pauseLogs  []*pauses.Log    // by link and class; nil if pauses are not recorded
	storms     []pauses.Storm   `state:"-"` // by port and class; nil if they are not recorded
}

// quantumBytes is one quantum of pause, 512 bit times, in bytes of the link.
const quantumBytes = 512 / 8

// pause is a PFC frame in flight to a port, with a pause or its end.
type pause struct {
	at    units.Time
	until units.Time // end of the pause without renewal
	class uint8
	kind  pauseKind
}

type pauseKind uint8

const (
	pauseOn pauseKind = iota
	pauseOff
	pauseLapse
)

// pauseSender requests that the sender on a link stop a class.
func (s *ethernetState) pauseSender(p *Partition, g *buffer.Ingress, b *inbox, link int32, class uint8) {
	g.Paused = true
	s.paused++
	if s.paused == 1 {
		p.net.nodes[b.node].watchServed(p)
	}
	p.net.pauseBegins(p, link, class)
	s.spec.PFC.requestPause(p, link, class, pauseOn)
}

// watchServed makes every busy port of a switch run at the end of its transmission: while a sender
// is paused, the time of each release matters.
func (nd *node) watchServed(p *Partition) {
	for link := nd.base; link < nd.base+nd.ports; link++ {
		if o := &p.net.ports[link]; o.serveIn >= 0 && o.freeAt > p.now {
			o.wake(p, link, o.freeAt)
		}
	}
}

// resumeSender lets the sender on a link resume.
func (s *ethernetState) resumeSender(p *Partition, g *buffer.Ingress, link int32, class uint8) {
	g.Paused = false
	s.paused--
	p.net.pauseEnds(p, link, class)
	s.spec.PFC.requestPause(p, link, class, pauseOff)
}

// send puts a PFC frame on the wire back to the sender of a link. It goes before all waiting
// packets, but after the packet on the wire.
func (pfc *PFC) send(p *Partition, link int32, class uint8, kind pauseKind) {
	n := p.net
	back := n.inboxes[link].back
	o := &n.ports[back]
	end := o.occupy(max(p.now, o.freeAt), int64(pfc.FrameBytes))
	if p.record != nil {
		p.record.SentFrame(back, pfc.FrameBytes)
	}
	p.countPause(back, class, true)
	if kind == pauseOn {
		p.stats.Pauses++
	} else {
		p.stats.Resumes++
	}
	f := pause{at: end + n.propagation[back] + n.reaction[back], until: units.Forever, class: class, kind: kind}
	if q := pfc.Quanta; q > 0 && kind == pauseOn {
		sender := &n.ports[link]
		span := units.Time(int64(q) * quantumBytes * int64(sender.num) / int64(sender.den))
		f.until = f.at + span
		source := p.refreshSource(link, class)
		n.renewAt[source] = p.now + span/2
		p.push(n.ports[link].to, p.now+span/2, classRefresh, source)
	}
	if n.trace != nil {
		n.trace.Pause(p.now, f.at, link, class, kind == pauseOn)
	}
	if o.flags&flagRemote != 0 {
		m := p.outgoing()
		m.earliest = min(m.earliest, f.at)
		b := &m.to[n.inboxes[back].part]
		b.pauses = append(b.pauses, remotePause{link, f})
		return
	}
	p.net.schedulePause(p, link, f)
}

// refreshSource numbers the timers that renew pauses.
func (p *Partition) refreshSource(link int32, class uint8) uint64 {
	return uint64(int(link)*p.net.classes + int(class))
}

// refreshPause renews a pause whose cause persists. The timer of a pause that has ended, or that a
// later pause has renewed, does nothing.
func (s *pauseState) refreshPause(p *Partition, source int32) {
	n := p.net
	link, class := source/int32(n.classes), uint8(int(source)%n.classes)
	pfc := n.pfcOf(n.inboxes[link].node)
	if s.renewAt[source] == p.now && pfc.needsPause(n, link, class) {
		pfc.send(p, link, class, pauseOn)
	}
}

// pfcOf is the PFC configuration of a switch or NIC as a sender of frames.
func (n *Network) pfcOf(node int32) *PFC {
	nd := &n.nodes[node]
	if nd.kind == kindNIC {
		return &n.nics[nd.state].spec.PFC
	}
	return &n.ethernet[nd.state].spec.PFC
}

// schedulePause notes a frame that takes effect on a port later.
func (s *pauseState) schedulePause(p *Partition, port int32, f pause) {
	s.frames[port] = append(s.frames[port], f)
	l := s.frames[port]
	for i := len(l) - 1; i > 0 && l[i-1].at > f.at; i-- {
		l[i-1], l[i] = l[i], l[i-1]
	}
	p.push(p.net.cell(port), f.at, classPause, uint64(port))
}

// pauseEffect applies the frames that are due at a port.
func (s *pauseState) pauseEffect(p *Partition, port int32) {
	l := s.frames[port]
	due := 0
	for due < len(l) && l[due].at <= p.now {
		s.applyPause(p, port, l[due])
		due++
	}
	s.frames[port] = append(s.frames[port][:0], s.frames[port][due:]...)
}

func (s *pauseState) applyPause(p *Partition, port int32, f pause) {
	n := p.net
	o := &n.ports[port]
	if o.flags&flagDown != 0 {
		return // it was lost on the link
	}
	if f.kind != pauseLapse {
		p.countPause(port, f.class, false)
	}
	until := &s.pauseUntil[int(port)*n.classes+int(f.class)]
	switch f.kind {
	case pauseOn:
		o.block(p, port, o.blocked|s.obeyed(p, port, n.stopped(port, f.class)))
		*until = f.until
		if f.until != units.Forever {
			s.schedulePause(p, port, pause{at: f.until, class: f.class, kind: pauseLapse})
		}
		return
	case pauseLapse:
		if *until > p.now {
			return // renewed, or resumed and paused again
		}
	}
	*until = 0
	o.block(p, port, o.blocked&^n.released(port, f.class))
	o.touch(p, port)
}
