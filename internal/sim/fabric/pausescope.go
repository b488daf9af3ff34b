package fabric

import "math/bits"

// A pause stops more than the queue of its own number: the queue that a switch's map assigns to the
// priority, which may have another number, or the whole link.

// requestPause requests that the sender on a link stop or resume a class. Pauses of the whole link have one
// frame for all classes: the first requesting class sends it, and the last one ends it, on behalf
// of class 0.
func (pfc *PFC) requestPause(p *Partition, link int32, class uint8, kind pauseKind) {
	if !pfc.WholeLink {
		pfc.send(p, link, class, kind)
		return
	}
	asking := p.net.pausingClasses(link)
	if kind == pauseOn && asking&^(1<<class) == 0 || kind == pauseOff && asking == 0 {
		pfc.send(p, link, 0, kind)
	}
}

// pausingClasses are the classes that keep the sender on a link paused.
func (n *Network) pausingClasses(link int32) (classes uint16) {
	for class := range n.classes {
		if n.ingress[int(link)*n.classes+class].Paused {
			classes |= 1 << class
		}
	}
	return classes
}

// needsPause reports whether the cause of a link's pause persists.
func (pfc *PFC) needsPause(n *Network, link int32, class uint8) bool {
	if pfc.WholeLink {
		return n.pausingClasses(link) != 0
	}
	return n.ingress[int(link)*n.classes+int(class)].Paused
}

// stopped are the egress queues of a port that a pause of a priority stops.
func (n *Network) stopped(port int32, class uint8) uint16 {
	nd := &n.nodes[n.ports[port].node]
	pfc := n.pfcOf(n.ports[port].node)
	stops := pfc.Stops
	if nd.kind == kindEthernet {
		stops = nd.ethernet.stopsAt(n, port)
	}
	switch {
	case pfc.WholeLink:
		return 1<<n.classes - 1
	case nd.kind == kindEthernet && !has(nd.ethernet.losslessAt(n, port), class):
		return 0
	case stops != nil:
		return stops[class]
	}
	return 1 << class
}

// released are the queues that may resume when the pause of a priority has ended: no other pause
// stops them.
func (n *Network) released(port int32, class uint8) uint16 {
	return n.stopped(port, class) &^ n.pausedQueues(port)
}

// pausedQueues are the egress queues of a port that are stopped by a pause in force.
func (n *Network) pausedQueues(port int32) (queues uint16) {
	for class := range n.classes {
		if n.pauseUntil[int(port)*n.classes+class] != 0 {
			queues |= n.stopped(port, uint8(class))
		}
	}
	return queues
}

// obeyed are the queues of a set that a pause stops although the watchdog polls them.
func (s *pauseState) obeyed(p *Partition, port int32, queues uint16) uint16 {
	if s.watched == nil {
		return queues
	}
	for left := queues; left != 0; left &= left - 1 {
		queue := uint8(bits.TrailingZeros16(left))
		if !s.watchPause(p, port, queue) {
			queues &^= 1 << queue
		}
	}
	return queues
}

// holders are the classes whose packets at the end of a link block a lane of it: the classes whose
// pauses stop the lane's queue; with credits the lane's own.
func (n standstill) holders(w waiter) (classes uint16) {
	if kind := n.nodes[n.ports[w.link].node].kind; n.pauseUntil == nil || kind != kindEthernet && kind != kindNIC {
		return 1 << w.class
	}
	for class := range uint8(n.classes) {
		if n.stopped(w.link, class)>>w.class&1 != 0 {
			classes |= 1 << class
		}
	}
	return classes
}
