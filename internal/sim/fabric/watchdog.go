package fabric

import (
	"slices"

	"weft/internal/sim/fabric/counts"
	"weft/internal/sim/fabric/watchdog"
	"weft/units"
)

// makeWatchdogs allocates the watchdogs' state if a switch has one, and prevents a run from being
// abandoned before they have acted.
func (n *Network) makeWatchdogs() {
	for i := range n.ethernet {
		if w := n.ethernet[i].spec.Watchdog; w != nil {
			n.watched = make([]watchdog.Queue, len(n.ports)*n.classes)
			n.patience = max(n.patience, 2*(w.Detection+w.Restoration+2*w.Poll))
		}
	}
}

// watchdogOf is the watchdog of a port's switch; nil if it has none.
func (n *Network) watchdogOf(port int32) *watchdog.Config {
	nd := &n.nodes[n.ports[port].node]
	if nd.kind != kindEthernet {
		return nil
	}
	return n.ethernet[nd.state].spec.Watchdog
}

// watchPause records that a queue was paused, and reports whether it obeys.
func (s *pauseState) watchPause(p *Partition, port int32, class uint8) (obeys bool) {
	w := p.net.watchdogOf(port)
	if w == nil {
		return true
	}
	index := p.lane(port, class)
	q := &s.watched[index]
	if q.Pause(w) {
		p.requestPoll(w, port, index)
	}
	return q.Obeys(w)
}

// requestPoll requests the next poll of a queue.
func (p *Partition) requestPoll(w *watchdog.Config, port, index int32) {
	node := p.net.ports[port].node
	nd := &p.net.nodes[node]
	phase := units.Time(Salt(p.net.seed, int(node))>>16) * (w.Poll >> 16)
	p.push(nd.cell, w.NextPoll(p.now, phase), classWatch, uint64(index))
}

// poll polls a queue that was paused.
func (s *pauseState) poll(p *Partition, index int32) {
	n := p.net
	port, class := index/int32(n.classes), uint8(int(index)%n.classes)
	w, o := n.watchdogOf(port), &n.ports[port]
	head, came := p.queueHead(port, class)
	found, again := s.watched[index].Poll(w, n.pausedQueues(port)>>class&1 != 0, head, came)
	if found != watchdog.Nothing {
		s.recordStorm(p, index, found)
	}
	switch found {
	case watchdog.Storm:
		p.stats.Storms++
		switch w.Action {
		case watchdog.Drop:
			o.flags |= flagStorm
			o.discardQueue(p, port, class)
		case watchdog.Forward:
			o.block(p, port, o.blocked&^(1<<class))
			o.touch(p, port)
		case watchdog.Alert:
		}
	case watchdog.Restored:
		o.flags &^= flagStorm
		if slices.ContainsFunc(s.watched[int(port)*n.classes:][:n.classes], isStorm) {
			o.flags |= flagStorm
		}
	}
	if again {
		p.requestPoll(w, port, index)
	}
}

func isStorm(q watchdog.Queue) bool { return q.IsStorm() }

// queueHead is the packet at the head of a switch's egress queue, and its arrival time; -1 if the
// queue is empty.
func (p *Partition) queueHead(port int32, class uint8) (head int32, came units.Time) {
	o := &p.net.ports[port]
	if o.nonEmpty>>class&1 == 0 {
		return -1, 0
	}
	head = o.single
	if head < 0 {
		head = p.net.egress[int(port)*p.net.classes+int(class)].packets.head
	}
	return head, p.pool.hot[head].arrive
}

// discardQueue drops the packets in a queue.
func (o *port) discardQueue(p *Partition, port int32, class uint8) {
	s := &p.net.ethernet[p.net.nodes[o.node].state]
	for o.nonEmpty>>class&1 != 0 {
		i, _ := o.dequeueEthernet(p, port, class)
		k := &p.pool.hot[i]
		o.queued -= int32(k.size)
		if p.record != nil {
			p.record.Dequeued(p.lane(port, class), int32(k.size), p.now)
		}
		s.release(p, k.in, class, int32(k.size))
		p.dropAt(port, i, counts.DropWatchdog)
	}
}

// inStorm reports whether the watchdog drops packets for a queue of a port with a storm.
func (s *pauseState) inStorm(p *Partition, out int32, class uint8) bool {
	return s.watched[int(out)*p.net.classes+int(class)].IsStorm()
}
