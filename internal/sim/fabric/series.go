package fabric

import (
	"math/bits"

	"weft/internal/sim/fabric/counts"
	"weft/internal/sim/fabric/series"
	"weft/units"
)

// Record makes the network record its links. main is the class of its data. It is called before the run.
func (n *Network) Record(main uint8) {
	for i, r := range series.NewRecorders(len(n.parts), len(n.ports), n.classes, main, n.readSent) {
		n.parts[i].record = r
		r.ShowPorts(n.parts[i].adapters)
	}
	n.watchPorts()
}

// recorders are the recorders of all partitions.
func (n *Network) recorders() (all []*series.Recorder) {
	for _, p := range n.parts {
		all = append(all, p.record)
	}
	return all
}

// readSent is the number of bytes that a link has sent. The link's next packet is counted.
func (n *Network) readSent(link int32) int64 {
	o := &n.ports[link]
	o.flags |= flagFollowed
	return o.bytes
}

// Recorded is the record up to the end of the run, which is over. A network without a record has nil.
func (n *Network) Recorded() *series.Recording {
	if !n.recording() {
		return nil
	}
	last := n.LastEvent()
	if n.periods.survey != nil {
		n.periods.survey.abandon(n, last)
		n.periods.survey = nil
	}
	return series.Finished(n.recorders(), last)
}

// RecordedSoFar is a copy of the record without the open intervals. It may be called while the
// network runs. A network without a record has nil.
func (n *Network) RecordedSoFar() *series.Recording {
	if !n.recording() {
		return nil
	}
	return series.SoFar(n.recorders())
}

// AddTotals adds what the network has counted, without the open intervals. It may be called while the network
// runs. A network without a record adds nothing.
func (n *Network) AddTotals(t *series.Totals) {
	if !n.recording() {
		return
	}
	for _, p := range n.parts {
		p.record.AddTo(t)
	}
}

// follow reports a packet that a port sends to the trace, and counts it if no other count has it.
func (p *Partition) follow(link, i int32, k *pkt, start, end units.Time) {
	if p.net.packets != nil {
		p.sent(link, i, start, end)
	}
	if p.record == nil {
		return
	}
	p.record.Sent(link, k.class, k.size)
	if p.net.packets == nil {
		p.net.ports[link].flags &^= flagFollowed // until the interval ends
	}
}

// lane is the index of a lane of a link.
func (p *Partition) lane(link int32, class uint8) int32 {
	return link*int32(p.net.classes) + int32(class)
}

// block sets the queues of a port that pauses stop.
func (o *port) block(p *Partition, port int32, queues uint16) {
	if p.record != nil {
		for changed := o.blocked ^ queues; changed != 0; changed &= changed - 1 {
			class := uint8(bits.TrailingZeros16(changed))
			p.record.Stopped(p.lane(port, class), queues>>class&1 != 0, p.now)
		}
	}
	o.blocked = queues
}

// dropAt drops a packet that waits for a port, or has no room to.
func (p *Partition) dropAt(port, i int32, why counts.Drop) {
	if p.record != nil {
		p.record.Dropped(p.lane(port, p.pool.hot[i].class))
	}
	p.drop(i, why)
}

// dropFrom drops a packet that has come over a link. It counts at the receiver's port, which is in this
// partition.
func (p *Partition) dropFrom(link, i int32, why counts.Drop) {
	if p.record != nil {
		p.record.Refused(p.lane(p.net.inboxes[link].back, p.pool.hot[i].class))
	}
	p.drop(i, why)
}

// runIntervals is runEnds for a partition that records.
func (p *Partition) runIntervals(limit units.Time) {
	for t := p.queue.NextTime(); t < min(limit, p.halt); t = p.queue.NextTime() {
		p.record.Close(t)
		p.runEnds(min(limit, p.record.Closes()))
	}
}
