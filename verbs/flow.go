package verbs

import (
	"weft/internal/sim/transport"
	"weft/units"
	"weft/verbs/internal/socket"
)

// A UDP socket on an ordinary network has neither credits nor pauses: queue pairs probe the
// capacity of the network, and measure the round-trip time.
var (
	// plainFlow is for any peer: timeouts stay in the specification's range of the Local ACK
	// Timeout.
	plainFlow = transport.FlowControl{
		Initial: firstWindow, Most: socket.PeerPackets, FirstTimeout: units.Forever,
		LeastTimeout: units.Forever,
	}
	// weftFlow is for a peer that has agreed to selective repeat: a premature timeout costs one
	// packet.
	weftFlow = transport.FlowControl{
		Initial: firstWindow, Most: socket.PeerPackets, FirstTimeout: firstTimeout,
		LeastTimeout: leastTimeout,
	}
)

// AckTimeout is the usual Local ACK Timeout, 268 ms, which gives up a peer after 7.2 s: a peer in
// user space answers only when its program gets a processor. Linux's connection manager uses 19,
// 2.1 s, in the recorded REQs of perftest and rping; libibverbs' examples use 14.
const AckTimeout = 16

const (
	// firstWindow is the number of packets that a queue pair sends before it has measured the
	// network: as many as one datagram holds, and close to the ten of RFC 6928.
	firstWindow = 16
	// firstTimeout is Local ACK Timeout 14, 67 ms: the cost of a loss before a round trip was
	// measured.
	firstTimeout = 4096 * units.Nanosecond << 14
	// leastTimeout is Local ACK Timeout 12, 16.8 ms. On a machine with more work than processors, a
	// thread may wait a few of the scheduler's slices of 3 to 4 ms; that delay must not count as a
	// loss.
	leastTimeout = 4096 * units.Nanosecond << 12
)

// agree sets the loss recovery of a queue pair that becomes ready to receive: selective repeat, or
// go-back-N.
func (q *QP) agree(yes bool) {
	if f := q.pd.dev.fabric; f != nil { // its parameters are the fabric's
		if q.attr.Type == RC && f.Welcome.QueuePairs.SelectiveRepeat {
			q.end.Selective, q.cfg.Delivery = true, transport.SelectiveHeld
		}
		return
	}
	yes = yes && q.attr.Type == RC
	q.end.Selective = yes
	q.cfg.Delivery, q.cfg.Flow, q.cfg.MaxOutstandingPackets = transport.InOrder, &plainFlow, 0
	if yes {
		// as many as a peer holds
		q.cfg.Delivery, q.cfg.Flow = transport.SelectiveHeld, &weftFlow
		q.cfg.MaxOutstandingPackets = socket.PeerPackets
	}
}
