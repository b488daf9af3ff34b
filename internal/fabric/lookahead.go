package fabric

import "weft/internal/engine"

// worthALook is from how many packets on it pays to look ahead: those of fewer
// are in the processor's caches.
const worthALook = 1 << 14

// glance is a packet that is about to land, and the link that it is on.
type glance struct {
	packet, link int32
}

// lookAhead reads what the events of a bucket will need, step by step for all
// of them at once: the processor overlaps the waits for memory that would
// otherwise follow one another. It decides nothing that depends on the order of
// events.
func (p *Partition) lookAhead(bucket *engine.Bucket) {
	n := p.net
	hot := p.pool.hot
	p.glances = p.glances[:0]
	sum := int32(0)
	for i := range bucket.Left() {
		if class, source := bucket.Peek(i); class == classArrive {
			p.glances = append(p.glances, glance{n.inboxes[source].flying.head, int32(source)})
		}
	}
	for _, g := range p.glances {
		k := &hot[g.packet]
		nd := &n.nodes[n.inboxes[g.link].node]
		switch {
		case nd.kind == kindNIC:
			sum += int32(p.pool.cold[g.packet].DestQP)
		case nd.kind != kindGPU && nd.routing.settled() && k.role <= roleTrain && k.out == 0:
			k.out = uint16(p.lookUp(nd, k)-nd.base) + 1
		}
	}
	p.sink = sum
}
