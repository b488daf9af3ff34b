package verbs

import (
	"weft/internal/sim/transport"
	"weft/units"
	"weft/verbs/internal/socket"
)

// A UDP socket of an ordinary network has neither credits nor pauses: queue pairs find out
// how much is carried, and how long answers take.
var (
	// plainFlow is with a peer of any kind: timeouts stay in the range that the
	// specification has for the Local ACK Timeout.
	plainFlow = transport.FlowControl{
		Initial: firstWindow, Most: socket.PeerPackets, FirstTimeout: units.Forever, LeastTimeout: units.Forever,
	}
	// datagramFlow is of RD's contexts, whose peer is always weft: a timeout that comes too
	// soon costs a part of one message.
	datagramFlow = transport.FlowControl{
		Initial: firstWindow, Most: socket.PeerPackets, FirstTimeout: firstTimeout, LeastTimeout: firstTimeout,
	}
	// weftFlow is with a peer that has agreed to selective repeat: a timeout that comes
	// too soon costs it one packet.
	weftFlow = transport.FlowControl{
		Initial: firstWindow, Most: socket.PeerPackets, FirstTimeout: firstTimeout, LeastTimeout: leastTimeout,
	}
)

// AckTimeout is the usual Local ACK Timeout, 268 ms, with which a peer is given up after
// 7.2 s: one in user space answers when its program gets a processor. Linux's connection
// manager names 19, 2.1 s, in the recorded REQs of perftest and rping; libibverbs' examples
// have 14.
const AckTimeout = 16

const (
	// firstWindow is what a queue pair sends before it knows anything of the network: one
	// datagram's worth, and of the order of RFC 6928's ten.
	firstWindow = 16
	// firstTimeout is Local ACK Timeout 14, 67 ms: what a loss costs before a round trip was
	// measured.
	firstTimeout = 4096 * units.Nanosecond << 14
	// leastTimeout is Local ACK Timeout 12, 16.8 ms: what a machine with more work than
	// processors takes to run a thread again, a few of the scheduler's slices of 3 to 4 ms,
	// is no loss.
	leastTimeout = 4096 * units.Nanosecond << 12
)

// agree sets how a queue pair that becomes ready to receive deals with loss: with
// selective repeat, or by go-back-N.
func (q *QP) agree(yes bool) {
	yes = yes && q.attr.Type == RC
	q.end.Selective = yes
	q.cfg.Delivery, q.cfg.Flow, q.cfg.MaxOutstandingPackets = transport.InOrder, &plainFlow, 0
	if yes {
		q.cfg.Delivery, q.cfg.Flow, q.cfg.MaxOutstandingPackets = transport.SelectiveHeld, &weftFlow, socket.PeerPackets // as many as a peer holds
	}
}
