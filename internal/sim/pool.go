package sim

import (
	"weft/internal/fabric"
	"weft/scenario"
	"weft/units"
)

// Where the GPUs of a node share a pool of memory and have no links to each other (CXL),
// a message is written to the pool, and the receiver reads it when it is whole. The
// devices of a pool are one port of their rates together: addresses are interleaved
// over them.

// pooled reports whether the GPUs of a node meet in a pool of memory.
func pooled(n *scenario.Node) bool { return n.ScaleUp.Kind == scenario.ScaleUpPool && n.GPUs > 1 }

// poolRate is the time of a byte at the port of a pool.
func poolRate(s *scenario.ScaleUp) units.PerByte {
	return rounded(float64(s.LinkRate) * float64(s.Devices))
}

// isPool reports whether a GPU's node is a pool.
func (n *network) isPool(gpu int32) bool { return (gpu-n.firstGPU)%n.stride == n.gpus }

// sendLocal has a rank's GPU send a message to another of its node.
func (r *collectives) sendLocal(p *fabric.Partition, rank int, m fabric.LocalMessage) {
	from := r.net.gpu(rank)
	if r.net.stride > r.net.gpus {
		m.Tag = relayMark | uint64(r.share(p).relay(relay{to: m.To, tag: m.Tag, bytes: m.Bytes}))
		m.To = from - (from-r.net.firstGPU)%r.net.stride + r.net.gpus
	}
	p.SendLocal(from, m)
}

// readPool has a message's receiver read it. Each GPU reads one message after the
// other; the pool serves the GPUs in turn.
func (r *collectives) readPool(p *fabric.Partition, pool int32, m *relay) {
	queue := uint8((m.to - r.net.firstGPU) % r.net.stride)
	p.SendLocal(pool, fabric.LocalMessage{Bytes: m.bytes, Tag: m.tag, To: m.to, Queue: queue})
}
