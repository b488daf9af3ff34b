package fabric

import "weft/units"

// Watchdog is the PFC watchdog of an Ethernet switch: it polls every paused egress queue, and ends
// a storm. The model is SONiC's (orchagent's pfcwdorch and its detect and restore scripts): a queue
// is in a storm when it is paused, holds packets and has sent none for the detection time; it is
// restored when no pause was in force for the restoration time. Both are counted in polls, so a
// storm is found up to two polls late.
//
// Polls of a switch fall on the multiples of Poll, moved by a phase of its own. A queue that is not
// paused is not polled.
//
// Left out: the drop of packets that arrive through the port of the storm; the threshold of "big
// red switch" mode, and storms by the pauses' share of time.
type Watchdog struct {
	Detection, Restoration, Poll units.Time
	Action                       WatchdogAction
}

// WatchdogAction is a watchdog's action on a queue in a storm.
type WatchdogAction uint8

// The actions.
const (
	WatchdogDrop    WatchdogAction = iota // waiting and arriving packets are dropped
	WatchdogForward                       // packets are sent in spite of the pause
	WatchdogAlert                         // the storm is counted, without any other action
)

// watched is the watchdog's state of an egress queue.
type watched struct {
	head   int32      // the packet at its head at the last poll; -1 if none
	came   units.Time // its arrival time
	left   units.Time `state:"fixed"` // time until it is in a storm, or restored
	polled bool       // a poll is pending
	paused bool       // a frame came since the last poll
	storm  bool
}

// watching allocates the watchdogs' state if a switch has one, and prevents a run from being
// abandoned before they have acted.
func (n *Network) watching() {
	for i := range n.ethernet {
		if w := n.ethernet[i].spec.Watchdog; w != nil {
			n.watched = make([]watched, len(n.ports)*n.classes)
			n.patience = max(n.patience, 2*(w.Detection+w.Restoration+2*w.Poll))
		}
	}
}

// watchdog is the watchdog of a port's switch; nil if it has none.
func (n *Network) watchdog(port int32) *Watchdog {
	nd := &n.nodes[n.ports[port].node]
	if nd.kind != kindEthernet {
		return nil
	}
	return n.ethernet[nd.state].spec.Watchdog
}

// watchPause records that a queue was paused, and reports whether it obeys.
func (p *Partition) watchPause(port int32, class uint8) (obeys bool) {
	w := p.net.watchdog(port)
	if w == nil {
		return true
	}
	index := int32(int(port)*p.net.classes + int(class))
	q := &p.net.watched[index]
	q.paused = true
	if !q.polled {
		*q = watched{head: -1, left: w.Detection, polled: true, paused: true}
		w.pollNext(p, port, index)
	}
	return !q.storm || w.Action != WatchdogForward
}

// pollNext requests the next poll of a queue's switch.
func (w *Watchdog) pollNext(p *Partition, port, index int32) {
	o := &p.net.ports[port]
	phase := units.Time(p.net.nodes[o.node].salt>>16) * (w.Poll >> 16)
	next := (p.now-phase)/w.Poll*w.Poll + phase
	for next <= p.now {
		next += w.Poll
	}
	p.push(p.net.nodes[o.node].cell, next, classWatch, uint64(index))
}

// poll polls a queue that was paused.
func (p *Partition) poll(index int32) {
	n := p.net
	port, class := index/int32(n.classes), uint8(int(index)%n.classes)
	w, q := n.watchdog(port), &n.watched[index]
	paused := n.pausedQueues(port)>>class&1 != 0
	switch {
	case q.storm:
		w.calm(p, port, class, paused)
	case paused:
		w.stuck(p, port, class)
	default:
		q.polled = false
	}
	q.paused = false
	if q.polled {
		w.pollNext(p, port, index)
	}
}

// stuck counts the time for which the head of a paused queue has not changed.
func (w *Watchdog) stuck(p *Partition, port int32, class uint8) {
	q := &p.net.watched[int(port)*p.net.classes+int(class)]
	head, came := p.queueHead(port, class)
	if head < 0 || head != q.head || came != q.came {
		q.head, q.came, q.left = head, came, w.Detection
		return
	}
	if q.left -= w.Poll; q.left > 0 {
		return
	}
	q.storm, q.left = true, w.Restoration
	p.stats.Storms++
	o := &p.net.ports[port]
	switch w.Action {
	case WatchdogDrop:
		o.flags |= flagStorm
		o.discardQueue(p, port, class)
	case WatchdogForward:
		o.block(p, port, o.blocked&^(1<<class))
		o.touch(p, port)
	case WatchdogAlert:
	}
}

// calm counts the time for which a queue in a storm was not paused.
func (w *Watchdog) calm(p *Partition, port int32, class uint8, paused bool) {
	n := p.net
	q := &n.watched[int(port)*n.classes+int(class)]
	if paused || q.paused {
		q.left = w.Restoration
		return
	}
	if q.left -= w.Poll; q.left > 0 {
		return
	}
	q.storm, q.polled = false, false
	n.ports[port].flags &^= flagStorm
	for c := range n.classes {
		if n.watched[int(port)*n.classes+c].storm {
			n.ports[port].flags |= flagStorm
		}
	}
}

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
		if p.tallies != nil {
			p.tallyLeft(p.lane(port, class), int32(k.size))
		}
		s.release(p, k.in, class, int32(k.size))
		p.dropAt(port, i, DropWatchdog)
	}
}

// stormy reports whether the watchdog drops packets for a queue of a port with a storm.
func (p *Partition) stormy(out int32, class uint8) bool {
	return p.net.watched[int(out)*p.net.classes+int(class)].storm
}
