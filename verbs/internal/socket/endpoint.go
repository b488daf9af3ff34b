package socket

import (
	"weft/internal/sim/transport"
	"weft/internal/sim/transport/cc"
	"weft/units"
)

// Owner owns a queue pair and knows its memory. The port calls its methods with the lock held; they
// must not block.
type Owner interface {
	// Gather appends to parts the memory that p carries, p.Length bytes: of a request that QP.Next
	// has just filled in, or of a READ's response. False says that the memory is no longer there.
	Gather(p *transport.Packet, parts [][]byte) ([][]byte, bool)
	// Operands are the operands of the atomic that Next has just filled in.
	Operands(p *transport.Packet) (swapAdd, compare uint64)
	// Destination is the destination of the datagram that Next has just filled in.
	Destination(p *transport.Packet) *Peer
	// Place stores the payload of a packet at the place in the verdict. For an atomic's answer the
	// payload is nil and Port.Arrived has the value.
	Place(v transport.Verdict, p *transport.Packet, payload []byte)
	// Landing is the memory in which n bytes of the READ with an ID lie, from offset on: as many as lie in one
	// piece, none if it is no longer registered.
	Landing(id uint64, offset, n uint32) []byte
	// Replenish posts a receive from a shared receive queue to the queue pair, which needs one, if
	// there is any.
	Replenish()
	// Completed takes the completion of a work request.
	Completed(c *transport.Completion)
}

// Endpoint is a queue pair of a port.
type Endpoint struct {
	QP    transport.QP
	Owner Owner
	Peer  *Peer // of a connected service
	// Selective says that the queue pair and its peer, also weft, use selective repeat: see
	// hold.go.
	Selective bool
	PKey      uint16 // full or limited member of a partition
	// RemoteSRQ is the shared receive queue that a request names; nil on all services but XRC, whose
	// packets are RC's with that name.
	RemoteSRQ func(p *transport.Packet) uint32

	attached bool
	queued   bool  // in Port.ready
	blocked  bool  // in Peer.blocked
	paused   bool  // waits for its deadline, because its peer's memory is crowded
	lossy    bool  // its memory has been missing: no forecast for it
	last     *Peer // of UD: where the last datagram went
	owes     bool  // ack is in Port.owing
	ack      transport.Packet
	acked    bool                 // ack has been sent: it is the last one
	seen     *cc.Seen             // telemetry of the last request, which its acknowledgement takes back
	counted  int32                // PSNs in flight that are counted in Peer.flight
	held     map[units.PSN][]byte // requests ahead of the expected one
	passed   units.PSN            // PSNs before it are not held
	timer    int                  // position in the heap, from 1
	deadline units.Time
}

// Forget forgets what the queue pair owes to its peer: it begins anew.
func (e *Endpoint) Forget() { e.owes, e.acked = false, false }

// exempt reports whether the next packet may be sent even if its peer's room is full: an answer, a
// retransmission, or the probe that detects a loss.
func (e *Endpoint) exempt() bool { return e.QP.Responding() || e.QP.Repeating() || e.QP.Probing() }
