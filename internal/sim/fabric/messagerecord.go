package fabric

import (
	"weft/internal/sim/fabric/messages"
	"weft/internal/sim/transport"
)

// recordPost records a work request of a flow.
func (nic *nicState) recordPost(p *Partition, node int32, f *flow, wr *transport.WorkRequest) {
	nic.messages.Post(&messages.Message{
		From: node, To: f.dst, QP: f.id, Entropy: f.entropy, Class: f.class, Read: !f.socket && wr.Op == transport.OpRead, Posted: p.now,
	}, int64(wr.Length), wr.Unsignaled && !f.socket)
}

// recordEnd records the completion of the oldest message of a flow.
func (nic *nicState) recordEnd(p *Partition, f *flow) {
	if m, ok := nic.messages.End(f.id, p.now, f.retransmitted()); ok {
		p.messages.Add(&m)
	}
}

// retransmitted is the number of packets that the flow has retransmitted.
func (f *flow) retransmitted() uint32 {
	if f.socket {
		return uint32(f.conn.Stats().Retransmitted)
	}
	return f.qp.Repeated()
}

// RecordedMessages is the number of completed messages between NICs, and the slowest of them in the order
// in which they were posted. It is called after the run.
func (n *Network) RecordedMessages() (ended int64, kept []messages.Message) {
	var all []*messages.Recorder
	for _, p := range n.parts {
		all = append(all, &p.messages)
	}
	return messages.Join(all)
}
