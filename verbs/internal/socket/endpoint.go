package socket

import (
	"weft/internal/sim/transport"
	"weft/units"
)

// Owner is whom a queue pair belongs to: it knows the memory. Its methods are
// called with the port's lock held, and do not block.
type Owner interface {
	// Gather appends to parts the memory that p carries, p.Length bytes of it: of
	// a request that QP.Next has just filled, or of a READ's response. False says
	// that the memory is not there any more.
	Gather(p *transport.Packet, parts [][]byte) ([][]byte, bool)
	// Operands are those of the atomic that Next has just filled.
	Operands(p *transport.Packet) (swapAdd, compare uint64)
	// Destination is where the datagram that Next has just filled goes.
	Destination(p *transport.Packet) *Peer
	// Place puts the payload of a packet where the verdict says. Of an atomic's
	// answer the payload is nil and Port.Arrived has the value.
	Place(v transport.Verdict, p *transport.Packet, payload []byte)
	// Replenish posts a receive to the queue pair, which needs one, if there is
	// one to share.
	Replenish()
	// Completed takes a finished work request.
	Completed(c *transport.Completion)
}

// Endpoint is a queue pair of a port.
type Endpoint struct {
	QP    transport.QP
	Owner Owner
	Peer  *Peer // of a connected service
	// Selective says that the queue pair and its peer, which is weft, too, repeat what
	// is lost and nothing else: see hold.go.
	Selective bool
	PKey      uint16 // full or limited member of a partition
	// EEC is the end-to-end context whose stream QP is; nil on all services but RD.
	EEC *transport.EEC

	attached bool
	queued   bool // in Port.ready
	blocked  bool // in Peer.blocked
	owes     bool // ack waits in Port.owing
	ack      transport.Packet
	counted  int32                // PSNs in flight that Peer.flight has
	held     map[units.PSN][]byte // requests that came ahead
	passed   units.PSN            // nothing before it is held
	timer    int                  // place in the heap, from 1
	deadline units.Time
}

// exempt reports whether the next packet may go though its peer has enough in flight:
// an answer, what is in flight and was lost, or the one packet by which its loss is
// known.
func (e *Endpoint) exempt() bool { return e.QP.Responding() || e.QP.Repeating() || e.QP.Probing() }
