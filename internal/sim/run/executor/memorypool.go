package executor

import (
	"weft/internal/sim/fabric"
)

// sendLocal sends a message from a rank's GPU to another GPU of its node.
func (r *collectives) sendLocal(p *fabric.Partition, rank int, m fabric.LocalMessage) {
	from := r.net.GPU(rank)
	if r.net.Stride > r.net.GPUs {
		m.Tag = relayMark | uint64(r.partition(p).relay(relay{to: m.To, tag: m.Tag, bytes: m.Bytes}))
		m.To = from - (from-r.net.FirstGPU)%r.net.Stride + r.net.GPUs
	}
	p.SendLocal(from, m)
}

// readPool makes a message's receiver read it. Each GPU reads one message after the other; the pool
// serves the GPUs in turn.
func (r *collectives) readPool(p *fabric.Partition, pool int32, m *relay) {
	queue := uint8((m.to - r.net.FirstGPU) % r.net.Stride)
	p.SendLocal(pool, fabric.LocalMessage{Bytes: m.bytes, Tag: m.tag, To: m.to, Queue: queue})
}
