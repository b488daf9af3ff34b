package fabric

import (
	"math/bits"
	"slices"

	"weft/internal/sim/engine"
	"weft/units"
)

// Cells are the parts of a simulation partition whose events are handled separately (not the
// allocation units of a switch buffer): each switch of the scale-out fabric is a cell, and each host
// (its NICs, its GPUs with their scale-up switch, and its part of the application), if the application
// acts host by host. A cell affects another only after a link's delay, a credit update's latency or a
// PFC frame's delay. A slot of time is no longer than the smallest of these, so the order of cells
// within a slot has no effect. Cell 0 has the ends that are in no other cell, and has its own queue.

// The bounds of a slot, as log2 of picoseconds. Shorter slots would rarely have more than one event
// per cell.
const (
	minSlot = 13
	maxSlot = 17
	// cellReach is log2 of the picoseconds that the slots cover.
	cellReach = 23
	maxCells  = 1 << 12
)

// cut puts every switch of the scale-out fabric, and every host, into a cell. It returns the number of
// cells and log2 of the slot; 0 if cells are not worthwhile.
func (b *Builder) cut() (cells int, slotLog2 uint) {
	n := &b.n
	switches, hosts := 0, b.cellsOfHosts()
	for i := range n.nodes {
		if n.nodes[i].isApart() {
			switches++
		}
	}
	if switches == 0 {
		return 0, 0
	}
	most := min(hosts+switches, maxCells-1)
	cell := func(k int) uint16 { return uint16(1 + k*most/(hosts+switches)) }
	k := hosts
	for i := range n.nodes {
		if nd := &n.nodes[i]; nd.isApart() {
			nd.cell = cell(k)
			k++
		} else if hosts > 0 && i < len(b.Hosts) && b.Hosts[i] >= 0 {
			nd.cell = cell(int(b.Hosts[i]))
		}
	}
	for link := range n.ports {
		b.setCell(link)
	}
	reach := b.findLookahead(func(link int) bool { return n.cell(int32(link)) != n.ports[link].to })
	if reach < 1<<minSlot || b.widest() < minSlot {
		n.join()
		return 0, 0
	}
	if hosts > 0 {
		n.lastHost = int(cell(hosts - 1))
	}
	return most + 1, min(uint(bits.Len64(uint64(reach)))-1, maxSlot, b.widest())
}

// cellsOfHosts is the number of hosts that are cells.
func (b *Builder) cellsOfHosts() int {
	if b.n.hosts == nil || len(b.Hosts) == 0 {
		return 0
	}
	return int(slices.Max(b.Hosts)) + 1
}

// widest is log2 of the longest bucket in which an event key has room for both the time and the
// source of an arrival over any link. An application's source takes 32 bits.
func (b *Builder) widest() uint {
	return engine.SourceBits(packetBits + uint(max(32-packetBits, bits.Len(uint(len(b.n.ports))))))
}

// isApart reports whether a node has a cell other than the ends'.
func (nd *node) isApart() bool {
	return nd.kind == kindEthernet || nd.kind == kindInfiniBand && nd.local == byTables
}

// setCell stores the cell of a link's receiver in the link.
func (b *Builder) setCell(link int) {
	n := &b.n
	n.ports[link].to = n.cell(int32(link))
	if n.inboxes[link].back >= 0 {
		n.ports[link].to = n.nodes[n.inboxes[link].node].cell
	}
}

// nameAlone notes the switches that are alone in their cells and handle its events themselves: they are
// plain, and no link of the network fails.
func (n *Network) nameAlone() {
	n.alone = make([]*node, maxCells)
	members := make([]int, maxCells)
	for i := range n.nodes {
		nd := &n.nodes[i]
		if members[nd.cell]++; members[nd.cell] > 1 || !nd.plain || n.faults != nil {
			n.alone[nd.cell] = nil
			continue
		}
		n.alone[nd.cell] = nd
	}
	n.alone[0] = nil // the ends
}

// handleCell handles the events of the open cell before limit.
func (p *Partition) handleCell(cell int, limit units.Time) {
	bucket := &p.cells.Bucket
	switch nd := p.net.alone[cell]; {
	case nd == nil || p.net.examined:
		p.handle(bucket, limit)
	case nd.kind == kindEthernet:
		nd.ethernet.handle(p, nd, bucket, limit)
	default:
		nd.infiniband.handle(p, nd, bucket, limit)
	}
}

// join puts everything into the cell of the ends, before the run.
func (n *Network) join() {
	for i := range n.nodes {
		n.nodes[i].cell = 0
	}
	for link := range n.ports {
		n.ports[link].to = 0
	}
	for _, p := range n.parts {
		p.cells = nil
	}
}

// push adds an event of a cell.
func (p *Partition) push(cell uint16, t units.Time, class engine.Class, source uint64) {
	if cell == 0 {
		p.queue.Push(t, class, source)
		return
	}
	p.cells.Push(int(cell), t, class, source)
}

// runCells handles the events before limit, slot by slot and in a slot cell by cell.
func (p *Partition) runCells(limit units.Time) {
	last, end := p.now, units.Time(0)
	for end < limit {
		limit = min(limit, p.halt)
		t := min(p.queue.NextTime(), p.cells.NextSlot())
		if t >= limit {
			break
		}
		if p.record != nil && t >= p.record.Closes() {
			p.record.Close(t)
		}
		end = min(p.cells.Seek(t), limit)
		p.runEnds(end)
		last = max(last, p.now)
		for cell := p.cells.Open(); cell >= 0; cell = p.cells.Open() {
			if p.wide && cell > p.net.lastHost {
				p.lookAhead(&p.cells.Bucket)
			}
			p.handleCell(cell, end)
			last = max(last, p.now)
		}
	}
	p.now = last
}
