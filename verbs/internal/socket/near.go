package socket

import (
	"sync/atomic"
)

// Way is the way to a device of the same user on the same machine, through memory that both share.
// A nil Way is none. Datagrams pass by it with a zero in place of the ICRC.
type Way struct {
	ring sharedRing
	dead atomic.Bool // the other device is closed
	wake func()      // wakes the other device
	end  func()      // frees the memory; called once
}

// open reports whether datagrams go this way.
func (w *Way) open() bool { return w != nil && !w.dead.Load() }

// most is the bound on packets in flight to a peer by this way: the ring has room for requests and,
// of the other direction's reads, for responses.
func (w *Way) most(most, mtu int) int {
	if w == nil {
		return most
	}
	return min(most, ringData/3/(mtu+nearOverhead))
}

// crowded reports whether requests of UC and UD have to wait: they have no window, so that a reader
// which gets no processor would lose them. They leave half of the ring to what is acknowledged, and
// to packets that wait to be flushed.
func (w *Way) crowded() bool { return w.open() && w.ring.memory != nil && !w.ring.room(ringData/2) }

// send passes a datagram on; one that finds no room is lost, as in a full socket.
func (w *Way) send(o *Outgoing) {
	if w.ring.memory == nil || !w.ring.put(o) {
		return
	}
	if w.ring.asleep.Load() != 0 && w.ring.asleep.CompareAndSwap(1, 0) {
		w.wake()
	}
}

// close ends the way.
func (w *Way) close() {
	if w == nil || w.ring.memory == nil {
		return
	}
	w.dead.Store(true)
	w.ring = sharedRing{}
	w.end()
}
