package fabric

// waiter is a lane of a port, as a vertex of the wait-for graph.
type waiter struct {
	link  int32
	class uint8
}

// circle is a deadlock: lanes of ports, each of which may send only after the next, and the last
// after the first. It is empty if there is no such circle. A lane is held if its port is paused for
// it or lacks credits for it. It waits for the held lanes of the next switch that have packets from
// it: these packets occupy the room for the pause or the credits.
func (n standstill) circle() []waiter {
	const (
		fresh = iota
		open  // on the current path
		done
	)
	state := make([]uint8, len(n.ports)*n.classes)
	at := func(w waiter) *uint8 { return &state[int(w.link)*n.classes+int(w.class)] }
	var way []waiter
	var walk func(w waiter) []waiter
	walk = func(w waiter) []waiter {
		*at(w) = open
		way = append(way, w)
		for _, next := range n.blockers(w) {
			switch *at(next) {
			case open:
				for i := range way {
					if way[i] == next {
						return way[i:]
					}
				}
			case fresh:
				if found := walk(next); found != nil {
					return found
				}
			}
		}
		way = way[:len(way)-1]
		*at(w) = done
		return nil
	}
	for link := range int32(len(n.ports)) {
		for class := range uint8(n.classes) {
			w := waiter{link, class}
			if *at(w) != fresh || !n.held(w) {
				continue
			}
			if found := walk(w); found != nil {
				return found
			}
		}
	}
	return nil
}

// held reports whether a lane has packets and may not send.
func (n standstill) held(w waiter) bool {
	o := &n.ports[w.link]
	if o.nonEmpty>>w.class&1 == 0 {
		return false
	}
	if o.blocked>>w.class&1 != 0 {
		return true
	}
	index := int(w.link)*n.classes + int(w.class)
	return index < len(n.lanes) && n.lanes[index].Need > 0
}

// blockers are the held lanes of the switch at the end of a link that have packets from this link
// and class.
func (n standstill) blockers(w waiter) []waiter {
	nd := &n.nodes[n.inboxes[w.link].node]
	if nd.kind != kindEthernet && nd.kind != kindInfiniBand {
		return nil // a NIC or GPU waits for no lane
	}
	var next []waiter
	for out := nd.base; out < nd.base+nd.ports; out++ {
		for class := range uint8(n.classes) {
			x := waiter{out, class}
			if n.held(x) && n.hasFrom(nd, x, w) {
				next = append(next, x)
			}
		}
	}
	return next
}

// hasFrom reports whether a lane of a switch's port holds a packet from a link and class.
func (n standstill) hasFrom(nd *node, out, from waiter) bool {
	pool := &n.parts[nd.part].pool
	holds := n.holders(from)
	is := func(i int32) bool { return pool.hot[i].in == from.link && holds>>pool.hot[i].class&1 != 0 }
	if single := n.ports[out.link].single; single >= 0 {
		return is(single)
	}
	queue := emptyList
	switch nd.kind {
	case kindEthernet:
		queue = n.egress[int(out.link)*n.classes+int(out.class)].packets
	case kindInfiniBand:
		s := &n.infiniband[nd.state]
		queue = *s.voqAt(n.Network, nd, out.link, n.input(nd, from.link), out.class)
		if s.spec.FIFO && queue.head >= 0 {
			return is(queue.head) // the rest of the FIFO is not for this output
		}
	}
	for i := queue.head; i >= 0; i = pool.hot[i].next {
		if is(i) {
			return true
		}
	}
	return false
}
