package fabric

import "weft/units"

// A middlebox in the cable of a NIC is a switch of two ports: the first leads to the NIC, the
// second to the fabric. It receives packets completely, holds each for its pipeline, and sends no
// faster than it inspects, in each direction. Its buffers and flow control are those of its kind of
// switch, so a middlebox slower than the link exerts back-pressure on a lossless fabric.

// EthernetMiddlebox adds a middlebox in front of a NIC to an Ethernet fabric. s.CutThrough is
// ignored.
func (b *Builder) EthernetMiddlebox(name string, nic int32, inspects units.PerByte, s *EthernetSwitch) int32 {
	box := *s
	box.CutThrough, box.inspects = false, inspects
	return b.inFront(b.EthernetSwitch(name, 2, 0, Static, &box), nic)
}

// InfiniBandMiddlebox adds a middlebox in front of a NIC to an InfiniBand fabric.
func (b *Builder) InfiniBandMiddlebox(name string, nic int32, inspects units.PerByte, s *InfiniBandSwitch) int32 {
	box := *s
	box.inspects = inspects
	id := b.InfiniBandSwitch(name, 2, 0, Static, &box)
	b.tail[id] = true
	return b.inFront(id, nic)
}

func (b *Builder) inFront(id, nic int32) int32 {
	nd := &b.n.nodes[id]
	nd.local, nd.first = inline, nic
	return id
}

// inlinePort is the port of a middlebox for a packet to a destination.
func (nd *node) inlinePort(dst int32) int32 {
	if dst == nd.first {
		return nd.base
	}
	return nd.base + 1
}

// hold occupies a port of a middlebox for the inspection time of the packet whose transmission
// began at start.
func (o *port) hold(inspects units.PerByte, size uint16, start units.Time) {
	o.freeAt = max(o.freeAt, start+units.Time(int64(size)*inspects.Num/inspects.Den))
}
